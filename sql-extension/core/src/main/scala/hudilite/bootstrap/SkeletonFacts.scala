package hudilite.bootstrap

import hudilite.format.BaseFileName

/** What all rows of a skeleton share. Source: hudi-format §4.4, §8.3.
  * @param partition relative partition path, "" when the table has none
  * @param name      the skeleton's own */
final case class SkeletonFacts(partition: String, name: BaseFileName) {
  def instant: String = name.instant
  def fileName: String = name.text
  def sequencePrefix: String = SkeletonFacts.sequencePrefix(name)
}

object SkeletonFacts {

  /** What the sequence numbers `<instant>_<partition of the write token>_<row>` of a skeleton of
    * hudilite's begin with; rows count from 0 on, as they lie in the file. */
  def sequencePrefix(name: BaseFileName): String = s"${name.instant}_${name.tokenPartition}_"
}
