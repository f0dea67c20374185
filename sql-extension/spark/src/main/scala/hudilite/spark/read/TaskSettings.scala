package hudilite.spark.read

import java.util.{Collections, HashMap => JavaHashMap, Map => JavaMap, WeakHashMap}

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.ParquetInputFormat
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.parquet.{ParquetReadSupport, ParquetWriteSupport}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.SerializableConfiguration

/** Hadoop configuration for the tasks of a statement, broadcast once for all its readers, and for the
  * next statements of the session as long as no setting changes (created on the driver).
  * @param options Parquet read options of the statement */
final class TaskSettings(spark: SparkSession, options: Map[String, String]) {
  private lazy val shared = TaskSettings.shared(spark, options)

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

  /** Broadcast that a session has made last.
    * @param settings all settings on which the configuration depends */
  private final case class Last(
      settings: JavaMap[String, String],
      sent: Broadcast[SerializableConfiguration]
  )

  private val ofSessions: JavaMap[SparkSession, Last] =
    Collections.synchronizedMap(new WeakHashMap[SparkSession, Last])

  private def shared(
      spark: SparkSession,
      options: Map[String, String]
  ): Broadcast[SerializableConfiguration] = {
    val conf = spark.sessionState.conf
    val settings = new JavaHashMap[String, String]
    spark.sparkContext.hadoopConfiguration.forEach(of => settings.put(of.getKey, of.getValue): Unit)
    (conf.getAllConfs ++ options).foreachEntry(settings.put(_, _): Unit)
    settings.put(SQLConf.SESSION_LOCAL_TIMEZONE.key, conf.sessionLocalTimeZone): Unit
    Option(ofSessions.get(spark)).filter(_.settings == settings).fold {
      val made = configured(spark.sessionState.newHadoopConfWithOptions(options), conf)
      val sent = spark.sparkContext.broadcast(new SerializableConfiguration(made))
      ofSessions.put(spark, Last(settings, sent)): Unit
      sent
    }(_.sent)
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
