package hudilite.spark.exec

import hudilite.error.HudiliteException
import hudilite.format.RecordKey
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, CodeGenerator, ExprCode}
import org.apache.spark.sql.catalyst.expressions.codegen.Block.BlockHelper
import org.apache.spark.sql.types.{DataType, StringType}
import org.apache.spark.unsafe.types.UTF8String

/** Record key of a row, as Hudi stores it; null where Hudi could store none.
  *
  * @param children texts of the key columns, in key order
  * @param fields   names of the key columns
  * @param complex  whether the text is `f:v,f2:v2` rather than the bare value
  * @param table    for messages
  * Errors: HUDILITE_KEY_VALUE_INVALID for text that is not UTF-8, and for a value that would give
  * two keys one text. Source: hudi-format.md 5.1, 5.2
  */
case class RecordKeyOf(
    children: Seq[Expression],
    fields: Seq[String],
    complex: Boolean,
    table: String
) extends Expression {
  @transient private lazy val names: Array[String] = fields.toArray

  override def dataType: DataType = StringType
  override def nullable: Boolean = true
  override def prettyName: String = "hudilite_record_key"

  override def eval(input: InternalRow): Any = {
    val values = children.map(_.eval(input).asInstanceOf[UTF8String]).toArray
    RecordKeyOf.key(values, names, complex, table)
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val evaluated = children.map(_.genCode(ctx))
    val values = ctx.freshName("values")
    val fieldsRef = ctx.addReferenceObj("fields", names, "String[]")
    val tableRef = ctx.addReferenceObj("table", table, "String")
    val text = CodeGenerator.javaType(StringType)
    val filled = evaluated.zipWithIndex.map { case (child, i) =>
      s"${child.code}\n$values[$i] = ${child.isNull} ? null : ${child.value};"
    }.mkString("\n")
    ev.copy(code = code"""
      $text[] $values = new $text[${children.size}];
      $filled
      $text ${ev.value} = hudilite.spark.exec.RecordKeyOf.key(
        $values, $fieldsRef, $complex, $tableRef);
      boolean ${ev.isNull} = ${ev.value} == null;
    """)
  }

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): RecordKeyOf = copy(children = newChildren)
}

object RecordKeyOf {

  /** The key of these values, or null. Called by generated code. */
  def key(
      values: Array[UTF8String],
      fields: Array[String],
      complex: Boolean,
      table: String
  ): UTF8String =
    if (values.exists(_ == null) || values.forall(_.numBytes == 0)) null
    else {
      values.indexWhere(!_.isValid) match {
        case -1 => ()
        case i => throw invalid(table, fields(i), "its text is not valid UTF-8")
      }
      if (complex) {
        RecordKey.ambiguousColumn(fields, values) match {
          case -1 => RecordKey.complex(fields, values)
          case i =>
            throw invalid(table, fields(i), s"${values(i)} reads like another part of the key")
        }
      } else values(0)
    }

  private def invalid(table: String, column: String, reason: String): HudiliteException =
    HudiliteException(
      "HUDILITE_KEY_VALUE_INVALID",
      "column" -> column,
      "table" -> table,
      "reason" -> reason
    )
}
