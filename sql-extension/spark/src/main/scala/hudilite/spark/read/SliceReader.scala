package hudilite.spark.read

import scala.collection.mutable

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.ParquetInputFormat
import org.apache.parquet.schema.MessageType
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.FileSourceOptions.{IGNORE_CORRUPT_FILES, IGNORE_MISSING_FILES}
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.parquet.{
  ParquetOptions,
  ParquetReadSupport,
  ParquetToSparkSchemaConverter,
  ParquetWriteSupport
}
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetPartitionReaderFactory
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.SerializableConfiguration

import hudilite.format.{MetaFields, TableConfig}
import hudilite.view.TableSnapshot

/** Builds readers of file slices, on Spark's vectorized Parquet reader. The factory is built on the
  * driver and used in tasks, for queries and for merges.
  */
object SliceReader {

  /** Returns a factory of readers of file slices.
    *
    * The requested schema alone decides the type of a column; session settings for unannotated
    * Parquet types have no effect. A file without Spark's version in its footer (stock Hudi's)
    * contains proleptic Gregorian dates.
    * @param config     hoodie.properties of the table
    * @param fileSchema schema of the files, metadata columns included
    * @param readSchema columns to read, in this order; nested fields may be pruned
    * @param filters    filters that may skip row groups and pages; single rows are not filtered
    * @param options    Parquet read options of the statement
    * @param strict     whether a missing or damaged file always fails, whatever the session or the
    *                   options set
    * @param stored     whether meta columns are read as they are stored, see [[AdoptedColumns]]
    * @param logs       snapshot whose log files are read if the table is merge-on-read, with the
    *                   location of its table; None if no slice has any
    * @return factory whose readers throw HUDILITE_MISSING_DATA_FILE if a file is gone
    */
  def factory(
      spark: SparkSession,
      config: TableConfig,
      fileSchema: StructType,
      readSchema: StructType,
      filters: Array[Filter],
      options: Map[String, String] = Map.empty,
      strict: Boolean = false,
      stored: Boolean = false,
      logs: Option[TableSnapshot] = None
  ): SliceReaderFactory = {
    val columns = CharVarcharUtils.replaceCharVarcharWithStringInSchema(readSchema)
    val settings = new TaskSettings(spark, options)
    def readers(columns: StructType, filters: Array[Filter]) =
      new Readers(spark, config, fileSchema, columns, filters, options, stored, settings)
    val ofLogs = logs.filter(_ => config.isMergeOnRead).map { snapshot =>
      val merging = LogMerging.of(config, fileSchema, snapshot.basePath.toString)
      val schema = CharVarcharUtils.replaceCharVarcharWithStringInSchema(fileSchema)
      val all = merging.withKeyed(schema, columns)
      val base = readers(all, if (merging.needsAllRows) Array.empty else filters)
      val states = merging.keyed(schema)
      new SliceLogs(
        merging,
        snapshot.view,
        all,
        columns.size,
        base.inVectors,
        base.ofBlocks(all),
        base.ofBlocks(states),
        states
      )
    }
    readers(columns, filters).factory(strict, ofLogs)
  }

  /** Hadoop configurations of the tasks of one factory, each broadcast once. */
  private final class TaskSettings(spark: SparkSession, options: Map[String, String]) {
    private val known = mutable.Map.empty[StructType, Broadcast[SerializableConfiguration]]

    /** Returns the configuration by which columns are read. */
    def of(columns: StructType): Broadcast[SerializableConfiguration] = known.getOrElseUpdate(
      columns, {
        val hadoopConf = spark.sessionState.newHadoopConfWithOptions(options)
        spark.sparkContext.broadcast(new SerializableConfiguration(
          configured(hadoopConf, spark.sessionState.conf, columns)
        ))
      }
    )
  }

  /** Builder of the readers of one factory, whose arguments these are. */
  private final class Readers(
      spark: SparkSession,
      config: TableConfig,
      fileSchema: StructType,
      readSchema: StructType,
      filters: Array[Filter],
      options: Map[String, String],
      stored: Boolean,
      settings: TaskSettings
  ) {
    private val conf = spark.sessionState.conf

    /** Filters on columns that base files store. */
    private val usable = PathColumns.usable(config, filters)

    def factory(strict: Boolean, logs: Option[SliceLogs]): SliceReaderFactory = {
      val ignored = if (strict) nothingIgnored else Map.empty[String, String]
      of(ignored, conf, logs)
    }

    /** Returns a factory of vectorized readers, whatever the session sets. */
    def inVectors: SliceReaderFactory = of(nothingIgnored, SliceReader.inVectors(conf), None)

    private def of(ignored: Map[String, String], conf: SQLConf, logs: Option[SliceLogs]) = {
      val plain = parquet(readSchema, usable, ignored, conf)
      new SliceReaderFactory(new ListedFiles(plain), adopted, ofPath(ignored), logs)
    }

    /** Returns a reader of data blocks of log files.
      * @param columns columns to read */
    def ofBlocks(columns: StructType): LogBlockReader = {
      val inFile = PathColumns.stored(config, columns)
      new LogBlockReader(
        inFile,
        settings.of(readSchema),
        BatchSettings.of(conf, new ParquetOptions(calendar ++ options ++ nothingIgnored, conf)),
        conf.caseSensitiveAnalysis,
        ofPath(columns, nothingIgnored)
      )
    }

    /** Reader of base files without the partition columns, if the table has such files and the
      * columns to read contain one. */
    private def ofPath(ignored: Map[String, String]): Option[PathColumns] =
      ofPath(readSchema, ignored)

    private def ofPath(columns: StructType, ignored: Map[String, String]): Option[PathColumns] = {
      val stored = PathColumns.stored(config, columns)
      Option.when(stored.size < columns.size) {
        val plain = parquet(stored, usable, ignored, SliceReader.inVectors(conf))
        new PathColumns(config, columns, new ListedFiles(plain))
      }
    }

    private def parquet(
        columns: StructType,
        filters: Array[Filter],
        ignored: Map[String, String],
        conf: SQLConf
    ): ParquetPartitionReaderFactory =
      ParquetPartitionReaderFactory(
        conf,
        settings.of(columns),
        CharVarcharUtils.replaceCharVarcharWithStringInSchema(fileSchema),
        columns,
        new StructType(),
        filters,
        None,
        new ParquetOptions(calendar ++ options ++ ignored, conf)
      )

    private def adopted: Option[AdoptedReaders] = Option.when(config.isBootstrapped) {
      val counted = adoptedFiles(isCounted = true)
      val isSame = stored || !readSchema.fieldNames.contains(MetaFields.CommitSeqno)
      AdoptedReaders(counted, if (isSame) counted else adoptedFiles(isCounted = false))
    }

    private def adoptedFiles(isCounted: Boolean): AdoptedFiles = {
      val read = AdoptedColumns(config, fileSchema, readSchema, stored, isCounted)
      val ofData = filters.filter(_.references.forall(AdoptedColumns.isOfData(config, _)))
      val ofMeta = filters.filter(_.references.forall(AdoptedColumns.isOfMeta))
      val alone = if (read.meta.isEmpty && !read.needsPlace) ofData
      else Array.empty[Filter] // skipped rows would break the pairing
      def of(columns: StructType, filters: Array[Filter]) =
        parquet(columns, filters, nothingIgnored, SliceReader.inVectors(conf))
      new AdoptedFiles(
        config,
        read,
        of(read.data, alone),
        Option.when(read.meta.nonEmpty)(of(read.meta, Array.empty)),
        RowGroupFilters.of(conf, ofData.toSeq, fileSchema),
        RowGroupFilters.of(conf, ofMeta.toSeq, fileSchema)
      )
    }
  }

  /** Turns the vectorized reader on, whatever the session sets: adopted files and slices with log files are
    * assembled from vectors. */
  private def inVectors(conf: SQLConf): SQLConf = {
    val vectors = conf.clone()
    vectors.setConf(SQLConf.PARQUET_VECTORIZED_READER_ENABLED, true)
    vectors.setConf(SQLConf.PARQUET_VECTORIZED_READER_NESTED_COLUMN_ENABLED, true)
    vectors
  }

  /** Returns the columns of a Parquet file in the types that the readers of a [[factory]] return.
    * Errors: Spark's own for a type that it does not read. */
  def columnsOf(file: MessageType): StructType = converter(isCaseSensitive = false).convert(file)

  /** Returns the converter of Parquet types that the readers of a [[factory]] use. */
  private[read] def converter(isCaseSensitive: Boolean): ParquetToSparkSchemaConverter = {
    val conf = new Configuration(false)
    (types :+ (SQLConf.CASE_SENSITIVE.key -> isCaseSensitive)).foreach { case (key, value) =>
      conf.setBoolean(key, value)
    }
    new ParquetToSparkSchemaConverter(conf)
  }

  /** Settings for the conversion of Parquet types, fixed for all sessions. */
  private val types = Seq(
    SQLConf.PARQUET_BINARY_AS_STRING.key -> false,
    SQLConf.PARQUET_INT96_AS_TIMESTAMP.key -> true,
    SQLConf.PARQUET_INFER_TIMESTAMP_NTZ_ENABLED.key -> true,
    SQLConf.LEGACY_PARQUET_NANOS_AS_LONG.key -> false,
    SQLConf.PARQUET_READER_RESPECT_UNKNOWN_TYPE_ANNOTATION.key -> true
  )

  private val calendar = Map(
    ParquetOptions.DATETIME_REBASE_MODE -> "CORRECTED",
    ParquetOptions.INT96_REBASE_MODE -> "CORRECTED"
  )

  private val nothingIgnored =
    Map(IGNORE_CORRUPT_FILES -> "false", IGNORE_MISSING_FILES -> "false")

  /** Sets the columns that are read. */
  private[read] def setColumns(hadoopConf: Configuration, schema: StructType): Unit = {
    hadoopConf.set(ParquetReadSupport.SPARK_ROW_REQUESTED_SCHEMA, schema.json)
    hadoopConf.set(ParquetWriteSupport.SPARK_ROW_SCHEMA, schema.json)
  }

  /** Sets the keys that Spark's ParquetScan sets for tasks. */
  private def configured(
      hadoopConf: Configuration,
      conf: SQLConf,
      schema: StructType
  ): Configuration = {
    hadoopConf.set(ParquetInputFormat.READ_SUPPORT_CLASS, classOf[ParquetReadSupport].getName)
    setColumns(hadoopConf, schema)
    hadoopConf.set(SQLConf.SESSION_LOCAL_TIMEZONE.key, conf.sessionLocalTimeZone)
    Seq(
      ParquetInputFormat.PAGE_VERIFY_CHECKSUM_ENABLED -> true, // a flipped bit must fail
      SQLConf.NESTED_SCHEMA_PRUNING_ENABLED.key -> conf.nestedSchemaPruningEnabled,
      SQLConf.CASE_SENSITIVE.key -> conf.caseSensitiveAnalysis
    ).concat(types).foreach { case (key, value) => hadoopConf.setBoolean(key, value) }
    hadoopConf
  }
}
