package hudilite.spark.bootstrap

import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.parquet.io.OutputFile
import org.apache.spark.unsafe.types.UTF8String

import hudilite.bootstrap.{RawKeys, SizedFile, SkeletonFacts, SkeletonWriter}
import hudilite.format.BaseFileName
import hudilite.io.{NewFile, Storage}
import hudilite.spark.write.{NewDataFile, TaskAttempt}

/** Skeleton of one source file while it is written. Runs in a task. Without a pending write nothing
  * is written and only its length is computed. Nothing is created before `open`.
  * @param source  the source file
  * @param storage storage of the table; used only with a pending write
  * @param rows    rows of the source file
  * @param groups  row groups of the source file that have rows
  * @param stored  returns the keys of a row group as the source file stores them, if they can be
  *                copied */
final class SkeletonFile(
    facts: SkeletonTaskFacts,
    source: PlacedFile,
    storage: => Storage,
    attempt: TaskAttempt,
    rows: Long,
    groups: Seq[BlockMetaData]
)(stored: BlockMetaData => Option[RawKeys]) {
  val name: String = BaseFileName(source.fileId, attempt.writeToken, facts.instant).text

  private val measured = new SizedFile
  private val file = facts.write.map { write =>
    val (partition, fileId) = (source.partition, source.fileId)
    new NewDataFile(write, storage, attempt, partition, fileId, isFirst = true)(path =>
      writerTo(new NewFile(path, facts.conf.value.value))
    )
  }
  private lazy val writer = file.fold(writerTo(measured))(_.writer)
  private val groupsLeft = groups.iterator
  private var rowsLeft = 0L // of the current row group

  /** Creates the marker and the file. */
  def open(): Unit = writer: Unit

  /** Adds the key of the next row. */
  def add(key: UTF8String): Unit = {
    if (rowsLeft == 0) {
      val group = groupsLeft.next()
      rowsLeft = group.getRowCount
      writer.startGroup(rowsLeft, stored(group))
    }
    writer.add(key)
    rowsLeft -= 1
    if (rowsLeft == 0) writer.endGroup()
  }

  /** Completes the file. Returns it if it was written. */
  def close(): Option[NewDataFile.Closed] = {
    if (file.isEmpty) writer.close()
    file.map(_.close())
  }

  /** Length in bytes of the complete file. */
  def length: Long = file.fold(measured.bytes)(_.length)

  /** Gives the file up, whether it was written or measured. */
  def abandon(): Unit = file.fold(writer.abandon())(_.abandon())

  private def writerTo(target: OutputFile) = new SkeletonWriter(
    target,
    facts.conf.value.value,
    facts.layout,
    SkeletonFacts(facts.instant, source.ordinal, source.partition, name),
    rows
  )
}
