package hudilite.spark.read

import java.util.OptionalLong

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
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.connector.read.partitioning.{Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.execution.datasources.{FilePartition, PartitionedFile}
import org.apache.spark.sql.types.{StringType, StructField, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import hudilite.error.HudiliteException
import hudilite.format.{IndexKind, MetaFields}
import hudilite.view.{FileSlice, SourceFile, TableSnapshot}

/** A batch read of one snapshot. Lists and prunes on the driver when first planned; the tasks
  * read byte ranges of base files.
  * @param spark     session of the query
  * @param tableName name for EXPLAIN
  * @param schema    table schema, without the metadata columns
  * @param snapshot  table as of a commit
  * @param request   what is wanted of it
  * @param options   read options of the statement
  * @param partitions those that its filters leave, where they were listed before
  * @param ungrouped  what is selected already; the read is not told to be grouped by bucket
  */
final class HudiliteScan(
    spark: SparkSession,
    tableName: String,
    schema: StructType,
    val snapshot: TableSnapshot,
    request: ScanRequest,
    options: CaseInsensitiveStringMap,
    partitions: Option[KeptPartitions],
    ungrouped: Option[SliceSelection] = None
) extends Scan
    with Batch
    with SupportsReportStatistics
    with SupportsReportPartitioning
    with SupportsRuntimeV2Filtering {
  import HudiliteScan._
  import request.{aggregation, filters, pushed}

  override val readSchema: StructType = aggregation.fold(request.columns)(_.schema)

  /** The slices to read, and what pruning proved.
    * Errors: HUDILITE_CONCURRENT_WRITE where a later snapshot's partitions leave a filter open. */
  lazy val selection: SliceSelection = ungrouped.getOrElse {
    val known = partitions.getOrElse {
      val listed = KeptPartitions.of(snapshot, schema, filters)
      if (!request.decided.forall(listed.areAll(_, snapshot.config, schema))) throw overtaken
      listed
    }
    SliceSelection.of(snapshot, schema, filters, Some(known))
  }

  /** The slices by what joins of tables that are bucketed alike ask for. */
  private lazy val groups: Option[BucketGroups] =
    if (ungrouped.nonEmpty || aggregation.nonEmpty) None
    else BucketGroups.of(spark, snapshot.config, schema, request.columns, selection.slices)

  private var runtimeSlices: Option[Seq[FileSlice]] = None

  /** The same read of another snapshot. */
  def on(latest: TableSnapshot): HudiliteScan = {
    val seen = latest.of(snapshot.part)
    new HudiliteScan(spark, tableName, schema, seen, request, options, None)
  }

  /** The same read, cut by size alone; nothing where it is so already. */
  def withoutGroups: Option[HudiliteScan] = groups.map { _ =>
    new HudiliteScan(spark, tableName, schema, snapshot, request, options, partitions,
      Some(selection))
  }

  /** What the groups' rows have in common. */
  def groupKeys: Seq[InternalRow] = groups.toSeq.flatMap(_.slices.map(_._1))

  /** Spark looks at it where the relation has a catalog that knows the bucket function. */
  override def outputPartitioning(): Partitioning =
    groups.fold[Partitioning](new UnknownPartitioning(0))(_.partitioning)

  override def toBatch: Batch = this

  override def description(): String = {
    val state = snapshot.asOf.fold("")(" as of " + _)
    val parts = Seq(s"hudilite $tableName$state [${selection.text}]") ++ aggregation.map(_.text) :+
      s"pushed filters ${pushed.mkString("[", ", ", "]")}"
    parts.mkString(", ")
  }

  override def planInputPartitions(): Array[InputPartition] = {
    val slices = runtimeSlices.getOrElse(selection.slices)
    slices.foreach(checkLength)
    if (aggregation.nonEmpty) shares(slices)
    else groups.fold(ranges(slices))(whole(_, slices))
  }

  private def whole(groups: BucketGroups, slices: Seq[FileSlice]): Array[InputPartition] =
    groups.of(slices).zipWithIndex.map { case ((key, files), i) =>
      GroupedFiles(FilePartition(i, files.map(SliceReader.partitionedFile(_)).toArray), key)
    }.toArray

  private def ranges(slices: Seq[FileSlice]): Array[InputPartition] = {
    val openCost = spark.sessionState.conf.filesOpenCostInBytes
    val splitBytes = FilePartition.maxSplitBytes(spark, slices.map(_.dataLength + openCost).sum)
    val files = slices.flatMap(cut(_, splitBytes)).sortBy(file => -file.length)
    FilePartition.getFilePartitions(spark, files, splitBytes).toArray
  }

  /** Each range reads the footer, so that a file in which keys are looked up is one. */
  private def cut(slice: FileSlice, splitBytes: Long): Seq[PartitionedFile] =
    if (selection.buckets.nonEmpty) Seq(SliceReader.partitionedFile(slice))
    else split(slice, splitBytes)

  /** A row comes of no slices too, unless rows are grouped: no rows have a count. */
  private def shares(slices: Seq[FileSlice]): Array[InputPartition] = {
    val tasks = spark.sparkContext.defaultParallelism.max(slices.size / slicesOfTask)
    val size = (slices.size + tasks - 1) / tasks
    val shares = if (slices.isEmpty) Seq.empty else slices.grouped(size).toSeq
    val hasGroups = aggregation.exists(_.groups.nonEmpty)
    (if (shares.isEmpty && !hasGroups) Seq(Nil) else shares).map(AggregatedSlices(_)).toArray
  }

  override def createReaderFactory(): PartitionReaderFactory = {
    val rows = SliceReader.factory(
      spark,
      snapshot.config,
      withMetadata(schema),
      aggregation.fold(request.columns)(_.columns),
      request.sought.toArray,
      options.asCaseSensitiveMap.asScala.toMap
    )
    val isCaseSensitive = spark.sessionState.conf.caseSensitiveAnalysis
    aggregation.fold[PartitionReaderFactory](rows) {
      new AggregatedSlicesFactory(_, snapshot.config, rows, isCaseSensitive)
    }
  }

  /** Columns for which a join's other side may tell, at run time, what to leave out. */
  override def filterAttributes(): Array[NamedReference] = {
    val hashFields = snapshot.config.index match {
      case IndexKind.Bucket(_, fields) => fields
      case IndexKind.Bloom => Nil
    }
    val told = aggregation.fold(request.columns.fieldNames.toSeq)(_.groups.map(_.name))
    (snapshot.config.partitionFields ++ hashFields).distinct
      .filter(told.contains)
      .map(name => Expressions.column(s"`$name`"))
      .toArray
  }

  override def filter(predicates: Array[Predicate]): Unit = {
    val known = predicates.toSeq.flatMap(membership(_, schema))
    runtimeSlices = Some(SliceSelection.narrowed(snapshot, schema, selection.slices, known))
  }

  /** Bytes of the slices, scaled by the share of the columns that are read; of an aggregation a row a
    * slice. */
  override def estimateStatistics(): Statistics = {
    val share = readSchema.defaultSize.toDouble / withMetadata(schema).defaultSize
    val bytes = selection.slices.map(_.dataLength).sum
    val estimate =
      if (aggregation.nonEmpty) selection.slices.size.max(1).toDouble * readSchema.defaultSize
      else bytes * share * spark.sessionState.conf.fileCompressionFactor
    new Statistics {
      override def sizeInBytes(): OptionalLong = OptionalLong.of(estimate.toLong)
      override def numRows(): OptionalLong = OptionalLong.empty()
    }
  }

  /** Two scans that read the same rows are equal, so that Spark reuses exchanges and subqueries. */
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

  /** What a retry does not see through: it began with other partitions. */
  private def overtaken: HudiliteException = HudiliteException(
    "HUDILITE_CONCURRENT_WRITE",
    "instant" -> snapshot.lastInstant.getOrElse(""),
    "bucket" -> "of a new partition",
    "table" -> tableName
  )

  /** Filters compared by column name: two references to a table number its columns anew. */
  private lazy val normalized: Set[Expression] = filters.map(named).toSet
}

object HudiliteScan {

  /** A read of a hudilite table in an optimized plan, and how it reads. */
  object Of {
    def unapply(plan: LogicalPlan): Option[(DataSourceV2ScanRelation, HudiliteScan)] = plan match {
      case read: DataSourceV2ScanRelation =>
        Option(read.scan).collect { case scan: HudiliteScan => (read, scan) }
      case _ => None
    }
  }

  /** Hudi's columns, then the table's. */
  private[read] def withMetadata(schema: StructType): StructType =
    StructType(MetaFields.all.map(StructField(_, StringType)) ++ schema.fields)

  private def named(filter: Expression): Expression = filter.transform { case column: Attribute =>
    UnresolvedAttribute.quoted(column.name)
  }

  /** The form in which Spark hands over a join side's values: `column IN (...)`. */
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

  /** Errors: HUDILITE_CORRUPT_DATA_FILE for a file without a byte, which has no ranges to read. */
  private def checkLength(slice: FileSlice): Unit =
    if (slice.dataLength == 0)
      throw HudiliteException(
        "HUDILITE_CORRUPT_DATA_FILE",
        "path" -> SourceFile.of(slice).path.toString,
        "reason" -> "it is empty"
      )

  private def split(slice: FileSlice, splitBytes: Long): Seq[PartitionedFile] =
    (0L until slice.dataLength by splitBytes).map { start =>
      SliceReader.partitionedFile(slice, start, math.min(splitBytes, slice.dataLength - start))
    }

  /** Footers that one task reads where there are many. */
  private val slicesOfTask = 32
}
