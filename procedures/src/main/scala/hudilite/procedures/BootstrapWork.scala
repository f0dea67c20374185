package hudilite.procedures

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.SerializableConfiguration

import hudilite.bootstrap.SkeletonLayout
import hudilite.spark.write.PendingWrite

/** What the tasks of a bootstrap share.
  * @param write  pending write of the skeletons; without one nothing is written
  * @param instant of the skeletons
  * @param columns of the first file, without those of its folders
  * @param isGlobal whether a key may come only once in the whole table, not in a partition
  * @param layout of the skeletons
  * @param ranges number of parts that keys are split into by their hashes */
private[procedures] final case class BootstrapWork(
    table: String,
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

  /** A source file and what becomes of it.
    * @param ordinal   number among all files
    * @param values    of the partition columns
    * @param partition of the table
    * @param fileId    of its file group
    * @param isAdopted whether it stays where it is, or its rows are written anew */
  final case class Item(
      ordinal: Int,
      path: String,
      length: Long,
      values: InternalRow,
      partition: String,
      fileId: String,
      isAdopted: Boolean
  )

  /** What a task found in a file.
    * @param read     bytes that were read
    * @param nulls    rows without a value, by key column
    * @param footer   hash of the footer
    * @param columns  where they are others than the first file's
    * @param skeleton name and bytes, where one was written or measured */
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

  /** Why a file cannot be adopted. */
  sealed trait Fault extends Serializable {
    def text: String
  }

  /** It cannot be read; one that can be left out on demand. */
  final case class Unreadable(text: String) extends Fault

  /** There is nothing to adopt; it is left out. */
  case object NoRows extends Fault {
    override def text: String = "it has no rows"
  }

  /** A key column is not there, or of another type. */
  final case class NoKeyColumn(column: String, text: String) extends Fault

  /** A row has no key. */
  final case class NullKey(column: String) extends Fault {
    override def text: String = s"its key column $column is null or an empty text"
  }

  /** A value cannot be part of a key. */
  final case class InvalidKey(column: String, text: String) extends Fault
}
