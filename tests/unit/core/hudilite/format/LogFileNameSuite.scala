package hudilite.format

import org.scalatest.funsuite.AnyFunSuite

class LogFileNameSuite extends AnyFunSuite {
  private val text = ".00000003-2b39-4e88-92e9-2aa42bf62b9c-0_20240101000000000.log.12_3-44-97"

  test("a log file name is read and written back") {
    val name = LogFileName.parse(text)
    val fileId = "00000003-2b39-4e88-92e9-2aa42bf62b9c-0"
    assert(name.contains(LogFileName(fileId, "20240101000000000", 12, "3-44-97")))
    assert(name.map(_.text).contains(text))
  }

  test("a log file over a skeleton has a bare uuid and an instant of 14 digits") {
    val name = LogFileName.parse(".2b394e88-92e9-4aa4-aaaa-2aa42bf62b9c_00000000000001.log.1_0-1-0")
    assert(name.map(_.instant).contains("00000000000001"))
  }

  test("anything else is no log file") {
    Seq(
      text.drop(1),
      text + ".cdc", // changes for readers of changes, not rows
      text + ".crc",
      text.replace(".log.", ".archive."),
      text.replace(".log.12", ".log."),
      text.replace(".log.12", ".log.99999999999"),
      text.replace("_3-44-97", ""),
      text.replace("20240101000000000", "2024"),
      text.replace("2b39-", "2b39_"),
      "00000003-2b39-4e88-92e9-2aa42bf62b9c-0_3-44-97_20240101000000000.parquet",
      ".hoodie_partition_metadata"
    ).foreach(name => assert(LogFileName.parse(name).isEmpty, name))
  }
}
