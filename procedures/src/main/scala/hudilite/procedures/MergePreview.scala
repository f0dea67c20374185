package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.IntegerType

import hudilite.spark.exec.WritePreview

/** Procedure `CALL merge_preview(statement => 'MERGE INTO ...' [, show => 'rows'] [, sample => n])`.
  * Returns what a MERGE, UPDATE, DELETE or INSERT would do, and does not do it: the statement's own
  * plan and tasks run, and no file is written. Counts are exact, also for a write that would not
  * read the table.
  *
  * Errors: those of the statement, except those of its commit; HUDILITE_ARGUMENT_INVALID for a text
  * that is another statement or several; HUDILITE_UNSUPPORTED_STATEMENT for a table that is not a
  * hudilite table.
  * Source: issue 33. */
final class MergePreview(catalog: TableCatalog) extends Procedure {

  override def name: String = "merge_preview"
  override def purpose: String =
    "Shows what a MERGE, UPDATE, DELETE or INSERT would change, and writes nothing."
  override def example: String =
    "CALL merge_preview(statement => 'DELETE FROM db.t WHERE id < 10', show => 'files')"

  override def parameters: Array[ProcedureParameter] = Array(
    Procedure.needed("statement", "text of a MERGE, UPDATE, DELETE or INSERT"),
    Procedure.optional(
      "show",
      "partitions: one row per partition; files: one per file group; rows: some changed rows; " +
        "statement: one row",
      value = s"'${PreviewRows.Partitions.name}'"
    ),
    Procedure.optional("sample", "maximum number of rows of each kind that rows shows, 1 or more",
      IntegerType, value = "10")
  )

  protected def run(input: InternalRow): JavaIterator[Scan] = {
    val arguments = new Arguments(catalog, name, input)
    val show = PreviewRows.named(arguments.choice(1, "show", PreviewRows.all.map(_.name)))
    val sample = arguments.limit(2, "sample")
    val text = arguments.text(0, "statement", MergePreview.fix)
    val planned = new StatementText(
      SparkSession.active,
      arguments.invalid("statement", text, _),
      arguments.refused(_, "Write a statement on a table that was created with USING hudilite.")
    ).plan(text)
    val preview =
      WritePreview.of(planned.write, planned.child, if (show == PreviewRows.Changes) sample else 0)
    Result.of(show.schema(preview), show.rows(preview))
  }
}

private object MergePreview {
  private val fix = "Write the text of a MERGE, UPDATE, DELETE or INSERT."
}
