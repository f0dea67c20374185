package hudilite.procedures

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.SerializableConfiguration

import hudilite.bootstrap.SkeletonLayout
import hudilite.spark.write.PendingWrite

/** Facts that the tasks of a bootstrap share. Built on the driver and serialized to tasks.
  * @param write    pending write of the skeletons; nothing is written without one
  * @param instant  of the skeletons
  * @param columns  of the first readable file, without the partition columns of the source
  * @param isGlobal whether a key must be unique in the whole table, not only in its partition
  * @param layout   of the skeletons
  * @param ranges   number of parts into which keys are split by their hashes */
private[procedures] final case class BootstrapWork(
    basePath: String,
    write: Option[PendingWrite],
    instant: String,
    columns: StructType,
    keys: SourceKeyFacts,
    isGlobal: Boolean,
    layout: SkeletonLayout,
    ranges: Int,
    conf: Broadcast[SerializableConfiguration]
)

private[procedures] object BootstrapWork {

  /** Source file and its file group.
    * @param ordinal   index among all files of the bootstrap
    * @param values    values of the partition columns
    * @param partition partition path in the table
    * @param fileId    of its file group
    * @param isAdopted whether the file is adopted; otherwise its rows are rewritten */
  final case class Item(
      ordinal: Int,
      path: String,
      length: Long,
      values: InternalRow,
      partition: String,
      fileId: String,
      isAdopted: Boolean
  )

  /** Result of the inspection of one file.
    * @param read     bytes of the footer and the key columns
    * @param nulls    for each key column, the rows in which it is null, or all key columns are null
    *                 or empty
    * @param footer   hash of the footer, "" for an unreadable file
    * @param columns  columns of the file, if they differ from those of the first file
    * @param skeleton file name and length in bytes, if a skeleton was written or measured */
  final case class Report(
      ordinal: Int,
      rows: Long,
      read: Long,
      nulls: Seq[Long],
      fault: Option[Fault],
      footer: String,
      columns: Option[StructType],
      skeleton: Option[(String, Long)]
  )

  /** Reason why a file cannot be part of the table. */
  sealed trait Fault extends Serializable {
    def text: String
  }

  /** Fault of a file that cannot be read. `skip_corrupt` leaves it out. */
  final case class Unreadable(text: String) extends Fault

  /** Fault of a file without rows. It is left out, and the call does not fail. */
  case object NoRows extends Fault {
    override def text: String = "it has no rows"
  }

  /** Fault of a file in which a key column is missing or has another type than in the first
    * file. */
  final case class NoKeyColumn(column: String, text: String) extends Fault

  /** Fault of a file that has a row without a key. */
  final case class NullKey(column: String) extends Fault {
    override def text: String = s"its key column $column is null or an empty text"
  }

  /** Fault of a file that has a value that cannot be part of a key. */
  final case class InvalidKey(column: String, text: String) extends Fault
}
