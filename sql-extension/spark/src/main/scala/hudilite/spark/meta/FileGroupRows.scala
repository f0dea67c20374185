package hudilite.spark.meta

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{IntegerType, LongType, StringType, StructType}

import hudilite.spark.catalog.HudiliteTable

/** Rows of the metadata table `t.file_groups`: each file group with all its file slices on disk. */
object FileGroupRows {

  /** `versions` counts base files. `current_bytes` is the size of the latest file slice, `bytes` that of
    * all of them. */
  val schema: StructType = new StructType()
    .add("partition", StringType, nullable = false)
    .add("file_id", StringType, nullable = false)
    .add("bucket", IntegerType)
    .add("versions", IntegerType, nullable = false)
    .add("first_instant", StringType, nullable = false)
    .add("last_instant", StringType, nullable = false)
    .add("current_bytes", LongType, nullable = false)
    .add("bytes", LongType, nullable = false)

  /** Returns one row for each file group of the table's snapshot. */
  def of(table: HudiliteTable): Seq[InternalRow] = {
    val list = new FileList(table)
    list.slices.groupBy(_.partition).toSeq.sortBy(_._1).flatMap { case (partition, slices) =>
      val older = table.snapshot.superseded(partition).groupBy(_.fileId)
      slices.map { slice =>
        val others = older.getOrElse(slice.fileId, Nil)
        val bases = others.filterNot(_.isLog)
        MetadataRows.row(
          partition,
          slice.fileId,
          list.bucket(slice),
          1 + bases.size,
          (slice.instant +: bases.map(_.instant)).min,
          slice.instant,
          slice.length,
          slice.length + others.map(_.length).sum
        )
      }
    }
  }
}
