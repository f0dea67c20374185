package hudilite.spark.meta

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{IntegerType, LongType, StringType, StructType}

import hudilite.view.{FileSlice, SliceBase, SourceFile, StoredFile}

/** Rows of the metadata table `t.files`: the files of the table's snapshot. */
object FileRows {

  /** `rows` is null for a log file or if an archived commit wrote the file; `source` is the path of the
    * bootstrap source file of a skeleton. */
  val schema: StructType = new StructType()
    .add("partition", StringType, nullable = false)
    .add("file_id", StringType, nullable = false)
    .add("bucket", IntegerType)
    .add("instant", StringType, nullable = false)
    .add("path", StringType, nullable = false)
    .add("bytes", LongType, nullable = false)
    .add("rows", LongType)
    .add("source", StringType)

  val hidden: Seq[HiddenColumn] = Seq(
    HiddenColumn.same("file_path", schema, "path"),
    HiddenColumn.same("record_count", schema, "rows"),
    HiddenColumn.same("file_size_in_bytes", schema, "bytes")
  )

  /** Returns one row for each file, ordered by partition and file id; log files come after the base of
    * their slice. */
  def of(list: FileList): Seq[InternalRow] = list.slices.flatMap { slice =>
    val base = slice.base match {
      case of: SliceBase.Stored =>
        Seq(row(list, slice, slice.instant, of, list.baseRows(slice, of), slice.source))
      case SliceBase.NoBase => Nil
    }
    base ++ slice.logs.map(log => row(list, slice, log.name.instant, log, None))
  }

  private def row(
      list: FileList,
      slice: FileSlice,
      instant: String,
      file: StoredFile,
      rows: Option[Long],
      source: Option[SourceFile] = None
  ) = MetadataRows.row(
    slice.partition,
    slice.fileId,
    list.bucket(slice),
    instant,
    file.path.toString,
    file.length,
    rows,
    source.map(_.path.toString)
  )
}
