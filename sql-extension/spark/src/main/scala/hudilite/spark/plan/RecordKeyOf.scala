package hudilite.spark.plan

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.codegen.Block.BlockHelper
import org.apache.spark.sql.catalyst.expressions.codegen.{CodeGenerator, CodegenContext, ExprCode}
import org.apache.spark.sql.types.{DataType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.error.HudiliteException
import hudilite.format.RecordKey

/** Expression for a row's record key, as Hudi stores it. Null if Hudi cannot store one, so that the
  * row matches nothing.
  *
  * @param children texts of the key columns, in key order
  * @param fields   names of the key columns
  * @param complex  whether the text is `f:v,f2:v2` rather than the bare value
  * Source: hudi-format.md 5.1, 5.2
  */
case class RecordKeyOf(
    children: Seq[Expression],
    fields: Seq[String],
    complex: Boolean
) extends Expression {
  @transient private lazy val names: Array[String] = fields.toArray

  override def dataType: DataType = StringType
  override def nullable: Boolean = true
  override def prettyName: String = "hudilite_record_key"

  override def eval(input: InternalRow): Any = {
    val values = children.map(_.eval(input).asInstanceOf[UTF8String]).toArray
    RecordKeyOf.key(values, names, complex)
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val evaluated = children.map(_.genCode(ctx))
    val values = ctx.freshName("values")
    val fieldsRef = ctx.addReferenceObj("fields", names, "String[]")
    val text = CodeGenerator.javaType(StringType)
    val filled = evaluated.zipWithIndex.map { case (child, i) =>
      s"${child.code}\n$values[$i] = ${child.isNull} ? null : ${child.value};"
    }.mkString("\n")
    ev.copy(code = code"""
      $text[] $values = new $text[${children.size}];
      $filled
      $text ${ev.value} = hudilite.spark.plan.RecordKeyOf.key(
        $values, $fieldsRef, $complex);
      boolean ${ev.isNull} = ${ev.value} == null;
    """)
  }

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): RecordKeyOf = copy(children = newChildren)
}

object RecordKeyOf {

  /** Returns the key of these values, or null. Called by generated code. */
  def key(values: Array[UTF8String], fields: Array[String], complex: Boolean): UTF8String =
    if (isEmpty(values) || invalid(values, fields, complex).nonEmpty) null
    else if (complex) RecordKey.complex(fields, values)
    else values(0)

  /** Returns the reason why values have no key, for a row that is to be inserted and whose [[key]]
    * is null.
    *
    * @return HUDILITE_NULL_KEY, or HUDILITE_KEY_VALUE_INVALID for text that is not UTF-8 and for a
    *         value that would give two keys one text
    */
  def fault(
      values: Array[UTF8String],
      fields: Array[String],
      complex: Boolean,
      table: String
  ): HudiliteException = invalid(values, fields, complex) match {
    case Some((column, reason)) if !isEmpty(values) =>
      HudiliteException(
        "HUDILITE_KEY_VALUE_INVALID",
        "column" -> column,
        "table" -> table,
        "reason" -> reason
      )
    case _ =>
      val nulls = fields.zip(values).collect { case (field, null) => field }
      HudiliteException(
        "HUDILITE_NULL_KEY",
        "table" -> table,
        "column" -> (if (nulls.isEmpty) fields else nulls).mkString(", ")
      )
  }

  private def isEmpty(values: Array[UTF8String]): Boolean =
    values.contains(null) || values.forall(_.numBytes == 0)

  private def invalid(
      values: Array[UTF8String],
      fields: Array[String],
      complex: Boolean
  ): Option[(String, String)] =
    values.indexWhere(v => v != null && !v.isValid) match {
      case -1 if complex =>
        Option(RecordKey.ambiguousColumn(fields, values)).filter(_ >= 0).map { i =>
          (fields(i), s"${values(i)} looks like another part of the key")
        }
      case -1 => None
      case i => Some((fields(i), "its text is not valid UTF-8"))
    }
}
