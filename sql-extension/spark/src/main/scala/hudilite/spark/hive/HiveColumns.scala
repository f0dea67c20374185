package hudilite.spark.hive

import java.util.Locale

import org.apache.spark.sql.types._

import hudilite.spark.catalog.{HudiliteTable, SchemaText}
import hudilite.spark.plan.MetaColumns

/** Columns of a table as the Hive metastore stores them.
  * @param data columns of the files without partition columns, Hudi's meta columns first
  * @param keys partition columns
  * @param all  `data` and `keys` in Spark's types, partition columns last */
private[hive] final case class HiveColumns(
    data: Seq[HiveColumns.Column],
    keys: Seq[HiveColumns.Column],
    all: StructType
)

private[hive] object HiveColumns {

  /** One column in Hive's form.
    * @param name     in lower case, as the metastore stores it
    * @param dataType in Hive's syntax */
  final case class Column(name: String, dataType: String, comment: String)

  /** Returns the columns of a table. Their types are those that every reader of the files sees:
    * Hudi's Avro schema has no TINYINT and no CHAR, and Hive has a single TIMESTAMP type. */
  def of(table: HudiliteTable): HiveColumns = {
    val read = SchemaText.fromAvro(SchemaText.toAvro(table.schema, table.config.name))
    val fields = read.zip(table.schema).map { case (field, declared) =>
      declared.getComment().fold(field)(field.withComment)
    }
    val (keys, data) = fields.partition(f => table.config.partitionFields.contains(f.name))
    val inOrder = table.config.partitionFields.flatMap(name => keys.find(_.name == name))
    val files = MetaColumns.before(data)
    HiveColumns(files.map(column), inOrder.map(column), StructType(files ++ inOrder))
  }

  private def column(field: StructField): Column = Column(
    field.name.toLowerCase(Locale.ROOT),
    inHive(field.dataType).catalogString,
    field.getComment().getOrElse("")
  )

  private def inHive(dataType: DataType): DataType = dataType match {
    case TimestampNTZType => TimestampType
    case ArrayType(element, hasNull) => ArrayType(inHive(element), hasNull)
    case MapType(key, value, hasNull) => MapType(inHive(key), inHive(value), hasNull)
    case StructType(fields) =>
      StructType(fields.map(field => field.copy(dataType = inHive(field.dataType))))
    case other => other
  }
}
