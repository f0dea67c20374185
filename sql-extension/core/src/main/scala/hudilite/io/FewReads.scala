package hudilite.io

import java.io.InputStream

import org.apache.hadoop.fs.Path
import org.apache.parquet.bytes.ByteBufferAllocator
import org.apache.parquet.io.{DelegatingSeekableInputStream, ParquetFileRange, SeekableInputStream}

/** Input of a Parquet file in a store where each read is a request. The first read near the end of
  * the file takes the last [[FewReads.tailBytes]], in which the footer lies. Of a file up to a limit,
  * the first other read takes all the rest. Of a larger file, a read takes at least [[FewReads.leastAhead]], and the more the longer the reads follow one another. */
final class FewReads private (bytes: FewReads.Bytes)
    extends DelegatingSeekableInputStream(bytes) {

  override def getPos: Long = bytes.position

  override def seek(position: Long): Unit = bytes.position = position

  override def readVectoredAvailable(allocator: ByteBufferAllocator): Boolean =
    !bytes.isSmall && bytes.in.readVectoredAvailable(allocator)

  override def readVectored(
      ranges: java.util.List[ParquetFileRange],
      allocator: ByteBufferAllocator
  ): Unit = bytes.in.readVectored(ranges, allocator)
}

object FewReads {

  /** Bytes at the end of a file that are read at once; most footers are shorter. */
  val tailBytes: Int = 512 << 10

  /** Length of the largest file of which all is read at once, where a part may be enough. */
  val smallBytes: Int = 4 << 20

  /** Length of the largest file of which all is read at once by who reads all of it in the end. A
    * task holds so many bytes beside the row group that it merges. */
  val carriedBytes: Int = 32 << 20

  /** Bytes that are read ahead at first: to fetch them takes about as long as another request. */
  val leastAhead: Int = 1 << 20

  /** Most bytes that are read ahead. */
  val mostAhead: Int = 8 << 20

  /** Returns the input of a file with fewer reads, unless it is on a local disk.
    * @param in     input of the file, which is closed with the result
    * @param length length of the file in bytes
    * @param atOnce length in bytes of the largest file of which all is read at once */
  def of(
      path: Path,
      length: Long,
      in: SeekableInputStream,
      atOnce: Int = smallBytes
  ): SeekableInputStream =
    if (path.toUri.getScheme == "file") in else new FewReads(new Bytes(in, length, atOnce))

  private final class Bytes(val in: SeekableInputStream, length: Long, atOnce: Int)
      extends InputStream {
    val isSmall: Boolean = length <= atOnce
    private val tailStart = math.max(0L, length - tailBytes)
    private lazy val tail = block(tailStart, length)
    private lazy val head = block(0L, tailStart)
    private var ahead = Array.emptyByteArray
    private var aheadStart = 0L
    private var aheadBytes = leastAhead

    var position: Long = 0L

    override def read(): Int = {
      val one = new Array[Byte](1)
      if (read(one, 0, 1) < 0) -1 else one(0) & 0xff
    }

    override def read(to: Array[Byte], offset: Int, count: Int): Int = {
      val read =
        if (position >= tailStart && position < length) copy(tail, tailStart, to, offset, count)
        else if (isSmall && position < tailStart) copy(head, 0L, to, offset, count)
        else if (position < tailStart) readAhead(to, offset, count)
        else -1
      if (read > 0) position += read
      read
    }

    override def close(): Unit = in.close()

    private def readAhead(to: Array[Byte], offset: Int, count: Int): Int = {
      val end = aheadStart + ahead.length
      if (position < aheadStart || position >= end) {
        val follows = end > 0 && position >= end && position - end <= aheadBytes
        aheadBytes = if (follows) math.min(2 * aheadBytes, mostAhead) else leastAhead
        aheadStart = position
        ahead =
          if (count >= aheadBytes) Array.emptyByteArray
          else block(position, math.min(tailStart, position + aheadBytes))
      }
      if (ahead.isEmpty) readDirectly(to, offset, count)
      else copy(ahead, aheadStart, to, offset, count)
    }

    /** Reads much at once, without a copy in between. */
    private def readDirectly(to: Array[Byte], offset: Int, count: Int): Int = {
      val wanted = math.min(count.toLong, tailStart - position).toInt
      in.seek(position)
      in.readFully(to, offset, wanted)
      aheadStart = position + wanted
      wanted
    }

    private def copy(from: Array[Byte], start: Long, to: Array[Byte], offset: Int, count: Int) = {
      val at = (position - start).toInt
      val copied = math.min(count, from.length - at)
      System.arraycopy(from, at, to, offset, copied)
      copied
    }

    private def block(start: Long, end: Long): Array[Byte] = {
      val bytes = new Array[Byte]((end - start).toInt)
      in.seek(start)
      in.readFully(bytes)
      bytes
    }
  }
}
