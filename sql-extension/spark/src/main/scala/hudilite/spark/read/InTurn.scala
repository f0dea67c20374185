package hudilite.spark.read

import org.apache.spark.sql.connector.read.PartitionReader

/** Reader that concatenates several readers, and opens each one when the previous one ends. */
private[read] final class InTurn[T](readers: Iterator[PartitionReader[T]])
    extends PartitionReader[T] {
  private var current = Option.empty[PartitionReader[T]]

  override def next(): Boolean = {
    var more = current.exists(_.next())
    while (!more && readers.hasNext) {
      close()
      current = Some(readers.next())
      more = current.exists(_.next())
    }
    more
  }
  override def get(): T = current.map(_.get()).getOrElse(throw new NoSuchElementException)
  override def close(): Unit = current.foreach(_.close())
}
