package hudilite.spark.catalog

import org.apache.spark.sql.connector.catalog.SupportsV1OverwriteWithSaveAsTable

import hudilite.error.Suggestion
import hudilite.format.TableConfig
import hudilite.spark.{AnalysisErrors, HudiliteConf}

/** Options of `df.write` and `df.writeTo`: they may repeat a table's facts, under Hudi's names. */
object WriteOptions {

  /** Says that a REPLACE comes from `saveAsTable` with mode overwrite. */
  val replacesRows: String = SupportsV1OverwriteWithSaveAsTable.OPTION_NAME

  /** Where the table lies; how Spark hands a statement over. */
  val reserved: Set[String] = Set("path", "paths", replacesRows)

  /** Errors: HUDILITE_PROPERTY_CONFLICT with both values, HUDILITE_PROPERTY_UNSUPPORTED. */
  def check(config: TableConfig, options: Iterable[(String, String)]): Unit = {
    val facts = HudiliteConf.facts(config)
    options.filterNot { case (name, _) => reserved(name.toLowerCase(java.util.Locale.ROOT)) }
      .foreach { case (name, value) =>
        facts.find(_._1.equalsIgnoreCase(name)) match {
          case Some((fact, declared)) => HudiliteConf.checkFact(fact, declared, value)
          case None =>
            throw AnalysisErrors.of(
              "HUDILITE_PROPERTY_UNSUPPORTED",
              "key" -> name,
              "fix" -> Suggestion.of(name, facts.keys)
            )
        }
      }
  }
}
