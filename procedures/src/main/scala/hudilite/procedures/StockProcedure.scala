package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.{LocalScan, Scan}
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String

import hudilite.spark.catalog.{HudiliteTable, TablePath}
import hudilite.spark.meta.StockRows

/** Procedure with the name, the arguments and the result columns of stock Hudi's, which runs hudilite's
  * own procedure or shows what hudilite has stored. Arguments that cannot be honoured are refused.
  *
  * Errors: those of [[Arguments]] and of the procedure that it runs; HUDILITE_ARGUMENT_INVALID for a
  * refused argument.
  * @param arguments arguments in the order of stock Hudi's
  * @param answer    result for the values of the arguments
  * Source: Hudi's SQL procedures. */
final class StockProcedure(
    catalog: TableCatalog,
    override val name: String,
    override val purpose: String,
    override val example: String,
    arguments: Seq[StockArgument]
)(answer: StockProcedure.Call => StockProcedure.Answer)
    extends Procedure {

  override def parameters: Array[ProcedureParameter] = arguments.map(_.parameter).toArray

  protected def run(input: InternalRow): JavaIterator[Scan] = {
    val call = new StockProcedure.Call(catalog, this, input)
    for ((argument, i) <- arguments.zipWithIndex; fix <- argument.refusal)
      call.checkDefault(i, fix)
    val result = answer(call)
    Result.of(result.schema, result.rows)
  }
}

object StockProcedure {

  /** Result of a call. */
  final case class Answer(schema: StructType, rows: Seq[InternalRow])

  /** One call of a procedure, whose arguments are looked up by their names. */
  final class Call(val catalog: TableCatalog, procedure: Procedure, input: InternalRow) {
    private val parameters: Seq[ProcedureParameter] = procedure.parameters.toSeq
    private val names = parameters.map(_.name)

    /** The arguments by their ordinals. */
    val arguments: Arguments = new Arguments(catalog, procedure.name, input)

    def ordinal(name: String): Int = names.indexOf(name)

    /** Returns the text of an argument; None for a null or for an empty text, which are the same in
      * stock Hudi. */
    def text(name: String): Option[String] =
      arguments.textOrNone(ordinal(name)).map(_.trim).filter(_.nonEmpty)

    /** Returns a number; None for a null. */
    def number(name: String): Option[Int] =
      Option.when(!input.isNullAt(ordinal(name)))(input.getInt(ordinal(name)))

    /** Returns how many rows to show. */
    def limit: Int = arguments.limit(ordinal("limit"), "limit")

    /** Returns the name of the table, for a path hudilite.`/path`.
      * Errors: HUDILITE_ARGUMENT_INVALID unless one of `table` and `path` is given. */
    def tableName: String = {
      val path = if (names.contains("path")) text("path") else None
      (text("table"), path) match {
        case (Some(name), None) => name
        case (None, Some(folder)) => TablePath.nameOf(folder)
        case (Some(_), Some(folder)) =>
          throw arguments.invalid("path", folder, "Write one of table and path.")
        case (None, None) =>
          throw arguments.invalid("table", "NULL", "Write the name of a table.")
      }
    }

    def table: HudiliteTable = arguments.named(tableName)

    /** Returns rows of the table, as many as the argument `limit` says if there is one. */
    def rows(of: StockRows): Answer = {
      val most = if (names.contains("limit")) limit else Int.MaxValue
      Answer(of.schema, of.take(most).rows(table).toSeq)
    }

    /** Fails if an argument has another value than its default.
      * @param fix what to write instead */
    private[StockProcedure] def checkDefault(ordinal: Int, fix: String): Unit = {
      val parameter = parameters(ordinal)
      val value = Literal(input.get(ordinal, parameter.dataType), parameter.dataType)
      val default = Call.valueOf(parameter)
      val isDefault = Option(value.value) == Option(default)
      if (!isDefault && Option(value.value).exists(_.toString.nonEmpty))
        throw arguments.invalid(parameter.name, value.value.toString, fix)
    }

    /** Runs another procedure, and returns its rows.
      * @param values arguments; those that are not named have their defaults */
    def run(of: Procedure, values: (String, Any)*): Answer = {
      val asked = values.toMap
      val row = InternalRow.fromSeq(of.parameters.toSeq.map { parameter =>
        asked.get(parameter.name) match {
          case Some(text: String) => UTF8String.fromString(text)
          case Some(value) => value
          case None => Call.valueOf(parameter)
        }
      })
      of.call(row).next() match {
        case scan: LocalScan => Answer(scan.readSchema, scan.rows.toSeq)
        case other => throw new IllegalStateException(s"INTERNAL: ${of.name} returns $other")
      }
    }
  }

  private object Call {

    /** Returns the default of a parameter. */
    def valueOf(parameter: ProcedureParameter): Any =
      CatalystSqlParser.parseExpression(parameter.defaultValue.getSql).eval()
  }
}
