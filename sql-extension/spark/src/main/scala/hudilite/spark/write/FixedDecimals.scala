package hudilite.spark.write

import java.lang.{Long => JLong}
import java.nio.ByteBuffer

import scala.jdk.CollectionConverters._

import org.apache.parquet.io.api.{Binary, RecordConsumer}
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY
import org.apache.parquet.schema.{GroupType, MessageType, Type, Types}
import org.apache.spark.sql.types.Decimal

/** Consumer of rows that passes decimals of up to 18 digits, which Spark writes as integers, on as bytes of
  * fixed length. Stock Hudi writes all decimals in this form. Version 0.15 cannot read another one where it
  * upserts, compacts or reads log files.
  * @param columns columns of the rows, see [[FixedDecimals.of]]
  * Source: hudi-format.md 4.5, merge-on-read §1.2. */
final private[write] class FixedDecimals(out: RecordConsumer, columns: MessageType)
    extends RecordConsumer {
  private var types = List.empty[Type] // of the value to come, then of the groups that contain it

  override def startMessage(): Unit = {
    types = Nil
    out.startMessage()
  }
  override def endMessage(): Unit = out.endMessage()

  override def startField(name: String, index: Int): Unit = {
    types = types.headOption.fold[GroupType](columns)(_.asGroupType).getType(index) :: types
    out.startField(name, index)
  }
  override def endField(name: String, index: Int): Unit = {
    types = types.drop(1)
    out.endField(name, index)
  }

  override def startGroup(): Unit = out.startGroup()
  override def endGroup(): Unit = out.endGroup()

  override def addInteger(value: Int): Unit =
    if (length == 0) out.addInteger(value)
    else out.addBinary(FixedDecimals.binary(value.toLong, length))
  override def addLong(value: Long): Unit =
    if (length == 0) out.addLong(value)
    else out.addBinary(FixedDecimals.binary(value, length))

  override def addBoolean(value: Boolean): Unit = out.addBoolean(value)
  override def addBinary(value: Binary): Unit = out.addBinary(value)
  override def addFloat(value: Float): Unit = out.addFloat(value)
  override def addDouble(value: Double): Unit = out.addDouble(value)
  override def flush(): Unit = out.flush()

  /** Number of bytes of the value to come, 0 if it has no fixed length. */
  private def length: Int = types.headOption.fold(0)(_.asPrimitiveType.getTypeLength)
}

private[write] object FixedDecimals {

  /** Returns columns whose decimals all are bytes of fixed length. */
  def of(columns: MessageType): MessageType =
    new MessageType(columns.getName, columns.getFields.asScala.map(fixed).asJava)

  private def fixed(column: Type): Type = column match {
    case group: GroupType => group.withNewFields(group.getFields.asScala.map(fixed).asJava)
    case value => value.getLogicalTypeAnnotation match {
        case decimal: DecimalLogicalTypeAnnotation =>
          Types.primitive(FIXED_LEN_BYTE_ARRAY, value.getRepetition)
            .length(Decimal.minBytesForPrecision(decimal.getPrecision))
            .as(decimal)
            .named(value.getName)
        case _ => value
      }
  }

  /** Returns the last bytes of the two's complement of a number, big-endian.
    * @param length how many, 1 to 8 */
  def binary(unscaled: Long, length: Int): Binary = {
    val all = ByteBuffer.allocate(JLong.BYTES).putLong(unscaled).array
    Binary.fromConstantByteArray(all, all.length - length, length)
  }
}
