package hudilite.spark.exec

import hudilite.format.BucketCounts
import hudilite.spark.merge.FileGroupResult
import hudilite.timeline.FileGroupRef

/** References to file groups and buckets that a statement checks against other writers' commits, by
  * what it has read (driver side).
  *
  * @param counts          numbers of buckets of the table, if it has buckets
  * @param isJoined        whether the source was joined with the table first
  * @param seeksEverywhere whether the key of a row is looked up in every partition
  */
final class ConflictScope(
    counts: Option[BucketCounts],
    isJoined: Boolean,
    seeksEverywhere: Boolean
) {

  /** Returns the references for a file group that was read. In a table without buckets, inserted
    * rows add one for the keys that are absent from the partition. A new file group refers to all
    * buckets that may have its keys, because another write may put them into one of these. */
  def of(result: FileGroupResult): Seq[FileGroupRef] = counts match {
    case Some(of) =>
      val isNew = result.prevCommit.isEmpty
      (if (isNew) of.overlapping(result.bucket) else Seq(result.bucket))
        .map(FileGroupRef.bucket(result.partition, _))
    case None =>
      FileGroupRef(result.partition, result.fileId) +:
        Option.when(result.inserts > 0)(FileGroupRef.absentKeys(Some(result.partition))).toSeq
  }

  /** Returns where the keys of inserted rows were looked up and not found, for a statement that
    * would have matched them in any partition. */
  def absent(results: Seq[FileGroupResult]): Set[FileGroupRef] = {
    val inserting = results.filter(_.inserts > 0)
    counts match {
      case Some(of) if seeksEverywhere =>
        inserting.flatMap(r => of.overlapping(r.bucket)).distinct.map(FileGroupRef.everywhere).toSet
      case None if isJoined => inserting.map(_ => FileGroupRef.absentKeys(None)).toSet
      case _ => Set.empty
    }
  }
}

object ConflictScope {

  /** Returns that of a statement. */
  def of(statement: WriteStatement): ConflictScope = new ConflictScope(
    statement.counts,
    statement.spec.joined.nonEmpty,
    statement.spansPartitions || statement.table.config.seeksEverywhere
  )
}
