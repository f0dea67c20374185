package hudilite.spark.bootstrap

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.XXH64
import org.apache.spark.unsafe.types.UTF8String

import hudilite.bootstrap.RawKeys
import hudilite.error.HudiliteException
import hudilite.io.Storage
import hudilite.spark.write.{NewDataFile, TaskAttempt}
import hudilite.view.{FileSlice, OpenedFile, SourceFile}

/** Inspection of source files, one after another, and creation of their skeletons. Runs in a task:
  * it reads footers and key columns, and writes a skeleton with its marker file for each adopted
  * file. Without a pending write it only measures the skeletons. A failed attempt deletes what it
  * has written.
  * Source: hudi-format §8.3, performance §5. */
final class SkeletonTask(facts: SkeletonTaskFacts, context: TaskContext) {
  private val conf = facts.conf.value.value
  private lazy val storage = Storage.of(new Path(facts.basePath), conf)
  private val attempt = new TaskAttempt(context)
  private val keys = new SourceKeys(facts.keys)
  private val closed = mutable.ArrayBuffer.empty[NewDataFile.Closed]

  /** Inspects the files. Skeletons are durable before the last hashes are returned.
    * @return the report on each file and the hashes of all keys, each with its range
    * Errors: HUDILITE_WRITE_ROLLED_BACK if the write is no longer open. */
  def run(files: Seq[PlacedFile]): Iterator[(Int, InspectionRecord)] = {
    val hashes = new KeyHashes(facts.ranges)
    val records = files.iterator.flatMap { file =>
      val report = inspected(file, hashes)
      hashes.full().map(ofHashes) :+
        (file.ordinal % facts.ranges -> InspectionRecord.Inspected(report))
    }
    records ++ Iterator.single(()).flatMap { _ =>
      facts.write.foreach(NewDataFile.seal(_, storage, closed.toSeq))
      hashes.rest().map(ofHashes)
    }
  }

  private def ofHashes(piece: (Int, Array[Long])): (Int, InspectionRecord) =
    piece._1 -> InspectionRecord.Hashes(piece._2)

  /** Returns the keys of a file whose hash is one of `hashes`, one pair per row: the scope, which
    * is the partition path or "" if keys are unique in the whole table, and the key.
    * @param hashes sorted */
  def keysOf(file: PlacedFile, hashes: Array[Long]): Iterator[(String, String)] = {
    val found = mutable.ArrayBuffer.empty[(String, String)]
    val scope = if (facts.isGlobal) "" else file.partition
    val seed = seedOf(file)
    keys.read(slice(file), file.values) { key =>
      if (java.util.Arrays.binarySearch(hashes, XXH64.hashUTF8String(key, seed)) >= 0)
        found += scope -> key.toString
    }: Unit
    found.iterator
  }

  private def inspected(file: PlacedFile, hashes: KeyHashes): FileReport =
    try OpenedFile(slice(file), conf)(inspect(file, _, hashes))
    catch {
      case e: HudiliteException if SkeletonTask.ofTheFile(e.condition) =>
        val reason = e.parameters.getOrElse("reason", "it is gone")
        FileReport(file.ordinal, 0, 0, Nil, Some(FileFault.Unreadable(reason)), "", None, None)
    }

  private def inspect(file: PlacedFile, opened: OpenedFile, hashes: KeyHashes): FileReport = {
    val reader = opened.reader
    val groups = reader.getFooter.getBlocks.asScala.toSeq.filter(_.getRowCount > 0)
    val columns = SourceFooter.columns(file.path, reader, facts.keys.partitions)
    val footer = SourceFile.footerHash(opened.stream, file.length)
    val report = FileReport(
      file.ordinal,
      groups.map(_.getRowCount).sum,
      file.length - groups.lastOption.fold(0L)(g => g.getStartingPos + g.getCompressedSize),
      facts.keys.fields.map(_ => 0L),
      None,
      footer,
      Some(columns).filter(_ != facts.columns),
      None
    )
    val fault =
      if (groups.isEmpty) Some(FileFault.NoRows)
      else SourceFooter.keyFault(facts.keys.columns, columns)
    fault.fold {
      val field = Option(facts.keys).filter(_.isPlainText).map(_.fields.head)
        .filter(RawKeys.areIn(reader.getFooter, _))
      val skeleton = Option.when(file.isAdopted) {
        new SkeletonFile(facts, file, storage, attempt, report.rows, groups)(group =>
          field.flatMap(RawKeys.of(opened.stream, group, _))
        )
      }
      withKeys(file, skeleton, groups, report, hashes)
    }(found => report.copy(fault = Some(found)))
  }

  /** Reads the keys of a file: adds their hashes, and writes the skeleton if there is one. */
  private def withKeys(
      file: PlacedFile,
      skeleton: Option[SkeletonFile],
      groups: Seq[BlockMetaData],
      report: FileReport,
      hashes: KeyHashes
  ): FileReport = {
    val seed = seedOf(file)
    skeleton.foreach(_.open())
    val count =
      try keys.read(slice(file), file.values) { key =>
          hashes.add(XXH64.hashUTF8String(key, seed))
          skeleton.foreach(_.add(key))
        }
      catch {
        case e: Throwable =>
          skeleton.foreach(_.abandon())
          throw e
      }
    val fault = SkeletonTask.fault(facts.keys.fields, count)
    if (fault.nonEmpty) skeleton.foreach(_.abandon())
    report.copy(
      nulls = count.nulls.toSeq,
      read = report.read + SourceFooter.keyBytes(groups, facts.keys.columns),
      fault = fault,
      skeleton = skeleton.filter(_ => fault.isEmpty).map(complete)
    )
  }

  /** Returns the name of a complete skeleton and its length in bytes. */
  private def complete(skeleton: SkeletonFile): (String, Long) = {
    closed ++= skeleton.close()
    skeleton.name -> skeleton.length
  }

  private def slice(file: PlacedFile): FileSlice =
    FileSlice.ofBase(file.partition, file.fileId, facts.instant, new Path(file.path), file.length)

  private def seedOf(file: PlacedFile): Long =
    if (facts.isGlobal) 0L else XXH64.hashUTF8String(UTF8String.fromString(file.partition), 0L)
}

object SkeletonTask {

  /** Conditions of errors that are caused by the file itself: it is damaged or missing. */
  private val ofTheFile = Set("HUDILITE_CORRUPT_DATA_FILE", "HUDILITE_MISSING_DATA_FILE")

  private def fault(fields: Seq[String], count: SourceKeys.Count): Option[FileFault] =
    fields.zip(count.nulls).collectFirst { case (field, n) if n > 0 => FileFault.NullKey(field) }
      .orElse(count.invalid.map { case (column, reason) => FileFault.InvalidKey(column, reason) })
}
