package hudilite.spark.plan

import scala.util.Try

import org.apache.spark.network.util.{ByteUnit, JavaUtils}
import org.apache.spark.sql.internal.SQLConf

import hudilite.timeline.WriteStat
import hudilite.view.FileSlice

/** How large the base files of a table without buckets become.
  *
  * @param smallLimit bytes below which a file takes further rows; 0 for none
  * @param maxSize    bytes that a file should not go beyond
  * @param written    what the newest commit wrote: how large a row is on the disk
  * Source: Hudi's hoodie.parquet.small.file.limit and hoodie.parquet.max.file.size. */
final class FileSizes(smallLimit: Long, maxSize: Long, written: Seq[WriteStat]) {
  private val onDisk: Option[Double] = {
    val rows = written.map(_.numWrites).sum
    Option.when(rows >= FileSizes.tellingRows)(written.map(_.fileSizeInBytes).sum.toDouble / rows)
  }

  /** Bytes of a row on the disk, at least 1.
    * @param rows  of the source, whose size tells it where there is no commit
    * @param bytes of these in memory */
  def rowBytes(rows: Long, bytes: Long): Double =
    math.max(1.0, onDisk.getOrElse(bytes.toDouble / math.max(rows, 1) / FileSizes.compression))

  /** Rows of a new file. */
  def rowsOfNew(rowBytes: Double): Long = math.max(1L, (maxSize / rowBytes).toLong)

  /** Numbers of the groups whose file is small, the newest first, and the rows that they take. */
  def room(slices: IndexedSeq[FileSlice], rowBytes: Double): Seq[(Int, Long)] =
    slices.zipWithIndex
      .filter(_._1.wholeLength < smallLimit)
      .sortBy { case (slice, number) => (slice.instant, -number) }
      .reverse
      .map { case (slice, number) => (number, ((maxSize - slice.wholeLength) / rowBytes).toLong) }
      .filter(_._2 > 0)
}

object FileSizes {

  /** Rows below which a commit's files tell more of footers than of rows. */
  private val tellingRows = 1000

  /** What Parquet makes of rows in memory, where nothing is known yet. */
  private val compression = 3.0

  val SmallLimit = "hoodie.parquet.small.file.limit"
  val MaxSize = "hoodie.parquet.max.file.size"

  /** @param facts what the table says under the same names; a setting of the session comes first
    * Errors: HUDILITE_SETTING_INVALID. */
  def of(conf: SQLConf, facts: Map[String, String], written: Seq[WriteStat]): FileSizes = {
    def bytes(key: String) = Setting.number(conf, key, least(key), facts.get(key))(read)
    new FileSizes(bytes(SmallLimit), bytes(MaxSize), written)
  }

  /** Bytes that a value of either stands for, if it makes sense. */
  def bytes(key: String, text: String): Option[Long] =
    Try(read(text.trim)).toOption.filter(_ >= least(key))

  private def read(text: String): Long = JavaUtils.byteStringAs(text, ByteUnit.BYTE)

  private def least(key: String): Long = if (key == SmallLimit) 0 else 1
}
