package hudilite.format

/** The five columns that Hudi puts before the data columns of every base file, in their order.
  * Source: hudi-format §4.4. */
object MetaFields {
  val CommitTime = "_hoodie_commit_time"
  val CommitSeqno = "_hoodie_commit_seqno"
  val RecordKey = "_hoodie_record_key"
  val PartitionPath = "_hoodie_partition_path"
  val FileName = "_hoodie_file_name"

  val all: Seq[String] = Vector(CommitTime, CommitSeqno, RecordKey, PartitionPath, FileName)

  /** Whether a column carries one of the five names; names compare without case, as in Spark. */
  def contains(column: String): Boolean = all.exists(_.equalsIgnoreCase(column))
}
