package hudilite.format

import org.apache.spark.unsafe.types.UTF8String

/** Record keys `f:v,f2:v2` of rows as Spark's string type (task side), see [[RecordKey]].
  * @param fields key columns in key order */
final class ComplexKey(fields: Array[String]) extends Serializable {
  private val nullText = UTF8String.fromString(RecordKey.NullPlaceholder)
  private val emptyText = UTF8String.fromString(RecordKey.EmptyPlaceholder)
  private val names = fields.zipWithIndex.map { case (field, i) =>
    UTF8String.fromString(if (i == 0) s"$field:" else s",$field:")
  }

  /** Returns the key of a row.
    * @param values texts of the key columns; null and "" become placeholders */
  def of(values: Array[UTF8String]): UTF8String = {
    val parts = new Array[UTF8String](names.length * 2)
    var i = 0
    while (i < names.length) {
      parts(i * 2) = names(i)
      parts(i * 2 + 1) = placed(values(i))
      i += 1
    }
    UTF8String.concat(parts: _*)
  }

  /** Returns the first key column whose value may give two different keys the same text: a value
    * that equals a placeholder, or one that contains the start of the next column (`1,b:2`).
    * @return position among the key columns, or -1 if the key is unambiguous */
  def ambiguousColumn(values: Array[UTF8String]): Int = {
    var i = 0
    while (i < names.length && (values(i) == null || !isAmbiguous(i, values(i)))) i += 1
    if (i < names.length) i else -1
  }

  private def isAmbiguous(i: Int, value: UTF8String): Boolean =
    value == nullText || value == emptyText ||
      i + 1 < names.length && value.contains(names(i + 1))

  private def placed(value: UTF8String): UTF8String =
    if (value == null) nullText
    else if (value.numBytes == 0) emptyText
    else value
}
