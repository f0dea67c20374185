package hudilite.spark.repair

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{InterpretedOrdering, Literal}
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIfNeeded
import org.apache.spark.sql.types.StructType

import hudilite.format.{PartitionPath, TableConfig}
import hudilite.spark.read.PartitionValues

/** Order of a table's partitions by the values of their columns (driver side). A rewrite that takes
  * them in this order can say by a short condition which ones are left.
  * @param partitioned partition columns of the table */
final private[repair] class PartitionOrder(config: TableConfig, partitioned: StructType) {
  private val columns = CharVarcharUtils.replaceCharVarcharWithStringInSchema(partitioned)
  private val byValues = InterpretedOrdering.forSchema(columns.map(_.dataType))

  /** Returns paths in ascending order, NULL first. Paths whose texts are not of the columns' types
    * come before all others: every condition selects them. */
  def sorted(paths: Seq[String]): Seq[String] = {
    val (typed, others) = paths.map(path => path -> values(path)).partition(_._2.nonEmpty)
    others.map(_._1).sorted ++
      typed.sortBy(_._1).sortBy(_._2.get)(byValues).map(_._1)
  }

  /** Returns the condition on the partition columns for a partition and all that follow it; None if
    * that may be every partition. */
  def from(path: String): Option[String] = values(path).flatMap(conditionFrom(_, 0))

  private def conditionFrom(row: InternalRow, at: Int): Option[String] =
    if (at == columns.size) None
    else {
      val name = quoteIfNeeded(columns(at).name)
      val rest = conditionFrom(row, at + 1)
      if (row.isNullAt(at)) rest.map(more => s"($name IS NOT NULL OR $more)")
      else {
        val value = Literal(row.get(at, columns(at).dataType), columns(at).dataType).sql
        Some(rest.fold(s"$name >= $value")(more => s"($name > $value OR $name = $value AND $more)"))
      }
    }

  private def values(path: String): Option[InternalRow] =
    PartitionPath.decode(path, config).flatMap(PartitionValues.parse(_, config, columns))
}
