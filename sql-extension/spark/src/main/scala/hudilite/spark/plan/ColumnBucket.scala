package hudilite.spark.plan

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression, Literal}
import org.apache.spark.sql.connector.catalog.functions.{
  BoundFunction,
  ScalarFunction,
  UnboundFunction
}
import org.apache.spark.sql.types.{DataType, IntegerType, StringType, StructType}

import hudilite.format.{AvroNames, IndexKind, TableConfig}

/** Bucket of a row by the value of the one column that its table hashes, as a function that Spark
  * knows by name: tables of which it is the same are bucketed alike.
  *
  * @param numBuckets table property, 1 or more
  * @param field      hashed column, one of the key's
  * @param keyFields  key columns in key order
  * @param complexKey whether the key is stored as `f:v,f2:v2`
  */
final case class ColumnBucket(
    numBuckets: Int,
    field: String,
    keyFields: Seq[String],
    complexKey: Boolean
) extends UnboundFunction {

  /** Names the function in the catalog, with all that it is made of. */
  override def name: String =
    s"${ColumnBucket.prefix}:$numBuckets:$field:${keyFields.mkString(",")}:$complexKey"

  override def description: String = s"$name: bucket of a row by Hudi's bucket index"

  /** @throws UnsupportedOperationException for another type than one whose values have one text each */
  override def bind(inputType: StructType): BoundFunction = inputType.fields.map(_.dataType) match {
    case Array(dataType) if KeyText.supports(dataType) => BoundColumnBucket(this, dataType)
    case _ => throw new UnsupportedOperationException(s"$name of ${inputType.sql}")
  }

  /** The bucket number of a column's value, null for null. */
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

  /** The function of a table, where a row's bucket is told by one column alone. Hudi hashes what it
    * parses back from the key, so a key column beside it must have texts without a comma or colon.
    * @param typeOf types of the key columns
    */
  def of(config: TableConfig, typeOf: String => Option[DataType]): Option[ColumnBucket] =
    config.index match {
      case IndexKind.Bucket(numBuckets, Seq(field)) =>
        val keys = config.recordKeyFields
        val others = keys.filterNot(_ == field)
        Option.when(
          keys.forall(AvroNames.isValid) && keys.contains(field) &&
            typeOf(field).exists(KeyText.supports) &&
            others.forall(typeOf(_).exists(KeyText.isPlain))
        )(ColumnBucket(numBuckets, field, keys, config.complexKey))
      case _ => None
    }

  /** The function that has this name. */
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

/** The function over values of one type. Spark shuffles by it what it joins with a table that is not
  * shuffled, where it is set to do so.
  */
final case class BoundColumnBucket(bucket: ColumnBucket, dataType: DataType)
    extends ScalarFunction[Integer] {
  @transient private lazy val number =
    bucket.of(BoundReference(0, dataType, nullable = true))

  override def name: String = bucket.name
  override def inputTypes: Array[DataType] = Array(dataType)
  override def resultType: DataType = IntegerType

  /** What the bucket of a value depends on. A text that may hold commas and colons is parsed by the
    * names of the key's columns; any other is hashed as it is, but for a key of one column that is
    * stored with its name. */
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
