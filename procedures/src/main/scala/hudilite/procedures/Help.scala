package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.{BooleanType, StringType, StructType}

import hudilite.error.Suggestion
import hudilite.spark.meta.MetadataRows

/** Procedure `CALL help([procedure => 'clean'])`. Returns every procedure with its parameters, one
  * row per parameter.
  *
  * Errors: HUDILITE_ARGUMENT_INVALID for an unknown procedure name.
  * @param all all procedures, including this one */
final class Help(catalog: TableCatalog, all: => Seq[Procedure]) extends Procedure {

  override def name: String = "help"
  override def purpose: String =
    "Lists the procedures with their parameters, defaults and an example."
  override def example: String = "CALL help(procedure => 'clean')"

  override def parameters: Array[ProcedureParameter] = Array(
    Procedure.optional("procedure", "name of a procedure; by default all"),
    Procedure.optional("cmd", "the same, as stock Hudi names it")
  )

  protected def run(input: InternalRow): JavaIterator[Scan] = {
    val arguments = new Arguments(catalog, name, input)
    val known = all.sortBy(_.name)
    val shown = arguments.oneOf(0, "procedure", 1, "cmd").fold(known) { asked =>
      val found = known.filter(_.name.equalsIgnoreCase(asked))
      if (found.isEmpty)
        throw arguments.invalid("procedure", asked, Suggestion.of(asked, known.map(_.name)))
      found
    }
    Result.of(Help.schema, shown.flatMap(procedure => procedure.parameters.map(row(procedure, _))))
  }

  private def row(procedure: Procedure, parameter: ProcedureParameter): InternalRow =
    MetadataRows.row(
      procedure.name,
      procedure.purpose,
      parameter.name,
      parameter.dataType.sql,
      Option(parameter.defaultValue).isEmpty,
      Option(parameter.defaultValue).map(_.getSql),
      Option(parameter.comment),
      procedure.example
    )
}

object Help {
  private val schema: StructType = new StructType()
    .add("procedure", StringType, nullable = false)
    .add("description", StringType, nullable = false)
    .add("parameter", StringType, nullable = false)
    .add("type", StringType, nullable = false)
    .add("required", BooleanType, nullable = false)
    .add("default", StringType)
    .add("comment", StringType)
    .add("example", StringType, nullable = false)
}
