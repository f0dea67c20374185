package hudilite.procedures

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path
import org.apache.parquet.column.Encoding
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ParquetMetadata}
import org.apache.parquet.io.{OutputFile, SeekableInputStream}
import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.XXH64
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String

import hudilite.bootstrap.{RawKeys, SizedFile, SkeletonFacts, SkeletonWriter}
import hudilite.error.HudiliteException
import hudilite.format.BaseFileName
import hudilite.io.{NewFile, Storage}
import hudilite.procedures.BootstrapWork._
import hudilite.spark.read.SliceReader
import hudilite.spark.write.{NewDataFile, TaskAttempt}
import hudilite.view.{FileSlice, OpenedFile, SourceFile}

/** Inspection of source files, one after another. Runs in a task: it reads footers and key columns,
  * and writes a skeleton with its marker file for each adopted file. A failed attempt deletes what
  * it has written.
  * Source: hudi-format §8.3, performance §5. */
private[procedures] final class BootstrapTask(work: BootstrapWork, context: TaskContext) {
  private val conf = work.conf.value.value
  private lazy val storage = Storage.of(new Path(work.basePath), conf)
  private val attempt = new TaskAttempt(context)
  private val keys = new SourceKeys(work.keys)
  private val closed = mutable.ArrayBuffer.empty[NewDataFile.Closed]
  private var current = Option.empty[NewDataFile[SkeletonWriter]]
  context.addTaskFailureListener { (_, _) =>
    current.foreach(_.discard())
    closed.foreach(_.delete(storage))
  }

  /** Inspects the files. Skeletons are durable before the last hashes are returned.
    * @return the report on each file and the hashes of all keys, each with its range
    * Errors: HUDILITE_WRITE_ROLLED_BACK if the write is no longer open. */
  def run(items: Seq[Item]): Iterator[(Int, KeyHashes.Piece)] = {
    val hashes = new KeyHashes(work.ranges)
    val pieces = items.iterator.flatMap { item =>
      val report = one(item, hashes)
      hashes.full() :+ (item.ordinal % work.ranges -> KeyHashes.Told(report))
    }
    pieces ++ Iterator.single(()).flatMap { _ =>
      work.write.foreach(NewDataFile.seal(_, storage, closed.toSeq))
      hashes.rest()
    }
  }

  /** Returns the keys of a file whose hash is one of `hashes`, one pair per row: the scope, which
    * is the partition path or "" if keys are unique in the whole table, and the key.
    * @param hashes sorted */
  def repeated(item: Item, hashes: Array[Long]): Iterator[(String, String)] = {
    val found = mutable.ArrayBuffer.empty[(String, String)]
    val scope = if (work.isGlobal) "" else item.partition
    val seed = seedOf(item)
    keys.read(slice(item), item.values) { key =>
      if (java.util.Arrays.binarySearch(hashes, XXH64.hashUTF8String(key, seed)) >= 0)
        found += scope -> key.toString
    }: Unit
    found.iterator
  }

  private def one(item: Item, hashes: KeyHashes): Report =
    try OpenedFile.withStream(slice(item), conf)(inspect(item, _, _, hashes))
    catch {
      case e: HudiliteException if BootstrapTask.ofTheFile(e.condition) =>
        val reason = e.parameters.getOrElse("reason", "it is gone")
        Report(item.ordinal, 0, 0, Nil, Some(Unreadable(reason)), "", None, None)
    }

  private def inspect(
      item: Item,
      reader: ParquetFileReader,
      stream: SeekableInputStream,
      hashes: KeyHashes
  ): Report = {
    val groups = reader.getFooter.getBlocks.asScala.toSeq.filter(_.getRowCount > 0)
    val found = columns(item, reader)
    val footer = SourceFile.footerHash(stream, item.length)
    val report = Report(
      item.ordinal,
      groups.map(_.getRowCount).sum,
      item.length - groups.lastOption.fold(0L)(g => g.getStartingPos + g.getCompressedSize),
      work.keys.fields.map(_ => 0L),
      None,
      footer,
      Some(found).filter(_ != work.columns),
      None
    )
    if (groups.isEmpty) report.copy(fault = Some(NoRows))
    else
      BootstrapTask.lacking(work.keys.columns, found) match {
        case Some(fault) => report.copy(fault = Some(fault))
        case None =>
          val raw = Option(work.keys).filter(_.isPlainText).map(_.fields.head)
            .filter(RawKeys.areIn(reader.getFooter, _))
          def start() = new Skeleton(item, report.rows, raw, stream, groups)
          adopted(item, Option.when(item.isAdopted)(start()), groups, report, hashes)
      }
  }

  private def columns(item: Item, reader: ParquetFileReader): StructType = {
    val all =
      try SliceReader.columnsOf(reader.getFileMetaData.getSchema)
      catch {
        case e: org.apache.spark.sql.AnalysisException =>
          throw new HudiliteException(
            "HUDILITE_CORRUPT_DATA_FILE",
            Map("path" -> item.path, "reason" -> String.valueOf(e.getMessage)),
            e
          )
      }
    BootstrapTask.unreadable(reader.getFooter).foreach { reason =>
      throw HudiliteException("HUDILITE_CORRUPT_DATA_FILE", "path" -> item.path, "reason" -> reason)
    }
    BootstrapColumns.ofFiles(all, work.keys.partitions)
  }

  private def adopted(
      item: Item,
      out: Option[Skeleton],
      groups: Seq[BlockMetaData],
      report: Report,
      hashes: KeyHashes
  ): Report = {
    val seed = seedOf(item)
    val count =
      try keys.read(slice(item), item.values) { key =>
          hashes.add(XXH64.hashUTF8String(key, seed))
          out.foreach(_.add(key))
        }
      catch {
        case e: Throwable =>
          out.foreach(_.abandon())
          throw e
      }
    val fault = BootstrapTask.fault(work.keys.fields, count)
    val skeleton = if (fault.isEmpty) out.map(_.close()) else { out.foreach(_.abandon()); None }
    report.copy(
      nulls = count.nulls.toSeq,
      read = report.read + BootstrapTask.keyBytes(groups, work.keys.columns),
      fault = fault,
      skeleton = skeleton
    )
  }

  /** Skeleton of one file while it is written. Without a pending write only its length is
    * computed. */
  private final class Skeleton(
      item: Item,
      rows: Long,
      raw: Option[String],
      stream: SeekableInputStream,
      groups: Seq[BlockMetaData]
  ) {
    private val name = BaseFileName(item.fileId, attempt.writeToken, work.instant).text
    private val sized = new SizedFile
    private val file = work.write.map { write =>
      new NewDataFile(write, storage, attempt, item.partition, item.fileId, isFirst = true)(path =>
        writerTo(new NewFile(path, conf))
      )
    }
    current = file
    private val writer = file.fold(writerTo(sized))(_.writer)
    private val rest = groups.iterator
    private var left = 0L

    def add(key: UTF8String): Unit = {
      if (left == 0) {
        val group = rest.next()
        left = group.getRowCount
        writer.startGroup(left, raw.flatMap(RawKeys.of(stream, group, _)))
      }
      writer.add(key)
      left -= 1
      if (left == 0) writer.endGroup()
    }

    /** Completes the file.
      * @return file name and length in bytes */
    def close(): (String, Long) = file match {
      case Some(made) =>
        closed += made.close()
        current = None
        name -> made.length
      case None =>
        writer.close()
        name -> sized.bytes
    }

    def abandon(): Unit = {
      file.fold(writer.abandon())(_.discard())
      current = None
    }

    private def writerTo(target: OutputFile) = new SkeletonWriter(
      target,
      conf,
      work.layout,
      SkeletonFacts(work.instant, item.ordinal, item.partition, name),
      rows
    )
  }

  private def slice(item: Item): FileSlice =
    FileSlice(item.partition, item.fileId, work.instant, new Path(item.path), item.length)

  private def seedOf(item: Item): Long =
    if (work.isGlobal) 0L else XXH64.hashUTF8String(UTF8String.fromString(item.partition), 0L)
}

private[procedures] object BootstrapTask {

  /** Conditions of errors that are caused by the file itself: it is damaged or missing. */
  private val ofTheFile = Set("HUDILITE_CORRUPT_DATA_FILE", "HUDILITE_MISSING_DATA_FILE")

  /** Returns why Spark's vectorized reader cannot read a file. Adopted files are always read by it.
    * Files to rewrite are read by the reader that the session selects, so their read could fail
    * halfway. */
  private def unreadable(footer: ParquetMetadata): Option[String] =
    footer.getBlocks.asScala.iterator.flatMap(_.getColumns.asScala)
      .find(_.getEncodings.contains(Encoding.BYTE_STREAM_SPLIT))
      .map { chunk =>
        val column = chunk.getPath.toDotString
        s"its column $column has the encoding BYTE_STREAM_SPLIT, which Spark does not read in vectors"
      }

  private def lacking(wanted: StructType, found: StructType): Option[Fault] =
    wanted.iterator.flatMap { column =>
      found.find(_.name == column.name) match {
        case None => Some(NoKeyColumn(column.name, s"it has no key column ${column.name}"))
        case Some(other) if other.dataType != column.dataType =>
          val types = s"${other.dataType.sql}, and ${column.dataType.sql} in the first file"
          Some(NoKeyColumn(column.name, s"its key column ${column.name} is $types"))
        case Some(_) => None
      }
    }.nextOption()

  private def fault(fields: Seq[String], count: SourceKeys.Count): Option[Fault] =
    fields.zip(count.nulls).collectFirst { case (field, n) if n > 0 => NullKey(field) }
      .orElse(count.invalid.map { case (column, reason) => InvalidKey(column, reason) })

  private def keyBytes(groups: Seq[BlockMetaData], columns: StructType): Long =
    groups.flatMap(_.getColumns.asScala)
      .filter(c => columns.fieldNames.contains(c.getPath.toDotString))
      .map(_.getTotalSize)
      .sum
}
