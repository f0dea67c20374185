package hudilite.spark.merge

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.types._

import hudilite.spark.plan.{Clause, MergeSpec, UpdateClause}

/** Columns that the UPDATE clauses of a statement may change (driver side). */
object UpdatedColumns {

  /** Returns their numbers in the order of the table, with the partition columns if rows may move.
    *
    * @param target          columns of the table
    * @param partitionFields names of its partition columns
    */
  def of(spec: MergeSpec, target: Seq[Attribute], partitionFields: Seq[String]): Seq[Int] = {
    val matched = updates(spec.matched)
    val unmatched = updates(spec.notMatchedBySource)
    val key = keyOf(spec)
    target.indices.filter { i =>
      val column = target(i)
      val keeps = (value: Expression) => value.semanticEquals(column)
      val isKey = key.filter { case (key, _) => key.semanticEquals(column) }
      (spec.movesPartition && partitionFields.contains(column.name)) ||
      unmatched.exists(values => !keeps(values(i))) ||
      matched.exists { values =>
        !keeps(values(i)) && !isKey.exists { case (_, key) => key.semanticEquals(values(i)) }
      }
    }
  }

  private def updates(clauses: Seq[Clause]) =
    clauses.collect { case UpdateClause(_, values) => values }

  /** Returns the key column and the value that it equals in a matching source row, if its type has
    * one text for each value. */
  private def keyOf(spec: MergeSpec): Option[(Attribute, Expression)] =
    (spec.keyColumns, spec.sourceKey) match {
      case (Seq(column), Seq(value)) if isText(column.dataType) => Some(column -> value)
      case _ => None
    }

  private def isText(dataType: DataType): Boolean = dataType match {
    case ByteType | ShortType | IntegerType | LongType | DateType | StringType => true
    case _ => false
  }
}
