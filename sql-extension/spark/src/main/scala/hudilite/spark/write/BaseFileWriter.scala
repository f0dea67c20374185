package hudilite.spark.write

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.api.WriteSupport
import org.apache.parquet.hadoop.{ParquetFileWriter, ParquetWriter}
import org.apache.parquet.io.OutputFile
import org.apache.parquet.io.api.RecordConsumer
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.parquet.ParquetWriteSupport
import org.apache.spark.sql.internal.{LegacyBehaviorPolicy, SQLConf}
import org.apache.spark.sql.types.StructType

import hudilite.io.NewFile

/** Writes one base file with Spark's Parquet write support and Hudi's footer keys (task side).
  *
  * @param path    final name of the file; nothing may lie there
  * @param schema  the five meta columns, then the table's columns
  * @param layout  codec, rows a page and rows a row group
  * @param footer  key-value pairs of the footer, asked for once all rows are written
  * Source: hudi-format.md 4.4-4.6, 10.1, 10.2
  */
final class BaseFileWriter(
    path: Path,
    conf: Configuration,
    schema: StructType,
    layout: FileLayout,
    footer: () => Map[String, String]
) {
  private val writer: ParquetWriter[InternalRow] =
    BaseFileWriter.open(path, conf, schema, layout, footer)

  def write(row: InternalRow): Unit = writer.write(row)

  def close(): Unit = writer.close()

  /** Lets go of the file; what it holds is of no use after. */
  def abandon(): Unit =
    try writer.close()
    catch { case NonFatal(_) => () }
}

object BaseFileWriter {

  /** Parquet's own default: a page is held against its limits this often. */
  private val rowsBetweenChecks = 100

  private def open(
      path: Path,
      conf: Configuration,
      schema: StructType,
      layout: FileLayout,
      footer: () => Map[String, String]
  ): ParquetWriter[InternalRow] = {
    val settings = writerConf(conf, schema)
    val sqlConf = new SQLConf
    sqlConf.setConf(SQLConf.PARQUET_REBASE_MODE_IN_WRITE, LegacyBehaviorPolicy.CORRECTED)
    SQLConf.withExistingConf(sqlConf) {
      new Builder(new NewFile(path, settings), footer)
        .withConf(settings)
        .withWriteMode(ParquetFileWriter.Mode.CREATE)
        .withCompressionCodec(layout.codec)
        .withPageRowCountLimit(layout.pageRows)
        .withMinRowCountForPageSizeCheck(math.min(layout.pageRows, rowsBetweenChecks))
        .withRowGroupRowCountLimit(layout.rowGroupRows)
        .build()
    }
  }

  private def writerConf(conf: Configuration, schema: StructType): Configuration = {
    val settings = new Configuration(conf)
    ParquetWriteSupport.setSchema(schema, settings)
    settings.set(SQLConf.PARQUET_WRITE_LEGACY_FORMAT.key, "false")
    settings.set(SQLConf.PARQUET_OUTPUT_TIMESTAMP_TYPE.key, "TIMESTAMP_MICROS")
    settings.set(SQLConf.PARQUET_FIELD_ID_WRITE_ENABLED.key, "false")
    settings.set(SQLConf.LEGACY_PARQUET_NANOS_AS_LONG.key, "false")
    settings.set(SQLConf.PARQUET_ANNOTATE_VARIANT_LOGICAL_TYPE.key, "false")
    settings
  }

  final private class Builder(file: OutputFile, footer: () => Map[String, String])
      extends ParquetWriter.Builder[InternalRow, Builder](file) {
    override protected def self(): Builder = this
    override protected def getWriteSupport(conf: Configuration): WriteSupport[InternalRow] =
      new FooterWriteSupport(footer)
  }

  /** Spark's write support, with our key-value pairs put into the footer at the end. */
  final private class FooterWriteSupport(footer: () => Map[String, String])
      extends WriteSupport[InternalRow] {
    private val rows = new ParquetWriteSupport

    override def getName: String = "avro"
    override def init(conf: Configuration): WriteSupport.WriteContext = {
      val context = rows.init(conf)
      new WriteSupport.WriteContext(PlainIntegers.of(context.getSchema), context.getExtraMetaData)
    }
    override def prepareForWrite(consumer: RecordConsumer): Unit = rows.prepareForWrite(consumer)
    override def write(row: InternalRow): Unit = rows.write(row)
    override def finalizeWrite(): WriteSupport.FinalizedWriteContext =
      new WriteSupport.FinalizedWriteContext(footer().asJava)
  }
}
