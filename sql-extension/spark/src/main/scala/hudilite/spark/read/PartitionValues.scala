package hudilite.spark.read

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Cast, EvalMode, Literal}
import org.apache.spark.sql.types.{StringType, StructField, StructType}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.error.HudiliteException
import hudilite.format.{PartitionPath, TableConfig}
import hudilite.view.FileSlice

/** Values of the partition columns as a partition's path tells them: adopted files have no other. */
object PartitionValues {

  /** @param texts   of all partition columns, decoded; None is null
    * @param columns partition columns that are asked for, by the names that the table has for them
    * @return their values in that order; nothing where the texts are not of their types */
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

  /** The values of an adopted file group's partition.
    * Errors: HUDILITE_UNSUPPORTED_TABLE where the path does not give them. */
  def of(slice: FileSlice, config: TableConfig, columns: StructType): InternalRow =
    PartitionPath.decode(slice.partition, config).flatMap(parse(_, config, columns)).getOrElse(
      throw HudiliteException(
        "HUDILITE_UNSUPPORTED_TABLE",
        "path" -> slice.path.getParent.toString,
        "fact" -> "partition path",
        "value" -> slice.partition,
        "fix" -> "It does not give values of the partition columns, which adopted files lack."
      )
    )

  private def valueOf(text: String, field: StructField): Option[Any] = field.dataType match {
    case _: StringType => Some(UTF8String.fromString(text))
    case other => Option(Cast(Literal(text), other, Some("UTC"), EvalMode.TRY).eval())
  }
}
