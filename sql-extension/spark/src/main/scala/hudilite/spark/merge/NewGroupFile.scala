package hudilite.spark.merge

import org.apache.spark.unsafe.types.UTF8String

import hudilite.timeline.WriteStat

/** File that a merge adds to a file group: a new base file, or a log file (task side). */
trait NewGroupFile {

  /** Makes the meta columns of its rows. */
  def rows: NewRows

  /** Whether the key of each old row that stays must be added, too. */
  def needsAllKeys: Boolean

  /** Adds the key of a row of the file. */
  def addKey(key: UTF8String): Unit

  /** Makes the file durable.
    * @param written number of its rows
    * Errors: HUDILITE_WRITE_ROLLED_BACK. */
  def close(written: Long): NewGroupFile.Closed

  /** Gives the file up: deletes what this attempt wrote, complete or not. */
  def abandon(): Unit
}

object NewGroupFile {

  /** File that is closed.
    * @param length    bytes
    * @param rowGroups row groups by how they were written
    * @param log       facts of a log file, with the instant in its name; None for a base file */
  final case class Closed(
      name: String,
      length: Long,
      rowGroups: RowGroupCounts,
      log: Option[(String, WriteStat.Log)] = None
  )
}
