package hudilite.spark.merge

import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.execution.vectorized.ConstantColumnVector
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.format.MetaFields
import hudilite.spark.read.SliceReaderFactory

/** Columns of old rows that are encoded again; `_hoodie_file_name` is always one of them and is not
  * read from the old file (made on the driver, read in tasks).
  *
  * @param schema  in the order of the file
  * @param factory reads these columns except `_hoodie_file_name`
  * @param updated names of the columns that the patch of an updated row contains, after `ofPatch`
  */
final case class ReencodedColumns(
    schema: StructType,
    factory: SliceReaderFactory,
    updated: Seq[String]
) {

  /** Position of each column in a patch, -1 for a column that a patch does not contain. */
  val places: Array[Int] =
    schema.fieldNames.map((ReencodedColumns.ofPatch ++ updated).indexOf(_))

  /** Returns the batches of one row group of a file, with the new file's name. The file stays
    * open. */
  def read(
      file: OldBaseFile,
      block: BlockMetaData,
      newName: UTF8String
  ): PartitionReader[ColumnarBatch] = {
    val reader = factory.ofRowGroup(file.slice, file.opened, block)
    val name = new ConstantColumnVector(1, StringType)
    name.setUtf8String(newName)
    val (before, after) = schema.fieldNames.span(_ != MetaFields.FileName)
    new PartitionReader[ColumnarBatch] {
      private var named = ReencodedColumns.noBatch

      override def next(): Boolean = {
        val isThere = reader.next()
        if (isThere) {
          val read = reader.get()
          if (named.numCols == 0)
            named = new ColumnarBatch(
              Array.tabulate[ColumnVector](before.length)(read.column) ++ Array(name) ++
                Array.tabulate[ColumnVector](after.length - 1)(i => read.column(before.length + i))
            )
          named.setNumRows(read.numRows)
        }
        isThere
      }
      override def get(): ColumnarBatch = named
      override def close(): Unit = reader.close()
    }
  }
}

object ReencodedColumns {
  private val noBatch = new ColumnarBatch(Array.empty[ColumnVector], 0)

  /** Meta columns that a patch contains. */
  val ofPatch: Seq[String] = Seq(MetaFields.CommitTime, MetaFields.CommitSeqno)

  /** Meta columns that change in every row group with an updated row. */
  val ofEveryUpdate: Seq[String] = ofPatch :+ MetaFields.FileName
}
