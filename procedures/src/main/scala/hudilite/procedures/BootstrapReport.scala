package hudilite.procedures

import scala.util.Try

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{DoubleType, IntegerType, LongType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

/** Result of a bootstrap.
  * @param adopted   number of source files that were adopted
  * @param rewritten number of source files whose rows were rewritten
  * @param refused   number of source files that were left out
  * @param rows      rows of the files that were not left out
  * @param read      bytes of the source that were read
  * @param written   bytes of the table's folder
  * @param instant   instant of the last commit */
private[procedures] final case class BootstrapReport(
    adopted: Int,
    rewritten: Int,
    refused: Int,
    rows: Long,
    read: Long,
    written: Long,
    seconds: Double,
    instant: String
) {
  import BootstrapReport._

  def row: InternalRow = InternalRow(
    adopted,
    rewritten,
    refused,
    rows,
    read,
    written,
    seconds,
    UTF8String.fromString(instant)
  )

  /** Entries for the commit's `extraMetadata`, from which a later call reports a bootstrap that is
    * already committed. */
  def kept: Map[String, String] = Map(
    key("adopted") -> adopted.toString,
    key("rewritten") -> rewritten.toString,
    key("refused") -> refused.toString,
    key("rows") -> rows.toString,
    key("read") -> read.toString
  )
}

private[procedures] object BootstrapReport {

  /** Columns of the result row of a bootstrap. */
  val summary: StructType = new StructType()
    .add("files_adopted", IntegerType, nullable = false)
    .add("files_rewritten", IntegerType, nullable = false)
    .add("files_refused", IntegerType, nullable = false)
    .add("rows", LongType, nullable = false)
    .add("bytes_read", LongType, nullable = false)
    .add("bytes_written", LongType, nullable = false)
    .add("seconds", DoubleType, nullable = false)
    .add("instant", StringType, nullable = false)

  /** Columns of the result rows of a dry run. A value that is not known without writing is null. */
  val files: StructType = new StructType()
    .add("file", StringType, nullable = false)
    .add("action", StringType, nullable = false)
    .add("reason", StringType)
    .add("rows", LongType)
    .add("null_keys", LongType)
    .add("duplicate_keys", LongType)
    .add("bytes_to_write", LongType)

  /** Restores a report from a commit.
    * @param extra   `extraMetadata` of the commit
    * @param written bytes of the table's folder */
  def of(extra: Map[String, String], written: Long, instant: String): BootstrapReport = {
    def number(name: String) =
      extra.get(key(name)).flatMap(t => Try(t.toLong).toOption).getOrElse(0L)
    BootstrapReport(
      number("adopted").toInt,
      number("rewritten").toInt,
      number("refused").toInt,
      number("rows"),
      number("read"),
      written,
      0.0,
      instant
    )
  }

  private def key(name: String) = s"hudilite.bootstrap.$name"
}
