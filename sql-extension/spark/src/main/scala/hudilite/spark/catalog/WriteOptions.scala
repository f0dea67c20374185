package hudilite.spark.catalog

import java.util.Locale

import org.apache.spark.sql.catalyst.plans.logical.TableSpec
import org.apache.spark.sql.connector.catalog.SupportsV1OverwriteWithSaveAsTable

import hudilite.format.TableConfig

/** Checks the options of `df.write` and `df.writeTo`: they may only repeat table facts, under
  * Hudi's names. */
object WriteOptions {

  /** Option by which Spark marks a REPLACE that comes from `saveAsTable` with mode overwrite. */
  val replacesRows: String = SupportsV1OverwriteWithSaveAsTable.OPTION_NAME

  /** Options that are no table facts: the path, and Spark's own mark. */
  val reserved: Set[String] = Set("path", "paths", replacesRows)

  /** Returns the specification of a new table with the options of a DataFrame writer among its own,
    * as they state table facts. */
  def stated(spec: TableSpec, options: Map[String, String]): TableSpec =
    spec.copy(options = spec.options ++ options.filterNot { case (name, _) => reserved(name) })

  /** Errors: HUDILITE_PROPERTY_CONFLICT with both values, HUDILITE_PROPERTY_UNSUPPORTED. */
  def check(config: TableConfig, options: Iterable[(String, String)]): Unit =
    options.filterNot { case (name, _) => reserved(name.toLowerCase(Locale.ROOT)) }
      .foreach { case (name, value) =>
        val fact = PropertyRules.factOf(name).getOrElse(throw PropertyRules.unsupported(name))
        TableFacts.checkRepeated(config, name, fact, value)
      }
}
