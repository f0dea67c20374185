package hudilite.spark.read

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.hudilite.FilterTranslation
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType

/** Request of a query to a scan.
  * @param columns     columns to read; may contain metadata columns and pruned nested columns
  * @param filters     predicates that are all true for a wanted row
  * @param decided     filters that Spark does not evaluate again: the partition paths decide them
  * @param key         record key that all wanted rows have, by filters that Spark does not evaluate
  * @param pushed      filters that have an equivalent data source filter, in that form
  * @param aggregation aggregation to return instead of the rows */
private[read] final case class ScanRequest(
    columns: StructType,
    filters: Seq[Expression] = Nil,
    decided: Seq[Expression] = Nil,
    key: Option[KeyCondition] = None,
    pushed: Seq[Filter] = Nil,
    aggregation: Option[FooterAggregation] = None
) {

  /** Filters for Parquet's statistics. Excludes decided filters: their columns may not be read, and
    * Parquet's column indexes treat a column that is not read as null in all rows. */
  def sought: Seq[Filter] =
    filters.filterNot(decided.contains).flatMap(FilterTranslation.translate)
}
