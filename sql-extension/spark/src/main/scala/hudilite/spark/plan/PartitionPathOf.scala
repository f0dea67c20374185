package hudilite.spark.plan

import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.{DataType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.PartitionPath

/** Expression for the relative partition path of an array of partition value texts.
  * @param child     array of texts in the order of the partition columns, elements may be null
  * @param fields    partition columns
  * @param hiveStyle whether folders are `field=value`
  * @param urlEncode whether special characters are percent-escaped
  * @param dates     partition columns whose texts are dates, which may be several folders
  */
case class PartitionPathOf(
    child: Expression,
    fields: Seq[String],
    hiveStyle: Boolean,
    urlEncode: Boolean,
    dates: Seq[String]
) extends UnaryExpression {
  override def dataType: DataType = StringType
  override def nullIntolerant: Boolean = true
  override def prettyName: String = "hudilite_partition_path"

  override protected def nullSafeEval(values: Any): Any =
    PartitionPathOf.path(fields, values.asInstanceOf[ArrayData], hiveStyle, urlEncode, dates)

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val names = ctx.addReferenceObj("fields", fields, "scala.collection.immutable.Seq")
    val dated = ctx.addReferenceObj("dates", dates, "scala.collection.immutable.Seq")
    val path = "hudilite.spark.plan.PartitionPathOf.path"
    defineCodeGen(
      ctx,
      ev,
      values => s"$path($names, $values, $hiveStyle, $urlEncode, $dated)"
    )
  }

  override protected def withNewChildInternal(newChild: Expression): PartitionPathOf =
    copy(child = newChild)
}

object PartitionPathOf {

  /** Returns the path for the partition values of one row; generated code calls it.
    * @param values array of UTF8String, null elements allowed
    */
  def path(
      fields: Seq[String],
      values: ArrayData,
      hiveStyle: Boolean,
      urlEncode: Boolean,
      dates: Seq[String]
  ): UTF8String = {
    val texts = fields.indices.map { i =>
      if (values.isNullAt(i)) null else values.getUTF8String(i).toString
    }
    UTF8String.fromString(PartitionPath.encode(fields, texts, hiveStyle, urlEncode, dates))
  }
}
