package hudilite.spark.read

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.types.DataType

import hudilite.format.MergeOrder

/** State of each key in the log files of one file slice (task side). Rows and deletes are added in the
  * order in which they were written; then the base rows of their keys are asked for.
  * @param rule  which of two rows of a key stays
  * @param types types of the ordering fields
  * Source: merge-on-read §4.1-4.6. */
private[read] final class LogFold(rule: MergeOrder.Named, types: Seq[DataType]) {
  import LogFold._

  private val states = ArrayBuffer.empty[State]
  private val orderings = types.map(TypeUtils.getInterpretedOrdering).toArray

  /** Whether rows are compared by ordering values; otherwise the one written last stays. */
  val comparesValues: Boolean = rule == MergeOrder.EventTime && types.nonEmpty

  /** Number of keys. */
  def size: Int = states.size

  /** Adds a row of a data block.
    * @param key       number of its key; the next one if the key is new
    * @param ordering  values of the ordering fields; none in commit time
    * @param block     number of its block
    * @param row       number of the row in its block
    * @param isPartial whether the row has only some columns; the others are those of the row of its key
    *                  that it wins over */
  def add(
      key: Int,
      ordering: Array[Any],
      block: Int,
      row: Int,
      isPartial: Boolean = false
  ): Unit = {
    val wins = isAfter(key, ordering)
    def added(below: List[Layer]) = State(block, row, isPartial, below, ordering)
    if (wins && !isPartial) put(key, added(Nil))
    else
      stateOf(key).filterNot(_.isDelete) match {
        case Some(e) if wins => put(key, added(e.layers))
        case Some(e) if e.isOpen =>
          put(key, e.copy(below = e.below :+ Layer(block, row, isPartial)))
        case None if wins => put(key, added(Nil))
        case _ => ()
      }
  }

  /** Adds a row of a data block that says that it is deleted. Arguments as of [[add]]. */
  def addDeleted(key: Int, ordering: Array[Any]): Unit =
    if (isAfter(key, ordering)) putDeletion(key, if (comparesValues) ordering else plain)

  /** Adds a record of a delete block.
    * @param key      number of its key, as of [[add]]
    * @param ordering values of the ordering fields; None for a delete in commit time, which wins over
    *                 all rows before it, and stays if another delete comes after it */
  def delete(key: Int, ordering: Option[Array[Any]]): Unit = {
    val after = ordering.filter(_ => comparesValues)
    val stays = after.exists { mine =>
      stateOf(key).exists(e => e.isPlainDelete || compare(e.ordering, mine) > 0)
    }
    if (!stays) putDeletion(key, after.getOrElse(plain))
  }

  private def putDeletion(key: Int, ordering: Array[Any]): Unit =
    put(key, State(none, none, isPartial = false, Nil, ordering))

  private def isAfter(key: Int, ordering: Array[Any]): Boolean = !comparesValues ||
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

  /** Whether the base has a row in the place of what the log files have for a key, as far as base rows were
    * asked for. */
  def isBeaten(key: Int): Boolean = states(key).isBeaten

  /** Takes the base row of a key, which does not stay, if partial updates of it changed only other columns:
    * the row that is put together comes in its place, and is no row of the log files any more.
    * @return the rows of blocks that it has columns of, see [[partialRows]]; none if the base row is not
    *         needed */
  def takeBase(key: Int): List[Layer] = {
    val state = states(key)
    if (state.isOpen) {
      state.isBeaten = true
      state.layers
    } else Nil
  }

  /** Returns the rows of blocks that have columns of the row of a key, if none has all of them and the base
    * had no row for it so far; otherwise none. */
  def withoutBase(key: Int): List[Layer] = {
    val state = states(key)
    if (state.isOpen && !state.isBeaten) state.layers else Nil
  }

  /** Returns the rows of each block that are in the result, in the order of the block, but for partial
    * ones. Base rows that are asked for later may still win, see [[isBeaten]]. */
  def rowsByBlock(): Map[Int, Array[Int]] = byBlock(
    states.iterator.filter(s => !s.isDelete && !s.isPartial && !s.isBeaten)
      .map(s => s.block -> s.row)
  )

  /** Returns for each row in the result that is put together the rows of blocks that it has columns of: a
    * column is that of the first one that has it. */
  def partialRows: Iterator[List[Layer]] =
    states.iterator.filter(state => state.isPartial && !state.isBeaten).map(_.layers)

  /** Returns the whole rows of each block that have columns of [[partialRows]], in the order of the
    * block. */
  def wholeBelow(): Map[Int, Array[Int]] = byBlock(
    partialRows.flatMap(_.lastOption).filterNot(_.isPartial).map(of => of.block -> of.row)
  )

  private def byBlock(rows: Iterator[(Int, Int)]): Map[Int, Array[Int]] =
    rows.toArray.groupMap(_._1)(_._2).map { case (block, of) => block -> of.sorted }

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

  /** Row of a data block of which columns are in a row of the result.
    * @param block     number of the block
    * @param row       number of the row in the block
    * @param isPartial whether the row has only some columns */
  final case class Layer(block: Int, row: Int, isPartial: Boolean)

  /** State of a key in the log files: its last row or deletion.
    * @param block     number of the row's block, -1 for a delete
    * @param isPartial whether the row has only some columns
    * @param below     rows that have the columns which it does not have; all but the last are partial
    * @param ordering  values of the ordering fields; empty for a delete in commit time
    * @param isBeaten  whether a row of the base is in its place */
  private final case class State(
      block: Int,
      row: Int,
      isPartial: Boolean,
      below: List[Layer],
      ordering: Array[Any],
      var isBeaten: Boolean = false
  ) {
    def isDelete: Boolean = block == none
    def isPlainDelete: Boolean = isDelete && ordering.isEmpty
    def layers: List[Layer] = Layer(block, row, isPartial) :: below

    /** Whether no row has all columns. */
    def isOpen: Boolean = below.lastOption.fold(isPartial)(_.isPartial)
  }
}
