package hudilite.spark.read

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.ParquetInputFormat
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.parquet.{ParquetReadSupport, ParquetWriteSupport}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.SerializableConfiguration

/** Hadoop configuration for the tasks of a statement, broadcast once for all its readers (created on the
  * driver).
  * @param options Parquet read options of the statement */
final class TaskSettings(spark: SparkSession, options: Map[String, String]) {
  private lazy val shared = spark.sparkContext.broadcast(
    new SerializableConfiguration(TaskSettings.configured(
      spark.sessionState.newHadoopConfWithOptions(options),
      spark.sessionState.conf
    ))
  )

  /** Returns the configuration by which columns are read. */
  private[read] def of(columns: StructType): Broadcast[SerializableConfiguration] =
    new TaskSettings.OfColumns(shared, columns)
}

private object TaskSettings {

  /** Copy of a broadcast configuration with the columns to read. It is no JobConf: Spark's readers set
    * filters of one file in it, unless Hadoop copies it for them. */
  private final class OfColumns(shared: Broadcast[SerializableConfiguration], columns: StructType)
      extends Broadcast[SerializableConfiguration](shared.id) {
    @transient private lazy val copy = {
      val own = new Configuration(shared.value.value)
      own.set(ParquetReadSupport.SPARK_ROW_REQUESTED_SCHEMA, columns.json)
      own.set(ParquetWriteSupport.SPARK_ROW_SCHEMA, columns.json)
      new SerializableConfiguration(own)
    }

    override protected def getValue(): SerializableConfiguration = copy
    override protected def doUnpersist(blocking: Boolean): Unit = shared.unpersist(blocking)
    override protected def doDestroy(blocking: Boolean): Unit = shared.destroy()
  }

  /** Sets the keys that Spark's ParquetScan sets for tasks. */
  private def configured(hadoopConf: Configuration, conf: SQLConf): Configuration = {
    hadoopConf.set(ParquetInputFormat.READ_SUPPORT_CLASS, classOf[ParquetReadSupport].getName)
    hadoopConf.set(SQLConf.SESSION_LOCAL_TIMEZONE.key, conf.sessionLocalTimeZone)
    Seq(
      ParquetInputFormat.PAGE_VERIFY_CHECKSUM_ENABLED -> true, // a flipped bit must fail
      SQLConf.NESTED_SCHEMA_PRUNING_ENABLED.key -> conf.nestedSchemaPruningEnabled,
      SQLConf.CASE_SENSITIVE.key -> conf.caseSensitiveAnalysis
    ).concat(SliceReader.types).foreach { case (key, value) => hadoopConf.setBoolean(key, value) }
    hadoopConf
  }
}
