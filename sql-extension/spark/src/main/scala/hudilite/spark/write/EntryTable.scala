package hudilite.spark.write

/** Hash table of the entries of a dictionary, which are numbered from 0. It has only their numbers
  * and hashes; the caller compares the entries in the slots from `start` on, one `after` another,
  * until it finds its value or a free slot. */
final private[write] class EntryTable {
  private var slots = EntryTable.free(64)
  private var hashes = PagedInts.of(slots.size / 2)
  private var entries = 0

  /** Number of entries. */
  def size: Int = entries

  /** Bytes of the largest array. */
  def largestArray: Int = math.max(slots.largestArray, hashes.largestArray)

  def start(hash: Int): Int = hash & (slots.size - 1)

  def after(slot: Int): Int = (slot + 1) & (slots.size - 1)

  /** Number of the entry in a slot; negative if the slot is free. */
  def at(slot: Int): Int = slots(slot)

  def hashOf(entry: Int): Int = hashes(entry)

  /** Adds the next entry.
    * @param slot a free slot, the first that the search for the hash has found
    * @return number of the entry */
  def add(slot: Int, hash: Int): Int = {
    val entry = entries
    slots(slot) = entry
    hashes(entry) = hash
    entries += 1
    if (entries * 2 == slots.size) grow()
    entry
  }

  private def grow(): Unit = {
    slots = EntryTable.free(slots.size * 2)
    hashes = hashes.extended(slots.size / 2)
    var entry = 0
    while (entry < entries) {
      var slot = start(hashes(entry))
      while (slots(slot) >= 0) slot = after(slot)
      slots(slot) = entry
      entry += 1
    }
  }
}

private object EntryTable {
  private def free(size: Int): PagedInts = PagedInts.of(size, -1)
}
