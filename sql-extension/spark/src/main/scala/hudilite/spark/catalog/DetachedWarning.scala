package hudilite.spark.catalog

import java.util.{Collections, WeakHashMap}

import org.apache.spark.sql.classic.SparkSession

import hudilite.spark.error.Warnings

/** Warning for a write that detaches Hudi's metadata table: once in a session, and each time if the
  * table says that its list of files is kept. */
private[catalog] object DetachedWarning {
  private val warned =
    Collections.newSetFromMap(new WeakHashMap[SparkSession, java.lang.Boolean])

  /** @param name   table name in the warning
    * @param reason why the list of files could not be kept; None if the table does not ask for it */
  def give(session: SparkSession, name: String, reason: Option[String]): Unit = {
    val isFirst = warned.synchronized(warned.add(session))
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
