package hudilite.spark.bootstrap

import org.apache.spark.sql.catalyst.InternalRow

/** Source file and its place in the new table.
  * @param ordinal   index among all files of the bootstrap
  * @param values    values of the partition columns
  * @param partition partition path in the table
  * @param fileId    id of its file group
  * @param isAdopted whether the file is adopted; otherwise its rows are rewritten */
final case class PlacedFile(
    ordinal: Int,
    path: String,
    length: Long,
    values: InternalRow,
    partition: String,
    fileId: String,
    isAdopted: Boolean
)
