package hudilite.spark.read

import java.util.OptionalLong

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, Expression, InSet}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.expressions.{
  Expressions,
  Literal => ConnectorLiteral,
  NamedReference
}
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.execution.datasources.{FilePartition, PartitionedFile}
import org.apache.spark.sql.sources.Filter
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
  * @param readSchema columns to read; may name metadata columns and part of nested ones
  * @param snapshot  table as of a commit
  * @param filters   predicates that are all true for a wanted row
  * @param pushed    the same, as far as Parquet statistics can use them
  * @param options   read options of the statement
  */
final class HudiliteScan(
    spark: SparkSession,
    tableName: String,
    schema: StructType,
    override val readSchema: StructType,
    val snapshot: TableSnapshot,
    filters: Seq[Expression],
    pushed: Seq[Filter],
    options: CaseInsensitiveStringMap
) extends Scan
    with Batch
    with SupportsReportStatistics
    with SupportsRuntimeV2Filtering {
  import HudiliteScan._

  /** The slices to read, and what pruning proved. */
  lazy val selection: SliceSelection = SliceSelection.of(snapshot, schema, filters)

  private var runtimeSlices: Option[Seq[FileSlice]] = None

  /** The same read of another snapshot. */
  def on(latest: TableSnapshot): HudiliteScan = {
    val seen = latest.of(snapshot.part)
    new HudiliteScan(spark, tableName, schema, readSchema, seen, filters, pushed, options)
  }

  override def toBatch: Batch = this

  override def description(): String =
    s"hudilite $tableName [${selection.text}], pushed filters ${pushed.mkString("[", ", ", "]")}"

  override def planInputPartitions(): Array[InputPartition] = {
    val openCost = spark.sessionState.conf.filesOpenCostInBytes
    val slices = runtimeSlices.getOrElse(selection.slices)
    val splitBytes = FilePartition.maxSplitBytes(spark, slices.map(_.dataLength + openCost).sum)
    val files = slices.flatMap(split(_, splitBytes)).sortBy(file => -file.length)
    FilePartition.getFilePartitions(spark, files, splitBytes).toArray
  }

  override def createReaderFactory(): PartitionReaderFactory =
    SliceReader.factory(
      spark,
      snapshot.config,
      withMetadata(schema),
      readSchema,
      pushed.toArray,
      options.asCaseSensitiveMap.asScala.toMap
    )

  /** Columns for which a join's other side may tell, at run time, what to leave out. */
  override def filterAttributes(): Array[NamedReference] = {
    val hashFields = snapshot.config.index match {
      case IndexKind.Bucket(_, fields) => fields
      case IndexKind.Bloom => Nil
    }
    (snapshot.config.partitionFields ++ hashFields).distinct
      .filter(readSchema.fieldNames.contains)
      .map(name => Expressions.column(s"`$name`"))
      .toArray
  }

  override def filter(predicates: Array[Predicate]): Unit = {
    val known = predicates.toSeq.flatMap(membership(_, schema))
    runtimeSlices = Some(SliceSelection.narrowed(snapshot, schema, selection.slices, known))
  }

  /** Bytes of the slices, scaled by the share of the columns that are read. */
  override def estimateStatistics(): Statistics = {
    val share = readSchema.defaultSize.toDouble / withMetadata(schema).defaultSize
    val bytes = selection.slices.map(_.dataLength).sum
    val estimate = bytes * share * spark.sessionState.conf.fileCompressionFactor
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
      snapshot.lastInstant,
      readSchema,
      normalized,
      pushed.toSet,
      options
    )

  /** Filters compared by column name: two references to a table number its columns anew. */
  private lazy val normalized: Set[Expression] = filters.map(named).toSet
}

object HudiliteScan {

  private def withMetadata(schema: StructType): StructType =
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
  private def split(slice: FileSlice, splitBytes: Long): Seq[PartitionedFile] =
    if (slice.dataLength == 0)
      throw HudiliteException(
        "HUDILITE_CORRUPT_DATA_FILE",
        "path" -> SourceFile.of(slice).path.toString,
        "reason" -> "it is empty"
      )
    else (0L until slice.dataLength by splitBytes).map { start =>
      SliceReader.partitionedFile(slice, start, math.min(splitBytes, slice.dataLength - start))
    }
}
