package hudilite.procedures

import org.apache.hadoop.fs.Path
import org.apache.spark.TaskContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.PartitionReaderFactory
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.util.SerializableConfiguration

import hudilite.error.HudiliteException
import hudilite.format.BaseFileName
import hudilite.index.BucketIndex
import hudilite.io.Storage
import hudilite.spark.exec.{
  BaseFileWriter,
  FileLayout,
  FileResult,
  FooterKeys,
  OldRows,
  TaskAttempt
}
import hudilite.timeline.Markers
import hudilite.view.FileSlice

/** Writes the rows of a bucket's file groups into one new file: of each key the row of the latest
  * commit, its meta columns kept but for the file's name.
  * @param groups  latest slices, in the order in which rows of one commit win
  * @param fileId  of the new file group
  * @param buckets number of buckets of the table
  * @param columns of the files: meta columns, then the table's
  * @param factory reads these */
private[procedures] final class BucketMerge(
    basePath: String,
    partition: String,
    bucket: Int,
    instant: String,
    groups: Seq[FileSlice],
    fileId: String,
    hashFields: Array[String],
    buckets: Int,
    columns: StructType,
    avroSchema: String,
    layout: FileLayout,
    factory: PartitionReaderFactory,
    conf: Broadcast[SerializableConfiguration]
) extends Serializable {

  /** Runs in a task.
    * Errors: HUDILITE_CORRUPT_DATA_FILE, also for a key of another bucket. */
  def run(): FileResult = {
    val attempt = new TaskAttempt(TaskContext.get())
    val hadoop = conf.value.value
    val base = new Path(basePath)
    val storage = Storage.of(base, hadoop)
    val name = BaseFileName(fileId, attempt.writeToken, instant).text
    val path = Storage.resolve(Storage.resolve(base, partition), name)
    Markers.create(storage, base, instant, partition, name, Markers.Create)
    val keys = new FooterKeys(None, avroSchema, layout.filterType)
    var rows = 0L
    val writer = new BaseFileWriter(path, hadoop, columns, layout, () => keys.footer(rows))
    val open = groups.map { slice => // sorted here: whether the file is, is not to be relied on
      OldRows.open(factory, slice, columns, sorted = false, UTF8String.fromString(name))
    }
    while (open.exists(_.hasRow)) {
      val key = open.filter(_.hasRow).map(_.key).min.clone()
      checkBucket(key)
      keys.add(key)
      writer.write(latest(open, key))
      rows += 1
    }
    writer.close()
    storage.fsync(path)
    val bytes = storage.status(path).fold(0L)(_.length)
    FileResult(partition, bucket, fileId, Some(name), None, None, rows, 0, 0, 0, 0, 0, bytes)
  }

  /** Takes every row of a key from the files and gives that of the latest commit. */
  private def latest(open: Seq[OldRows], key: UTF8String): InternalRow = {
    var best: Option[InternalRow] = None
    open.foreach { rows =>
      while (rows.hasRow && rows.key == key) {
        if (best.forall(_.getUTF8String(0).compareTo(rows.row.getUTF8String(0)) <= 0))
          best = Some(rows.row.copy())
        rows.advance()
      }
    }
    best.getOrElse(throw new IllegalStateException(s"INTERNAL: no row of the key $key"))
  }

  private def checkBucket(key: UTF8String): Unit = {
    val right = BucketIndex.bucketOfKeyUtf8(key, hashFields, buckets)
    if (right != bucket)
      throw HudiliteException(
        "HUDILITE_CORRUPT_DATA_FILE",
        "path" -> groups.map(_.fileName).mkString(" or "),
        "reason" -> s"its key $key belongs to bucket $right, so it was written with other buckets"
      )
  }
}
