package hudilite.spark.read

import org.apache.spark.sql.connector.read.PartitionReader

/** Readers one after another, each opened when the one before it is at its end. */
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
