package hudilite.spark.write

import scala.jdk.CollectionConverters._

import org.apache.parquet.schema.LogicalTypeAnnotation.IntLogicalTypeAnnotation
import org.apache.parquet.schema.{GroupType, MessageType, PrimitiveType, Type, Types}

/** Converts TINYINT and SMALLINT to plain 32-bit integers: Avro has no smaller ones, and stock Hudi
  * fails to read a column that Parquet marks as narrower than its Avro schema says.
  * Source: hudi-format.md 4.5
  */
object PlainIntegers {

  def of(schema: MessageType): MessageType =
    new MessageType(schema.getName, schema.getFields.asScala.map(plain).asJava)

  private def plain(column: Type): Type = column match {
    case group: GroupType => group.withNewFields(group.getFields.asScala.map(plain).asJava)
    case value: PrimitiveType if isNarrow(value) =>
      Types.primitive(value.getPrimitiveTypeName, value.getRepetition).named(value.getName)
    case value => value
  }

  private def isNarrow(value: PrimitiveType): Boolean = value.getLogicalTypeAnnotation match {
    case integer: IntLogicalTypeAnnotation => integer.isSigned && integer.getBitWidth < 32
    case _ => false
  }
}
