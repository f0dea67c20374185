package hudilite.spark.write

import java.lang.{Long => JLong}
import java.util.Arrays

import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.column.values.bloomfilter.BloomFilter
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._

/** Collects the least and the greatest value of a page while values are added. */
sealed abstract private[write] class PageBounds(kind: PrimitiveType) {
  protected var statistics: Statistics[_] = Statistics.createStats(kind)

  def add(value: Boolean): Unit = statistics.updateStats(value)
  def add(value: Int): Unit = statistics.updateStats(value)
  def add(value: Long): Unit = statistics.updateStats(value)
  def add(value: Float): Unit = statistics.updateStats(value)
  def add(value: Double): Unit = statistics.updateStats(value)

  /** Adds bytes from an array that may change after the call. */
  def add(bytes: Array[Byte], start: Int, length: Int): Unit =
    statistics.updateStats(Binary.fromReusedByteArray(bytes, start, length))

  /** Transfers the collected bounds to the statistics. */
  protected def settle(): Unit

  /** Returns the statistics of the page.
    * @param nulls number of nulls in the page */
  def ofPage(nulls: Int): Statistics[_] = {
    settle()
    statistics.incrementNumNulls(nulls.toLong)
    statistics
  }

  /** Starts a new page. */
  def clear(): Unit = statistics = Statistics.createStats(kind)
}

private[write] object PageBounds {

  /** @param kind a type that Spark writes: numbers are compared as signed, texts and binaries by
    *             their unsigned bytes */
  def of(kind: PrimitiveType): PageBounds = kind.getPrimitiveTypeName match {
    case INT32 | INT64 => new Numbers(kind)
    case FIXED_LEN_BYTE_ARRAY if kind.getTypeLength <= JLong.BYTES => new Numbers(kind)
    case BINARY => new Bytes(kind)
    case _ => new ByParquet(kind)
  }

  /** Returns a number as bytes of fixed length. */
  private def fixed(kind: PrimitiveType, value: Long): Binary =
    FixedDecimals.binary(value, kind.getTypeLength)

  /** Returns bounds that pass the values to a bloom filter, too.
    * @param all bounds of the same type */
  def hashed(kind: PrimitiveType, all: PageBounds, filter: BloomFilter): PageBounds =
    new Hashed(kind, all, filter)

  final private class Hashed(kind: PrimitiveType, all: PageBounds, filter: BloomFilter)
      extends PageBounds(kind) {
    private val isFixed = kind.getPrimitiveTypeName == FIXED_LEN_BYTE_ARRAY

    override def add(value: Int): Unit = {
      all.add(value)
      filter.insertHash(filter.hash(value))
    }

    override def add(value: Long): Unit = {
      all.add(value)
      filter.insertHash(if (isFixed) filter.hash(fixed(kind, value)) else filter.hash(value))
    }

    override def add(bytes: Array[Byte], start: Int, length: Int): Unit = {
      all.add(bytes, start, length)
      filter.insertHash(filter.hash(Binary.fromReusedByteArray(bytes, start, length)))
    }

    override def add(value: Boolean): Unit = throw none
    override def add(value: Float): Unit = throw none
    override def add(value: Double): Unit = throw none

    override protected def settle(): Unit = ()
    override def ofPage(nulls: Int): Statistics[_] = all.ofPage(nulls)
    override def clear(): Unit = all.clear()

    private def none = new IllegalStateException(s"INTERNAL: a bloom filter of $kind")
  }

  final private class ByParquet(kind: PrimitiveType) extends PageBounds(kind) {
    override protected def settle(): Unit = ()
  }

  final private class Numbers(kind: PrimitiveType) extends PageBounds(kind) {
    private var least = Long.MaxValue
    private var greatest = Long.MinValue

    override def add(value: Int): Unit = add(value.toLong)

    override def add(value: Long): Unit = {
      if (value < least) least = value
      if (value > greatest) greatest = value
    }

    override protected def settle(): Unit =
      if (least <= greatest) {
        Seq(least, greatest).foreach { value =>
          kind.getPrimitiveTypeName match {
            case INT32 => statistics.updateStats(value.toInt)
            case FIXED_LEN_BYTE_ARRAY => statistics.updateStats(fixed(kind, value))
            case _ => statistics.updateStats(value)
          }
        }
        least = Long.MaxValue
        greatest = Long.MinValue
      }
  }

  /** Compares many bytes at a time. A value that is the greatest so far is compared only once. */
  final private class Bytes(kind: PrimitiveType) extends PageBounds(kind) {
    private var isEmpty = true
    private val least, greatest = new Kept

    override def add(bytes: Array[Byte], start: Int, length: Int): Unit =
      if (isEmpty) {
        isEmpty = false
        least.keep(bytes, start, length)
        greatest.keep(bytes, start, length)
      } else {
        val order = greatest.compareTo(bytes, start, length)
        if (order < 0) greatest.keep(bytes, start, length)
        else if (order > 0 && least.compareTo(bytes, start, length) > 0)
          least.keep(bytes, start, length)
      }

    override protected def settle(): Unit =
      if (!isEmpty) {
        statistics.updateStats(least.value)
        statistics.updateStats(greatest.value)
        isEmpty = true
      }
  }

  /** Copy of a value. */
  final private class Kept {
    private var bytes = new Array[Byte](32)
    private var length = 0

    def keep(from: Array[Byte], start: Int, size: Int): Unit = {
      if (size > bytes.length) bytes = new Array[Byte](math.max(size, 2 * bytes.length))
      System.arraycopy(from, start, bytes, 0, size)
      length = size
    }

    def compareTo(other: Array[Byte], start: Int, size: Int): Int =
      Arrays.compareUnsigned(bytes, 0, length, other, start, start + size)

    def value: Binary = Binary.fromConstantByteArray(Arrays.copyOf(bytes, length))
  }
}
