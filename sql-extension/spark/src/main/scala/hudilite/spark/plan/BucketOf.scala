package hudilite.spark.plan

import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.types.{DataType, IntegerType}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.index.BucketIndex

/** Expression for the bucket of a record key, by Hudi's bucket index; null for null.
  * @param child      record key text
  * @param hashFields key columns that are hashed
  * @param numBuckets table property, 1 or more
  */
case class BucketOf(child: Expression, hashFields: Seq[String], numBuckets: Int)
    extends UnaryExpression {
  @transient private lazy val fields: Array[String] = hashFields.toArray

  override def dataType: DataType = IntegerType
  override def nullIntolerant: Boolean = true
  override def prettyName: String = "hudilite_bucket"

  override protected def nullSafeEval(key: Any): Any =
    BucketIndex.bucketOfKeyUtf8(key.asInstanceOf[UTF8String], fields, numBuckets)

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val hashed = ctx.addReferenceObj("hashFields", fields, "String[]")
    defineCodeGen(
      ctx,
      ev,
      key => s"hudilite.index.BucketIndex.bucketOfKeyUtf8($key, $hashed, $numBuckets)"
    )
  }

  override protected def withNewChildInternal(newChild: Expression): BucketOf =
    copy(child = newChild)
}
