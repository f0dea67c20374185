package hudilite.spark.catalog

import java.util.Locale

import org.apache.spark.sql.catalyst.plans.logical.TableSpec
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.SupportsV1OverwriteWithSaveAsTable

import hudilite.format.TableConfig
import hudilite.spark.error.Warnings
import hudilite.spark.read.PeerOptions

/** Options of `df.write`, `df.writeTo` and `df.writeStream`: they repeat table facts under Hudi's
  * names, state Hudi's operation, or ask for the new columns of the rows. Other options of Hudi have
  * no effect, of which a session is warned. */
object WriteOptions {

  /** Option by which Spark marks a REPLACE that comes from `saveAsTable` with mode overwrite. */
  val replacesRows: String = SupportsV1OverwriteWithSaveAsTable.OPTION_NAME

  /** Options of Delta's and of Iceberg's writers by which the table gets the new columns of the rows. */
  private val columns: Set[String] = Set("mergeschema", "merge-schema")

  /** Options that are no table facts: the path, Spark's own mark, the operation, and those about
    * columns. */
  private val reserved: Set[String] = columns ++
    Set("path", "paths", replacesRows, WriteOperation.option, WriteOperation.partitions)

  /** Whether the options ask for the new columns of the rows. A new table has all of them.
    * Errors: HUDILITE_PROPERTY_UNSUPPORTED for a value that is neither true nor false. */
  def addsColumns(options: Map[String, String]): Boolean =
    options.filter { case (name, _) => columns(lower(name)) }.map { case (name, value) =>
      value.trim.toBooleanOption.getOrElse(
        throw PropertyRules.unsupported(name, s"Write true or false instead of '$value'.")
      )
    }.exists(identity)

  /** Returns the options that are not about columns. */
  def withoutColumns(options: Map[String, String]): Map[String, String] =
    options.filterNot { case (name, _) => columns(lower(name)) }

  /** Returns the options that state facts of a table. Warns of those that have no effect.
    * Errors: HUDILITE_PROPERTY_UNSUPPORTED for a wrong value of an option about columns. */
  def facts(options: Map[String, String]): Map[String, String] = {
    addsColumns(options): Unit
    val stated = options.filterNot { case (name, _) => reserved(lower(name)) }
    val (unlisted, facts) = stated.partition { case (name, _) => PropertyRules.isUnlisted(name) }
    unlisted.keys.toSeq.sorted.foreach(warn)
    facts
  }

  /** Returns the specification of a new table with the options of a DataFrame writer among its own,
    * as they state table facts. */
  def stated(spec: TableSpec, options: Map[String, String]): TableSpec =
    spec.copy(options = spec.options ++ facts(options))

  /** Returns the options that say what is done with the rows, not what the table is. */
  def operationOf(options: Map[String, String]): Map[String, String] =
    options.filter { case (name, _) => lower(name) == WriteOperation.option }

  /** Checks the options of a write to an existing table.
    * @param table name of the table in SQL
    * Errors: HUDILITE_PROPERTY_CONFLICT with both values, HUDILITE_PROPERTY_UNSUPPORTED. */
  def check(table: String, config: TableConfig, options: Iterable[(String, String)]): Unit =
    facts(options.toMap).foreach { case (name, value) =>
      PeerOptions.ofWrite(name, value, table).foreach(fix =>
        throw PropertyRules.unsupported(name, fix)
      )
      PropertyRules.factOf(name) match {
        case Some(fact) => TableFacts.checkRepeated(config, name, fact, value)
        case None => PropertyRules.checkFixed(config, name, value)
      }
    }

  /** Returns the value of an option, whatever the case of its name. */
  def valueOf(options: Map[String, String], name: String): Option[String] =
    options.collectFirst { case (key, value) if key.equalsIgnoreCase(name) => value }

  private def warn(name: String): Unit =
    if (Warnings.isFirst(SparkSession.active, s"option ${lower(name)}"))
      Warnings.say(
        s"Option $name of stock Hudi has no effect on writes of hudilite. Remove it from the writer."
      )

  private def lower(name: String): String = name.toLowerCase(Locale.ROOT)
}
