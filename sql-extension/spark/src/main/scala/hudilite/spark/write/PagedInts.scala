package hudilite.spark.write

import java.util.Arrays

/** Array of integers in parts of at most 256 KiB (see [[GrowingBytes]]).
  * @param size number of integers */
final private[write] class PagedInts private (parts: Array[Array[Int]], val size: Int) {
  import PagedInts._

  /** Bytes of the largest array. */
  def largestArray: Int = parts.map(_.length).maxOption.getOrElse(0) * Integer.BYTES

  def apply(at: Int): Int = parts(at >>> partBits)(at & partMask)

  def update(at: Int, value: Int): Unit = parts(at >>> partBits)(at & partMask) = value

  /** Returns an array with these integers and more, which are 0; this one must not be used any
    * more. */
  def extended(to: Int): PagedInts = new PagedInts(
    lengths(to).zipWithIndex.map { case (length, i) =>
      if (i >= parts.length) new Array[Int](length)
      else if (parts(i).length == length) parts(i)
      else Arrays.copyOf(parts(i), length)
    },
    to
  )
}

private[write] object PagedInts {
  private val partBits = 16
  private val partMask = (1 << partBits) - 1

  /** Returns an array whose integers all have one value. */
  def of(size: Int, value: Int = 0): PagedInts = {
    val parts = lengths(size).map(new Array[Int](_))
    if (value != 0) parts.foreach(Arrays.fill(_, value))
    new PagedInts(parts, size)
  }

  /** Lengths of the parts of an array. */
  private def lengths(size: Int): Array[Int] =
    Array.range(0, size, 1 << partBits).map(from => math.min(size - from, 1 << partBits))
}
