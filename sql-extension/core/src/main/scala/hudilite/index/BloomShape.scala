package hudilite.index

/** Sizes of a bloom filter's row.
  * @param entries number of keys that it is sized for
  * @param hashes  number of positions that a key sets
  * @param bits    number of positions */
private[index] final case class BloomShape(entries: Int, hashes: Int, bits: Int) {
  def bytes: Int = ((bits + 7L) / 8).toInt
}

private[index] object BloomShape {

  /** Size in bytes of the largest filter that is read or created. */
  val maxBytes: Int = 64 << 20

  private val ln2 = math.log(2)

  /** Returns Hudi's sizes: ceil(n * -ln(p) / ln2^2) bits and ceil(ln2 * bits / n) hashes. */
  def of(expectedKeys: Long, fpp: Double): BloomShape = {
    val bitsPerKey = -math.log(fpp) / (ln2 * ln2)
    val entries = math.min(expectedKeys, (maxBytes / bitsPerKey * 8).toLong - 1).toInt
    val bits = math.ceil(entries * bitsPerKey).toInt
    BloomShape(entries, hashesOf(bits, entries), bits)
  }

  /** Returns the shape of a SIMPLE filter, whose bytes do not contain the number of keys that it
    * was sized for. */
  def ofSimple(hashes: Int, bits: Int): BloomShape =
    BloomShape(math.max(1, (ln2 * bits / hashes).toInt), hashes, bits)

  private def hashesOf(bits: Int, entries: Int): Int = math.ceil(ln2 * bits / entries).toInt
}
