package hudilite.spark.catalog

import org.apache.spark.sql.classic.SparkSession

import hudilite.spark.error.Warnings

/** Warning for a write that detaches Hudi's metadata table: once in a session, and each time if the
  * table says that its list of files is kept. */
private[catalog] object DetachedWarning {

  /** @param name   table name in the warning
    * @param reason why the list of files could not be kept; None if the table does not ask for it */
  def give(session: SparkSession, name: String, reason: Option[String]): Unit = {
    val isFirst = Warnings.isFirst(session, "a detached metadata table")
    reason match {
      case Some(why) => Warnings.say(
          s"Table $name: the write removed Hudi's metadata table, because $why. Readers list the " +
            "folders until the next write of stock Hudi builds it again."
        )
      case None if isFirst =>
        Warnings.say(
          s"Table $name: the write removed Hudi's metadata table, which hudilite does not write. " +
            "Readers list the folders from now on. The next write of stock Hudi builds it again, " +
            "for which it lists all files and reads all their footers; its writers need none with " +
            "hoodie.metadata.enable=false."
        )
      case None => ()
    }
  }
}
