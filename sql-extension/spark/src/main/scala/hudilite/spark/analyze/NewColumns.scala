package hudilite.spark.analyze

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.catalyst.util.{CharVarcharUtils, quoteIfNeeded}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import hudilite.spark.catalog.{NewFields, WriteOptions}
import hudilite.spark.error.AnalysisErrors

/** Columns of the rows of a statement that its table does not have, and columns of the table with
  * fields of structs that only the rows have.
  * @param asking what to write in the statement to add them with the rows */
private[analyze] final class NewColumns(target: HudiliteTarget, asking: String) {
  import NewColumns._

  /** Returns the new columns of rows whose columns are matched by name. */
  def byName(rows: Seq[Attribute]): Additions = {
    val pairs = target.columns.flatMap(column => rows.find(isSame(column, _)).map(column -> _))
    Additions(grown(target, pairs, byName = true), rows.filterNot(isOwn))
  }

  /** Returns the new columns of rows whose columns the statement names.
    * @param names names in the order of the rows; another number of them is left to Spark */
  def listed(names: Seq[String], rows: Seq[Attribute]): Additions =
    if (names.size != rows.size) Additions.none
    else byName(names.zip(rows).map { case (name, value) => value.withName(name) })

  /** Returns the new columns of rows whose columns are matched by position.
    * @param constants partition columns that have a value in the statement */
  def byPosition(rows: Seq[Attribute], constants: Seq[String]): Additions = {
    val columns =
      target.columns.filterNot(column => constants.exists(conf.resolver(_, column.name)))
    Additions(grown(target, columns.zip(rows), byName = false), rows.drop(columns.size))
  }

  /** Returns the table's relation for Spark to resolve the rows, with the new columns after its own.
    * @param asks whether the statement asks for them
    * Errors: HUDILITE_COLUMN_UNKNOWN if it does not, or for a column by position with the name of
    * another one; HUDILITE_INVALID_NAME, HUDILITE_UNSUPPORTED_TYPE. */
  def added(found: Additions, asks: Boolean): DataSourceV2Relation =
    if (found.fresh.exists(isOwn))
      throw unknown(names(found.fresh),
        "Leave out the values after the last column of the table, or " +
          "give them other names with AS")
    else if (asks || found.isEmpty) ofTable(found)
    else
      throw unknown(
        paths(found).map(_._1),
        Try(ofTable(found)).fold(
          _ => "Leave them out of the rows",
          _ => s"Write $asking to add them with the rows, or add them before. ${before(found)}"
        )
      )

  private def ofTable(found: Additions): DataSourceV2Relation =
    widened(target.relation, target, found)

  private def before(found: Additions): String = {
    val list = paths(found).map { case (name, dataType) => s"$name ${dataType.sql}" }
    val added = list.mkString("ADD COLUMNS (", ", ", ")")
    if (target.table.isInCatalog) s"Type: ALTER TABLE $written $added"
    else
      s"Run CREATE TABLE name USING hudilite LOCATION '${target.table.basePath}', " +
        s"then ALTER TABLE name $added"
  }

  /** Paths of new fields and columns, as ALTER TABLE takes them, with their types. */
  private def paths(found: Additions) =
    found.grown.flatMap { column =>
      NewFields.between(
        quoteIfNeeded(column.name),
        target.table.schema(column.name).dataType,
        column.dataType
      )
    } ++ found.fresh.map(value =>
      quoteIfNeeded(value.name) -> NewFields.nullable(value.dataType)
    )

  private def written: String = target.relation.identifier.fold(target.table.name) { name =>
    val catalog = target.relation.catalog.map(_.name)
    (catalog.toSeq ++ name.namespace :+ name.name).map(quoteIfNeeded).mkString(".")
  }

  private def isOwn(value: Attribute): Boolean = target.columns.exists(isSame(_, value))

  private def names(columns: Seq[Attribute]): Seq[String] =
    columns.map(column => quoteIfNeeded(column.name))

  private def unknown(columns: Seq[String], fix: String): AnalysisException = AnalysisErrors.of(
    "HUDILITE_COLUMN_UNKNOWN",
    "table" -> target.table.name,
    "columns" -> columns.mkString(", "),
    "own" -> names(target.columns).mkString(", "),
    "fix" -> s"$fix."
  )
}

private[analyze] object NewColumns {

  /** Columns and fields that a write adds to its table.
    * @param grown columns of the table with new fields
    * @param fresh columns of the rows that become columns of the table */
  final case class Additions(grown: Seq[StructField], fresh: Seq[Attribute]) {
    def isEmpty: Boolean = grown.isEmpty && fresh.isEmpty
  }

  object Additions {
    val none: Additions = Additions(Nil, Nil)
  }

  /** Returns the columns that get new fields from the values that they are paired with. */
  def grown(
      of: HudiliteTarget,
      pairs: Seq[(Attribute, Attribute)],
      byName: Boolean
  ): Seq[StructField] = pairs.flatMap { case (column, value) =>
    val field = of.table.schema(column.name)
    val dataType = NewFields.grown(field.dataType, value.dataType, byName)
    Option.when(dataType != field.dataType)(field.copy(dataType = dataType))
  }

  /** Returns the plan of a target for Spark to resolve its rows, with the additions.
    * Errors: HUDILITE_INVALID_NAME, HUDILITE_UNSUPPORTED_TYPE. */
  def settled(plan: LogicalPlan, of: HudiliteTarget, found: Additions): LogicalPlan =
    plan.transform { case relation: DataSourceV2Relation => widened(relation, of, found) }

  /** Returns a relation over the table with new columns after its own. It has no options about
    * columns, as reads of it have none. */
  private def widened(
      relation: DataSourceV2Relation,
      of: HudiliteTarget,
      found: Additions
  ): DataSourceV2Relation = {
    val fresh = found.fresh.map(a => StructField(a.name, NewFields.nullable(a.dataType)))
    val options = WriteOptions.withoutColumns(relation.options.asScala.toMap)
    val (own, meta) = relation.output.splitAt(of.columns.size)
    val more = attributes(found.grown)
    val columns = own.map { column =>
      more.find(_.name == column.name).fold(column)(to =>
        column.withDataType(to.dataType).withMetadata(to.metadata)
      )
    }
    relation.copy(
      table = of.table.adding(StructType(found.grown ++ fresh)),
      output = columns ++ attributes(fresh) ++ meta,
      options = new CaseInsensitiveStringMap(options.asJava)
    )
  }

  /** Attributes of columns, as Spark makes them for a relation. */
  private def attributes(columns: Seq[StructField]): Seq[AttributeReference] =
    DataTypeUtils.toAttributes(
      CharVarcharUtils.replaceCharVarcharWithStringInSchema(StructType(columns))
    )

  private def isSame(a: Attribute, b: Attribute): Boolean = conf.resolver(a.name, b.name)

  private def conf = SQLConf.get
}
