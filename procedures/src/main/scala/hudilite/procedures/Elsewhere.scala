package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.{
  BoundProcedure,
  ProcedureParameter,
  UnboundProcedure
}
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.{DataType, StructType}

import hudilite.error.HudiliteException
import hudilite.spark.catalog.{CallText, HudiliteTable, TablePath}

/** Procedure of stock Hudi or Iceberg that hudilite does not have. A call with any arguments fails with
  * HUDILITE_PROCEDURE_NOT_FOUND, and says what to type instead for its table. SHOW PROCEDURES and CALL
  * help do not list it.
  * @param names names of its arguments in order
  * @param fix   what to do instead */
final private[procedures] class Elsewhere(
    catalog: TableCatalog,
    override val name: String,
    names: Seq[String],
    fix: Elsewhere.Asked => String
) extends UnboundProcedure {

  override def description: String = "hudilite does not have it: a call says what to type instead."

  override def bind(input: StructType): BoundProcedure = {
    val typed = input.fields.toSeq.zipWithIndex.map { case (field, i) =>
      val isNamed = field.metadata.contains(ProcedureParameter.BY_NAME_METADATA_KEY)
      val name = if (isNamed) field.name else names.lift(i).getOrElse(field.name)
      name -> field.dataType
    }
    new Elsewhere.Bound(catalog, this, typed, fix)
  }
}

private[procedures] object Elsewhere {

  /** The procedure with the arguments of one call.
    * @param typed names of the arguments, with the types that the call gives them */
  final private class Bound(
      catalog: TableCatalog,
      of: Elsewhere,
      typed: Seq[(String, DataType)],
      fix: Asked => String
  ) extends BoundProcedure {
    override def name: String = of.name
    override def description: String = of.description
    override def isDeterministic: Boolean = false

    override def parameters: Array[ProcedureParameter] =
      typed.map { case (name, kind) => Procedure.needed(name, "", kind) }.toArray

    override def call(input: InternalRow): JavaIterator[Scan] = {
      val values = typed.zipWithIndex.collect {
        case ((name, kind), i) if !input.isNullAt(i) =>
          name.toLowerCase(java.util.Locale.ROOT) -> Literal(input.get(i, kind), kind)
      }
      throw HudiliteException(
        "HUDILITE_PROCEDURE_NOT_FOUND",
        "procedure" -> name,
        "fix" -> fix(new Asked(catalog, name, values.toMap))
      )
    }
  }

  /** Arguments of a call, for the text that says what to type.
    * @param values those that are not null, by their names in lower case */
  final class Asked(catalog: TableCatalog, procedure: String, values: Map[String, Literal]) {

    /** Returns an argument as text; None for one that is not given, and for an empty text. */
    def apply(name: String): Option[String] =
      values.get(name).map(_.toString).filter(_.nonEmpty)

    /** Returns an argument as a literal of SQL. */
    def literal(name: String): Option[Literal] = values.get(name)

    /** Returns the name of the table in FROM. */
    def table: String =
      apply("table").orElse(apply("path").map(TablePath.nameOf)).getOrElse(Elsewhere.anyTable)

    /** Whether the call names the table by its path: in argument path, or as hudilite.`/path`. */
    def isByPath: Boolean =
      apply("table").fold(apply("path").nonEmpty)(_.contains("/"))

    /** Returns the text of a call of a procedure for the table. */
    def onTable(procedure: String, arguments: (String, Any)*): String =
      call(procedure, ("table" -> table) +: arguments: _*)

    /** Returns the text of a call. */
    def call(procedure: String, arguments: (String, Any)*): String =
      "Type: " + new CallText(catalog.name).of(procedure, arguments: _*)

    /** Opens the table.
      * Errors: those of [[Arguments.named]]. */
    def opened: HudiliteTable =
      new Arguments(catalog, procedure, InternalRow.empty).named(table)
  }

  /** Name of a table in examples. */
  private val anyTable = "db.t"
}
