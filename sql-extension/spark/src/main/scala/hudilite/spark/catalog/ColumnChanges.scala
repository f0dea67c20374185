package hudilite.spark.catalog

import org.apache.spark.sql.connector.catalog.TableChange
import org.apache.spark.sql.connector.catalog.TableChange._
import org.apache.spark.sql.types._

import hudilite.spark.catalog.ColumnChanges.Column

/** A table's columns as ALTER TABLE leaves them, each with what it was before.
  * @param columns in their order */
final case class ColumnChanges(columns: Seq[Column]) {

  /** The columns as they are to be. */
  def schema: StructType = StructType(columns.map(_.now))

  /** Columns that no file has yet. */
  def added: StructType = StructType(columns.filter(_.before.isEmpty).map(_.now))

  /** What base files hold of them under other names or types, as it is to be. */
  def written: StructType = StructType(columns.filter(_.before.nonEmpty).map(_.now))

  /** The same columns under the names that the files have so far. */
  def read: StructType =
    StructType(columns.flatMap(c => c.before.map(was => c.now.copy(name = was.name))))

  /** The columns for [[SchemaText.changed]]: those that stay by their names. */
  def told: Seq[Either[String, StructField]] = columns.map { column =>
    column.before.filter(column.isAsBefore).map(_.name).toLeft(column.now)
  }

  /** Names of columns that were there and are not any more as they were: renamed, of another type
    * or gone. Files that hold them are written anew, so that no reader finds old values under a name
    * that means something else by now.
    * @param old columns before the changes */
  def lost(old: StructType): Seq[String] =
    old.filterNot(field => columns.exists(_.isAsBefore(field))).map(_.name)

  /** The same after one more change; one that is none of the columns' makes no difference.
    * @param column makes a new column's field */
  def after(change: TableChange, column: AddColumn => StructField): ColumnChanges = change match {
    case add: AddColumn => copy(columns :+ Column(column(add), None))
    case rename: RenameColumn => changed(rename)(_.copy(name = rename.newName))
    case drop: DeleteColumn => copy(columns.filterNot(_.isOf(drop)))
    case retype: UpdateColumnType => changed(retype)(_.copy(dataType = retype.newDataType))
    case remark: UpdateColumnComment => changed(remark)(_.withComment(remark.newComment))
    case _ => this
  }

  private def changed(change: ColumnChange)(field: StructField => StructField): ColumnChanges =
    copy(columns.map(c => if (c.isOf(change)) c.copy(now = field(c.now)) else c))
}

object ColumnChanges {

  /** @param now    as it is to be
    * @param before as the files have it; None for a new one */
  final case class Column(now: StructField, before: Option[StructField]) {
    private[catalog] def isOf(change: ColumnChange): Boolean =
      change.fieldNames.toSeq == Seq(now.name)

    private[catalog] def isAsBefore(field: StructField): Boolean =
      before.exists(_.name == field.name) && now.name == field.name &&
        now.dataType == field.dataType
  }

  /** No changes yet. */
  def none(schema: StructType): ColumnChanges =
    ColumnChanges(schema.map(field => Column(field, Some(field))))

  /** Whether each value of a type is one of the other, exactly. */
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
