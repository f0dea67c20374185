package hudilite.spark.read

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.catalyst.FileSourceOptions.{IGNORE_CORRUPT_FILES, IGNORE_MISSING_FILES}
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.parquet.{
  ParquetOptions,
  ParquetToSparkSchemaConverter
}
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetPartitionReaderFactory
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType

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
    * @param logs       snapshot whose log files are read if the table may have any, with the
    *                   location of its table; None if no slice has any
    * @param ofFile     Spark's column `_metadata`, which is returned beside `readSchema`
    * @param inVectors  whether all readers are vectorized, whatever the session sets
    * @param shared     settings of the tasks with these options, which several factories share
    * @param key        the one record key whose row is read
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
      logs: Option[TableSnapshot] = None,
      ofFile: Option[FileColumn] = None,
      inVectors: Boolean = false,
      shared: Option[TaskSettings] = None,
      key: Option[KeyCondition] = None
  ): SliceReaderFactory = {
    val columns = CharVarcharUtils.replaceCharVarcharWithStringInSchema(readSchema)
    val settings = shared.getOrElse(new TaskSettings(spark, options))
    def readers(columns: StructType, filters: Array[Filter]) =
      new Readers(spark, config, fileSchema, columns, filters, options, stored, settings)
    val ofLogs = logs.filter(_ => config.mayHaveLogs).map { snapshot =>
      val merging = LogMerging.of(config, fileSchema, snapshot.basePath.toString)
      val schema = CharVarcharUtils.replaceCharVarcharWithStringInSchema(fileSchema)
      val all = merging.withKeyed(schema, columns)
      val base = readers(all, filters.filter(!merging.needsAllRows || isOfKey(config, _)))
      val states = merging.keyed(schema)
      new SliceLogs(
        merging,
        snapshot.view,
        all,
        columns.size,
        base.inVectors,
        base.ofBlocks(all),
        base.ofBlocks(states),
        states,
        PartialReaders(
          readers(all, Array.empty).inVectors,
          base.ofBlocks(LogMerging.ofPartial(all))
        ),
        ofFile,
        key.flatMap(LogLookUp.of(merging, keysOf(config, fileSchema), _))
      )
    }
    readers(columns, filters).factory(strict, ofLogs, ofFile, inVectors)
  }

  /** Returns the rule for record keys that have the texts of the key columns in files. */
  private def keysOf(config: TableConfig, schema: StructType): Option[VirtualKeys] =
    VirtualKeys.of(config, schema)
      .filterNot(_.fields.exists(PathColumns.isOfPath(config, _)))

  /** Whether a filter has one result for all rows of a record key, whichever of them is read. */
  private def isOfKey(config: TableConfig, filter: Filter): Boolean =
    config.isGeneratorKnown && filter.references.forall(config.recordKeyFields.contains)

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

    def factory(
        strict: Boolean,
        logs: Option[SliceLogs],
        ofFile: Option[FileColumn],
        inVectors: Boolean
    ): SliceReaderFactory = {
      val ignored = if (strict) nothingIgnored else Map.empty[String, String]
      val asSet = ofFile.isEmpty && !inVectors
      of(ignored, if (asSet) conf else SliceReader.inVectors(conf), logs, ofFile)
    }

    /** Returns a factory of vectorized readers, whatever the session sets. */
    def inVectors: SliceReaderFactory = of(nothingIgnored, SliceReader.inVectors(conf), None, None)

    private def of(
        ignored: Map[String, String],
        conf: SQLConf,
        logs: Option[SliceLogs],
        ofFile: Option[FileColumn]
    ) = {
      val plain = parquet(readSchema, usable, ignored, conf)
      new SliceReaderFactory(new ListedFiles(plain), adopted, ofPath(ignored), logs, ofFile)
    }

    /** Returns a reader of data blocks of log files.
      * @param columns columns to read */
    def ofBlocks(columns: StructType): LogBlockReader = {
      val inFile = PathColumns.stored(config, columns)
      new LogBlockReader(
        inFile,
        settings.of(inFile),
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
        new ListedFiles(parquet(columns, filters, nothingIgnored, SliceReader.inVectors(conf)))
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
  private[read] val types: Seq[(String, Boolean)] = Seq(
    SQLConf.PARQUET_BINARY_AS_STRING.key -> false,
    SQLConf.PARQUET_INT96_AS_TIMESTAMP.key -> true,
    SQLConf.PARQUET_INFER_TIMESTAMP_NTZ_ENABLED.key -> true,
    SQLConf.LEGACY_PARQUET_NANOS_AS_LONG.key -> false,
    SQLConf.PARQUET_READER_RESPECT_UNKNOWN_TYPE_ANNOTATION.key -> true
  )

  /** Returns the calendar of the dates in files that do not record it, as the readers of a [[factory]]
    * know it. */
  private[read] def calendarOf(conf: SQLConf, options: Map[String, String]): String =
    new ParquetOptions(calendar ++ options, conf).datetimeRebaseModeInRead

  private val calendar = Map(
    ParquetOptions.DATETIME_REBASE_MODE -> "CORRECTED",
    ParquetOptions.INT96_REBASE_MODE -> "CORRECTED"
  )

  private val nothingIgnored =
    Map(IGNORE_CORRUPT_FILES -> "false", IGNORE_MISSING_FILES -> "false")
}
