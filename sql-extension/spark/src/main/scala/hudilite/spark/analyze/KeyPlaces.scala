package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.LeftOuter
import org.apache.spark.sql.catalyst.plans.logical._

/** Plan that determines in which partition each row to insert looks up its key, in a table whose
  * keys are unique over all partitions: in the partition that has the key already, otherwise in the
  * one to which the greatest source row with this key goes. A row without a match there is inserted
  * only if it goes to that partition, otherwise its key is a duplicate.
  * @param rows     source rows
  * @param key      values of their key columns
  * @param goal     values of the partition columns of the partition to which they go
  * @param isPair   true for a matched pair, which is not inserted and keeps its partition; None: no
  *                 pairs
  * @param ordering among rows with one key the row with the greatest value counts
  * @param bars     true for a target row that blocks inserts of its key; None if the keys are known
  *                 to be absent */
private[analyze] final class KeyPlaces(
    target: HudiliteTarget,
    rows: LogicalPlan,
    key: Seq[Attribute],
    goal: Seq[Attribute],
    isPair: Option[Expression],
    ordering: Option[Expression],
    bars: Option[Expression]
) {
  private val greatest = {
    val value = CreateStruct(ordering.toSeq ++ goal)
    val inserted = isPair.fold[Expression](value)(If(_, Literal(null, value.dataType), value))
    new GreatestOfKey(inserted, key, rows)
  }
  private val table = target.inSource(target.relation.newInstance())
  private val own = target.columns.map(_.exprId).zip(table.output).toMap
  private val isFound = bars.map(_ => IsNotNull(ofTable(target.keyColumns.head)))
  private val places = goal.indices.map { at =>
    val absent = GetStructField(greatest.value, ordering.size + at)
    val sought =
      isFound.fold[Expression](absent)(If(_, ofTable(target.partitionColumns(at)), absent))
    Alias(isPair.fold[Expression](sought)(If(_, goal(at), sought)), goal(at).name)()
  }

  /** Values of the partition columns of the partition in which a row is looked up. */
  val partition: Seq[Attribute] = places.map(_.toAttribute)

  val plan: LogicalPlan = {
    val looked = bars.fold(greatest.plan) { barring =>
      val names = (target.keyColumns ++ target.partitionColumns).map(ofTable).distinct
      val held =
        Project(names, Filter(barring.transform { case a: Attribute => ofTable(a) }, table))
      val equal = target.keyColumns.zip(key).map { case (column, value) =>
        EqualTo(value, ofTable(column))
      }
      val condition = (equal ++ isPair.map(Not(_))).reduce[Expression](And(_, _))
      Join(greatest.plan, held, LeftOuter, Some(condition), JoinHint.NONE)
    }
    Project(rows.output ++ places, looked)
  }

  private def ofTable(column: Attribute): Attribute = own.getOrElse(column.exprId, column)
}

private[analyze] object KeyPlaces {

  /** Reason for joining the source with the table, shown by EXPLAIN. */
  val reason = "a key is unique over all partitions"
}
