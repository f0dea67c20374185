package hudilite.format

/** Value of the ordering field, by which a deletion and a row of the same key are compared. */
sealed trait OrderingValue

object OrderingValue {

  /** No value: the deletion is later than what was written before it. */
  case object CommitTime extends OrderingValue

  /** Value of the type with which Hudi stores it. */
  sealed trait Typed extends OrderingValue

  final case class OfBoolean(value: Boolean) extends Typed
  final case class OfInt(value: Int) extends Typed
  final case class OfLong(value: Long) extends Typed
  final case class OfFloat(value: Float) extends Typed
  final case class OfDouble(value: Double) extends Typed
  final case class OfBytes(value: Vector[Byte]) extends Typed
  final case class OfString(value: String) extends Typed

  /** @param days days since 1970-01-01 */
  final case class OfDate(days: Int) extends Typed
  final case class OfDecimal(value: BigDecimal) extends Typed

  /** @param micros microseconds since midnight */
  final case class OfTimeMicros(micros: Long) extends Typed

  /** @param micros microseconds since 1970 */
  final case class OfTimestampMicros(micros: Long) extends Typed

  /** @param values values of several ordering fields, None for a null */
  final case class OfSeveral(values: Vector[Option[Typed]]) extends Typed
}
