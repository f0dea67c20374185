package hudilite.spark.read

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{DataType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.MetaFields
import hudilite.index.BucketIndex
import hudilite.spark.plan.KeyText

/** Finds the buckets that can contain a row for which all filters are true. Runs on the driver.
  *
  * Hudi hashes the values that it parses from the record key. So a bucket is known only if every
  * part of the key that can affect the parsing is known: all key columns, except those outside the
  * hash columns whose text never contains a comma or colon.
  * @param keyFields  key columns in key order
  * @param complexKey whether the key is stored as `f:v,f2:v2`
  * @param hashFields key columns that are hashed
  * @param numBuckets table property, 1 or more
  * @param schema     table schema
  */
final class BucketPruning(
    keyFields: Seq[String],
    complexKey: Boolean,
    hashFields: Seq[String],
    numBuckets: Int,
    schema: StructType
) {
  import BucketPruning._

  /** Returns the buckets to read.
    * @param filters predicates that are all true for a wanted row
    * @return None if the filters do not restrict the buckets
    */
  def buckets(filters: Seq[Expression]): Option[Set[Int]] = {
    val conjuncts = filters.flatMap(flat[And])
    val pins = conjuncts.flatMap(pinned).groupMapReduce(_._1)(_._2)(_ intersect _)
    val found = byColumns(pins).toSeq ++ pins.get(MetaFields.RecordKey).map(byKeys) ++
      conjuncts.collect { case or: Or => byAlternatives(flat[Or](or)) }.flatten
    found.reduceOption(_ intersect _)
  }

  private def byKeys(keys: Set[UTF8String]): Set[Int] =
    keys.map(key => BucketIndex.bucketOfKey(key.toString, hashFields, numBuckets))

  private def byAlternatives(alternatives: Seq[Expression]): Option[Set[Int]] =
    if (alternatives.size > maxCombinations) None
    else
      alternatives
        .map(alternative => buckets(Seq(alternative)))
        .reduce((left, right) => left.zip(right).map { case (l, r) => l ++ r })

  private def byColumns(pins: Map[String, Set[UTF8String]]): Option[Set[Int]] = {
    val texts = keyFields.map { field =>
      if (isHarmless(field)) Some(Set(anyText)) else pins.get(folded(field))
    }
    val combinations = texts.flatten.map(text => BigInt(text.size)).product
    if (texts.exists(_.isEmpty) || combinations > maxCombinations) None
    else Some(byKeys(product(texts.flatten).map(recordKey).toSet))
  }

  /** Returns all combinations of one text for each column. */
  private def product(texts: Seq[Set[UTF8String]]): Seq[Seq[UTF8String]] =
    texts.foldRight(Seq(Seq.empty[UTF8String])) { (column, rest) =>
      column.toSeq.flatMap(text => rest.map(text +: _))
    }

  private def recordKey(texts: Seq[UTF8String]): UTF8String =
    if (!complexKey) texts.head
    else
      KeyText
        .complexKey(keyFields, texts.map(Literal(_, StringType)))
        .eval()
        .asInstanceOf[UTF8String]

  private def isHarmless(field: String): Boolean =
    !hashFields.exists(_.equalsIgnoreCase(field)) &&
      schema.fields.find(_.name.equalsIgnoreCase(field)).exists(f => KeyText.isPlain(f.dataType))
}

object BucketPruning {

  /** Most combinations of key values that are hashed; filters with more prune no bucket. */
  val maxCombinations = 1000

  private val anyText = UTF8String.fromString("0")

  private def folded(name: String): String = name.toLowerCase(java.util.Locale.ROOT)

  /** Returns the operands of nested conjunctions or disjunctions, from left to right. */
  private def flat[T <: BinaryOperator: scala.reflect.ClassTag](e: Expression): Seq[Expression] =
    e match {
      case operator: T => flat[T](operator.left) ++ flat[T](operator.right)
      case operand => Seq(operand)
    }

  /** Returns the column that a predicate restricts to known values (name in lower case), and the
    * key texts of these values.
    */
  private def pinned(predicate: Expression): Option[(String, Set[UTF8String])] = predicate match {
    case EqualTo(column: Attribute, value) => one(column, value)
    case EqualTo(value, column: Attribute) => one(column, value)
    case EqualNullSafe(column: Attribute, value) => one(column, value).filter(_._2.nonEmpty)
    case EqualNullSafe(value, column: Attribute) => one(column, value).filter(_._2.nonEmpty)
    case In(column: Attribute, values) if values.forall(isConstant(column, _)) =>
      many(column, values.map(_.eval()))
    case InSet(column: Attribute, values) => many(column, values.toSeq)
    case or: Or =>
      val sides = flat[Or](or).map(pinned)
      val columns = sides.map(_.map(_._1)).distinct
      if (columns.size == 1 && columns.head.isDefined)
        columns.head.map(column => column -> sides.flatten.flatMap(_._2).toSet)
      else None
    case _ => None
  }

  private def one(column: Attribute, value: Expression): Option[(String, Set[UTF8String])] =
    if (isConstant(column, value)) many(column, Seq(value.eval())) else None

  private def many(column: Attribute, values: Seq[Any]): Option[(String, Set[UTF8String])] =
    if (!KeyText.supports(column.dataType) || !isBinary(column.dataType)) None
    else if (values.size > maxCombinations) None
    else {
      val text = KeyText.expression(BoundReference(0, column.dataType, nullable = true))
      val texts = values.flatMap(value => Option(text.eval(InternalRow(value))))
      Some(folded(column.name) -> texts.map(_.asInstanceOf[UTF8String]).toSet)
    }

  private def isConstant(column: Attribute, value: Expression): Boolean =
    value.foldable && value.dataType == column.dataType

  /** Whether equal values of a type always have equal bytes; not so for a collated string. */
  private def isBinary(dataType: DataType): Boolean = dataType match {
    case StringType => true
    case _: StringType => false
    case _ => true
  }
}
