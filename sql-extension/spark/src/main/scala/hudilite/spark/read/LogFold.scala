package hudilite.spark.read

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.types.DataType

import hudilite.format.MergeOrder

/** State of each key in the log files of one file slice (task side). Rows and deletes are added in the
  * order in which they were written; then the base rows of their keys are asked for.
  * @param rule  which of two rows of a key stays
  * @param types types of the ordering fields
  * Source: merge-on-read §4.1-4.5. */
private[read] final class LogFold(rule: MergeOrder.Named, types: Seq[DataType]) {
  import LogFold._

  private val states = ArrayBuffer.empty[State]
  private val orderings = types.map(TypeUtils.getInterpretedOrdering).toArray

  /** Whether rows are compared by ordering values; otherwise the one written last stays. */
  val comparesValues: Boolean = rule == MergeOrder.EventTime && types.nonEmpty

  /** Number of keys. */
  def size: Int = states.size

  /** Adds a row of a data block.
    * @param key      number of its key; the next one if the key is new
    * @param ordering values of the ordering fields; none in commit time
    * @param block    number of its block
    * @param row      number of the row in its block */
  def add(key: Int, ordering: Array[Any], block: Int, row: Int): Unit =
    if (wins(key, ordering)) put(key, State(block, row, ordering))

  /** Adds a row of a data block that says that it is deleted. Arguments as of [[add]]. */
  def addDeleted(key: Int, ordering: Array[Any]): Unit =
    delete(key, if (comparesValues) Some(ordering) else None)

  /** Adds a record of a delete block.
    * @param key      number of its key, as of [[add]]
    * @param ordering values of the ordering fields; None for a delete in commit time, which wins over
    *                 all rows before it */
  def delete(key: Int, ordering: Option[Array[Any]]): Unit = {
    val after = ordering.filter(_ => comparesValues)
    val stays = after.exists { mine =>
      stateOf(key).exists(e => !e.isPlainDelete && compare(e.ordering, mine) > 0)
    }
    if (!stays) put(key, State(none, none, after.getOrElse(plain)))
  }

  private def wins(key: Int, ordering: Array[Any]): Boolean = !comparesValues ||
    stateOf(key).forall(e => e.isPlainDelete || compare(ordering, e.ordering) >= 0)

  private def stateOf(key: Int): Option[State] = Option.when(key < states.size)(states(key))

  private def put(key: Int, state: State): Unit =
    if (key == states.size) states += state: Unit else states(key) = state

  /** Decides about the base row of a key, and remembers if it wins.
    * @param key      number of its key, which the log files have
    * @param ordering returns its ordering values
    * @return whether the base row stays, and not what the log files have for its key */
  def staysInBase(key: Int, ordering: => Array[Any]): Boolean = comparesValues && {
    val state = states(key)
    val stays = !state.isPlainDelete && compare(state.ordering, ordering) < 0
    if (stays) state.isBeaten = true
    stays
  }

  /** Whether the base row of a key stays, as far as base rows were asked for. */
  def isBeaten(key: Int): Boolean = states(key).isBeaten

  /** Returns the rows of each block that are in the result, in the order of the block. Base rows that are
    * asked for later may still win, see [[isBeaten]]. */
  def rowsByBlock(): Map[Int, Array[Int]] =
    states.iterator.filter(state => state.block != none && !state.isBeaten).toArray
      .groupBy(_.block)
      .map { case (block, of) => block -> of.map(_.row).sorted }

  /** Compares ordering values of a log file with others. NULL, which only a base may have, is the smallest
    * one. */
  private def compare(one: Array[Any], other: Array[Any]): Int =
    orderings.indices.iterator
      .map(i => Option(other(i)).fold(1)(orderings(i).compare(one(i), _)))
      .find(_ != 0).getOrElse(0)
}

private[read] object LogFold {
  private val none = -1
  private val plain = Array.empty[Any]

  /** State of a key in the log files: its last row or deletion.
    * @param block    number of the row's block, -1 for a delete
    * @param ordering values of the ordering fields; empty for a delete in commit time
    * @param isBeaten whether the base row has greater ordering values */
  private final case class State(
      block: Int,
      row: Int,
      ordering: Array[Any],
      var isBeaten: Boolean = false
  ) {
    def isPlainDelete: Boolean = block == none && ordering.isEmpty
  }
}
