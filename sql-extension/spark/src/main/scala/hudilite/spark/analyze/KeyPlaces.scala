package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.LeftOuter
import org.apache.spark.sql.catalyst.plans.logical._

/** Where rows to insert meet what bars them, in a table whose keys are unique over all partitions:
  * each is looked for in the partition where its key lies already, and otherwise in the one that the
  * greatest of the source rows with its key goes to. A row that meets nothing there is not inserted
  * either, unless it goes there.
  *
  * @param rows     source rows
  * @param key      their values of the key columns
  * @param goal     values of the partition columns where they go
  * @param isPair   true for a row that is not to be inserted and stays where it is; None: there is none
  * @param ordering of rows with one key the greatest counts
  * @param bars     true for a row of the table that bars others; None where the keys are known to be
  *                 absent */
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

  /** Values of the partition columns where a row is looked for. */
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

  /** Why a statement is joined with the table. */
  val reason = "a key is unique over all partitions"
}
