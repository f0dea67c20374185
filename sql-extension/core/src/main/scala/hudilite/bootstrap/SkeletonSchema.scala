package hudilite.bootstrap

import scala.jdk.CollectionConverters._

import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.schema.LogicalTypeAnnotation.stringType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.BINARY
import org.apache.parquet.schema.{MessageType, Type, Types}

import hudilite.format.MetaFields

/** Columns of a skeleton: Hudi's five meta columns and no others. Source: hudi-format §8.3. */
private[bootstrap] object SkeletonSchema {
  private val name = "HoodieRecordKey"

  val message: MessageType =
    new MessageType(
      name,
      MetaFields.all.map[Type](Types.optional(BINARY).as(stringType()).named(_)).asJava
    )

  /** Avro schema of these columns as JSON, for the footer. */
  val avro: String = {
    val fields = MetaFields.all.map { field =>
      s"""{"name":"$field","type":["null","string"],"doc":"","default":null}"""
    }
    s"""{"type":"record","name":"$name","doc":"","fields":[${fields.mkString(",")}]}"""
  }

  def column(field: String): ColumnDescriptor = message.getColumnDescription(Array(field))
}
