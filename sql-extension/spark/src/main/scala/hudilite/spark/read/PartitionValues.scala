package hudilite.spark.read

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Cast, EvalMode, Literal}
import org.apache.spark.sql.types.{StringType, StructField, StructType}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.error.HudiliteException
import hudilite.format.{PartitionPath, TableConfig}
import hudilite.view.FileSlice

/** Parser of the partition column values in a partition path; adopted files do not store these
  * columns. */
object PartitionValues {

  /** Converts the texts of a partition path to values.
    * @param texts   decoded texts of all partition columns; None is null
    * @param columns requested partition columns, with the names that the table has for them
    * @return their values in this order; None if a text is not of its column's type */
  def parse(
      texts: Seq[Option[String]],
      config: TableConfig,
      columns: StructType
  ): Option[InternalRow] = {
    val values = columns.map { field =>
      texts(config.partitionFields.indexOf(field.name))
        .fold[Option[Any]](Some(Option.empty[AnyRef].orNull))(valueOf(_, field))
    }
    Option.when(values.forall(_.nonEmpty))(InternalRow.fromSeq(values.flatten))
  }

  /** Returns the partition column values of a file group whose file does not store them. Folders below
    * the only partition column belong to its value.
    * Errors: HUDILITE_UNSUPPORTED_TABLE if the partition path does not contain them. */
  def of(slice: FileSlice, config: TableConfig, columns: StructType): InternalRow =
    texts(slice.partition, config).flatMap(parse(_, config, columns)).getOrElse(
      throw HudiliteException(
        "HUDILITE_UNSUPPORTED_TABLE",
        "path" -> slice.path.getParent.toString,
        "fact" -> "partition path",
        "value" -> slice.partition,
        "fix" -> "It must contain the values of the partition columns, which bootstrapped files lack."
      )
    )

  private def texts(partition: String, config: TableConfig): Option[Seq[Option[String]]] =
    PartitionPath.decode(partition, config).orElse {
      Option.when(config.dropsPartitionColumns && config.partitionFields.size == 1) {
        val folder = s"${config.partitionFields.head}="
        Seq(Some(if (config.hiveStyle) partition.stripPrefix(folder) else partition))
      }
    }

  private def valueOf(text: String, field: StructField): Option[Any] = field.dataType match {
    case _: StringType => Some(UTF8String.fromString(text))
    case other => Option(Cast(Literal(text), other, Some("UTC"), EvalMode.TRY).eval())
  }
}
