package hudilite.spark.read

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.execution.vectorized.{ColumnVectorUtils, ConstantColumnVector}
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.view.SnapshotView

/** Readers of the input partitions of a [[ChangesScan]] (task side). They are vectorized.
  * @param slices   readers of the columns that are not [[ChangesTable.added]]
  * @param schema   columns to read
  * @param instants instants of the range's commits, in their order
  * @param last     state after the last of them */
private[read] final class ChangesReaders(
    slices: SliceReaderFactory,
    schema: StructType,
    instants: Vector[String],
    last: SnapshotView
) extends PartitionReaderFactory {
  private val added = ChangesTable.added.map(_.name)

  /** For each column its place among those that are added, or else among the others. */
  private val places: Array[Either[Int, Int]] = {
    val stored = schema.fieldNames.filterNot(added.contains)
    schema.fieldNames.map { name =>
      if (added.contains(name)) Left(added.indexOf(name)) else Right(stored.indexOf(name))
    }
  }

  override def supportColumnarReads(partition: InputPartition): Boolean =
    slices.supportColumnarReads(partition)

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    new SliceReaderFactory.Rows(createColumnarReader(partition))

  override def createColumnarReader(partition: InputPartition): PartitionReader[ColumnarBatch] =
    partition match {
      case ChangesPartition(compared, task) =>
        new InTurn(for (of <- compared.iterator; slice <- of.slices) yield open(of, slice, task))
      case other => throw new IllegalStateException(s"INTERNAL: $other is no partition of changes")
    }

  private def open(
      of: ComparedSlices,
      seen: SeenSlice,
      task: Int
  ): PartitionReader[ColumnarBatch] = {
    val times = UTF8String.fromString(of.instants.mkString(ChangesReaders.comma))
    val values = InternalRow(of.number, task, times, seen.isAfter)
    val constants = ChangesTable.added.zipWithIndex.map { case (field, n) =>
      ChangesReaders.constant(field, values, n)
    }
    new PathColumns.Completed(
      slices.openAt(seen.slice, view(seen.seen)),
      batch => places.map(_.fold(constants, batch.column))
    )
  }

  /** State up to an instant. */
  private def view(seen: String): SnapshotView =
    last.before(instants.drop(instants.indexOf(seen) + 1).toSet)
}

private[read] object ChangesReaders {
  private val comma = ","

  private def constant(field: StructField, values: InternalRow, place: Int): ColumnVector = {
    val vector = new ConstantColumnVector(1, field.dataType)
    ColumnVectorUtils.populate(vector, values, place)
    vector
  }
}
