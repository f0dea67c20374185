package hudilite.spark.plan

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.codegen.Block.BlockHelper
import org.apache.spark.sql.catalyst.expressions.codegen.{
  CodeGenerator,
  CodegenContext,
  ExprCode,
  FalseLiteral
}
import org.apache.spark.sql.types.{DataType, StringType}

/** Expression for the relative partition path of a row, never null.
  * @param children  texts of the partition values in the order of the partition columns
  * @param fields    partition columns
  * @param hiveStyle whether folders are `field=value`
  * @param urlEncode whether special characters are percent-escaped
  * @param dates     partition columns whose texts are dates, which may be several folders
  */
case class PartitionPathOf(
    children: Seq[Expression],
    fields: Seq[String],
    hiveStyle: Boolean,
    urlEncode: Boolean,
    dates: Seq[String]
) extends Expression {
  @transient private lazy val paths = new PartitionPaths(fields, hiveStyle, urlEncode, dates)

  override def dataType: DataType = StringType
  override def nullable: Boolean = false
  override def foldable: Boolean = children.forall(_.foldable)
  override def prettyName: String = "hudilite_partition_path"

  override def eval(input: InternalRow): Any = paths.of(TextArray.eval(children, input))

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val (texts, filled) = TextArray.genCode(children, ctx)
    val seq = "scala.collection.immutable.Seq"
    val names = ctx.addReferenceObj("fields", fields, seq)
    val dated = ctx.addReferenceObj("dates", dates, seq)
    val kind = classOf[PartitionPaths].getName
    val paths = ctx.addMutableState(
      kind,
      "paths",
      name => s"$name = new $kind($names, $hiveStyle, $urlEncode, $dated);"
    )
    ev.copy(
      code = code"""
        $filled
        ${CodeGenerator.javaType(StringType)} ${ev.value} = $paths.of($texts);""",
      isNull = FalseLiteral
    )
  }

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): PartitionPathOf = copy(children = newChildren)
}
