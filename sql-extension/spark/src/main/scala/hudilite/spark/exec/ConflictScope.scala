package hudilite.spark.exec

import hudilite.spark.merge.FileGroupResult
import hudilite.timeline.FileGroupRef

/** References to file groups and buckets that a statement checks against other writers' commits, by
  * what it has read (driver side).
  *
  * @param hasBuckets      whether the table has buckets
  * @param isJoined        whether the source was joined with the table first
  * @param seeksEverywhere whether the key of a row is looked up in every partition
  */
final class ConflictScope(hasBuckets: Boolean, isJoined: Boolean, seeksEverywhere: Boolean) {

  /** Returns the references for a file group that was read. In a table without buckets, inserted
    * rows add one for the keys that are absent from the partition. */
  def of(result: FileGroupResult): Seq[FileGroupRef] =
    if (hasBuckets) Seq(FileGroupRef.bucket(result.partition, result.bucket))
    else
      FileGroupRef(result.partition, result.fileId) +:
        Option.when(result.inserts > 0)(FileGroupRef.absentKeys(Some(result.partition))).toSeq

  /** Returns where the keys of inserted rows were looked up and not found, for a statement that
    * would have matched them in any partition. */
  def absent(results: Seq[FileGroupResult]): Set[FileGroupRef] = {
    val inserting = results.filter(_.inserts > 0)
    if (hasBuckets && seeksEverywhere) inserting.map(r => FileGroupRef.everywhere(r.bucket)).toSet
    else if (!hasBuckets && isJoined) inserting.map(_ => FileGroupRef.absentKeys(None)).toSet
    else Set.empty
  }
}

object ConflictScope {

  /** Returns that of a statement. */
  def of(statement: WriteStatement): ConflictScope = new ConflictScope(
    statement.hasBuckets,
    statement.spec.joined.nonEmpty,
    statement.spansPartitions || statement.table.config.seeksEverywhere
  )
}
