package hudilite.format

import org.apache.spark.unsafe.types.UTF8String

/** Text of `_hoodie_record_key`. In a table with plain keys it is the bare text of the one key
  * column. Otherwise the key columns are joined as `f:v,f2:v2` without any escaping, as Hudi's
  * ComplexKeyGenerator does.
  * Source: hudi-format §5. */
object RecordKey {
  val NullPlaceholder = "__null__"
  val EmptyPlaceholder = "__empty__"

  private val nullText = UTF8String.fromString(NullPlaceholder)
  private val emptyText = UTF8String.fromString(EmptyPlaceholder)
  private val colon = UTF8String.fromString(":")
  private val comma = UTF8String.fromString(",")

  /** Returns the key text of columns joined as `f:v,f2:v2`.
    * @param fields key columns in key order
    * @param values their texts; null and "" become placeholders */
  def complex(fields: Seq[String], values: Seq[String]): String =
    fields.zip(values).map { case (field, value) => s"$field:${placed(value)}" }.mkString(",")

  /** Returns the key text as Spark's string type, see [[complex]]. */
  def complex(fields: Array[String], values: Array[UTF8String]): UTF8String = {
    val parts = new Array[UTF8String](fields.length * 4 - 1)
    fields.indices.foreach { i =>
      if (i > 0) parts(i * 4 - 1) = comma
      parts(i * 4) = UTF8String.fromString(fields(i))
      parts(i * 4 + 1) = colon
      parts(i * 4 + 2) = placed(values(i))
    }
    UTF8String.concat(parts: _*)
  }

  /** Returns the first key column whose value may give two different keys the same text: a value
    * that equals a placeholder, or one that contains the start of the next column (`1,b:2`). Only
    * texts of [[complex]] can be ambiguous.
    * @return position in `fields`, or -1 if the key is unambiguous */
  def ambiguousColumn(fields: Array[String], values: Array[UTF8String]): Int =
    fields.indices
      .find(i => Option(values(i)).exists(v => isPlaceholder(v) || holdsNext(fields, i, v)))
      .getOrElse(-1)

  private def isPlaceholder(value: UTF8String): Boolean = value == nullText || value == emptyText

  private def holdsNext(fields: Array[String], i: Int, value: UTF8String): Boolean =
    i + 1 < fields.length && value.contains(UTF8String.fromString(s",${fields(i + 1)}:"))

  private def placed(value: UTF8String): UTF8String =
    Option(value).fold(nullText)(v => if (v.numBytes == 0) emptyText else v)

  private def placed(value: String): String =
    Option(value).fold(NullPlaceholder)(v => if (v.isEmpty) EmptyPlaceholder else v)
}
