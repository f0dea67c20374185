package hudilite.io

import scala.jdk.CollectionConverters._

/** Requests of the driver to a storage, one for each of several items, such as partitions. */
private[hudilite] object Requests {

  /** Most requests that are made one after another; more are made in parallel. */
  private val mostInTurn = 8

  /** Makes the request of each item.
    * @return the answers in the order of the items */
  def of[A, B](items: Seq[A])(request: A => B): Seq[B] =
    if (items.size <= mostInTurn) items.map(request)
    else items.asJava.parallelStream().map[B](request(_)).toList.asScala.toSeq
}
