package hudilite.spark.analyze

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types.BooleanType

import hudilite.spark.plan._

/** Plan for rows to which an UPDATE gives another key, or which it moves to another partition of a
  * table without buckets or with keys that are looked up in every partition. Each pair of such a row
  * becomes two source rows: one deletes the row where it is, the other inserts it where it goes.
  *
  * @param pairs     source joined with the table
  * @param olds      columns of the output with all target columns, in table order
  * @param partition columns of the output with the partition of the target row
  * @param isPair    false for a source row without a match; None if there are only pairs
  * @param clauses   clauses for pairs
  * @param key       columns of the output with the key of the target row
  * @param ordering  among the pairs of one target row, those with the greatest value count */
private[analyze] final class MovedRows(
    target: HudiliteTarget,
    pairs: LogicalPlan,
    olds: Seq[Attribute],
    partition: Seq[Attribute],
    isPair: Option[Expression],
    clauses: Seq[Clause],
    key: Seq[Attribute],
    ordering: Option[Expression]
) {
  private val oldOf = target.columns.map(_.exprId).zip(olds).toMap
  private val config = target.table.config
  private val isMoved = Alias(isPair.fold(moves)(And(_, moves)), "is_moved")()
  private val isArrival = AttributeReference("is_arrival", BooleanType, nullable = false)()
  private val keys = arriving(key, target.keyColumns)
  private val places = arriving(partition, target.partitionColumns)

  /** Values of the key columns with which a row is looked up. */
  val sourceKey: Seq[Attribute] = keys.map(_.toAttribute)

  /** Values of the partition columns of the partition in which a row is looked up. */
  val sourcePartition: Seq[Attribute] = places.map(_.toAttribute)

  /** True for a pair, false for a row to insert. */
  val isMatch: Expression = isPair.fold[Expression](Not(isArrival))(And(_, Not(isArrival)))

  val leaving: Clause = DeleteClause(Some(isMoved.toAttribute), moves = true)

  val arriving: Clause = InsertClause(Some(isArrival), target.columns.map(assigned), moves = true)

  /** Values in which the arriving rows of different target rows differ, and an arriving row from all
    * others. */
  def rivals: Seq[Expression] = Seq(isArrival) ++ key ++ partition

  val plan: LogicalPlan = {
    val flagged = Project(pairs.output :+ isMoved, ordering.fold(pairs)(newest))
    val once = Literal.create(Seq(false))
    val twice = Literal.create(Seq(false, true))
    val doubled = Generate(
      Explode(If(isMoved.toAttribute, twice, once)),
      Nil,
      outer = false,
      None,
      Seq(isArrival),
      flagged
    )
    Project(doubled.output ++ keys ++ places, doubled)
  }

  /** Drops pairs with a smaller ordering value than another pair of their target row. This must
    * happen here, because these could arrive in another partition than that other pair. */
  private def newest(value: Expression): LogicalPlan = {
    val ofPair = isPair.fold(value)(If(_, value, Literal(null, value.dataType)))
    val greatest = new GreatestOfKey(ofPair, key ++ partition, pairs)
    val isNewest = EqualNullSafe(ofPair, greatest.value)
    Filter(isPair.fold[Expression](isNewest)(p => Or(Not(p), isNewest)), greatest.plan)
  }

  /** Whether the clause that fires gives the row another key or moves it to another partition
    * folder. */
  private def moves: Expression = firing {
    case UpdateClause(_, values) =>
      val isMarked = DeleteMarker.isMarked(values, target.columns).map(over)
      val to = target.columns.zip(values).toMap
      val isElsewhere =
        Not(EqualNullSafe(path(target.partitionColumns.map(column => over(to(own(column))))),
          path(partition)))
      val leaves = key.zip(target.keyColumns)
        .filter { case (_, column) => target.isColumn(column) }
        .map { case (old, column) => Not(EqualNullSafe(over(to(own(column))), old)) }
        .foldLeft[Expression](isElsewhere)(Or(_, _))
      isMarked.fold(leaves)(marked => And(Not(marked), leaves))
    case _ => Literal.FalseLiteral
  }(Literal.FalseLiteral)

  /** The values of some columns in the target row, and in an arriving row those that it gets. */
  private def arriving(olds: Seq[Attribute], columns: Seq[Attribute]): Seq[Alias] =
    olds.zip(columns).map { case (old, column) =>
      val to = if (target.isColumn(column)) If(isArrival, assigned(column), old) else old
      Alias(to, column.name)()
    }

  /** Value that the clause that fires assigns to a column. */
  private def assigned(column: Attribute): Expression = {
    val at = target.columns.indexWhere(_.exprId == column.exprId)
    firing {
      case UpdateClause(_, values) => over(values(at))
      case _ => Literal(null, column.dataType)
    }(Literal(null, column.dataType))
  }

  private def firing(of: Clause => Expression)(otherwise: Expression): Expression =
    clauses.foldRight(otherwise) { (clause, rest) =>
      clause.condition.fold(of(clause))(condition => If(over(condition), of(clause), rest))
    }

  private def own(column: Attribute): AttributeReference =
    target.columns.find(_.exprId == column.exprId).getOrElse(
      throw new IllegalStateException(s"INTERNAL: ${column.name} is no column")
    )

  private def path(values: Seq[Expression]): Expression =
    KeyText.partitionPath(config, values)

  private def over(expression: Expression): Expression = expression.transform {
    case a: AttributeReference if oldOf.contains(a.exprId) => oldOf(a.exprId)
  }
}

private[analyze] object MovedRows {

  /** Reason for joining the source with the table, shown by EXPLAIN. */
  val newKey = "a clause may change the key of a row"
}
