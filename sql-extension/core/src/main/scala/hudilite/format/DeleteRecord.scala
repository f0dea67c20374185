package hudilite.format

/** Deletion of a key in a log file.
  * @param key       record key
  * @param partition partition path, "" for a table without partitions, if the writer stored it
  * @param ordering  value that the deletion has in place of the row's */
final case class DeleteRecord(key: String, partition: Option[String], ordering: OrderingValue)
