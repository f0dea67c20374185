package hudilite.spark.repair

import scala.collection.{AbstractIterator, BufferedIterator}

import org.apache.spark.TaskContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  BoundReference,
  GenericInternalRow,
  JoinedRow,
  UnsafeProjection
}
import org.apache.spark.sql.types.StructType

import hudilite.spark.merge.FileGroupResult
import hudilite.spark.rewrite.BaseFileRewriter
import hudilite.spark.write.TaskAttempt
import hudilite.view.FileSlice

/** Rows of a clustering between the old files and the new ones (task side). */
private[repair] object ClusteredRows {

  /** Name of the column with the number of the new file of a row. */
  val file = "_hoodie_new_file"

  /** Reads slices.
    * @param slices slices of one partition
    * @param order  columns that decide about the file of a row
    * @return rows with the columns of the rewriter, then [[file]]; each is valid until the next one */
  def read(
      slices: RDD[FileSlice],
      rewrite: BaseFileRewriter,
      order: StructType,
      ranges: Broadcast[NewFileRanges]
  ): RDD[InternalRow] = slices.mapPartitions { of =>
    val decides = UnsafeProjection.create(order.map { field =>
      BoundReference(rewrite.columns.fieldIndex(field.name), field.dataType, nullable = true)
    })
    val number = new GenericInternalRow(1)
    val numbered = new JoinedRow
    val files = ranges.value
    of.flatMap { slice =>
      SliceRows.of(rewrite.factory, slice).map { row =>
        number.update(0, files.fileOf(decides(row)))
        numbered(row, number)
      }
    }
  }

  /** Writes the new files.
    * @param rows    rows as [[read]] returns them, those of a file together and in the order of
    *                their keys
    * @param fileIds file id of each new file */
  def write(
      rows: RDD[InternalRow],
      rewrite: BaseFileRewriter,
      partition: String,
      fileIds: IndexedSeq[String]
  ): RDD[FileGroupResult] = rows.mapPartitions { all =>
    val attempt = new TaskAttempt(TaskContext.get())
    val left = all.buffered
    val fileAt = rewrite.columns.size
    Iterator.continually(left.hasNext).takeWhile(identity).map { _ =>
      val number = left.head.getInt(fileAt)
      rewrite.create(attempt, partition, fileIds(number), new RowsOfFile(left, fileAt, number))
    }
  }

  /** The next rows, as far as they are of one file. */
  private final class RowsOfFile(left: BufferedIterator[InternalRow], fileAt: Int, number: Int)
      extends AbstractIterator[InternalRow] {
    override def hasNext: Boolean = left.hasNext && left.head.getInt(fileAt) == number
    override def next(): InternalRow = left.next()
  }
}
