package hudilite.spark.merge

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.fs.Path
import org.apache.spark.TaskContext
import org.apache.spark.sql.hudilite.ThreadBytes
import org.apache.spark.unsafe.types.UTF8String

import hudilite.io.Storage
import hudilite.spark.write.{OldColumnChunks, TaskAttempt}
import hudilite.view.FileSlice

/** Join of the parts of one large file group into its new base file (task side). Row groups are
  * copied as bytes, from the part files or from the old base file; the keys of new rows are read
  * from the part files for the footer. */
final class PartsJoin(facts: MergeTaskFacts, context: TaskContext) {
  private val conf = facts.shared.value.conf.value
  private val storage = Storage.of(new Path(facts.write.basePath), conf)
  private val files = new FileGroupSlices(facts)

  /** Writes the new base file.
    * @param parts all parts of the file group in the order of their keys, with their results
    * @return result of the file group, counts of the task */
  def join(parts: Seq[(MergePart, FileGroupResult)]): (FileGroupResult, TaskCounts) = {
    val bytesRead = ThreadBytes.readFromNow()
    val slice = PartsJoin.slice(files, parts.head._1)
    val result = Using.resource(OldBaseFile.open(slice, conf)) { old =>
      val file = new NewBaseFile(facts, storage, conf, new TaskAttempt(context), slice.partition,
        slice.fileId, isFirst = false, NewBaseFile.keys(facts, old.footer))
      file.writer: Unit
      val copied = parts.map { case (part, result) =>
        val ofPart = old.part(part.from, part.until)
        if (result.fileName.isEmpty) (ofPart.rows, copyAll(ofPart, file))
        else (result.rows, copyPart(ofPart, written(result), file))
      }
      file.close(copied.map(_._1).sum): Unit
      total(parts.map(_._2), file, copied.map(_._1).sum, copied.map(_._2).sum)
    }
    (result, TaskCounts.none.copy(bytesRead = bytesRead()))
  }

  /** Copies the row groups of a part in which nothing has changed.
    * @return their number */
  private def copyAll(old: OldBaseFile, file: NewBaseFile): Int = {
    val chunks = old.chunks
    old.rowGroups.foreach(copyOld(old, chunks, _, file))
    old.rowGroups.size
  }

  /** Copies the row groups of a part file, and between them those that it leaves out.
    * @return number of those left out */
  private def copyPart(old: OldBaseFile, of: FileSlice, file: NewBaseFile): Int =
    Using.resource(OldBaseFile.open(of, conf)) { changed =>
      val pairs = changed.opened.reader.getFooter.getFileMetaData.getKeyValueMetaData.asScala.toMap
      val contents = PartContents.of(pairs)
      val left = contents.left.groupMap(_._2)(_._1)
      val byOrdinal = old.rowGroups.map(rowGroup => rowGroup.ordinal -> rowGroup).toMap
      val (ofOld, ofPart) = (old.chunks, changed.chunks)
      (0 to changed.rowGroups.size).foreach { i =>
        left.getOrElse(i, Nil).foreach(n => copyOld(old, ofOld, byOrdinal(n), file))
        changed.rowGroups.lift(i).foreach { rowGroup =>
          addKeys(changed, rowGroup, contents, file)
          file.writer.copyRowGroup(ofPart, rowGroup.ordinal, file.name.toString)
        }
      }
      contents.left.size
    }

  private def copyOld(
      old: OldBaseFile,
      chunks: OldColumnChunks,
      rowGroup: OldRowGroup,
      file: NewBaseFile
  ): Unit = {
    if (file.needsAllKeys) keys(old, rowGroup)((_, key) => file.addKey(key))
    file.writer.copyRowGroup(chunks, rowGroup.ordinal, file.name.toString)
  }

  private def addKeys(
      changed: OldBaseFile,
      rowGroup: OldRowGroup,
      contents: PartContents.Stored,
      file: NewBaseFile
  ): Unit =
    if (file.needsAllKeys) keys(changed, rowGroup)((_, key) => file.addKey(key))
    else if (contents.inserted.intersects(rowGroup.firstRow, rowGroup.endRow))
      keys(changed, rowGroup) { (row, key) =>
        if (contents.inserted.contains(Math.toIntExact(row))) file.addKey(key)
      }

  /** Passes the numbers and keys of a row group's rows to a function. A key is valid during the call
    * only. */
  private def keys(of: OldBaseFile, rowGroup: OldRowGroup)(f: (Long, UTF8String) => Unit): Unit =
    Using.resource(facts.keys.ofRowGroup(of.slice, of.opened, rowGroup.block)) { reader =>
      var row = rowGroup.firstRow
      while (reader.next()) {
        val batch = reader.get()
        (0 until batch.numRows).foreach { i =>
          f(row, batch.column(0).getUTF8String(i))
          row += 1
        }
      }
    }

  /** Returns the part file of a result as a slice. */
  private def written(result: FileGroupResult): FileSlice = FileSlice.ofBase(
    result.partition,
    result.fileId,
    facts.write.instant,
    Storage.resolve(new Path(facts.write.basePath), result.relativePath),
    result.fileBytes
  )

  private def total(
      parts: Seq[FileGroupResult],
      file: NewBaseFile,
      rows: Long,
      kept: Int
  ): FileGroupResult = parts.head.copy(
    fileName = Some(file.name.toString),
    rows = rows,
    inserts = parts.map(_.inserts).sum,
    updates = parts.map(_.updates).sum,
    deletes = parts.map(_.deletes).sum,
    movedIn = parts.map(_.movedIn).sum,
    movedOut = parts.map(_.movedOut).sum,
    replaced = parts.map(_.replaced).sum,
    fileBytes = file.length,
    rowGroups =
      parts.map(_.rowGroups).reduce(_ + _) + RowGroupCounts.none.copy(copied = kept.toLong)
  )
}

object PartsJoin {

  /** Returns the slice of a part's file group. */
  private[merge] def slice(files: FileGroupSlices, part: MergePart): FileSlice =
    files.slice(part.partition, part.number).getOrElse(
      throw new IllegalStateException(
        s"INTERNAL: file group ${part.number} of '${part.partition}' has no base file"
      )
    )
}
