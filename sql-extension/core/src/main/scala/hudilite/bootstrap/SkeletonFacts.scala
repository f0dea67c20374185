package hudilite.bootstrap

/** What all rows of a skeleton share. Source: hudi-format §4.4, §8.3.
  * @param instant   of the bootstrap
  * @param ordinal   middle part of the sequence numbers `<instant>_<ordinal>_<row>`
  * @param partition relative partition path, "" when the table has none
  * @param fileName  the skeleton's own */
final case class SkeletonFacts(instant: String, ordinal: Int, partition: String, fileName: String) {
  def sequencePrefix: String = SkeletonFacts.sequencePrefix(instant, ordinal)
}

object SkeletonFacts {

  /** What the sequence numbers begin with; the row's number in the file follows, from 0 on. */
  def sequencePrefix(instant: String, ordinal: Int): String = s"${instant}_${ordinal}_"
}
