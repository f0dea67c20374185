package hudilite.bootstrap

/** Values that all rows of a skeleton share. Source: hudi-format §4.4, §8.3.
  * @param instant   instant of the bootstrap
  * @param ordinal   middle part of the sequence numbers `<instant>_<ordinal>_<row>`
  * @param partition relative partition path, "" when the table has none
  * @param fileName  name of the skeleton */
final case class SkeletonFacts(instant: String, ordinal: Int, partition: String, fileName: String) {
  def sequencePrefix: String = SkeletonFacts.sequencePrefix(instant, ordinal)
}

object SkeletonFacts {

  /** Returns the prefix of the sequence numbers. The row's number in the file follows it, from 0
    * on. */
  def sequencePrefix(instant: String, ordinal: Int): String = s"${instant}_${ordinal}_"
}
