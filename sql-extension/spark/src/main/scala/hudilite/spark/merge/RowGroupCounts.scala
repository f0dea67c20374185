package hudilite.spark.merge

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types.{LongType, StructType}

import hudilite.spark.write.BaseFileWriter

/** Numbers of the row groups of new base files, by how they were written.
  *
  * @param copied       as bytes, except the column `_hoodie_file_name`
  * @param partlyCopied some columns as bytes, the others encoded
  * @param byColumns    encoded column by column
  * @param byRows       encoded row by row
  */
final case class RowGroupCounts(copied: Long, partlyCopied: Long, byColumns: Long, byRows: Long) {
  def +(other: RowGroupCounts): RowGroupCounts = RowGroupCounts(
    copied + other.copied,
    partlyCopied + other.partlyCopied,
    byColumns + other.byColumns,
    byRows + other.byRows
  )

  def toRow: InternalRow =
    new GenericInternalRow(Array[Any](copied, partlyCopied, byColumns, byRows))
}

object RowGroupCounts {
  val none: RowGroupCounts = RowGroupCounts(0, 0, 0, 0)

  val schema: StructType = new StructType()
    .add("copied", LongType, nullable = false)
    .add("partly_copied", LongType, nullable = false)
    .add("by_columns", LongType, nullable = false)
    .add("by_rows", LongType, nullable = false)

  /** Returns the counts of a file whose last row group has ended. */
  def of(file: BaseFileWriter): RowGroupCounts = RowGroupCounts(
    file.rowGroupsCopied.toLong,
    file.rowGroupsPartlyCopied.toLong,
    file.rowGroupsByColumns.toLong,
    file.rowGroupsByRows.toLong
  )

  def fromRow(row: InternalRow): RowGroupCounts =
    RowGroupCounts(row.getLong(0), row.getLong(1), row.getLong(2), row.getLong(3))
}
