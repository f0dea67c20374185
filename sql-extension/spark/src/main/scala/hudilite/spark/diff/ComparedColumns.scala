package hudilite.spark.diff

import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.hudilite.NullableType
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

import hudilite.error.{HudiliteException, Suggestion}
import hudilite.spark.error.InvalidArgument

/** Column that both states have.
  * @param before   name in the one state
  * @param after    name in the other state, which is the one that is shown
  * @param dataType type in which values are compared and shown */
private[diff] final case class ComparedColumn(before: String, after: String, dataType: DataType)

/** Columns of a comparison.
  * @param compared columns whose values may differ
  * @param shown    columns of the rows that are returned: also those of the key and the partition
  * @param leftOut  columns that only one of the states has, with its name */
private[diff] final case class ComparedColumns(
    compared: Seq[ComparedColumn],
    shown: Seq[ComparedColumn],
    leftOut: Seq[String]
)

private[diff] object ComparedColumns {

  /** Chooses the columns.
    * @param asked names of the columns to compare; None: all that both states have
    * Errors: HUDILITE_ARGUMENT_INVALID for a name that is no column of both, and for a column whose
    * values cannot be compared. */
  def of(before: DiffSide, after: DiffSide, asked: Option[Seq[String]]): ComparedColumns = {
    val same = SQLConf.get.resolver
    val pairs = after.columns.flatMap { column =>
      before.columns.find(other => same(other.name, column.name)).map(_ -> column)
    }
    val chosen = asked.fold(pairs) { names =>
      val wanted = names.map(name =>
        pairs.find { case (_, column) => same(column.name, name) }
          .getOrElse(throw unknown(name, pairs.map(_._2.name)))
      )
      pairs.filter(wanted.contains)
    }
    val keys = after.config.recordKeyFields
    val places = keys ++ after.config.partitionFields
    val columns = pairs.flatMap { case pair @ (one, other) =>
      val typed = typeOf(one.dataType, other.dataType)
      if (chosen.contains(pair) && typed.isEmpty) throw incomparable(one, other, before, after)
      typed.map(ComparedColumn(one.name, other.name, _))
    }
    val names = chosen.map(_._2.name).toSet
    ComparedColumns(
      columns.filter(column => names(column.after) && !keys.contains(column.after)),
      columns.filter(column => names(column.after) || places.contains(column.after)),
      if (asked.nonEmpty) Nil
      else
        alone(before, pairs.map(_._1)) ++ alone(after, pairs.map(_._2))
    )
  }

  private def alone(side: DiffSide, paired: Seq[StructField]): Seq[String] =
    side.columns.filterNot(paired.contains).map(column => s"${column.name} of ${side.table.name}")

  /** Returns the type in which values of two types are compared exactly. */
  private[diff] def typeOf(one: DataType, other: DataType): Option[DataType] = {
    val common = (one, other) match {
      case _ if DataTypeUtils.sameType(one, other) => Some(NullableType(other))
      case _ if integers.contains(one) && integers.contains(other) =>
        Some(Seq(one, other).maxBy(integers.indexOf(_)))
      case (Decimals(a), Decimals(b)) =>
        val scale = a.scale.max(b.scale)
        val precision = (a.precision - a.scale).max(b.precision - b.scale) + scale
        Option.when(precision <= DecimalType.MAX_PRECISION)(DecimalType(precision, scale))
      case _ => None
    }
    common.filter(ValueEquality.isComparable)
  }

  private val integers = Seq[DataType](ByteType, ShortType, IntegerType, LongType)

  /** Matches a type of exact numbers, and extracts the decimal type of all its values. */
  private object Decimals {
    def unapply(of: DataType): Option[DecimalType] = of match {
      case decimal: DecimalType => Some(decimal)
      case ByteType => Some(DecimalType(3, 0))
      case ShortType => Some(DecimalType(5, 0))
      case IntegerType => Some(DecimalType(10, 0))
      case LongType => Some(DecimalType(20, 0))
      case _ => None
    }
  }

  private def unknown(name: String, known: Seq[String]): HudiliteException =
    InvalidArgument("diff", "columns", name,
      if (known.isEmpty) "The tables have no column in common." else Suggestion.of(name, known))

  private def incomparable(
      one: StructField,
      other: StructField,
      before: DiffSide,
      after: DiffSide
  ): HudiliteException = {
    val types = Seq(one.dataType.sql, other.dataType.sql).distinct
    val reason =
      if (types.size == 1) s"values of the type ${types.head} cannot be compared"
      else
        s"it is ${types.head} in ${before.table.name} and ${types(1)} in ${after.table.name}"
    InvalidArgument("diff", "columns", other.name,
      s"Column ${other.name} is not compared: $reason. Write the names of other columns.")
  }
}
