package hudilite.io

import java.io.{ByteArrayInputStream, EOFException}
import java.nio.ByteBuffer

import scala.collection.mutable.ArrayBuffer
import scala.util.Random

import org.apache.hadoop.fs.Path
import org.apache.parquet.io.{DelegatingSeekableInputStream, SeekableInputStream}
import org.scalatest.funsuite.AnyFunSuite

/** Inputs that read a file with few requests. */
class FewReadsSuite extends AnyFunSuite {
  private val remote = new Path("s3a://bucket/t/file.parquet")

  /** Bytes of a file, which records the first and last position of each read. */
  private final class Source(bytes: Array[Byte], reads: ArrayBuffer[(Long, Long)])
      extends ByteArrayInputStream(bytes) {
    def position: Long = pos.toLong
    def seek(to: Long): Unit = pos = to.toInt
    override def read(to: Array[Byte], offset: Int, count: Int): Int = {
      val from = position
      val read = super.read(to, offset, count)
      reads += ((from, position))
      read
    }
  }

  private final class Recorded(bytes: Array[Byte]) {
    val reads: ArrayBuffer[(Long, Long)] = ArrayBuffer.empty[(Long, Long)]
    private val source = new Source(bytes, reads)
    val stream: SeekableInputStream = new DelegatingSeekableInputStream(source) {
      override def getPos: Long = source.position
      override def seek(to: Long): Unit = source.seek(to)
    }
  }

  private def content(length: Int): Array[Byte] = {
    val bytes = new Array[Byte](length)
    new Random(length.toLong).nextBytes(bytes)
    bytes
  }

  private def opened(bytes: Array[Byte]): (Recorded, SeekableInputStream) = {
    val recorded = new Recorded(bytes)
    (recorded, FewReads.of(remote, bytes.length.toLong, recorded.stream))
  }

  for (
    length <- Seq(1, 1000, FewReads.tailBytes, FewReads.tailBytes + 1, 2 << 20,
      FewReads.smallBytes, FewReads.smallBytes + 1, FewReads.smallBytes + (1 << 20))
  )
    test(s"all reads give the bytes of a file of $length bytes") {
      val bytes = content(length)
      val (_, in) = opened(bytes)
      val random = new Random(7L)
      val edges = Seq(0, length - 1, length - FewReads.tailBytes - 1, length - FewReads.tailBytes)
      for (at <- edges.filter(_ >= 0) ++ Seq.fill(50)(random.nextInt(length))) {
        val count = math.min(length - at, 1 + random.nextInt(200000))
        val expected = bytes.slice(at, at + count)
        val whole = new Array[Byte](count)
        in.seek(at.toLong)
        in.readFully(whole)
        assert(whole.sameElements(expected) && in.getPos == at + count.toLong)
        val buffer = ByteBuffer.allocate(count)
        in.seek(at.toLong)
        in.readFully(buffer)
        assert(buffer.array.sameElements(expected))
        in.seek(at.toLong)
        assert(in.read() == (expected.head & 0xff))
      }
      in.seek(length.toLong)
      assert(in.read() == -1)
      assertThrows[EOFException](in.readFully(new Array[Byte](1)))
    }

  test("the end of a file is read at once, and the rest of a small one, too") {
    val (recorded, in) = opened(content(3 << 20))
    for (at <- Seq((3 << 20) - 8, (3 << 20) - 5000, 4, 100000, 2 << 20)) {
      in.seek(at.toLong)
      in.read(): Unit
    }
    val start = (3L << 20) - FewReads.tailBytes
    assert(recorded.reads.toSeq == Seq((start, 3L << 20), (0L, start)))
  }

  test("of a large file, a read takes more the longer the reads follow one another") {
    val length = 40 << 20
    val (recorded, in) = opened(content(length))
    in.seek(length - 8L)
    in.read(): Unit
    in.seek(1000L)
    in.readFully(new Array[Byte](500))
    assert(recorded.reads.last == ((1000L, 1000L + FewReads.leastAhead)))
    in.readFully(new Array[Byte](FewReads.leastAhead))
    assert(recorded.reads.last._2 == 1000L + 3 * FewReads.leastAhead)
    (0 until 30).foreach(_ => in.readFully(new Array[Byte](1 << 20)))
    assert(recorded.reads.size <= 8 && recorded.reads.map(r => r._2 - r._1).max <= (8L << 20))
    in.seek(20L << 20)
    in.read(): Unit
    assert(recorded.reads.last == ((20L << 20, 21L << 20)), "elsewhere it begins again")
    in.seek(4L)
    in.readFully(new Array[Byte](10 << 20))
    assert(recorded.reads.last == ((4L, 4L + (10 << 20))), "much is read at once")
    in.seek(length - FewReads.tailBytes - 100L)
    in.readFully(new Array[Byte](200))
    assert(recorded.reads.last._2 == length - FewReads.tailBytes.toLong)
  }

  test("a file that is shorter than its listing says ends early") {
    val recorded = new Recorded(content(1000))
    val in = FewReads.of(remote, 2000L, recorded.stream)
    in.seek(1992L)
    assertThrows[EOFException](in.read())
  }

  test("a local file is read as it is asked for") {
    val in = new Recorded(content(10)).stream
    assert(FewReads.of(new Path("file:/t/file.parquet"), 10L, in) eq in)
  }
}
