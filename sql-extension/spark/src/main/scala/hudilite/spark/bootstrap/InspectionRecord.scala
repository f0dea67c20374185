package hudilite.spark.bootstrap

/** Record that a task of the inspection sends through the shuffle, which gives all hashes of one
  * range to one task. The reports take the same way to the driver, so that one Spark job reads the
  * files and compares their keys. */
sealed trait InspectionRecord extends Serializable

object InspectionRecord {

  /** Hashes of record keys, all of one range. */
  final case class Hashes(hashes: Array[Long]) extends InspectionRecord

  /** Report on one file. Its range has no meaning. */
  final case class Inspected(report: FileReport) extends InspectionRecord
}
