package hudilite.spark.catalog

import java.util.{Collections, WeakHashMap}

import org.apache.spark.sql.classic.SparkSession

import hudilite.spark.error.Warnings

/** Logs a warning when a write detaches Hudi's metadata table, once in a session. */
private[catalog] object DetachedWarning {
  private val warned =
    Collections.newSetFromMap(new WeakHashMap[SparkSession, java.lang.Boolean])

  /** @param name table name in the warning */
  def give(session: SparkSession, name: String): Unit =
    if (warned.synchronized(warned.add(session))) Warnings.say(
      s"Table $name: the write removed Hudi's metadata table, which hudilite does not write. Readers " +
        "list the folders from now on. The next write of stock Hudi builds it again, for which it " +
        "lists all files and reads all their footers; its writers need none with " +
        "hoodie.metadata.enable=false."
    )
}
