package hudilite.spark.catalog

import java.util.{Collections, WeakHashMap}

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.classic.SparkSession

import hudilite.spark.error.Warnings

/** Logs a warning when a session has changed settings of an object store's connector. Hadoop keeps
  * one client for each bucket and user of a process, with the settings of its first use, so that
  * such a change may have no effect. The warning names each setting once in a session, and never
  * shows a value. */
object StoreSettings {
  private val hadoop = "spark.hadoop."
  private val settings = Map(
    "s3a" -> "fs.s3a.",
    "gs" -> "fs.gs.",
    "abfs" -> "fs.azure.",
    "abfss" -> "fs.azure."
  )
  private val warned =
    Collections.synchronizedMap(new WeakHashMap[SparkSession, Set[String]])

  /** @param path location of a table that a statement of the session uses */
  def warn(session: SparkSession, path: Path): Unit =
    settings.get(Option(path.toUri.getScheme).getOrElse("")).foreach { prefix =>
      val changed = changedIn(session, prefix)
      val before = Option(warned.put(session, changed)).getOrElse(Set.empty)
      val fresh = (changed -- before).toSeq.sorted
      if (fresh.nonEmpty) Warnings.say(text(fresh))
    }

  /** Names of the settings that have another value than when Spark started. */
  private def changedIn(session: SparkSession, prefix: String): Set[String] = {
    val started = session.sparkContext.getConf
    session.sessionState.conf.getAllConfs.collect {
      case (key, value)
          if key.stripPrefix(hadoop).startsWith(prefix) && !started.getOption(key).contains(
            value
          ) =>
        key
    }.toSet
  }

  private def text(keys: Seq[String]): String =
    s"This session has set ${keys.mkString(", ")}. Hadoop keeps one client for each bucket and " +
      "user of a process, so this may have no effect. Set it when Spark starts, as " +
      s"$hadoop${keys.head.stripPrefix(hadoop)}."
}
