package hudilite.spark.merge

import org.apache.hadoop.fs.Path
import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.types.UTF8String

import hudilite.io.Storage
import hudilite.spark.write.TaskAttempt

/** Merge of one part of a large file group into a part file, which [[PartsJoin]] reads (task side).
  * The part file contains only row groups that change.
  *
  * @param number number of the task among all tasks of the statement that write rows */
final class PartMergeTask(
    facts: MergeTaskFacts,
    context: TaskContext,
    part: MergePart,
    number: Int
) {
  private val conf = facts.shared.value.conf.value
  private val storage = Storage.of(new Path(facts.write.basePath), conf)
  private val attempt = new TaskAttempt(context, number)
  private val files = new FileGroupSlices(facts)
  private val violations = new KeyViolations(facts.write.table)
  private val clauses = CompiledMergeClauses.ofPatches(facts, attempt.partition)

  /** Merges the part.
    * @param source tagged source rows of the part, in the order of their keys
    * @return result with the name of the part file, which is absent if nothing changes; counts of
    *         the task */
  def run(source: Iterator[UnsafeRow]): (FileGroupResult, TaskCounts) = {
    val tally = new TaskReadCounter
    val rows = source.map { row =>
      tally.take(row)
      row
    }
    val latest = LatestRowsByKey.of(facts).fold[Iterator[UnsafeRow]](rows)(_(rows))
    val file = OldBaseFile.open(PartsJoin.slice(files, part), conf)
    val result =
      try merge(file.part(part.from, part.until), KeyOrderedRows.ofTagged(latest), tally)
      finally file.close()
    violations.raise()
    (result, tally.counts)
  }

  private def merge(
      old: OldBaseFile,
      rows: KeyOrderedRows,
      tally: TaskReadCounter
  ): FileGroupResult = {
    val contents = new PartContents
    val (partition, fileId) = (part.partition, old.slice.fileId)
    val file = new NewBaseFile(facts, storage, conf, attempt, partition, fileId,
      isFirst = false, contents)
    val output = new RowGroupMerge(facts, old, None, file, Some(contents))
    val out = new FileGroupWriter(facts, partition, fileId, Some(old.slice), file, output,
      files.count(partition))
    val merge = new FileGroupMerge(clauses, violations, UTF8String.fromString(partition),
      insertsInline = true, tally)
    val seekable = SeekableBaseFileRows.of(facts, old, isVisit = !rows.hasRow, () => ())
    try merge.seek(seekable, rows, KeyOrderedRows.none, out)
    finally seekable.close()
    out.finish()
  }
}
