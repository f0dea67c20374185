package hudilite.spark.catalog

import org.apache.spark.sql.connector.catalog.TableChange
import org.apache.spark.sql.connector.catalog.TableChange._
import org.apache.spark.sql.types._

import hudilite.spark.catalog.ColumnChanges.Column

/** Columns of a table after an ALTER TABLE, each with its definition in the existing
  * base files.
  * @param columns in table order */
final case class ColumnChanges(columns: Seq[Column]) {

  /** Columns after the changes. */
  def schema: StructType = StructType(columns.map(_.now))

  /** New columns, which no base file contains yet. */
  def added: StructType = StructType(columns.filter(_.before.isEmpty).map(_.now))

  /** Columns that the existing base files contain, under their new names and types: the schema of
    * rewritten base files. */
  def written: StructType = StructType(columns.filter(_.before.nonEmpty).map(_.now))

  /** Columns of [[written]] under the names that existing base files have, but with the new types:
    * the schema for reading these files. */
  def read: StructType =
    StructType(columns.flatMap(c => c.before.map(was => c.now.copy(name = was.name))))

  /** Argument of [[SchemaText.changed]]: Left is the name of an unchanged column, Right a new or
    * changed one. */
  def keptOrChanged: Seq[Either[String, StructField]] = columns.map { column =>
    column.before.filter(column.isAsBefore).map(_.name).toLeft(column.now)
  }

  /** Names of renamed, retyped and dropped columns. Base files that contain them must be rewritten,
    * because readers find a column by its name: otherwise they would take old values for those of
    * another column.
    * @param old columns before the changes */
  def lost(old: StructType): Seq[String] =
    old.filterNot(field => columns.exists(_.isAsBefore(field))).map(_.name)

  /** Returns the columns after one more change; changes that do not concern columns are ignored.
    * @param column makes the field of a new column */
  def after(change: TableChange, column: AddColumn => StructField): ColumnChanges = change match {
    case add: AddColumn => copy(columns :+ Column(column(add), None))
    case rename: RenameColumn => changed(rename)(_.copy(name = rename.newName))
    case drop: DeleteColumn => copy(columns.filterNot(_.isOf(drop)))
    case retype: UpdateColumnType => changed(retype)(_.copy(dataType = retype.newDataType))
    case remark: UpdateColumnComment =>
      changed(remark)(field => ColumnChanges.withComment(field, Option(remark.newComment)))
    case _ => this
  }

  private def changed(change: ColumnChange)(field: StructField => StructField): ColumnChanges =
    copy(columns.map(c => if (c.isOf(change)) c.copy(now = field(c.now)) else c))
}

object ColumnChanges {

  /** @param now    definition after the changes
    * @param before definition in existing base files; None for a new column */
  final case class Column(now: StructField, before: Option[StructField]) {
    private[catalog] def isOf(change: ColumnChange): Boolean =
      change.fieldNames.toSeq == Seq(now.name)

    private[catalog] def isAsBefore(field: StructField): Boolean =
      before.exists(_.name == field.name) && now.name == field.name &&
        now.dataType == field.dataType
  }

  private def withComment(field: StructField, comment: Option[String]): StructField =
    comment.fold(
      field.copy(metadata =
        new MetadataBuilder().withMetadata(field.metadata).remove("comment").build()
      )
    )(field.withComment)

  /** Columns of a table without any change. */
  def none(schema: StructType): ColumnChanges =
    ColumnChanges(schema.map(field => Column(field, Some(field))))

  /** Whether `to` represents every value of `from` exactly. */
  def widens(from: DataType, to: DataType): Boolean = (from, to) match {
    case (ByteType, ShortType | IntegerType | LongType | DoubleType) => true
    case (ShortType, IntegerType | LongType | DoubleType) => true
    case (IntegerType, LongType | DoubleType) => true
    case (FloatType, DoubleType) => true
    case (old: DecimalType, wide: DecimalType) =>
      wide.scale >= old.scale && wide.precision - wide.scale >= old.precision - old.scale
    case _ => false
  }
}
