package hudilite.spark.catalog

import org.apache.spark.sql.connector.catalog.TableChange
import org.apache.spark.sql.connector.catalog.TableChange._
import org.apache.spark.sql.hudilite.AlteredColumns
import org.apache.spark.sql.types._

import hudilite.spark.catalog.ColumnChanges.Column

/** Columns of a table after an ALTER TABLE, each with its definition in the existing
  * base files.
  * @param columns in table order */
final case class ColumnChanges(columns: Seq[Column]) {

  /** Columns after the changes. */
  def schema: StructType = StructType(columns.map(_.now))

  /** Columns that the existing base files contain, under their new names and types: the schema of
    * rewritten base files. */
  def written: StructType = StructType(columns.filter(_.read.nonEmpty).map(_.now))

  /** Columns of [[written]] under the names that existing base files have, but with the new types:
    * the schema for reading these files. */
  def read: StructType = StructType(columns.flatMap(_.read))

  /** Argument of [[SchemaText.changed]]: Left is the name of an unchanged column, Right a new or
    * changed one. */
  def keptOrChanged: Seq[Either[String, StructField]] =
    columns.map(column => column.unchanged.toLeft(column.now))

  /** Names of columns that were renamed, retyped or dropped, or that have such a field. Base files that
    * contain them must be rewritten, because readers find a column by its name: otherwise they would
    * take old values for those of another column. New fields and other positions need no new files.
    * @param old columns before the changes */
  def lost(old: StructType): Seq[String] =
    old.filterNot(field => columns.exists(_.isIn(field))).map(_.name)

  /** Returns the columns after one more change; changes that do not concern columns are ignored. */
  def after(change: TableChange): ColumnChanges = {
    val origins = columns.map(column => ColumnChanges.renamed(change, column.now.name) -> column)
    ColumnChanges(ColumnChanges.applied(schema, change).map { field =>
      origins.collectFirst {
        case (field.name, column) =>
          column.copy(now = field, read = column.readAfter(change, field))
      }.getOrElse(Column(field, None, None))
    })
  }
}

object ColumnChanges {

  /** @param now    definition after the changes
    * @param before definition before them; None for a new column
    * @param read   definition for reading existing base files: their names with the new types; None
    *               for a new column */
  final case class Column(
      now: StructField,
      before: Option[StructField],
      read: Option[StructField]
  ) {

    /** Name of the column if at most its comment differs from before. */
    private[catalog] def unchanged: Option[String] =
      before.filter(was => now.copy(metadata = was.metadata) == was).map(_.name)

    /** Whether base files with a column of the old schema have the values of this one. */
    private[catalog] def isIn(field: StructField): Boolean =
      before.exists(_.name == field.name) && now.name == field.name &&
        grows(field.dataType, now.dataType)

    /** Returns the definition for reading after one more change. A change of names leaves it as it is. */
    private[catalog] def readAfter(change: TableChange, to: StructField): Option[StructField] =
      change match {
        case _: RenameColumn => read
        case _ if now.dataType == to.dataType && now.nullable == to.nullable => read
        case _ => read.map(of => to.copy(name = of.name))
      }
  }

  private def applied(schema: StructType, change: TableChange): StructType = change match {
    case remark: UpdateColumnComment if Option(remark.newComment).isEmpty =>
      StructType(schema.map { field =>
        if (isOf(remark, field.name)) withoutComment(field) else field
      })
    case other => AlteredColumns.of(schema, other)
  }

  /** Name of a column after a change. */
  private def renamed(change: TableChange, name: String): String = change match {
    case rename: RenameColumn if isOf(rename, name) => rename.newName
    case _ => name
  }

  private def isOf(change: ColumnChange, name: String): Boolean =
    change.fieldNames.toSeq == Seq(name)

  private def withoutComment(field: StructField): StructField = field.copy(metadata =
    new MetadataBuilder().withMetadata(field.metadata).remove("comment").build()
  )

  /** Whether values of a type are read as another one without a rewrite: only fields are new, or at
    * another place. */
  private def grows(from: DataType, to: DataType): Boolean = (from, to) match {
    case (old: StructType, of: StructType) =>
      old.forall(field =>
        of.exists(to => to.name == field.name && grows(field.dataType, to.dataType))
      )
    case (old: ArrayType, of: ArrayType) => grows(old.elementType, of.elementType)
    case (old: MapType, of: MapType) =>
      old.keyType == of.keyType && grows(old.valueType, of.valueType)
    case (_: CharType | _: VarcharType, _) => from == to || widens(from, to)
    case _ => from == to
  }

  /** Columns of a table without any change. */
  def none(schema: StructType): ColumnChanges =
    ColumnChanges(schema.map(field => Column(field, Some(field), Some(field))))

  /** Whether `to` represents every value of `from` exactly. */
  def widens(from: DataType, to: DataType): Boolean = (from, to) match {
    case (ByteType, ShortType | IntegerType | LongType | DoubleType) => true
    case (ShortType, IntegerType | LongType | DoubleType) => true
    case (IntegerType, LongType | DoubleType) => true
    case (FloatType, DoubleType) => true
    case (old: CharType, text: VarcharType) => text.length >= old.length
    case (old: VarcharType, text: VarcharType) => text.length >= old.length
    case (_: CharType | _: VarcharType, StringType) => true
    case (old: DecimalType, wide: DecimalType) =>
      wide.scale >= old.scale && wide.precision - wide.scale >= old.precision - old.scale
    case _ => false
  }
}
