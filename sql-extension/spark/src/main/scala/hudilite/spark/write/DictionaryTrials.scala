package hudilite.spark.write

/** Row groups of a file in which one column is written with a dictionary: after one in which the
  * dictionary was of no use, the next few have none, then it is tried again. */
final private[write] class DictionaryTrials {
  private var without = 0

  /** Whether the next row group is written with a dictionary. */
  def isDue(): Boolean = {
    val isDue = without == 0
    if (!isDue) without -= 1
    isDue
  }

  /** The dictionary was of no use in this row group. */
  def fail(): Unit = without = DictionaryTrials.rest
}

private[write] object DictionaryTrials {

  /** Row groups without a dictionary until the next trial. */
  val rest = 7
}
