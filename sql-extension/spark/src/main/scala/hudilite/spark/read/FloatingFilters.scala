package hudilite.spark.read

import org.apache.spark.sql.sources._

/** Filters on FLOAT and DOUBLE columns as Parquet can have them. In Spark 0.0 equals -0.0, and NaN
  * is the greatest value and equals itself. Parquet tells the zeros apart, and the bounds in files
  * of most writers leave NaN out; it has many forms, which Parquet's bloom filters tell apart.
  * Source: parquet-format's ColumnOrder; parquet-java's DictionaryFilter and StatisticsFilter. */
private[read] object FloatingFilters {

  /** Returns a filter by which Parquet skips no row that passes the given one; None if none does.
    * @param knowsNaN whether the file has no bounds of values among which NaN is */
  def of(filter: Filter, knowsNaN: Boolean): Option[Filter] = filter match {
    case And(a, b) => (of(a, knowsNaN) ++ of(b, knowsNaN)).reduceOption(And(_, _))
    case Or(a, b) => for (one <- of(a, knowsNaN); other <- of(b, knowsNaN)) yield Or(one, other)
    case Not(negated) if compared(negated).exists(isFloating) =>
      Option.when(knowsNaN && isEquality(negated))(filter)
    case equality if isEquality(equality) && compared(equality).exists(isNaN) => None
    case _ if !knowsNaN && isGreater(filter) => None
    case EqualTo(column, value) if isZero(value) => Some(zeros(column, value))
    case EqualNullSafe(column, value) if isZero(value) => Some(zeros(column, value))
    case LessThanOrEqual(column, value) if isZero(value) => Some(upToZeros(column, value))
    case GreaterThanOrEqual(column, value) if isZero(value) => Some(fromZeros(column, value))
    case In(column, values) if values.exists(isZero) =>
      val (ofZero, others) = values.partition(isZero)
      val both = ofZero.headOption.map(zeros(column, _))
      (Option.when(others.nonEmpty)(In(column, others)) ++ both).reduceOption(Or(_, _))
    case other => Some(other)
  }

  /** Whether a filter is a comparison with a floating-point value that NaN passes. */
  private def isGreater(filter: Filter): Boolean = filter match {
    case GreaterThan(_, value) => isFloating(value)
    case GreaterThanOrEqual(_, value) => isFloating(value)
    case _ => false
  }

  private def isEquality(filter: Filter): Boolean = filter match {
    case _: EqualTo | _: EqualNullSafe | _: In => true
    case _ => false
  }

  /** Returns all values with which columns are compared. */
  private[read] def compared(filter: Filter): Seq[Any] = filter match {
    case And(a, b) => compared(a) ++ compared(b)
    case Or(a, b) => compared(a) ++ compared(b)
    case Not(negated) => compared(negated)
    case EqualTo(_, value) => Seq(value)
    case EqualNullSafe(_, value) => Seq(value)
    case In(_, values) => values.toSeq
    case LessThan(_, value) => Seq(value)
    case LessThanOrEqual(_, value) => Seq(value)
    case GreaterThan(_, value) => Seq(value)
    case GreaterThanOrEqual(_, value) => Seq(value)
    case _ => Nil
  }

  private def zeros(column: String, of: Any): Filter =
    And(fromZeros(column, of), upToZeros(column, of))

  private def fromZeros(column: String, of: Any): Filter =
    GreaterThanOrEqual(column, zero(of, isNegative = true))

  private def upToZeros(column: String, of: Any): Filter =
    LessThanOrEqual(column, zero(of, isNegative = false))

  private def zero(of: Any, isNegative: Boolean): Any = of match {
    case _: Float => if (isNegative) -0.0f else 0.0f
    case _ => if (isNegative) -0.0d else 0.0d
  }

  private def isFloating(value: Any): Boolean = value match {
    case _: Float | _: Double => true
    case _ => false
  }

  private def isZero(value: Any): Boolean = value match {
    case float: Float => float == 0.0f
    case double: Double => double == 0.0d
    case _ => false
  }

  private def isNaN(value: Any): Boolean = value match {
    case float: Float => float.isNaN
    case double: Double => double.isNaN
    case _ => false
  }
}
