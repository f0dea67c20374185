package hudilite.spark.exec

/** Totals of what a write would do, by their names. */
object PreviewTotals {
  import PreviewedFileGroup.{Add, Hide, Log, Rewrite}

  /** Names of the totals, as users see them. */
  val names: Seq[String] = Seq(
    "num_affected_rows",
    "num_updated_rows",
    "num_deleted_rows",
    "num_inserted_rows",
    "num_copied_rows",
    "files_added",
    "files_rewritten",
    "bytes_rewritten",
    "log_files",
    "log_bytes",
    "files_hidden",
    "bytes_hidden"
  )

  /** Returns the totals of file groups, in the order of their names.
    * @param hidden rows that are deleted with their file groups */
  def of(fileGroups: Seq[PreviewedFileGroup], hidden: Long): Seq[Long] = {
    def files(action: String) = fileGroups.filter(_.action == action)
    def count(action: String) = files(action).size.toLong
    def bytes(action: String) = files(action).flatMap(_.bytes).sum
    val updated = fileGroups.map(_.updated).sum
    val deleted = fileGroups.map(_.deleted).sum + hidden
    val inserted = fileGroups.map(_.inserted).sum
    Seq(updated + deleted + inserted, updated, deleted, inserted, fileGroups.map(_.copied).sum) ++
      Seq(count(Add), count(Rewrite), bytes(Rewrite), count(Log), bytes(Log)) ++
      Seq(count(Hide), bytes(Hide))
  }
}
