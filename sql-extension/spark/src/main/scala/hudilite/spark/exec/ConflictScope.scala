package hudilite.spark.exec

import hudilite.timeline.FileGroupRef

/** What other writers' commits are held against, by what a statement has looked into (driver side).
  *
  * @param hasBuckets      whether keys have buckets
  * @param isJoined        whether the source was joined with the table first
  * @param seeksEverywhere whether the key of a row is looked for in every partition
  */
final class ConflictScope(hasBuckets: Boolean, isJoined: Boolean, seeksEverywhere: Boolean) {

  /** What a file group that was looked into stands for, and new keys beside it. */
  def of(result: FileResult): Seq[FileGroupRef] =
    if (hasBuckets) Seq(FileGroupRef.bucket(result.partition, result.bucket))
    else
      FileGroupRef(result.partition, result.fileId) +:
        Option.when(result.inserts > 0)(FileGroupRef.absentKeys(Some(result.partition))).toSeq

  /** Where the key of an inserted row was looked for and not found, by a statement that would have
    * matched it in any partition. */
  def absent(results: Seq[FileResult]): Set[FileGroupRef] = {
    val inserting = results.filter(_.inserts > 0)
    if (hasBuckets && seeksEverywhere) inserting.map(r => FileGroupRef.everywhere(r.bucket)).toSet
    else if (!hasBuckets && isJoined) inserting.map(_ => FileGroupRef.absentKeys(None)).toSet
    else Set.empty
  }
}
