package hudilite.spark.read

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.hudilite.FilterTranslation
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType

/** What a query wants of a table.
  * @param columns     columns to read; may name metadata columns and part of nested ones
  * @param filters     predicates that are all true for a wanted row
  * @param decided     those of them that Spark does not evaluate again: the partitions' paths tell
  * @param pushed      the filters, as far as the source has words for them
  * @param aggregation what is given instead of the rows */
private[read] final case class ScanRequest(
    columns: StructType,
    filters: Seq[Expression] = Nil,
    decided: Seq[Expression] = Nil,
    pushed: Seq[Filter] = Nil,
    aggregation: Option[FooterAggregation] = None
) {

  /** What Parquet's statistics may leave out. A decided filter's column may not be read, and Parquet's
    * column indexes take such a column for one of nulls. */
  def sought: Seq[Filter] =
    filters.filterNot(decided.contains).flatMap(FilterTranslation.translate)
}
