package hudilite.spark.plan

import scala.util.Try

import org.apache.spark.network.util.{ByteUnit, JavaUtils}
import org.apache.spark.sql.internal.SQLConf

import hudilite.timeline.WriteStat
import hudilite.view.FileSlice

/** Target sizes of the base files of a table without buckets.
  *
  * @param smallLimit size in bytes below which a file receives new rows; 0: no file does
  * @param maxSize    size in bytes that a file should not exceed
  * @param written    files of the newest commit, to estimate the size of a row on disk
  * Source: Hudi's hoodie.parquet.small.file.limit and hoodie.parquet.max.file.size. */
final class FileSizes(smallLimit: Long, maxSize: Long, written: Seq[WriteStat]) {
  private val onDisk: Option[Double] = {
    val rows = written.map(_.numWrites).sum
    Option.when(rows >= FileSizes.leastRows)(written.map(_.fileSizeInBytes).sum.toDouble / rows)
  }

  /** Estimates the bytes of a row on disk, at least 1. Uses the source's size in memory if the
    * newest commit wrote too few rows.
    * @param rows  number of source rows
    * @param bytes size of these rows in memory */
  def rowBytes(rows: Long, bytes: Long): Double =
    math.max(1.0, onDisk.getOrElse(bytes.toDouble / math.max(rows, 1) / FileSizes.compression))

  /** Returns how many rows a new file receives, at least 1. */
  def rowsOfNew(rowBytes: Double): Long = math.max(1L, (maxSize / rowBytes).toLong)

  /** Returns the file groups whose file is small, the newest first: index in `slices`, and number
    * of rows that fit in. */
  def room(slices: IndexedSeq[FileSlice], rowBytes: Double): Seq[(Int, Long)] =
    slices.zipWithIndex
      .filter(_._1.wholeLength < smallLimit)
      .sortBy { case (slice, number) => (slice.instant, -number) }
      .reverse
      .map { case (slice, number) => (number, ((maxSize - slice.wholeLength) / rowBytes).toLong) }
      .filter(_._2 > 0)
}

object FileSizes {

  /** Rows below which the size of a commit's files shows more about footers than about rows. */
  private val leastRows = 1000

  /** Assumed ratio of a row's size in memory to its size in Parquet, before a commit shows it. */
  private val compression = 3.0

  val SmallLimit = "hoodie.parquet.small.file.limit"
  val MaxSize = "hoodie.parquet.max.file.size"

  /** Reads the settings of a session and a table.
    * @param facts table properties of the same names; a session setting has precedence
    * Errors: HUDILITE_SETTING_INVALID. */
  def of(conf: SQLConf, facts: Map[String, String], written: Seq[WriteStat]): FileSizes =
    new FileSizes(setting(conf, facts, SmallLimit), maxSize(conf, facts), written)

  /** Returns the size in bytes that a file should not exceed; see [[of]]. */
  def maxSize(conf: SQLConf, facts: Map[String, String]): Long = setting(conf, facts, MaxSize)

  private def setting(conf: SQLConf, facts: Map[String, String], key: String): Long =
    Setting.number(conf, key, least(key), facts.get(key))(read)

  /** Parses a value of one of the two properties to bytes; None if it is invalid. */
  def bytes(key: String, text: String): Option[Long] =
    Try(read(text.trim)).toOption.filter(_ >= least(key))

  private def read(text: String): Long = JavaUtils.byteStringAs(text, ByteUnit.BYTE)

  private def least(key: String): Long = if (key == SmallLimit) 0 else 1
}
