package hudilite.spark.merge

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnsafeRow}
import org.apache.spark.sql.types._

import hudilite.spark.locate.TaggedRow
import hudilite.spark.plan.{Clause, MergeSpec, UpdateClause}

/** Columns that the UPDATE clauses of a statement may change (driver side). */
object UpdatedColumns {
  private val leastPart = 3 // the columns are at least a third of those of a source row

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

  /** Returns the ordinals of their new values in a source row, if each UPDATE clause takes these as
    * they are. None if they are a small part of a source row, which takes more to hold than they do, or
    * if it has another column of texts or parts than them and the key.
    *
    * @param updated numbers of the columns
    * @param source  columns of a tagged source row */
  def taken(
      spec: MergeSpec,
      updated: Seq[Int],
      target: Seq[Attribute],
      source: Seq[Attribute]
  ): Option[Seq[Int]] = {
    val clauses = updates(spec.matched)
    val places = updated.map { i =>
      clauses.map(values => placeOf(values(i), target(i), source)).distinct match {
        case Seq(place) if place >= 0 => Some(place)
        case _ => None
      }
    }
    val isNarrow = source.zipWithIndex.drop(TaggedRow.columns.size).forall { case (column, i) =>
      places.contains(Some(i)) || UnsafeRow.isFixedLength(column.dataType) ||
      spec.sourceKey.exists(_.references.contains(column))
    }
    Option.when(
      places.forall(_.nonEmpty) && updates(spec.notMatchedBySource).isEmpty &&
        !spec.movesPartition && updated.size * leastPart >= source.size && isNarrow
    )(places.flatten)
  }

  private def placeOf(value: Expression, column: Attribute, source: Seq[Attribute]): Int =
    value match {
      case of: Attribute if of.dataType == column.dataType =>
        source.indexWhere(_.exprId == of.exprId)
      case _ => -1
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
