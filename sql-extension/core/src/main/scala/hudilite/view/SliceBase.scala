package hudilite.view

import org.apache.hadoop.fs.Path

/** Base of a file slice: the rows to which its log files apply. */
sealed trait SliceBase extends Product with Serializable {

  /** Size in bytes of the base file or skeleton; 0 without one. */
  def length: Long
}

object SliceBase {

  /** No base file; all rows are in log files. */
  case object NoBase extends SliceBase {
    override def length: Long = 0L
  }

  /** Base with a Parquet file in the table. */
  sealed trait Stored extends SliceBase with StoredFile {

    /** File with the data columns. */
    def data: StoredFile
  }

  /** Base file with all columns. */
  final case class BaseFile(path: Path, length: Long) extends Stored {
    override def data: StoredFile = this
  }

  /** File with the meta columns of a bootstrapped file group.
    * @param source bootstrap source file with the other columns of the same rows */
  final case class Skeleton(path: Path, length: Long, source: SourceFile) extends Stored {
    override def data: StoredFile = source
  }
}
