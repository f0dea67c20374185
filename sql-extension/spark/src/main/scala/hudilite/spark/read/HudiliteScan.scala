package hudilite.spark.read

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, Expression, InSet}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.expressions.{
  Expressions,
  Literal => ConnectorLiteral,
  NamedReference
}
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.connector.read.partitioning.{Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import hudilite.error.HudiliteException
import hudilite.format.MergeOrder
import hudilite.spark.plan.MetaColumns
import hudilite.view.{FileSlice, TableSnapshot, TableStatistics}

/** Batch read of one snapshot. The driver lists and prunes when the read is first planned; tasks
  * read byte ranges of base files.
  * @param spark     session of the query
  * @param tableName name for EXPLAIN
  * @param schema    table schema, without the metadata columns
  * @param snapshot  table as of a commit
  * @param request   columns, filters and aggregation
  * @param options   read options of the statement
  * @param partitions partitions that the filters leave, if they have been listed before
  * @param ungrouped  selection to use as it is; the read then reports no partitioning by bucket
  * @param statistics statistics of the table, if they are to be used
  */
final class HudiliteScan(
    spark: SparkSession,
    tableName: String,
    schema: StructType,
    val snapshot: TableSnapshot,
    request: ScanRequest,
    options: CaseInsensitiveStringMap,
    partitions: Option[KeptPartitions],
    ungrouped: Option[SliceSelection] = None,
    statistics: () => Option[TableStatistics] = () => None,
    listed: Option[SliceSelection] = None
) extends Scan
    with Batch
    with SupportsReportStatistics
    with SupportsReportPartitioning
    with SupportsRuntimeV2Filtering {
  import HudiliteScan._
  import request.{aggregation, filters, pushed}

  override val readSchema: StructType = aggregation.fold(request.columns)(_.schema)

  /** File slices to read, with the result of pruning and skipping.
    * Errors: HUDILITE_CONCURRENT_WRITE if the partitions of a later snapshot do not decide a filter
    * that Spark no longer evaluates. */
  lazy val selection: SliceSelection = ungrouped.getOrElse {
    val all = listed.getOrElse {
      val known = partitions.getOrElse {
        val kept = KeptPartitions.of(snapshot, schema, filters)
        if (!request.decided.forall(kept.areAll(_, snapshot.config, schema))) throw overtaken
        kept
      }
      SliceSelection.of(snapshot, schema, filters, Some(known))
    }
    new FileSkipping(spark, tableName, snapshot, schema, request.sought, parquetOptions)
      .narrowed(if (HudiliteScanBuilder.isReadOptimized(options)) all.ofBases else all)
  }

  private def parquetOptions: Map[String, String] = options.asCaseSensitiveMap.asScala.toMap

  /** Input partitions by bucket, for joins of tables that are bucketed alike; None: by size. */
  private lazy val groups: Option[BucketGroups] =
    if (ungrouped.nonEmpty || aggregation.nonEmpty) None
    else
      BucketGroups.of(spark, snapshot.config, schema, request.columns, selection.considered)
        .map(all => all.copy(slices = all.of(selection.slices))).filter(_.slices.nonEmpty)

  private var runtimeSlices: Option[Seq[FileSlice]] = None

  /** Returns this read on another snapshot of the table. */
  def on(latest: TableSnapshot): HudiliteScan = {
    val seen = latest.of(snapshot.part)
    new HudiliteScan(spark, tableName, schema, seen, request, options, None, None, statistics)
  }

  /** Returns this read with files split by size only; None if they are already. */
  def withoutGroups: Option[HudiliteScan] = groups.map { _ =>
    new HudiliteScan(spark, tableName, schema, snapshot, request, options, partitions,
      Some(selection), statistics)
  }

  /** Keys of the input partitions by bucket; empty for a read that is split by size. */
  def groupKeys: Seq[InternalRow] = groups.toSeq.flatMap(_.slices.map(_._1))

  /** Spark uses this only if the relation has a catalog that contains the bucket function. */
  override def outputPartitioning(): Partitioning =
    groups.fold[Partitioning](new UnknownPartitioning(0))(_.partitioning)

  override def toBatch: Batch = this

  override def description(): String = {
    val state = snapshot.asOf.fold("")(" as of " + _)
    val parts = Seq(s"hudilite $tableName$state [${selection.text}]") ++ aggregation.map(_.text) :+
      s"pushed filters ${pushed.mkString("[", ", ", "]")}"
    parts.mkString(", ")
  }

  override def supportedCustomMetrics(): Array[CustomMetric] = ScanMetrics.all.toArray

  override def reportDriverMetrics(): Array[CustomTaskMetric] =
    ScanMetrics.of(runtimeSlices.getOrElse(selection.slices).size, selection.skipped.size)
      .toArray

  override def planInputPartitions(): Array[InputPartition] = {
    val slices = runtimeSlices.getOrElse(selection.slices)
    slices.foreach(checkLength)
    if (aggregation.nonEmpty) shares(slices)
    else groups.fold(ranges(slices))(whole(_, slices))
  }

  private def whole(groups: BucketGroups, slices: Seq[FileSlice]): Array[InputPartition] =
    groups.of(slices).map { case (key, inIt) =>
      GroupedSlices(SlicePartition(inIt.map(SlicePart.whole)), key)
    }.toArray

  private def ranges(slices: Seq[FileSlice]): Array[InputPartition] =
    EvenSplits.of(slices.map(sized), ScanLimits.of(spark)).toArray

  /** Returns a slice with its size. It is not cut if filters pin buckets, that is, if keys are
    * looked up: each part would read the footer and the log files again; nor where a row of a log
    * file may have to be compared with one of another part. Of a base in which one key is looked
    * up, next to nothing is read but the footer. */
  private def sized(slice: FileSlice): EvenSplits.Sized = {
    val ofBase = slice.withoutLogs.fold(0L)(_.dataLength)
    EvenSplits.Sized(
      slice,
      if (request.key.nonEmpty) 0L else (ofBase * share).toLong,
      slice.dataLength - ofBase,
      selection.buckets.isEmpty && (slice.isOnlyBase || mayCutLogs) && SlicePart.mayCut(slice)
    )
  }

  /** Share of the bytes of a base that the columns take. */
  private lazy val share = EvenSplits.share(schema, stored)

  private lazy val mayCutLogs = MergeOrder.of(snapshot.config) == MergeOrder.CommitTime

  /** Distributes the slices over tasks. Without GROUP BY even no slices need a task, because the
    * count of no rows is a row. */
  private def shares(slices: Seq[FileSlice]): Array[InputPartition] = {
    val tasks = spark.sparkContext.defaultParallelism.max(slices.size / slicesOfTask)
    val size = (slices.size + tasks - 1) / tasks
    val shares = if (slices.isEmpty) Seq.empty else slices.grouped(size).toSeq
    val hasGroups = aggregation.exists(_.groups.nonEmpty)
    (if (shares.isEmpty && !hasGroups) Seq(Nil) else shares).map(AggregatedSlices(_)).toArray
  }

  private lazy val wanted = aggregation.fold(request.columns)(_.columns)
  private lazy val columns = request.key.fold(wanted)(_.added(wanted))
  private lazy val ofFile = FileColumn.of(schema, columns)

  /** Columns that are read from files. */
  private lazy val stored = ofFile.fold(columns)(_.stored)

  override def createReaderFactory(): PartitionReaderFactory = {
    val all = SliceReader.factory(
      spark,
      snapshot.config,
      MetaColumns.before(schema),
      stored,
      request.sought.toArray,
      parquetOptions,
      logs = Option.when(selection.slices.exists(!_.isOnlyBase))(snapshot),
      ofFile = ofFile,
      key = request.key
    )
    val isCaseSensitive = spark.sessionState.conf.caseSensitiveAnalysis
    aggregation.fold(request.key.fold[PartitionReaderFactory](all)(_.readers(all, wanted))) {
      new AggregatedSlicesFactory(_, snapshot.config, all, isCaseSensitive)
    }
  }

  /** Columns for which a join may pass runtime filters with the values of its other side: partition
    * and hash columns that are read. */
  override def filterAttributes(): Array[NamedReference] = {
    val readColumns = aggregation.fold(request.columns.fieldNames.toSeq)(_.groups.map(_.name))
    (snapshot.config.partitionFields ++ snapshot.config.hashFields).distinct
      .filter(readColumns.contains)
      .map(name => Expressions.column(s"`$name`"))
      .toArray
  }

  override def filter(predicates: Array[Predicate]): Unit = {
    val known = predicates.toSeq.flatMap(membership(_, schema))
    runtimeSlices = Some(SliceSelection.narrowed(snapshot, schema, selection.slices, known))
  }

  /** Estimates the size from the bytes of the slices, scaled by the share of the columns that are
    * read. The number of rows and the statistics of columns are those of ANALYZE TABLE, for the size of
    * the slices before files are skipped: Spark itself applies the filters to these. An aggregation and
    * a read of one key count as one row for each slice. */
  override def estimateStatistics(): Statistics = {
    val slices = selection.slices
    if (request.key.nonEmpty) ScanStatistics.ofRows(slices.size, readSchema)
    else if (aggregation.nonEmpty) ScanStatistics.ofRows(slices.size.max(1), readSchema)
    else {
      val share = readSchema.defaultSize.toDouble / MetaColumns.before(schema).defaultSize
      val bytes = slices.map(_.dataLength).sum
      val estimate = bytes * share * spark.sessionState.conf.fileCompressionFactor
      val before = selection.considered.map(_.dataLength).sum
      ScanStatistics.of(estimate.toLong, before, readSchema, statistics())
    }
  }

  /** Compares what is read, so that Spark reuses the exchanges and subqueries of equal scans. */
  override def equals(other: Any): Boolean = other match {
    case scan: HudiliteScan => identity == scan.identity
    case _ => false
  }

  override def hashCode(): Int = identity.hashCode

  private def identity: Seq[Any] =
    Seq(
      snapshot.basePath,
      snapshot.part,
      snapshot.number,
      snapshot.instants,
      readSchema,
      normalized,
      pushed.toSet,
      request.aggregation,
      options,
      ungrouped.map(_.slices)
    )

  /** Error of a retry on a later snapshot: its partitions are not those for which the statement was
    * optimized. */
  private def overtaken: HudiliteException = HudiliteException(
    "HUDILITE_CONCURRENT_WRITE",
    "instant" -> snapshot.lastInstant.getOrElse(""),
    "bucket" -> "all of a new partition",
    "table" -> tableName
  )

  /** Filters with column names instead of expression ids, because two references to a table have
    * different ids. */
  private lazy val normalized: Set[Expression] = filters.map(named).toSet
}

object HudiliteScan {

  /** Matches a read of a hudilite table in an optimized plan, and extracts its scan. */
  object Of {
    def unapply(plan: LogicalPlan): Option[(DataSourceV2ScanRelation, HudiliteScan)] = plan match {
      case read: DataSourceV2ScanRelation =>
        Option(read.scan).collect { case scan: HudiliteScan => (read, scan) }
      case _ => None
    }
  }

  private def named(filter: Expression): Expression = filter.transform { case column: Attribute =>
    UnresolvedAttribute.quoted(column.name)
  }

  /** Converts a runtime filter, which Spark passes as `column IN (...)`; None for another form. */
  private def membership(predicate: Predicate, schema: StructType): Option[Expression] =
    (predicate.name, predicate.children.toList) match {
      case ("IN", (column: NamedReference) :: values) =>
        schema.fields.find(field => column.fieldNames.toSeq == Seq(field.name)).map { field =>
          InSet(
            AttributeReference(field.name, field.dataType)(),
            values.collect { case literal: ConnectorLiteral[_] => literal.value: Any }.toSet
          )
        }
      case _ => None
    }

  /** Rejects an empty file, which has no ranges to read.
    * Errors: HUDILITE_CORRUPT_DATA_FILE. */
  private def checkLength(slice: FileSlice): Unit =
    if (slice.isOnlyBase && slice.dataLength == 0)
      throw HudiliteException(
        "HUDILITE_CORRUPT_DATA_FILE",
        "path" -> slice.onlyBase.data.path.toString,
        "reason" -> "it is empty"
      )

  /** Footers that one task reads if there are many. */
  private val slicesOfTask = 32
}
