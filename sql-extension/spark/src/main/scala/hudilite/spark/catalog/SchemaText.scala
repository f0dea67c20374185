package hudilite.spark.catalog

import scala.jdk.CollectionConverters._

import org.apache.avro.Schema.Type._
import org.apache.avro.{JsonProperties, LogicalTypes, Schema}
import org.apache.spark.sql.types._

import hudilite.error.HudiliteException
import hudilite.format.AvroNames

/** Converts a table's schema to and from Avro JSON, which stock Hudi writes into every commit.
  * Source: hudi-format 3.7. */
object SchemaText {

  /** @param schema    columns without the meta columns
    * @param tableName gives the Avro record its name and namespace
    * @return Avro JSON
    * Errors: HUDILITE_UNSUPPORTED_TYPE. */
  def toAvro(schema: StructType, tableName: String): String = {
    val namespace = AvroNames.namespace(tableName)
    record(schema, AvroNames.tableRecordName(tableName), namespace).toString
  }

  /** @param json    Avro JSON of a table's columns
    * @param columns new column list: Left names a column whose Avro field stays as it is, Right is
    *                a new or changed column; the fields of a changed one that mean the same as
    *                before stay as they are
    * @return Avro JSON */
  def changed(json: String, columns: Seq[Either[String, StructField]]): String = {
    val table = new Schema.Parser().parse(json)
    val made = record(StructType(columns.collect { case Right(field) => field }), table.getName,
      table.getNamespace)
    val names = recordNames(table)
    val shared = names.diff(names.distinct).toSet
    val fields = columns.map {
      case Left(name) => table.getField(name)
      case Right(field) => keeping(table, made.getField(field.name))(shared)
    }
    recordOf(table, fields.map(f => new Schema.Field(f, f.schema))).toString
  }

  /** Returns a field of a record, with the parts of the record's field of that name that mean the same
    * types. Other writers give records and fixed types other names, and timestamps other units.
    * @param shared whether several records have a name: Avro defines it once, so a changed record gets
    *               a name of its own */
  private def keeping(record: Schema, made: Schema.Field)(
      shared: String => Boolean
  ): Schema.Field =
    Option(record.getField(made.name)).fold(new Schema.Field(made, made.schema)) { old =>
      if (meaning(old.schema) == meaning(made.schema)) new Schema.Field(old, old.schema)
      else new Schema.Field(made, keeping(old.schema, made.schema, shared))
    }

  private def keeping(old: Schema, made: Schema, shared: String => Boolean): Schema =
    (old.getType, made.getType) match {
      case _ if meaning(old) == meaning(made) => old
      case (_, UNION) => orNull(keeping(bare(old), bare(made), shared))
      case (RECORD, RECORD) =>
        val named = if (shared(old.getFullName)) made else old
        recordOf(named, made.getFields.asScala.toSeq.map(keeping(old, _)(shared)))
      case (ARRAY, ARRAY) =>
        Schema.createArray(keeping(old.getElementType, made.getElementType, shared))
      case (MAP, MAP) => Schema.createMap(keeping(old.getValueType, made.getValueType, shared))
      case _ => made
    }

  /** Returns the full names of all records in a schema, one for each place. */
  private def recordNames(schema: Schema): Seq[String] = schema.getType match {
    case RECORD =>
      schema.getFullName +: schema.getFields.asScala.toSeq.flatMap(f => recordNames(f.schema))
    case UNION => schema.getTypes.asScala.toSeq.flatMap(recordNames)
    case ARRAY => recordNames(schema.getElementType)
    case MAP => recordNames(schema.getValueType)
    case _ => Nil
  }

  private def recordOf(named: Schema, fields: Seq[Schema.Field]): Schema =
    Schema.createRecord(named.getName, named.getDoc, named.getNamespace, false, fields.asJava)

  private def meaning(schema: Schema): (DataType, Boolean) = {
    val (bare, nullable) = withoutNull(schema, schema.getName)
    (dataTypeOf(bare, schema.getName), nullable)
  }

  private def bare(schema: Schema): Schema = withoutNull(schema, schema.getName)._1

  /** Returns Avro JSON with other definitions of some columns, and with new columns at the end. */
  def widened(json: String, columns: StructType): String = {
    val names = new Schema.Parser().parse(json).getFields.asScala.map(_.name).toSeq
    changed(
      json,
      names.map(name => columns.find(_.name == name).toRight(name)) ++
        columns.filterNot(column => names.contains(column.name)).map(Right(_))
    )
  }

  /** Returns columns with other definitions of some of them, and with new ones at the end. */
  def widened(own: StructType, columns: StructType): StructType = {
    val kept = own.map(field => columns.find(_.name == field.name).getOrElse(field))
    StructType(kept ++ columns.filterNot(column => own.exists(_.name == column.name)))
  }

  /** @param json Avro JSON of a record
    * @return its columns; Avro has no TINYINT, SMALLINT, CHAR or VARCHAR, so these come back as INT
    *         and STRING
    * Errors: HUDILITE_UNSUPPORTED_TYPE. */
  def fromAvro(json: String): StructType = structOf(new Schema.Parser().parse(json))

  private def record(struct: StructType, name: String, namespace: String): Schema = {
    val fields = struct.fields.map { field =>
      val bare = typeOf(field.dataType, field.name, s"$namespace.$name")
      if (field.nullable)
        new Schema.Field(field.name, orNull(bare), "", JsonProperties.NULL_VALUE)
      else new Schema.Field(field.name, bare, "")
    }
    Schema.createRecord(name, "", namespace, false, fields.toSeq.asJava)
  }

  private def orNull(schema: Schema): Schema = Schema.createUnion(Schema.create(NULL), schema)

  /** Nested records are named after their column; decimals have it in their namespace. */
  private def typeOf(dataType: DataType, column: String, namespace: String): Schema = {
    def element(inner: DataType, nullable: Boolean): Schema = {
      val bare = typeOf(inner, column, namespace)
      if (nullable) orNull(bare) else bare
    }
    dataType match {
      case BooleanType => Schema.create(BOOLEAN)
      case ByteType | ShortType | IntegerType => Schema.create(INT)
      case LongType => Schema.create(LONG)
      case FloatType => Schema.create(FLOAT)
      case DoubleType => Schema.create(DOUBLE)
      case _: StringType | _: CharType | _: VarcharType => Schema.create(STRING)
      case BinaryType => Schema.create(BYTES)
      case DateType => LogicalTypes.date().addToSchema(Schema.create(INT))
      case TimestampType => LogicalTypes.timestampMicros().addToSchema(Schema.create(LONG))
      case TimestampNTZType =>
        LogicalTypes.localTimestampMicros().addToSchema(Schema.create(LONG))
      case decimal: DecimalType =>
        val bytes = minBytes(decimal.precision)
        val fixed = Schema.createFixed("fixed", "", s"$namespace.$column", bytes)
        LogicalTypes.decimal(decimal.precision, decimal.scale).addToSchema(fixed)
      case ArrayType(inner, nullable) => Schema.createArray(element(inner, nullable))
      case MapType(_: StringType, inner, nullable) => Schema.createMap(element(inner, nullable))
      case struct: StructType => record(struct, column, namespace)
      case other => throw unsupported(column, other.sql)
    }
  }

  /** Smallest number of bytes that holds every unscaled value of `precision` digits. */
  private def minBytes(precision: Int): Int =
    LazyList.from(1).find(bytes => BigInt(2).pow(8 * bytes - 1) >= BigInt(10).pow(precision)).head

  private def structOf(schema: Schema): StructType = StructType(
    schema.getFields.asScala.toSeq.map { field =>
      val (bare, nullable) = withoutNull(field.schema, field.name)
      StructField(field.name, dataTypeOf(bare, field.name), nullable)
    }
  )

  private def withoutNull(schema: Schema, column: String): (Schema, Boolean) =
    schema.getType match {
      case UNION =>
        schema.getTypes.asScala.toSeq.partition(_.getType == NULL) match {
          case (nulls, Seq(one)) => (one, nulls.nonEmpty)
          case _ => throw unsupported(column, schema.toString)
        }
      case _ => (schema, false)
    }

  private def dataTypeOf(schema: Schema, column: String): DataType = {
    def element(inner: Schema): (DataType, Boolean) = {
      val (bare, nullable) = withoutNull(inner, column)
      (dataTypeOf(bare, column), nullable)
    }
    (schema.getType, schema.getLogicalType) match {
      case (BYTES | FIXED, decimal: LogicalTypes.Decimal) =>
        DecimalType(decimal.getPrecision, decimal.getScale)
      case (INT, _: LogicalTypes.Date) => DateType
      case (LONG, _: LogicalTypes.TimestampMicros | _: LogicalTypes.TimestampMillis) =>
        TimestampType
      case (LONG, _: LogicalTypes.LocalTimestampMicros | _: LogicalTypes.LocalTimestampMillis) =>
        TimestampNTZType
      case (INT | LONG, logical) if Option(logical).nonEmpty =>
        throw unsupported(column, logical.getName)
      case (BOOLEAN, _) => BooleanType
      case (INT, _) => IntegerType
      case (LONG, _) => LongType
      case (FLOAT, _) => FloatType
      case (DOUBLE, _) => DoubleType
      case (STRING | ENUM, _) => StringType
      case (BYTES | FIXED, _) => BinaryType
      case (ARRAY, _) =>
        val (inner, nullable) = element(schema.getElementType)
        ArrayType(inner, nullable)
      case (MAP, _) =>
        val (inner, nullable) = element(schema.getValueType)
        MapType(StringType, inner, nullable)
      case (RECORD, _) => structOf(schema)
      case _ => throw unsupported(column, schema.toString)
    }
  }

  private def unsupported(column: String, dataType: String) = HudiliteException(
    "HUDILITE_UNSUPPORTED_TYPE",
    "column" -> column,
    "type" -> dataType,
    "fix" -> "Hudi's Avro schema does not have this type. Cast the column to another type."
  )
}
