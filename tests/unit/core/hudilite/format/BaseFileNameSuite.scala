package hudilite.format

import org.scalatest.funsuite.AnyFunSuite

class BaseFileNameSuite extends AnyFunSuite {
  private val text = "00000003-2b39-4e88-92e9-2aa42bf62b9c-0_3-44-97_20240101000000000.parquet"

  test("a base file name is read and written back") {
    val name = BaseFileName.parse(text)
    assert(
      name.contains(
        BaseFileName("00000003-2b39-4e88-92e9-2aa42bf62b9c-0", "3-44-97", "20240101000000000")
      )
    )
    assert(name.map(_.text).contains(text))
  }

  test("a skeleton has a bare uuid and an instant of 14 digits") {
    val skeleton = "2b394e88-92e9-4aa4-aaaa-2aa42bf62b9c_0-1-0_00000000000001.parquet"
    assert(BaseFileName.parse(skeleton).map(_.instant).contains("00000000000001"))
  }

  test("anything else is no base file") {
    Seq(
      "part-00000.parquet",
      "a_1-2_20240101000000000.parquet",
      "a_1-2-3_2024.parquet",
      text + ".crc",
      "." + text + ".crc",
      text.replace("parquet", "log"),
      ".hoodie_partition_metadata",
      "a_b_1-2-3_20240101000000000.parquet"
    ).foreach(name => assert(BaseFileName.parse(name).isEmpty, name))
  }
}
