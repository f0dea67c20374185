package hudilite.spark.read

import org.apache.spark.sql.types.{IntegerType, LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import hudilite.format.{MergeOrder, OrderingValue}

/** Which state of a key log files leave, and whether the base row stays. Source: merge-on-read §4. */
class LogFoldSuite extends AnyFunSuite {
  private val key = 0
  private def ts(value: Long): Array[Any] = Array[Any](value)

  private def eventTime(steps: (LogFold => Unit)*): LogFold = {
    val fold = new LogFold(MergeOrder.EventTime, Seq(LongType))
    steps.foreach(_(fold))
    fold
  }
  private def commitTime(steps: (LogFold => Unit)*): LogFold = {
    val fold = new LogFold(MergeOrder.CommitTime, Seq.empty)
    steps.foreach(_(fold))
    fold
  }
  private def row(value: Long, block: Int): LogFold => Unit = _.add(key, ts(value), block, 0)
  private def delete(value: Option[Long]): LogFold => Unit = _.delete(key, value.map(ts))

  /** Returns whether the base row with an ordering value stays, and the blocks with rows. */
  private def result(fold: LogFold, base: Long): (Boolean, Set[Int]) =
    (fold.size == 0 || fold.staysInBase(key, ts(base))) -> fold.rowsByBlock().keySet

  test("commit time: the last row or deletion stays") {
    assert(result(commitTime(row(5, 0), row(1, 1)), 9) == (false -> Set(1)))
    assert(result(commitTime(row(5, 0), delete(None)), 9) == (false -> Set.empty))
    assert(result(commitTime(row(5, 0), delete(Some(1))), 9) == (false -> Set.empty))
    assert(result(commitTime(delete(None), row(1, 1)), 9) == (false -> Set(1)))
    assert(result(commitTime(), 9) == (true -> Set.empty))
  }

  test("event time: the greatest ordering value stays, of equal ones the last") {
    assert(result(eventTime(row(5, 0), row(4, 1)), 5) == (false -> Set(0)))
    assert(result(eventTime(row(5, 0), row(5, 1)), 4) == (false -> Set(1)))
    assert(result(eventTime(row(5, 0)), 6) == (true -> Set.empty))
  }

  test("event time: a deletion without a value wins, one with a value is compared") {
    assert(result(eventTime(row(5, 0), delete(None)), 9) == (false -> Set.empty))
    assert(result(eventTime(delete(None), row(1, 0)), 0) == (false -> Set(0)))
    assert(result(eventTime(row(5, 0), delete(Some(4))), 3) == (false -> Set(0)))
    assert(result(eventTime(row(5, 0), delete(Some(5))), 3) == (false -> Set.empty))
    assert(result(eventTime(delete(Some(5)), row(4, 0)), 3) == (false -> Set.empty))
    assert(result(eventTime(delete(Some(5))), 6) == (true -> Set.empty))
  }

  // As stock Hudi answers.
  test("event time: a deletion without a value stays if one with a value comes after it") {
    assert(result(eventTime(delete(None), delete(Some(5))), 9) == (false -> Set.empty))
    assert(result(eventTime(delete(None), _.addDeleted(key, ts(5))), 9) == (true -> Set.empty))
  }

  // As stock Hudi answers: no record of a log says that the base row is gone.
  test("event time: a row after a deletion loses to a greater base row") {
    assert(result(eventTime(delete(None), row(5, 0)), 10) == (true -> Set.empty))
  }

  test("rows of a block are in their order, and a marked row deletes") {
    val fold = commitTime()
    (0 until 100).foreach(key => fold.add(key, Array.empty, (99 - key) % 2, 99 - key))
    fold.addDeleted(95, Array.empty)
    val rows = fold.rowsByBlock()
    assert(
      rows(1).toSeq == (1 until 100 by 2) && rows(0).toSeq == (0 until 100 by 2).filter(_ != 4)
    )
    assert(fold.size == 100)
  }

  private def partial(value: Long, block: Int): LogFold => Unit =
    _.add(key, ts(value), block, 0, isPartial = true)

  /** Returns the blocks of which the row of the key has columns, and whether it has some of the base. */
  private def layers(fold: LogFold): (Seq[Int], Boolean) =
    fold.partialRows.flatMap(_.map(_.block)).toSeq -> fold.takeBase(key).nonEmpty

  test("partial rows are laid over what is there, down to a row with all columns") {
    assert(layers(commitTime(partial(0, 0))) == (Seq(0) -> true))
    assert(layers(commitTime(partial(0, 0), partial(0, 1))) == (Seq(1, 0) -> true))
    val overWhole = commitTime(partial(0, 0), row(0, 1), partial(0, 2), partial(0, 3))
    assert(layers(overWhole) == (Seq(3, 2, 1) -> false))
    assert(overWhole.wholeBelow().view.mapValues(_.toSeq).toMap == Map(1 -> Seq(0)))
    assert(overWhole.rowsByBlock().isEmpty && !overWhole.staysInBase(key, ts(9)))
    val under = commitTime(partial(0, 0), row(0, 1))
    assert(layers(under) == (Nil -> false) && under.rowsByBlock().keySet == Set(1))
    assert(under.wholeBelow().isEmpty)
    assert(layers(commitTime(partial(0, 0), delete(None))) == (Nil -> false))
  }

  // As stock Hudi answers: its MERGE writes such a block if it read the table before the deletion.
  test("a partial row after a deletion is laid over the base row") {
    assert(layers(commitTime(delete(None), partial(0, 0))) == (Seq(0) -> true))
    assert(layers(eventTime(delete(None), partial(1, 0))) == (Seq(0) -> true))
    assert(layers(eventTime(delete(Some(2)), partial(1, 0))) == (Nil -> false))
  }

  test("event time: a partial row with a lower value is laid under the others") {
    assert(layers(eventTime(partial(5, 0), partial(4, 1))) == (Seq(0, 1) -> true))
    assert(layers(eventTime(partial(5, 0), partial(4, 1), partial(5, 2))) == (Seq(2, 0, 1) -> true))
    // Each row is compared with what those before it have left.
    assert(layers(eventTime(partial(5, 0), partial(3, 1), partial(4, 2))) == (Seq(0, 1, 2) -> true))
    assert(layers(eventTime(partial(5, 0), row(4, 1), partial(3, 2))) == (Seq(0, 1) -> false))
    assert(layers(eventTime(row(5, 0), partial(4, 1))) == (Nil -> false))
    val taken = eventTime(partial(5, 0))
    assert(!taken.staysInBase(key, ts(5)) && taken.takeBase(key).nonEmpty && taken.isBeaten(key))
    assert(taken.partialRows.isEmpty && taken.takeBase(key).nonEmpty)
    val beaten = eventTime(partial(5, 0))
    assert(beaten.staysInBase(key, ts(6)) && beaten.partialRows.isEmpty)
    assert(!eventTime(partial(5, 0), partial(4, 1)).staysInBase(key, ts(5)))
  }

  test("values of deletions are Spark's values of the ordering fields, else they are none") {
    def values(value: OrderingValue) = OrderingValues.of(value, Seq(LongType)).map(_.toSeq)
    assert(values(OrderingValue.OfLong(5)).contains(Seq(5L)))
    assert(values(OrderingValue.OfInt(5)).isEmpty && values(OrderingValue.CommitTime).isEmpty)
    val both = OrderingValue.OfSeveral(
      Vector(Some(OrderingValue.OfInt(1)), Some(OrderingValue.OfString("b")))
    )
    assert(OrderingValues.of(both, Seq(IntegerType, StringType)).map(_.toSeq)
      .contains(Seq[Any](1, UTF8String.fromString("b"))))
    assert(OrderingValues.of(both, Seq(IntegerType)).isEmpty)
  }
}
