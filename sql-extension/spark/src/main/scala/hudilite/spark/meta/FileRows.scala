package hudilite.spark.meta

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{IntegerType, LongType, StringType, StructType}

/** The base files that a reader of a table's state opens, `t.files`. */
object FileRows {

  /** `rows` is null where an archived commit wrote the file; `source` tells where the columns of an
    * adopted one lie. */
  val schema: StructType = new StructType()
    .add("partition", StringType, nullable = false)
    .add("file_id", StringType, nullable = false)
    .add("bucket", IntegerType)
    .add("instant", StringType, nullable = false)
    .add("path", StringType, nullable = false)
    .add("bytes", LongType, nullable = false)
    .add("rows", LongType)
    .add("source", StringType)

  /** One row a file, by partition and file group. */
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
