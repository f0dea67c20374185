package hudilite.spark.analyze

import scala.util.Try

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructField, StructType}

import hudilite.spark.error.AnalysisErrors

/** Columns of the rows of a statement that its table does not have.
  * @param asking what to write in the statement to add them with the rows */
private[analyze] final class NewColumns(target: HudiliteTarget, asking: String) {
  import NewColumns._

  /** Returns the new columns of rows whose columns are matched by name.
    * Errors: HUDILITE_COLUMN_UNKNOWN for new fields of a struct. */
  def byName(rows: Seq[Attribute]): Seq[Attribute] = {
    val fields = for {
      value <- rows
      column <- target.columns if isSame(column.name, value.name)
      field <- newFields(quoteIfNeeded(column.name), column.dataType, value.dataType)
    } yield field
    if (fields.nonEmpty)
      throw unknown(fields.map(_._1), s"${before(fields)}. Only columns are added with the rows")
    rows.filterNot(isOwn)
  }

  /** Returns the new columns of rows whose columns the statement names.
    * @param names names in the order of the rows; another number of them is left to Spark */
  def listed(names: Seq[String], rows: Seq[Attribute]): Seq[Attribute] =
    if (names.size != rows.size) Nil
    else names.zip(rows).map { case (name, value) => value.withName(name) }.filterNot(isOwn)

  /** Returns the new columns of rows whose columns are matched by position.
    * @param constants partition columns that have a value in the statement */
  def byPosition(rows: Seq[Attribute], constants: Iterable[String]): Seq[Attribute] =
    rows.drop(target.columns.count(column => !constants.exists(isSame(_, column.name))))

  /** Returns the table's relation with the new columns after its own.
    * @param asks whether the statement asks for them
    * Errors: HUDILITE_COLUMN_UNKNOWN if it does not, or for a column by position with the name of
    * another one; HUDILITE_INVALID_NAME, HUDILITE_UNSUPPORTED_TYPE. */
  def added(fresh: Seq[Attribute], asks: Boolean): DataSourceV2Relation =
    if (fresh.isEmpty) target.relation
    else if (fresh.exists(isOwn))
      throw unknown(names(fresh),
        "Leave out the values after the last column of the table, or " +
          "give them other names with AS")
    else if (asks) widened(target.relation, target, fresh)
    else
      throw unknown(
        names(fresh),
        Try(widened(target.relation, target, fresh)).fold(
          _ => "Leave them out of the rows",
          _ =>
            s"Write $asking to add them with the rows, or add them before. ${before(
                fresh.map(a => quoteIfNeeded(a.name) -> a.dataType)
              )}"
        )
      )

  private def before(columns: Seq[(String, DataType)]): String = {
    val list = columns.map { case (name, dataType) => s"$name ${nullable(dataType).sql}" }
    val added = list.mkString("ADD COLUMNS (", ", ", ")")
    if (target.table.isInCatalog) s"Type: ALTER TABLE $written $added"
    else
      s"Run CREATE TABLE name USING hudilite LOCATION '${target.table.basePath}', " +
        s"then ALTER TABLE name $added"
  }

  private def written: String = target.relation.identifier.fold(target.table.name) { name =>
    val catalog = target.relation.catalog.map(_.name)
    (catalog.toSeq ++ name.namespace :+ name.name).map(quoteIfNeeded).mkString(".")
  }

  private def isOwn(value: Attribute): Boolean =
    target.columns.exists(column => isSame(column.name, value.name))

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

  /** Returns a relation over the table with new columns after its own.
    * Errors: HUDILITE_INVALID_NAME, HUDILITE_UNSUPPORTED_TYPE. */
  def widened(
      relation: DataSourceV2Relation,
      of: HudiliteTarget,
      values: Seq[Attribute]
  ): DataSourceV2Relation = {
    val columns = values.map(value => AttributeReference(value.name, nullable(value.dataType))())
    if (columns.isEmpty) relation
    else
      relation.copy(
        table = of.table.adding(StructType(columns.map(c => StructField(c.name, c.dataType)))),
        output = of.columns ++ columns
      )
  }

  private def isSame(a: String, b: String): Boolean = SQLConf.get.resolver(a, b)

  /** Fields, with their paths, that a struct of the rows has and that of the table has not. */
  private def newFields(path: String, own: DataType, rows: DataType): Seq[(String, DataType)] =
    (own, rows) match {
      case (of: StructType, value: StructType) =>
        value.toSeq.flatMap { field =>
          val name = s"$path.${quoteIfNeeded(field.name)}"
          of.find(known => isSame(known.name, field.name))
            .fold(Seq(name -> field.dataType))(known =>
              newFields(name, known.dataType, field.dataType)
            )
        }
      case _ => Nil
    }

  /** Type of a new column, nullable at every level, as rows of the table may have null there. */
  private def nullable(dataType: DataType): DataType = dataType match {
    case ArrayType(element, _) => ArrayType(nullable(element), containsNull = true)
    case MapType(key, value, _) => MapType(key, nullable(value), valueContainsNull = true)
    case StructType(fields) =>
      StructType(fields.map(f => f.copy(dataType = nullable(f.dataType), nullable = true)))
    case other => other
  }
}
