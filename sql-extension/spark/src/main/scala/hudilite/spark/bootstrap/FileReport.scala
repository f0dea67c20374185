package hudilite.spark.bootstrap

import org.apache.spark.sql.types.StructType

/** Result of the inspection of one source file.
  * @param read     bytes of the footer and the key columns
  * @param nulls    for each key column, the rows in which it is null, or all key columns are null
  *                 or empty
  * @param footer   hash of the footer, "" for an unreadable file
  * @param columns  columns of the file, if they differ from those of the first file
  * @param skeleton file name and length in bytes, if a skeleton was written or measured */
final case class FileReport(
    ordinal: Int,
    rows: Long,
    read: Long,
    nulls: Seq[Long],
    fault: Option[FileFault],
    footer: String,
    columns: Option[StructType],
    skeleton: Option[(String, Long)]
)
