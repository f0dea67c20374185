package hudilite.spark.merge

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.{DataType, LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import hudilite.spark.SparkSuite

class RowGroupChangesSuite extends SparkSuite {

  private val one = UnsafeProjection.create(Array[DataType](LongType))
  private val two = UnsafeProjection.create(Array[DataType](LongType, StringType))
  private val none = UnsafeProjection.create(Array.empty[DataType])

  private def text(of: String) = UTF8String.fromString(of)

  private def all(changes: RowGroupChanges): Seq[String] = {
    val found = ArrayBuffer.empty[String]
    changes.foreach(new RowGroupChanges.Visitor {
      override def update(row: Int, values: UnsafeRow): Unit =
        found += s"$row = ${if (values.numFields == 0) "" else values.getLong(0)}"
      override def delete(row: Int): Unit = found += s"$row -"
      override def insert(row: Int, key: UTF8String, values: UnsafeRow): Unit =
        found += s"$row + $key ${values.getLong(0)} ${values.getUTF8String(1)}"
    })
    found.toSeq
  }

  test("changes come back in order, also after others were cleared") {
    val changes = new RowGroupChanges
    changes.update(3, one(InternalRow(9L)))
    changes.clear()
    assert(changes.isEmpty && all(changes).isEmpty)
    changes.insert(0, text("a"), two(InternalRow(1L, text("x"))))
    changes.update(0, one(InternalRow(7L)))
    changes.delete(1)
    changes.insert(3, text(""), two(InternalRow(2L, text("y"))))
    changes.update(5, one(InternalRow(8L)))
    assert(all(changes) == Seq("0 + a 1 x", "0 = 7", "1 -", "3 +  2 y", "5 = 8"))
    assert(changes.growth == 1 && !changes.isUpdatesOnly && !changes.isAppend(3))
  }

  test("an update of no columns is no deletion") {
    val changes = new RowGroupChanges
    changes.update(0, none(InternalRow()))
    assert(all(changes) == Seq("0 = ") && changes.isUpdatesOnly)
  }

  test("rows stay as they are unless each is updated or deleted") {
    val changes = new RowGroupChanges
    changes.update(0, one(InternalRow(7L)))
    changes.insert(1, text("a"), two(InternalRow(1L, text("x"))))
    assert(changes.leaves(2) && !changes.leaves(1))
    changes.delete(1)
    assert(!changes.leaves(2) && changes.leaves(3))
  }
}
