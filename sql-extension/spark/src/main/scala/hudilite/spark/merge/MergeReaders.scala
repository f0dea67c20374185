package hudilite.spark.merge

import org.apache.parquet.hadoop.ParquetInputFormat
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType

import hudilite.format.MetaFields
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.plan.{MergeSpec, MetaColumns, UpdateClause}
import hudilite.spark.read.{SliceReader, SliceReaderFactory, TaskSettings}
import hudilite.view.TableSnapshot

/** Reader factories for a statement's old base files: for all columns, or for those that decide
  * which rows match (created on the driver, used in tasks).
  *
  * @param snapshot the one that the statement is based on
  * @param target attributes of the table's columns as the statement's clauses name them
  * @param source attributes of a tagged row
  */
final class MergeReaders(
    session: SparkSession,
    table: HudiliteTable,
    snapshot: TableSnapshot,
    spec: MergeSpec,
    target: Seq[Attribute],
    source: Seq[Attribute]
) {

  private lazy val settings = new TaskSettings(session, options)

  /** Columns of an old row. */
  private val rowSchema: StructType = MetaColumns.before(table.schema)

  /** Columns of a base file. */
  private val fileSchema: StructType = MetaColumns.before(table.storedSchema)

  /** Numbers of the columns that UPDATE clauses change. */
  val updated: Seq[Int] = UpdatedColumns.of(spec, target, table.config.partitionFields)

  private val taken = UpdatedColumns.taken(spec, updated, target, source)

  /** Whether a source row itself contains the values of these columns. */
  def takesSource: Boolean = taken.nonEmpty

  /** The record key, and the columns that clauses and ON depend on. */
  val matchSchema: StructType = neededFor(updated, Nil)

  /** The record key, and the columns that clauses, ON and all values of changed rows depend on. */
  val changeSchema: StructType =
    neededFor(target.indices, if (table.config.isMergeOnRead) table.config.orderingFields else Nil)

  /** @param columns columns whose new values are computed, by their numbers in the table
    * @param others  names of other columns that are read */
  private def neededFor(columns: Seq[Int], others: Seq[String]): StructType = {
    val clauses = spec.matchedIfNewer ++ spec.notMatchedBySource
    val conditions = clauses.flatMap(_.condition)
    val moved = if (spec.movesPartition) clauses.flatMap(_.children) else Seq.empty
    val assigned = clauses.collect { case UpdateClause(_, values) => columns.map(values) }.flatten
    val on = spec.samePartition ++ spec.residual
    val needed = AttributeSet((conditions ++ moved ++ assigned ++ on).flatMap(_.references))
    val names = target.filter(needed.contains).map(_.name).toSet ++ others + MetaFields.RecordKey
    StructType(rowSchema.fields.filter(field => names(field.name)))
  }

  /** Returns a factory that reads all columns of old rows. */
  def whole: SliceReaderFactory = reader(rowSchema, Array.empty)

  /** Returns a factory that reads [[matchSchema]].
    * @param filters may skip row groups and pages */
  def ofMatch(filters: Array[Filter]): SliceReaderFactory = reader(matchSchema, filters)

  /** Returns a factory that reads [[changeSchema]]. */
  def ofChanges: SliceReaderFactory = reader(changeSchema, Array.empty)

  /** Returns a factory that reads the record keys. */
  def keys: SliceReaderFactory = reader(
    StructType(fileSchema.fields.filter(_.name == MetaFields.RecordKey)),
    Array.empty
  )

  /** Returns all columns, to encode a row group completely. */
  def all: ReencodedColumns = encoded(fileSchema)

  /** Returns the columns that an update changes. The others may be copied as bytes. */
  def changed: ReencodedColumns = {
    val names = updated.map(target(_).name).toSet ++ ReencodedColumns.ofEveryUpdate
    encoded(StructType(fileSchema.fields.filter(field => names(field.name))))
  }

  private def encoded(schema: StructType): ReencodedColumns = {
    val values = updated.map(target(_).name).zip(taken.getOrElse(updated.indices)).toMap
    val read = StructType(schema.fields.filter(_.name != MetaFields.FileName))
    val kept = StructType(read.filterNot(of => ReencodedColumns.isPatched(of.name, values.keySet)))
    ReencodedColumns(
      schema,
      reader(read, Array.empty),
      Option.when(kept.nonEmpty)(reader(kept, Array.empty)),
      values
    )
  }

  private def reader(columns: StructType, filters: Array[Filter]) =
    SliceReader
      .factory(session, table.config, rowSchema, columns, filters, options, strict = true,
        logs = Some(snapshot), shared = Some(settings))

  /** Settings on a local disk, none in an object store, where one request should read much. Arrays are
    * small, because large ones start a collection of the whole heap. Vectored reads are off: Hadoop's
    * statistics do not count them, and they cost threads. */
  private def options: Map[String, String] =
    if (table.basePath.toUri.getScheme != "file") Map.empty
    else Map(MergeReaders.allocation, ParquetInputFormat.HADOOP_VECTORED_IO_ENABLED -> "false")
}

private object MergeReaders {

  /** Bytes of the arrays that a reader reads into. */
  private val allocation = "parquet.read.allocation.size" -> (256 << 10).toString
}
