package hudilite.spark.plan

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.codegen.{CodeGenerator, CodegenContext}
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

/** Texts of several expressions in one array, with null for null. */
private[plan] object TextArray {

  def eval(texts: Seq[Expression], row: InternalRow): Array[UTF8String] =
    texts.map(_.eval(row).asInstanceOf[UTF8String]).toArray

  /** Returns the name of an array and the code that fills it for a row, the same array each time. */
  def genCode(texts: Seq[Expression], ctx: CodegenContext): (String, String) = {
    val text = CodeGenerator.javaType(StringType)
    val array =
      ctx.addMutableState(s"$text[]", "texts", name => s"$name = new $text[${texts.size}];")
    val filled = texts.zipWithIndex.map { case (child, i) =>
      val of = child.genCode(ctx)
      s"${of.code}\n$array[$i] = ${of.isNull} ? null : ${of.value};"
    }
    (array, filled.mkString("\n"))
  }
}
