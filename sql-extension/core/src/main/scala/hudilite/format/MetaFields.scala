package hudilite.format

/** Names of the five columns that Hudi puts before the data columns of every base file, in their
  * order.
  * Source: hudi-format §4.4. */
object MetaFields {
  val CommitTime = "_hoodie_commit_time"
  val CommitSeqno = "_hoodie_commit_seqno"
  val RecordKey = "_hoodie_record_key"
  val PartitionPath = "_hoodie_partition_path"
  val FileName = "_hoodie_file_name"

  val all: Seq[String] = Vector(CommitTime, CommitSeqno, RecordKey, PartitionPath, FileName)

  /** Whether a column has one of the five names, ignoring case as Spark does. */
  def contains(column: String): Boolean = all.exists(_.equalsIgnoreCase(column))
}
