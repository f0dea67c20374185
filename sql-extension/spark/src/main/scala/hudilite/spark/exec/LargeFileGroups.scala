package hudilite.spark.exec

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import hudilite.spark.merge.{
  FileGroupResult,
  MergePart,
  MergeResult,
  MergeTaskFacts,
  PartMergeTask,
  PartsJoin,
  TaskCounts
}

/** Merge of file groups that are too large for one task (driver side; starts jobs).
  *
  * The tasks of a first job each merge one part, a range of the base file's row groups, into a part
  * file. In a second job, one task for each file group copies the row groups of the parts and those
  * that stay as they are into the new base file. A part file is a base file of the instant that does
  * not count, like one of a lost task attempt: the write deletes it before its commit, and a
  * rollback finds it by its marker. */
final class LargeFileGroups(source: TaggedSource, facts: MergeTaskFacts) {
  import LargeFileGroups.Merged

  /** @param parts of all large file groups */
  def merge(parts: Seq[MergePart]): MergeResult = {
    val merged = mergeParts(parts.toIndexedSeq)
    val byFileGroup = merged.groupBy { case (part, _, _) => (part.partition, part.number) }.values
      .map(_.sortBy(_._1.from))
      .toSeq
    val (changed, unchanged) = byFileGroup.partition(_.exists(_._2.fileName.nonEmpty))
    val joined = join(changed)
    MergeResult(
      unchanged.map(_.head._2) ++ joined.map(_._1),
      (merged.map(_._3) ++ joined.map(_._2)).foldLeft(TaskCounts.none)(_ + _)
    )
  }

  private def mergeParts(parts: IndexedSeq[MergePart]): Seq[Merged] = {
    val (facts, sort) = (this.facts, source.sort)
    val earlier = source.rows.getNumPartitions
    new PartRows(source.rows, parts)
      .mapPartitionsWithIndex { (i, rows) =>
        val sorted = sort(rows).map(_.asInstanceOf[UnsafeRow])
        val task = new PartMergeTask(facts, TaskContext.get(), parts(i), earlier + i)
        Iterator.single(task.run(sorted))
      }
      .collect()
      .toSeq
      .zip(parts)
      .map { case ((result, counts), part) => (part, result, counts) }
  }

  private def join(fileGroups: Seq[Seq[Merged]]): Seq[(FileGroupResult, TaskCounts)] =
    if (fileGroups.isEmpty) Nil
    else {
      val facts = this.facts
      source.rows.sparkContext
        .parallelize(fileGroups, fileGroups.size)
        .map { parts =>
          new PartsJoin(facts, TaskContext.get()).join(parts.map { case (p, r, _) => (p, r) })
        }
        .collect()
        .toSeq
    }
}

private object LargeFileGroups {

  /** A part with its result. */
  type Merged = (MergePart, FileGroupResult, TaskCounts)
}
