package hudilite.spark.plan

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.codegen.Block.BlockHelper
import org.apache.spark.sql.catalyst.expressions.codegen.{CodeGenerator, CodegenContext, ExprCode}
import org.apache.spark.sql.types.{DataType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.error.HudiliteException
import hudilite.format.ComplexKey
import hudilite.index.Ascii

/** Expression for a row's record key, as Hudi stores it. Null if Hudi cannot store one, so that the
  * row matches nothing.
  *
  * @param children texts of the key columns, in key order
  * @param fields   names of the key columns
  * @param complex  whether the text is `f:v,f2:v2` rather than the bare value
  * @param checked  false to return some text for values that Hudi cannot store, without looking at
  *                 their bytes; a row without values has no key even then
  * Source: hudi-format.md 5.1, 5.2
  */
case class RecordKeyOf(
    children: Seq[Expression],
    fields: Seq[String],
    complex: Boolean,
    checked: Boolean = true
) extends Expression {
  @transient private lazy val keys = new RecordKeys(fields.toArray, complex, checked)

  override def dataType: DataType = StringType
  override def nullable: Boolean = true
  override def prettyName: String = "hudilite_record_key"

  override def eval(input: InternalRow): Any = keys.of(TextArray.eval(children, input))

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val (texts, filled) = TextArray.genCode(children, ctx)
    val of = ctx.addReferenceObj("keys", keys)
    ev.copy(code = code"""
      $filled
      ${CodeGenerator.javaType(StringType)} ${ev.value} = $of.of($texts);
      boolean ${ev.isNull} = ${ev.value} == null;
    """)
  }

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): RecordKeyOf = copy(children = newChildren)
}

object RecordKeyOf {

  /** Returns the reason why values have no key, for a row that is to be inserted and whose key is
    * null.
    *
    * @return HUDILITE_NULL_KEY, or HUDILITE_KEY_VALUE_INVALID for text that is not UTF-8 and for a
    *         value that would give two keys one text
    */
  def fault(
      values: Array[UTF8String],
      fields: Array[String],
      complex: Boolean,
      table: String
  ): HudiliteException =
    new RecordKeys(fields, complex, checked = true).fault(values).filterNot { _ =>
      RecordKeys.isEmpty(values)
    } match {
      case Some((column, reason)) =>
        HudiliteException(
          "HUDILITE_KEY_VALUE_INVALID",
          "column" -> column,
          "table" -> table,
          "reason" -> reason
        )
      case None =>
        val nulls = fields.zip(values).collect { case (field, null) => field }
        HudiliteException(
          "HUDILITE_NULL_KEY",
          "table" -> table,
          "column" -> (if (nulls.isEmpty) fields else nulls).mkString(", ")
        )
    }
}

/** Record keys of rows; generated code calls it (task side). Parameters are those of
  * [[RecordKeyOf]]. */
final class RecordKeys(fields: Array[String], complex: Boolean, checked: Boolean)
    extends Serializable {
  private val joined = new ComplexKey(fields)

  /** Returns the key of these texts, or null. */
  def of(texts: Array[UTF8String]): UTF8String =
    if (RecordKeys.isEmpty(texts) || checked && isInvalid(texts)) null
    else if (complex) joined.of(texts)
    else texts(0)

  /** Returns a key column whose text cannot be part of a key, and why. */
  def fault(texts: Array[UTF8String]): Option[(String, String)] =
    if (!isInvalid(texts)) None
    else
      texts.indexWhere(RecordKeys.isNoText) match {
        case -1 =>
          val i = joined.ambiguousColumn(texts)
          Some((fields(i), s"${texts(i)} looks like another part of the key"))
        case i => Some((fields(i), "its text is not valid UTF-8"))
      }

  private def isInvalid(texts: Array[UTF8String]): Boolean = {
    var i = texts.length
    while (i > 0 && !RecordKeys.isNoText(texts(i - 1))) i -= 1
    i > 0 || complex && joined.ambiguousColumn(texts) >= 0
  }
}

private object RecordKeys {

  /** Whether a text is null, or all are empty. */
  def isEmpty(texts: Array[UTF8String]): Boolean = {
    var hasNull = false
    var bytes = 0L
    var i = 0
    while (i < texts.length) {
      val text = texts(i)
      if (text == null) hasNull = true else bytes += text.numBytes
      i += 1
    }
    hasNull || bytes == 0
  }

  private def isNoText(bytes: UTF8String): Boolean =
    bytes != null && !Ascii.isAll(bytes) && !bytes.isValid
}
