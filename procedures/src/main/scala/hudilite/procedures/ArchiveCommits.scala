package hudilite.procedures

import java.util.{Iterator => JavaIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.{BooleanType, IntegerType}

import hudilite.service.ActiveLimits

/** Procedure [[Archive]] under the name and with the arguments that it has in stock Hudi:
  * `CALL archive_commits(table => 'db.t' [, min_commits => 20] [, max_commits => 30])`.
  * `retain_commits` is the number of commits whose states a clean keeps. They all stay, because
  * `min_commits` must be more.
  *
  * Errors: those of [[Archive]]; HUDILITE_ARGUMENT_INVALID for a path, for enable_metadata, and for
  * numbers that do not fit one another. */
final class ArchiveCommits(catalog: TableCatalog) extends Procedure {

  override def name: String = "archive_commits"
  override def purpose: String =
    "Moves the oldest commits to Hudi's archive: stock Hudi's name of the procedure archive."
  override def example: String =
    "CALL archive_commits(table => 'db.t', min_commits => 50, max_commits => 60)"

  override def parameters: Array[ProcedureParameter] = Array(
    Procedure.optional("table", "name of the table"),
    Procedure.optional("path", "not supported: write the name of the table"),
    Procedure.optional(
      "min_commits",
      "number of latest commits that stay, more than retain_commits",
      IntegerType,
      value = ActiveLimits.least.toString
    ),
    Procedure.optional(
      "max_commits",
      "number of commits up to which nothing is moved, more than min_commits",
      IntegerType,
      value = ActiveLimits.most.toString
    ),
    Procedure.optional(
      "retain_commits",
      "number of latest commits whose states stay, 1 or more",
      IntegerType,
      value = ArchiveCommits.retained.toString
    ),
    Procedure.optional(
      "enable_metadata",
      "not supported: the table property hudilite.metadata says what writes do to the metadata table",
      BooleanType,
      "false"
    )
  )

  protected def run(input: InternalRow): JavaIterator[Scan] = {
    val arguments = new Arguments(catalog, name, input)
    arguments.textOrNone(1).foreach { path =>
      throw arguments.invalid("path", path, "Write table => 'database.table'.")
    }
    if (arguments.flag(5, "enable_metadata")) {
      val fix =
        "Leave it out. The table property hudilite.metadata says what writes do to the metadata table."
      throw arguments.invalid("enable_metadata", "true", fix)
    }
    val retained = arguments.number(4, "retain_commits", 1)
    val least = arguments.number(2, "min_commits", retained + 1)
    val most = arguments.number(3, "max_commits", least + 1)
    Archive.run(arguments.writableTable(0, "table"), ActiveLimits(least, most), isDry = false)
  }
}

private object ArchiveCommits {

  /** Commits whose states a clean of stock Hudi keeps by default. */
  val retained = 10
}
