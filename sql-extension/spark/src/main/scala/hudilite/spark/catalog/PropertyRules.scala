package hudilite.spark.catalog

import java.util.Locale

import org.apache.spark.sql.connector.catalog.TableCatalog

import hudilite.spark.AnalysisErrors

/** Which TBLPROPERTIES and OPTIONS a table takes. One that has no effect is refused, not ignored. */
private[catalog] object PropertyRules {

  /** @param properties everything that Spark hands over, its own reserved names included
    * @return the user's own
    * Errors: HUDILITE_PROPERTY_UNSUPPORTED. */
  def userProperties(properties: Map[String, String]): Map[String, String] = {
    val user = properties.filterNot { case (key, _) =>
      reserved.contains(key) ||
      key.startsWith(TableCatalog.OPTION_PREFIX)
    }
    user.foreach { case (key, value) =>
      whyNot(key, value).foreach { fix => throw unsupported(key, fix) }
    }
    user
  }

  /** @return columns that the property `primaryKey` names, in key order */
  def primaryKey(properties: Map[String, String]): Option[Seq[String]] =
    properties.collectFirst {
      case (key, value) if key.equalsIgnoreCase("primaryKey") =>
        value.split(',').toSeq.map(_.trim).filter(_.nonEmpty)
    }

  /** Names under which Spark passes clauses of the statement. */
  private val reserved = Set(
    TableCatalog.PROP_COMMENT,
    TableCatalog.PROP_COLLATION,
    TableCatalog.PROP_LOCATION,
    TableCatalog.PROP_PROVIDER,
    TableCatalog.PROP_OWNER,
    TableCatalog.PROP_EXTERNAL,
    TableCatalog.PROP_IS_MANAGED_LOCATION,
    TableCatalog.PROP_TABLE_TYPE
  )

  private def whyNot(key: String, value: String): Option[String] =
    key.toLowerCase(Locale.ROOT) match {
      case "type" if value.equalsIgnoreCase("cow") => None
      case "type" =>
        Some(s"Tables are copy-on-write; write type = 'cow' instead of '$value', or leave it out.")
      case "precombinefield" | "orderingfields" =>
        Some("An ordering field comes with a later version; remove duplicates in the source query.")
      case "path" => Some("Write LOCATION '...' instead.")
      case "hoodie.index.type" | "hoodie.bucket.index.num.buckets" |
          "hoodie.bucket.index.hash.field" =>
        Some("Write WITH BUCKETS n [ON (columns)] instead.")
      case name if name.startsWith("hoodie.") || name.startsWith("index.") =>
        Some("Hudi's own options are not read here; leave it out.")
      case name if name.startsWith("hudilite.") =>
        Some("Names that begin with hudilite. are written by hudilite itself; leave it out.")
      case name if name.startsWith("hive.") =>
        Some("Hive's file formats and serdes do not apply; leave it out.")
      case _ => None
    }

  private def unsupported(key: String, fix: String) =
    AnalysisErrors.of("HUDILITE_PROPERTY_UNSUPPORTED", "key" -> key, "fix" -> fix)
}
