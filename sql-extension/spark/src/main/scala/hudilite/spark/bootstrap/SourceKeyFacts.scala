package hudilite.spark.bootstrap

import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression}
import org.apache.spark.sql.types.{StringType, StructType}

import hudilite.spark.plan.KeyText
import hudilite.spark.read.SliceReaderFactory

/** Facts about the record keys of source files. Built on the driver and serialized to tasks.
  * @param fields     key columns in key order
  * @param isComplex  whether a key is stored as `f:v,f2:v2`
  * @param columns    key columns that the files contain
  * @param partitions partition columns of the source's folders
  * @param factory    reads `columns` */
final case class SourceKeyFacts(
    table: String,
    fields: Seq[String],
    isComplex: Boolean,
    columns: StructType,
    partitions: StructType,
    factory: SliceReaderFactory
) {

  /** Returns the texts of the key columns, as expressions over a row of `columns` followed by
    * `partitions`. */
  def texts: Seq[Expression] = fields.map { name =>
    val all = columns.fields ++ partitions.fields
    val at = all.indexWhere(_.name == name)
    KeyText.expression(BoundReference(at, all(at).dataType, nullable = true))
  }

  /** Whether the record key is the unchanged value of one string column of the files. */
  def isPlainText: Boolean = !isComplex && columns.map(_.dataType) == Seq(StringType) &&
    fields == columns.fieldNames.toSeq
}
