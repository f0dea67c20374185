package hudilite.format

import org.scalatest.funsuite.AnyFunSuite

import hudilite.error.HudiliteException
import hudilite.{OracleFile, RandomText}

class PartitionPathSuite extends AnyFunSuite {
  private val noText = Option.empty[String].orNull

  test("special characters are escaped and read back as stock Hudi does") {
    OracleFile.rows("stock_partition_paths.json").foreach { row =>
      val text = row.get("text").asText
      val escaped = if (text.isEmpty) PartitionPath.DefaultValue else PartitionPath.escape(text)
      assert(escaped == row.get("escaped").asText, text)
      assert(PartitionPath.unescape(text) == row.get("unescaped").asText, text)
    }
  }

  test("levels are named in hive style and bare otherwise") {
    def path(hive: Boolean) =
      PartitionPath.encode(Seq("a", "b"), Seq("1", "x y"), hive, urlEncode = true)
    assert(path(hive = true) == "a=1/b=x y")
    assert(path(hive = false) == "1/x y")
    assert(PartitionPath.encode(Nil, Nil, hiveStyle = true, urlEncode = true) == "")
  }

  test("null and empty share the default folder") {
    val path =
      PartitionPath.encode(Seq("a", "b"), Seq(noText, ""), hiveStyle = true, urlEncode = true)
    assert(path == "a=__HIVE_DEFAULT_PARTITION__/b=__HIVE_DEFAULT_PARTITION__")
    assert(
      PartitionPath
        .decode(path, Seq("a", "b"), hiveStyle = true, urlEncode = true)
        .contains(Seq(None, None))
    )
  }

  // F84
  test("a value that is no single folder name is refused when it is not escaped") {
    Seq("a/b", "..", ".", ".hoodie", ".hoodie_partition_metadata").foreach { value =>
      val e = intercept[HudiliteException](
        PartitionPath.encode(Seq("p"), Seq(value), hiveStyle = false, urlEncode = false)
      )
      assert(e.condition == "HUDILITE_PARTITION_VALUE_INVALID")
      assert(e.parameters == Map("column" -> "p", "value" -> value))
    }
    assert(PartitionPath.encode(Seq("p"), Seq(".."), hiveStyle = true, urlEncode = false) == "p=..")
  }

  test("a value that reads as the default folder is refused") {
    val e = intercept[HudiliteException](
      PartitionPath.encode(
        Seq("p"),
        Seq(PartitionPath.DefaultValue),
        hiveStyle = true,
        urlEncode = true
      )
    )
    assert(e.condition == "HUDILITE_PARTITION_VALUE_INVALID")
  }

  test("a path of another depth or with other columns is not decoded") {
    def decode(path: String) =
      PartitionPath.decode(path, Seq("a", "b"), hiveStyle = true, urlEncode = true)
    Seq("", "a=1", "a=1/b=2/c=3", "b=1/a=2", "1/2", "a=/b=2").foreach(p =>
      assert(decode(p).isEmpty, p)
    )
    assert(PartitionPath.decode("", Nil, hiveStyle = true, urlEncode = true).contains(Nil))
  }

  test("any two values are read back from their path") {
    val random = new RandomText("PartitionPathSuite")
    (1 to 500).foreach { _ =>
      val values = Seq(random.text(6), random.text(6))
      val path = PartitionPath.encode(Seq("a", "b"), values, hiveStyle = true, urlEncode = true)
      val read = PartitionPath.decode(path, Seq("a", "b"), hiveStyle = true, urlEncode = true)
      assert(read.contains(values.map(v => Option(v).filter(_.nonEmpty))), s"seed ${random.seed}")
    }
  }

  test("the path of a partition of another writer may be several folders") {
    val config = TableConfig(Map("hoodie.table.partition.fields" -> "p"))
    assert(PartitionPath.anyOf(Seq("c/d"), config) == "c/d")
    assert(PartitionPath.anyOf(Seq(null), config) == PartitionPath.DefaultValue)
    val encoded = config.copy(
      config.properties ++ Map(
        "hoodie.datasource.write.partitionpath.urlencode" -> "true",
        "hoodie.datasource.write.hive_style_partitioning" -> "true"
      )
    )
    assert(PartitionPath.anyOf(Seq("c/d"), encoded) == "p=c%2Fd")
  }

  test("a date with slashes is told from another partition") {
    assert(PartitionPath.hasSlashes("2024/01/15", "2024-01-15"))
    assert(PartitionPath.hasSlashes("a-b=2024/01/15", "a-b=2024-01-15"))
    Seq("2024/01/16" -> "2024-01-15", "2024-01-15" -> "2024-01-15", "a/b" -> "a-b",
      "" -> "").foreach {
      case (path, plain) => assert(!PartitionPath.hasSlashes(path, plain), path)
    }
  }
}
