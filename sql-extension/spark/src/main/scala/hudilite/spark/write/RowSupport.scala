package hudilite.spark.write

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.ParquetWriter
import org.apache.parquet.hadoop.api.WriteSupport.WriteContext
import org.apache.parquet.io.api.RecordConsumer
import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.parquet.ParquetWriteSupport
import org.apache.spark.sql.internal.{LegacyBehaviorPolicy, SQLConf}
import org.apache.spark.sql.types.StructType

/** Spark's Parquet write support for rows of a schema, with fixed settings that no session changes.
  * Source: hudi-format.md 4.5 */
final private[write] class RowSupport(conf: Configuration, schema: StructType) {
  private val settings = RowSupport.settings(conf, schema)
  private val rows = RowSupport.withCorrectedDates(new ParquetWriteSupport)
  private val ofSpark = RowSupport.withCorrectedDates(rows.init(settings))

  private val plain = PlainIntegers.of(ofSpark.getSchema)

  /** Parquet schema of the file. */
  val message: MessageType = FixedDecimals.of(plain)

  /** Key-value pairs of the footer that describe the schema and the writer of the rows. */
  val pairs: Map[String, String] =
    ofSpark.getExtraMetaData.asScala.toMap + (ParquetWriter.OBJECT_MODEL_NAME_PROP -> "avro")

  /** Context for Parquet's encryption, if the session encrypts files. */
  def context: WriteContext = new WriteContext(message, ofSpark.getExtraMetaData)

  /** Directs rows to `consumer` from now on. */
  def start(consumer: RecordConsumer): Unit =
    rows.prepareForWrite(if (message == plain) consumer else new FixedDecimals(consumer, message))

  def write(row: InternalRow): Unit = rows.write(row)
}

private object RowSupport {

  private def withCorrectedDates[A](body: => A): A = {
    val conf = new SQLConf
    conf.setConf(SQLConf.PARQUET_REBASE_MODE_IN_WRITE, LegacyBehaviorPolicy.CORRECTED)
    SQLConf.withExistingConf(conf)(body)
  }

  private def settings(conf: Configuration, schema: StructType): Configuration = {
    val settings = new Configuration(conf)
    ParquetWriteSupport.setSchema(schema, settings)
    settings.set(SQLConf.PARQUET_WRITE_LEGACY_FORMAT.key, "false")
    settings.set(SQLConf.PARQUET_OUTPUT_TIMESTAMP_TYPE.key, "TIMESTAMP_MICROS")
    settings.set(SQLConf.PARQUET_FIELD_ID_WRITE_ENABLED.key, "false")
    settings.set(SQLConf.LEGACY_PARQUET_NANOS_AS_LONG.key, "false")
    settings.set(SQLConf.PARQUET_ANNOTATE_VARIANT_LOGICAL_TYPE.key, "false")
    settings
  }
}
