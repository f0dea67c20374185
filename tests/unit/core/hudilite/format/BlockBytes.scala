package hudilite.format

/** Bytes of blocks of log files. */
object BlockBytes {
  val instant = 0
  val schema = 2
  val targetInstant = 1
  val commandType = 3
  val compactedInstants = 4

  /** Stock Hudi's log file with a rollback of 20261124212558565. */
  val stockRollback: Array[Byte] = hex(
    "234855444923 000000000000005b 00000001 00000000 00000003" +
      "00000000 00000011" + ascii("20261124212602959") + "00000003 00000001" + ascii("0") +
      "00000001 00000011" + ascii("20261124212558565") +
      "0000000000000000 00000000 0000000000000061"
  )

  def of(kind: Int, header: (Int, String)*)(content: Byte*): Array[Byte] =
    LogBlock.bytes(kind, header, content.toArray)

  def data(time: String, content: Byte*): Array[Byte] =
    of(LogBlock.parquetData, instant -> time)(content: _*)

  /** Returns a data block with a content of zeros.
    * @param length number of bytes of the content */
  def zeros(time: String, length: Int): Array[Byte] =
    LogBlock.bytes(LogBlock.parquetData, Seq(instant -> time), new Array[Byte](length))

  def rollback(time: String, target: String): Array[Byte] =
    of(LogBlock.command, instant -> time, commandType -> "0", targetInstant -> target)()

  def hex(text: String): Array[Byte] =
    text.filterNot(_.isWhitespace).grouped(2).map(Integer.parseInt(_, 16).toByte).toArray

  private def ascii(text: String): String = text.map(c => f"${c.toInt}%02x").mkString
}
