package hudilite.spark.write

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.unsafe.types.UTF8String

import hudilite.spark.SparkSuite

class KeyBufferSuite extends SparkSuite {

  private def long(n: Int): String = n.toString.padTo(1000, 'k')

  /** Returns the keys of a buffer, read twice in a task.
    * @param mostChunks chunks of the buffer that stay in memory */
  private def kept(keys: Seq[String], mostChunks: Int): Seq[Seq[String]] =
    spark.sparkContext.parallelize(Seq(keys), 1).map(KeyBufferSuite.readTwice(_, mostChunks))
      .collect().toSeq.flatten

  test("keys beyond the chunks in memory come after those in them, also for a second time") {
    val keys = (0 until 2500).map(long)
    assert(kept(keys, mostChunks = 1) == Seq(keys, keys))
  }

  test("a short key does not pass those that have left the memory") {
    val keys = (0 until 1048).map(long) ++ Seq("a", "b")
    assert(kept(keys, mostChunks = 1) == Seq(keys, keys))
  }

  test("a key larger than a chunk is kept whole") {
    val keys = Seq("a", "b" * (2 << 20), "c")
    assert(kept(keys, mostChunks = 32) == Seq(keys, keys))
  }
}

object KeyBufferSuite {

  private def readTwice(keys: Seq[String], mostChunks: Int): Seq[Seq[String]] = {
    val buffer = new KeyBuffer(mostChunks)
    keys.foreach(key => buffer.add(UTF8String.fromString(key)))
    assert(buffer.size == keys.size)
    val found = Seq.fill(2) {
      val read = ArrayBuffer.empty[String]
      buffer.foreach(key => read += key.toString)
      read.toSeq
    }
    buffer.clear()
    found
  }
}
