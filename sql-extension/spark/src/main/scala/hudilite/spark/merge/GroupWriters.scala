package hudilite.spark.merge

import scala.collection.mutable.ArrayBuffer

import hudilite.view.FileSlice

/** Writers of the merged rows of one task's file groups (task side). Those of a preview count and
  * sample the rows, and write no file. */
final class GroupWriters(facts: MergeTaskFacts, files: FileGroupSlices) {
  private val sampled = ArrayBuffer.empty[SampledRow]

  /** Changed rows of the file groups that are finished, of a preview that asks for some. */
  def samples: Seq[SampledRow] = facts.sampled.fold(Seq.empty[SampledRow])(least)

  /** Returns the writer of a new log file of a slice. */
  def ofLog(slice: FileSlice, log: NewLog, output: ChangesMerge): FileGroupWriter[BaseFileRows] =
    writer(slice.partition, slice.fileId, Some(slice), toClose(log, slice), output)

  /** Returns the writer of a new base file.
    * @param previous slice that it replaces
    * @param skipping rows of the old base file, if the merge does not pass each of them */
  def ofBase[R <: BaseFileRows](
      partition: String,
      fileId: String,
      previous: Option[FileSlice],
      file: NewBaseFile,
      output: MergeOutput[R],
      skipping: Option[Long] = None
  ): FileGroupWriter[R] =
    if (facts.isPreview)
      writer(partition, fileId, previous, UnwrittenFile.of(file), new UnwrittenMerge[R](skipping))
    else writer(partition, fileId, previous, file, output)

  /** Returns what is closed when the content of a log file is complete. */
  def toClose(log: NewLog, slice: FileSlice): NewGroupFile =
    if (facts.isPreview) UnwrittenFile.of(log, slice) else log

  private def writer[R <: BaseFileRows](
      partition: String,
      fileId: String,
      previous: Option[FileSlice],
      file: NewGroupFile,
      output: MergeOutput[R]
  ) = new FileGroupWriter(facts, partition, fileId, previous, file, output,
    files.count(partition), facts.sampled.filter(_ > 0).map(sample(partition, _)))

  private def sample(partition: String, most: Int) =
    new GroupSample(
      partition,
      facts.schema,
      most,
      rows => {
        sampled ++= rows
        if (sampled.size > GroupWriters.held * most) {
          val kept = least(most)
          sampled.clear()
          sampled ++= kept
        }
      }
    )

  /** Returns the rows that may be among the first ones of all tasks. */
  private def least(most: Int) = SampledRow.first(sampled.toSeq, most)
}

private object GroupWriters {

  /** Most rows that are held in memory, for each one to return. */
  private final val held = 16
}
