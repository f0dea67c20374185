package hudilite.spark.write

import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.spark.sql.internal.SQLConf

import hudilite.format.{FilterRule, TableConfig}
import hudilite.spark.plan.{BloomSettings, Setting, WriteSettings}

/** Layout of new base files: codec, sizes of pages and row groups, bloom filters.
  *
  * @param codec        Parquet codec
  * @param pageRows     maximum rows of a page, 1 or more
  * @param rowGroupRows maximum rows of a row group, 1 or more
  * @param filters      which new files get a bloom filter
  * @param filterType   Hudi's type code of new bloom filters
  * @param copies       whether bytes of an old file may be copied
  * @param blooms       columns with bloom filters of Parquet's, as [[hudilite.spark.plan.BloomColumns.of]] has them
  */
final case class FileLayout(
    codec: CompressionCodecName,
    pageRows: Int,
    rowGroupRows: Int,
    filters: FilterRule,
    filterType: String,
    copies: Boolean,
    blooms: Seq[String] = Nil
) {

  /** Returns the layout without bloom filters of columns. */
  def withoutBlooms: FileLayout = copy(blooms = Nil)

  /** Smallest number of row groups that hold `rows` rows. */
  def rowGroupsOf(rows: Long): Long = (rows + rowGroupRows - 1) / rowGroupRows
}

object FileLayout {
  private val PageRows = "spark.hudilite.write.pageRows"
  private val RowGroupRows = "spark.hudilite.write.rowGroupRows"

  /** Layout from the settings of a session and the facts of a table.
    * Errors: HUDILITE_SETTING_INVALID. */
  def of(conf: SQLConf, table: TableConfig): FileLayout = FileLayout(
    CompressionCodecName.fromConf(conf.parquetCompressionCodec),
    Setting.number(conf, PageRows, least = 1)(_.toInt.toLong).toInt,
    Setting.number(conf, RowGroupRows, least = 1)(_.toInt.toLong).toInt,
    table.filterRule,
    BloomSettings.filterType(conf),
    WriteSettings.of(conf).copies,
    table.bloomColumns
  )
}
