package hudilite.spark.write

import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.spark.sql.internal.SQLConf

import hudilite.spark.plan.{BloomSettings, Setting, WriteSettings}

/** How a base file is cut.
  *
  * @param codec        Parquet codec
  * @param pageRows     rows a page at most, 1 or more
  * @param rowGroupRows rows a row group at most, 1 or more
  * @param filterType   type code of a new bloom filter
  * @param copies       whether bytes of an old file may be copied
  */
final case class FileLayout(
    codec: CompressionCodecName,
    pageRows: Int,
    rowGroupRows: Int,
    filterType: String,
    copies: Boolean
) {

  /** The fewest row groups that hold so many rows. */
  def groupsOf(rows: Long): Long = (rows + rowGroupRows - 1) / rowGroupRows
}

object FileLayout {
  private val PageRows = "spark.hudilite.write.pageRows"
  private val RowGroupRows = "spark.hudilite.write.rowGroupRows"

  /** Layout that a session asks for.
    * Errors: HUDILITE_SETTING_INVALID. */
  def of(conf: SQLConf): FileLayout = FileLayout(
    CompressionCodecName.fromConf(conf.parquetCompressionCodec),
    Setting.number(conf, PageRows, least = 1)(_.toInt.toLong).toInt,
    Setting.number(conf, RowGroupRows, least = 1)(_.toInt.toLong).toInt,
    BloomSettings.filterType(conf),
    WriteSettings.of(conf).copies
  )
}
