package hudilite.spark.meta

import java.util.Locale

import org.apache.spark.sql.AnalysisException

import hudilite.spark.catalog.HudiliteTable
import hudilite.spark.error.AnalysisErrors

/** Names behind that of a table which stand for metadata tables, branches and tags of Iceberg, and
  * which hudilite does not have. */
object OtherLists {

  /** Whether a name, without that of its table, is one of them. */
  def isName(name: String): Boolean = instead(lower(name)).nonEmpty || isReference(name)

  /** Error that says what to type instead.
    * @param name    name for which [[isName]] is true
    * @param inNames name of the table in SQL
    * Errors: HUDILITE_UNSUPPORTED_STATEMENT. */
  def refused(name: String, inNames: String, table: => HudiliteTable): AnalysisException = {
    val fix = instead(lower(name)).fold {
      val version = table.snapshot.lastVersion.fold("")(instant => s" VERSION AS OF $instant")
      "A table has no branches and no tags, and each commit is a version. " +
        s"Type: SELECT * FROM $inNames$version"
    } { case (reason, statement) => s"$reason Type: ${statement(inNames)}" }
    AnalysisErrors.of(
      "HUDILITE_UNSUPPORTED_STATEMENT",
      "statement" -> (if (isReference(name)) s"The identifier $name"
                      else s"The metadata table $name"),
      "table" -> inNames,
      "fix" -> fix
    )
  }

  private def isReference(name: String): Boolean =
    Seq("branch_", "tag_").exists(lower(name).startsWith)

  private type Instead = (String, String => String)

  private val files: Instead =
    ("hudilite has no manifests: commits list the files.", t => s"SELECT * FROM $t.files")

  private val allFiles: Instead = (
    "hudilite lists earlier files by their file groups.",
    t => s"SELECT * FROM $t.file_groups"
  )

  private val deletions: Instead =
    ("Base files have no deleted rows, and log files delete theirs.",
      t => s"SELECT * FROM $t.files")

  private val byName: Map[String, Instead] = Map(
    "refs" -> (
      "A table has no branches and no tags, and savepoints keep versions.",
      (t: String) => s"SELECT instant FROM $t.history WHERE action = 'savepoint'"
    ),
    "metadata_log_entries" -> (
      "The facts of a table have no history, and its commits have one.",
      (t: String) => s"SELECT * FROM $t.history"
    )
  ) ++ Seq("manifests", "entries", "data_files").map(_ -> files) ++
    Seq("all_manifests", "all_entries", "all_files", "all_data_files").map(_ -> allFiles) ++
    Seq("delete_files", "all_delete_files", "position_deletes").map(_ -> deletions)

  private def instead(name: String): Option[Instead] = byName.get(name)

  private def lower(name: String): String = name.toLowerCase(Locale.ROOT)
}
