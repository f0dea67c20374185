package hudilite.spark.read

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.read.{Scan, SupportsPushDownRequiredColumns}
import org.apache.spark.sql.hudilite.FilterTranslation
import org.apache.spark.sql.internal.connector.SupportsPushDownCatalystFilters
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import hudilite.error.{HudiliteException, Suggestion}
import hudilite.view.TableSnapshot

/** Plans a read of one snapshot: takes filters and wanted columns from the optimizer. Every filter
  * is evaluated again after the scan, so pruning only has to be safe, not exact.
  * @param spark     session of the query
  * @param tableName name for EXPLAIN
  * @param schema    table schema, without the metadata columns
  * @param snapshot  table as of a commit
  * @param options   read options of the statement: those of Spark's Parquet source
  * @throws hudilite.error.HudiliteException HUDILITE_PROPERTY_UNSUPPORTED for Hudi's read options
  */
final class HudiliteScanBuilder(
    spark: SparkSession,
    tableName: String,
    schema: StructType,
    snapshot: TableSnapshot,
    options: CaseInsensitiveStringMap
) extends SupportsPushDownCatalystFilters
    with SupportsPushDownRequiredColumns {
  HudiliteScanBuilder.check(options)

  private var filters: Seq[Expression] = Nil
  private var pushed: Seq[Filter] = Nil
  private var required: StructType = schema

  override def pushFilters(filters: Seq[Expression]): Seq[Expression] = {
    this.filters = filters.filter(_.deterministic)
    pushed = this.filters.flatMap(FilterTranslation.translate)
    filters
  }

  override def pushedFilters: Array[Predicate] = pushed.map(FilterTranslation.predicate).toArray

  override def pruneColumns(requiredSchema: StructType): Unit = required = requiredSchema

  override def build(): Scan =
    new HudiliteScan(spark, tableName, schema, required, snapshot, filters, pushed, options)
}

object HudiliteScanBuilder {

  /** Options of Spark's Parquet source that a read heeds. */
  private val known =
    Seq("ignoreCorruptFiles", "ignoreMissingFiles", "datetimeRebaseMode", "int96RebaseMode")

  /** Where the table lies. */
  private val places = Seq("path", "paths")

  /** Options of stock Hudi's reader would change which rows are read; none is taken for granted. */
  private def check(options: CaseInsensitiveStringMap): Unit =
    options
      .keySet()
      .asScala
      .find(key => !(known ++ places).exists(_.equalsIgnoreCase(key)))
      .foreach { key =>
        val isHudis = key.startsWith("hoodie.") || key == "as.of.instant"
        throw new HudiliteException(
          "HUDILITE_PROPERTY_UNSUPPORTED",
          Map(
            "key" -> key,
            "fix" -> (if (isHudis) "Leave the option out: a read returns the latest snapshot."
                      else Suggestion.of(key, known))
          )
        )
      }
}
