package hudilite.spark.plan

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression, Literal}
import org.apache.spark.sql.connector.catalog.functions.{
  BoundFunction,
  ScalarFunction,
  UnboundFunction
}
import org.apache.spark.sql.types.{DataType, IntegerType, StringType, StructType}

import hudilite.format.{AvroNames, TableConfig}

/** Catalog function that gives the bucket of a row by the value of the single hash column of its
  * table. Spark finds it by name, and treats tables with equal functions as bucketed alike.
  *
  * @param numBuckets table property, 1 or more
  * @param field      hash column, one of the key columns
  * @param keyFields  key columns in key order
  * @param complexKey whether the key is stored as `f:v,f2:v2`
  */
final case class ColumnBucket(
    numBuckets: Int,
    field: String,
    keyFields: Seq[String],
    complexKey: Boolean
) extends UnboundFunction {

  /** Name of the function in the catalog; it contains all parameters. */
  override def name: String =
    s"${ColumnBucket.prefix}:$numBuckets:$field:${keyFields.mkString(",")}:$complexKey"

  override def description: String = s"$name: bucket of a row by Hudi's bucket index"

  /** @throws UnsupportedOperationException for anything but one column of a type that
    *                                       [[KeyText.supports]] accepts */
  override def bind(inputType: StructType): BoundFunction = inputType.fields.map(_.dataType) match {
    case Array(dataType) if KeyText.supports(dataType) => BoundColumnBucket(this, dataType)
    case _ => throw new UnsupportedOperationException(s"$name of ${inputType.sql}")
  }

  /** Returns an expression for the bucket number of a column's value; null for null. */
  def of(column: Expression): Expression = {
    val key =
      if (complexKey)
        KeyText.complexKey(
          keyFields,
          keyFields.map(key => if (key == field) column else ColumnBucket.anyText)
        )
      else KeyText.expression(column)
    KeyText.bucket(key, Seq(field), numBuckets)
  }
}

object ColumnBucket {

  /** Returns the function of a table; None if a row's bucket depends on more than one column. Hudi
    * hashes the values that it parses from the record key, so the texts of all other key columns
    * must not contain a comma or colon.
    * @param count  number of buckets
    * @param typeOf returns the type of a key column
    */
  def of(
      config: TableConfig,
      count: Int,
      typeOf: String => Option[DataType]
  ): Option[ColumnBucket] =
    config.hashFields match {
      case Seq(field) =>
        val keys = config.recordKeyFields
        val others = keys.filterNot(_ == field)
        Option.when(
          keys.forall(AvroNames.isValid) && keys.contains(field) &&
            typeOf(field).exists(KeyText.supports) &&
            others.forall(typeOf(_).exists(KeyText.isPlain))
        )(ColumnBucket(count, field, keys, config.complexKey))
      case _ => None
    }

  /** Parses the name of a function; None if it is not a bucket function. */
  def named(name: String): Option[ColumnBucket] = name.split(":", -1) match {
    case Array(`prefix`, numBuckets, field, keys, complexKey) =>
      for {
        n <- numBuckets.toIntOption.filter(_ > 0)
        complex <- complexKey.toBooleanOption
      } yield ColumnBucket(n, field, keys.split(",").toSeq, complex)
    case _ => None
  }

  private val prefix = "hudilite_bucket"
  private val anyText = Literal.create("0", StringType)
}

/** ColumnBucket bound to one input type. With `spark.sql.sources.v2.bucketing.shuffle.enabled`,
  * Spark shuffles one side of a join by this function to match a bucketed table on the other side.
  */
final case class BoundColumnBucket(bucket: ColumnBucket, dataType: DataType)
    extends ScalarFunction[Integer] {
  @transient private lazy val number =
    bucket.of(BoundReference(0, dataType, nullable = true))

  override def name: String = bucket.name
  override def inputTypes: Array[DataType] = Array(dataType)
  override def resultType: DataType = IntegerType

  /** Everything that the bucket of a value depends on; equal names mean equal buckets. Hudi parses
    * a text that may contain commas and colons by the names of the key columns. It hashes any other
    * text alone, except in a key of one column that is stored as `f:v`, which it hashes whole. */
  override def canonicalName: String = {
    import bucket._
    val isPlain = KeyText.isPlain(dataType)
    val form =
      if (isPlain && (!complexKey || keyFields.size > 1)) ""
      else if (complexKey) s" $field in ${keyFields.mkString(",")}"
      else s" $field"
    s"hudilite.bucket $numBuckets ${dataType.catalogString}$form"
  }

  override def produceResult(input: InternalRow): Integer =
    number.eval(input).asInstanceOf[Integer]
}
