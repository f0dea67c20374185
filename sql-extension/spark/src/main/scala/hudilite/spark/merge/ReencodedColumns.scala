package hudilite.spark.merge

import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.execution.vectorized.ConstantColumnVector
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.MetaFields
import hudilite.spark.read.SliceReaderFactory
import hudilite.spark.write.NewRow

/** Columns of old rows that are encoded again; `_hoodie_file_name` is always one of them and is not
  * read from the old file (made on the driver, read in tasks).
  *
  * @param schema  in the order of the file
  * @param factory reads these columns except `_hoodie_file_name`
  * @param kept    reads those of them that no patch contains, None if there are none
  * @param updated columns of the table that the patch of an updated row contains, with their
  *                ordinals in its values
  */
final case class ReencodedColumns(
    schema: StructType,
    factory: SliceReaderFactory,
    kept: Option[SliceReaderFactory],
    updated: Map[String, Int]
) {

  /** Position of each column in a patch ([[NewRow]]), -1 for a column that it does not contain. */
  val places: Array[Int] = schema.fieldNames.map {
    case MetaFields.CommitTime => NewRow.commitTimeAt
    case MetaFields.CommitSeqno => NewRow.sequenceAt
    case name => updated.get(name).fold(-1)(NewRow.metaColumns + _)
  }

  /** Returns the batches of one row group of a file, with the new file's name. The file stays
    * open.
    * @param isWhole whether the columns that patches contain are read, too; if not, their vectors
    *                must not be used */
  def read(
      file: OldBaseFile,
      block: BlockMetaData,
      newName: UTF8String,
      isWhole: Boolean
  ): PartitionReader[ColumnarBatch] = {
    val name = new ConstantColumnVector(1, StringType)
    name.setUtf8String(newName)
    val reads = if (isWhole) Some(factory) else kept
    reads match {
      case Some(of) =>
        val isRead = schema.fieldNames.indices.map { j =>
          schema(j).name != MetaFields.FileName && (isWhole || places(j) < 0)
        }
        new ReencodedColumns.Named(of.ofRowGroup(file.slice, file.opened, block), isRead, name)
      case None =>
        val batch = new ColumnarBatch(Array.fill[ColumnVector](schema.size)(name))
        batch.setNumRows(Math.toIntExact(block.getRowCount))
        new ReencodedColumns.One(batch)
    }
  }
}

object ReencodedColumns {
  private val noBatch = new ColumnarBatch(Array.empty[ColumnVector], 0)

  /** Meta columns that a patch contains. */
  val ofPatch: Seq[String] = Seq(MetaFields.CommitTime, MetaFields.CommitSeqno)

  /** Meta columns that change in every row group with an updated row. */
  val ofEveryUpdate: Seq[String] = ofPatch :+ MetaFields.FileName

  /** Whether a patch contains a column.
    * @param updated columns of the table that it contains */
  def isPatched(column: String, updated: Set[String]): Boolean =
    ofPatch.contains(column) || updated(column)

  /** Batches of a reader with a file name in the places of columns that it does not read. */
  private final class Named(
      reader: PartitionReader[ColumnarBatch],
      isRead: Seq[Boolean],
      name: ColumnVector
  ) extends PartitionReader[ColumnarBatch] {
    private var named = noBatch

    override def next(): Boolean = {
      val isThere = reader.next()
      if (isThere) {
        val read = reader.get()
        if (named.numCols == 0) named = new ColumnarBatch(columnsOf(read))
        named.setNumRows(read.numRows)
      }
      isThere
    }

    override def get(): ColumnarBatch = named

    override def close(): Unit = reader.close()

    private def columnsOf(read: ColumnarBatch): Array[ColumnVector] = {
      val own = Iterator.tabulate(read.numCols)(read.column)
      isRead.map(of => if (of) own.next() else name).toArray
    }
  }

  /** One batch that is not read. */
  private final class One(batch: ColumnarBatch) extends PartitionReader[ColumnarBatch] {
    private var isLeft = true

    override def next(): Boolean = {
      val isThere = isLeft
      isLeft = false
      isThere
    }

    override def get(): ColumnarBatch = batch

    override def close(): Unit = ()
  }
}
