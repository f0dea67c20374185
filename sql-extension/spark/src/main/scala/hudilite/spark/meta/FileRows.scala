package hudilite.spark.meta

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{IntegerType, LongType, StringType, StructType}

/** Rows of the metadata table `t.files`: the base files of the table's snapshot. */
object FileRows {

  /** `rows` is null if an archived commit wrote the file; `source` is the path of the bootstrap
    * source file of a skeleton. */
  val schema: StructType = new StructType()
    .add("partition", StringType, nullable = false)
    .add("file_id", StringType, nullable = false)
    .add("bucket", IntegerType)
    .add("instant", StringType, nullable = false)
    .add("path", StringType, nullable = false)
    .add("bytes", LongType, nullable = false)
    .add("rows", LongType)
    .add("source", StringType)

  /** Returns one row for each file, ordered by partition and file id. */
  def of(list: FileList): Seq[InternalRow] = list.slices.map { slice =>
    MetadataRows.row(
      slice.partition,
      slice.fileId,
      list.bucket(slice),
      slice.instant,
      slice.path.toString,
      slice.length,
      list.rows(slice),
      slice.source.map(_.path.toString)
    )
  }
}
