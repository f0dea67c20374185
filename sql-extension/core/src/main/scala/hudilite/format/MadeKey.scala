package hudilite.format

/** Record key of a row in a table without key columns, as stock Hudi makes it: instant of the commit
  * that inserts the row, number of a task, number of the row in it. A row that is to be inserted has
  * the end of it, from the first `_` on, until the instant is known. */
object MadeKey {

  /** Beginning of the end of a key, which no whole key has. */
  val separator = '_'

  /** Whether a key lacks its instant. */
  def isEnd(firstByte: Byte): Boolean = firstByte == separator.toByte
}
