package hudilite.spark.repair

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow

import hudilite.spark.read.SliceReaderFactory
import hudilite.view.FileSlice

/** Rows of a file slice in any order (task side). */
private[repair] object SliceRows {

  /** Returns the rows; each is valid until the next one. The reader is closed at the end of the task. */
  def of(factory: SliceReaderFactory, slice: FileSlice): Iterator[InternalRow] = {
    val reader = factory.openRows(slice)
    TaskContext.get().addTaskCompletionListener[Unit](_ => reader.close())
    Iterator.continually(reader.next()).takeWhile { hasRow =>
      if (!hasRow) reader.close()
      hasRow
    }.map(_ => reader.get())
  }
}
