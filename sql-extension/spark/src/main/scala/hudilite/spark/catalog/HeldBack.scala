package hudilite.spark.catalog

import org.apache.spark.sql.classic.SparkSession

import hudilite.spark.error.Warnings

/** Warning that a read of changes ends before the latest commit, because a pending write may come before
  * later ones. Source: Hudi's `hoodie.read.timeline.holes.resolution.policy` = `BLOCK`. */
private[spark] object HeldBack {

  /** Logs the warning, once in a session for each write.
    * @param table   its name, also hudilite.`path`
    * @param reader  what reads the changes, before the name of the table
    * @param pending instant of the pending write */
  def warn(session: SparkSession, table: String, reader: String, pending: String): Unit =
    if (Warnings.isFirst(session, s"$reader $table waits for $pending"))
      Warnings.say(
        s"$reader $table holds back commits that began after write $pending, which is pending. If its " +
          "program has died, let stock Hudi roll it back, or write to the table with hudilite."
      )
}
