package hudilite.spark.exec

import org.apache.parquet.hadoop.ParquetInputFormat
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType

import hudilite.format.MetaFields
import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.plan.{MergeSpec, UpdateClause}
import hudilite.spark.read.{SliceReader, SliceReaderFactory}

/** How a statement's tasks read old base files: whole, or what tells which rows match (driver side).
  *
  * @param target attributes of the table's columns as the statement's clauses name them
  */
final class GroupReaders(
    session: SparkSession,
    table: HudiliteTable,
    spec: MergeSpec,
    target: Seq[Attribute]
) {

  /** Columns of a base file. */
  val fileSchema: StructType = StructType(MergeFacts.metaSchema.fields ++ table.schema.fields)

  /** Columns that UPDATE clauses change, by their numbers. */
  val updated: Seq[Int] = UpdatedColumns.of(spec, target, table.config.partitionFields)

  /** The record key, and what clauses depend on. */
  val matchSchema: StructType = {
    val clauses = spec.matched ++ spec.notMatchedBySource
    val conditions = clauses.flatMap(_.condition)
    val moved = if (spec.movesPartition) clauses.flatMap(_.children) else Seq.empty
    val assigned = clauses.collect { case UpdateClause(_, values) => updated.map(values) }.flatten
    val on = spec.samePartition ++ spec.residual
    val needed = AttributeSet((conditions ++ moved ++ assigned ++ on).flatMap(_.references))
    val names = target.filter(needed.contains).map(_.name).toSet + MetaFields.RecordKey
    StructType(fileSchema.fields.filter(field => names(field.name)))
  }

  /** Reads base files whole. */
  def whole: SliceReaderFactory = reader(fileSchema, Array.empty)

  /** Reads [[matchSchema]].
    * @param filters may skip row groups and pages */
  def ofMatch(filters: Array[Filter]): SliceReaderFactory = reader(matchSchema, filters)

  /** All columns. */
  def all: EncodedColumns = encoded(fileSchema)

  /** Those that an update changes: the others may be copied as they are. */
  def changed: EncodedColumns = {
    val names = updated.map(target(_).name).toSet ++ EncodedColumns.ofEveryUpdate
    encoded(StructType(fileSchema.fields.filter(field => names(field.name))))
  }

  private def encoded(schema: StructType): EncodedColumns = {
    val read = StructType(schema.fields.filter(_.name != MetaFields.FileName))
    EncodedColumns(schema, reader(read, Array.empty), updated.map(target(_).name))
  }

  private def reader(columns: StructType, filters: Array[Filter]) =
    SliceReader
      .factory(session, table.config, fileSchema, columns, filters, options, strict = true)

  /** Hadoop's statistics leave out what a local disk reads in vectors, which costs threads there. */
  private def options: Map[String, String] =
    if (table.basePath.toUri.getScheme == "file")
      Map(ParquetInputFormat.HADOOP_VECTORED_IO_ENABLED -> "false")
    else Map.empty
}
