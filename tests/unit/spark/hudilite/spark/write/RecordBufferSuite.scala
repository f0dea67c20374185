package hudilite.spark.write

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.unsafe.types.UTF8String

import hudilite.spark.SparkSuite

class RecordBufferSuite extends SparkSuite {

  private def long(n: Int): String = n.toString.padTo(1000, 'k')

  /** Returns the texts of a buffer that had others before, read twice in a task.
    * @param mostChunks arrays of the buffer that stay in memory */
  private def kept(texts: Seq[String], mostChunks: Int): Seq[Seq[String]] =
    spark.sparkContext.parallelize(Seq(texts), 1).map(RecordBufferSuite.readTwice(_, mostChunks))
      .collect().toSeq.flatten

  test("records beyond the arrays in memory come after those in them, also for a second time") {
    val texts = (0 until 700).map(long)
    assert(kept(texts, mostChunks = 1) == Seq(texts, texts))
    assert(kept(texts, mostChunks = 2) == Seq(texts, texts))
    assert(kept(texts, mostChunks = 9) == Seq(texts, texts))
  }

  test("a short record does not pass those that have left the memory") {
    val texts = (0 until 260).map(long) ++ Seq("a", "", "b")
    assert(kept(texts, mostChunks = 1) == Seq(texts, texts))
  }

  test("a record larger than an array is kept whole, and in its place") {
    val texts = Seq("a", "b" * (2 << 20), "c")
    assert(kept(texts, mostChunks = 32) == Seq(texts, texts))
  }
}

object RecordBufferSuite {

  private def readTwice(texts: Seq[String], mostChunks: Int): Seq[Seq[String]] = {
    val buffer = new RecordBuffer(mostChunks)
    add(buffer, texts.reverse)
    buffer.clear()
    assert(buffer.size == 0 && !buffer.records.next())
    add(buffer, texts)
    assert(buffer.size == texts.size)
    val found = Seq.fill(2) {
      val read = ArrayBuffer.empty[String]
      val records = buffer.records
      while (records.next()) {
        assert(records.number == read.size)
        read += records.text.toString
      }
      read.toSeq
    }
    buffer.clear()
    found
  }

  private def add(buffer: RecordBuffer, texts: Seq[String]): Unit =
    texts.zipWithIndex.foreach { case (text, i) => buffer.add(i, UTF8String.fromString(text)) }
}
