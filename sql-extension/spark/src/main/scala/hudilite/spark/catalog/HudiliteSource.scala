package hudilite.spark.catalog

import java.util

import org.apache.spark.sql.connector.catalog.{Table, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.sources.DataSourceRegister
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import hudilite.spark.AnalysisErrors

/** The name `hudilite` in USING. Tables are opened by HudiliteCatalog; a path alone is refused. */
final class HudiliteSource extends TableProvider with DataSourceRegister {

  override def shortName(): String = "hudilite"

  override def inferSchema(options: CaseInsensitiveStringMap): StructType =
    throw refused(options)

  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: util.Map[String, String]
  ): Table = throw refused(new CaseInsensitiveStringMap(properties))

  private def refused(options: CaseInsensitiveStringMap) = AnalysisErrors.of(
    "HUDILITE_UNSUPPORTED_STATEMENT",
    "statement" -> "Access without HudiliteCatalog or by path",
    "table" -> options.getOrDefault("path", "hudilite"),
    "fix" -> ("Set spark.sql.catalog.spark_catalog=hudilite.spark.HudiliteCatalog " +
      "and name the table.")
  )
}
