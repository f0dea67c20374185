package hudilite.spark.catalog

import scala.collection.concurrent.TrieMap

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.classic.SparkSession

/** Cached tables of this Spark application. Spark finds them by their names, and a write may use another
  * name of the table, or its path. */
private[hudilite] object TableCaches {
  private val names = TrieMap.empty[Path, Set[Seq[String]]]

  /** Remembers a name under which a table was opened.
    * @param name its parts, the catalog first */
  def opened(table: HudiliteTable, name: Seq[String]): HudiliteTable = {
    names.updateWith(table.basePath)(known => Some(known.getOrElse(Set.empty) + name)): Unit
    table
  }

  /** Makes Spark read the table again where it is cached under one of its names. */
  def refresh(session: SparkSession, table: HudiliteTable): Unit =
    names.getOrElse(table.basePath, Set.empty).foreach {
      session.sharedState.cacheManager.recacheTableOrView(session, _)
    }
}
