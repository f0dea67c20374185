package hudilite.index

/** Z-value of several numbers, which interleaves their bits: most points that are near each other in
  * all of the numbers have z-values that are near each other. Pure functions.
  * Source: Morton order. */
object ZValue {

  /** Most numbers of which a z-value tells much: each has seven bits then. */
  val mostNumbers = 8

  /** Bits of a z-value, which is not negative. */
  private val bits = 62

  /** Most bits of one number. */
  private val mostBits = 10

  /** Returns how many bits each of `numbers` numbers has. */
  def width(numbers: Int): Int = math.min(mostBits, bits / numbers)

  /** Returns the z-value.
    * @param numbers each in [0, 2^width), the first one decides first
    * @param width   bits of each number, as [[ZValue.width]] returns them */
  def of(numbers: Array[Int], width: Int): Long = {
    var value = 0L
    var bit = width - 1
    while (bit >= 0) {
      numbers.foreach(number => value = value << 1 | (number >> bit & 1).toLong)
      bit -= 1
    }
    value
  }

  /** Spreads the numbers below `count` evenly over those with `width` bits, in their order, so that a
    * column with few values decides as early as one with many.
    * @param number in [0, count)
    * @param count  at most 2^width */
  def spread(number: Int, count: Int, width: Int): Int = ((number.toLong << width) / count).toInt
}
