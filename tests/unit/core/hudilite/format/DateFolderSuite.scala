package hudilite.format

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import org.joda.time.DateTimeZone
import org.scalatest.funsuite.AnyFunSuite

import hudilite.OracleFile
import hudilite.error.HudiliteException
import hudilite.format.TableConfig.Key

class DateFolderSuite extends AnyFunSuite {
  import DateFolderFacts._

  private val utc = Map(zone -> "UTC")
  private val millis =
    Map(kind -> "EPOCHMILLISECONDS", output -> "yyyy/MM/dd") ++ utc
  private val texts =
    Map(kind -> "DATE_STRING", input -> "yyyy-MM-dd", output -> "yyyy/MM")

  private def table(facts: Map[String, String]): TableConfig = TableConfig(
    Map(
      Key.recordKeyFields -> "id",
      Key.partitionFields -> "ts",
      Key.keyGeneratorType -> "TIMESTAMP"
    ) ++ facts
  )

  private def rule(facts: Map[String, String]): DateFolder =
    table(facts).dateFolder("ts").getOrElse(fail(s"no rule: ${of(table(facts))}"))

  private def missing(facts: Map[String, String]): (String, String) = {
    val e = intercept[HudiliteException](table(facts).checkWritable("/t"))
    assert(e.condition == "HUDILITE_TABLE_READ_ONLY")
    (e.parameters("fact"), e.parameters("value"))
  }

  private def text(rule: DateFolder, of: String, value: JsonNode): String =
    if (value.isNull) rule.ofNull
    else if (of == "text") rule.ofText(value.asText, "ts")
    else if (of == "timestamp") rule.ofTimestamp(value.asLong, "ts")
    else rule.ofNumber(value.asLong, "ts")

  private def properties(row: JsonNode): Map[String, String] = row.get("properties").properties
    .asScala.map(entry => entry.getKey -> entry.getValue.asText).toMap

  private def pathsEqualStock(): Unit = OracleFile.rows("stock_date_folders.json").foreach { row =>
    val config = table(properties(row))
    assert(config.isWritable, row)
    val paths = row.get("values").elements.asScala.map { value =>
      val folder = text(rule(properties(row)), row.get("kind").asText, value)
      PartitionPath.encode(Seq("ts"), Seq(folder), config.hiveStyle, config.urlEncode, Seq("ts"))
    }
    val wanted = OracleFile.texts(row.get("paths"))
    assert(paths.toSeq == wanted, row)
    wanted.foreach { path =>
      assert(PartitionPath.levels(path, config).contains(Seq(path)))
    }
  }

  test("folders are the dates that stock Hudi writes") {
    pathsEqualStock()
  }

  test("the zone of the machine has no effect") {
    val own = DateTimeZone.getDefault
    Seq("Asia/Tokyo", "America/New_York", "Europe/Berlin").foreach { zone =>
      DateTimeZone.setDefault(DateTimeZone.forID(zone))
      try pathsEqualStock()
      finally DateTimeZone.setDefault(own)
    }
  }

  test("properties count under their older names, too") {
    val older = millis.map { case (key, value) => DateFolderFacts.older(key).get -> value }
    assert(older.keys.forall(_.startsWith("hoodie.deltastreamer.")))
    assert(rule(older).ofNumber(0, "ts") == "1970/01/01")
  }

  test("a table without the zone of its writer is only read") {
    assert(missing(millis - zone) == (outputZone -> ""))
    assert(missing(millis - zone + (inputZone -> "UTC")) == (outputZone -> ""))
    assert(missing(millis + (zone -> " ") + (outputZone -> "UTC")) == (outputZone -> ""))
    assert(missing(texts + (outputZone -> "UTC")) == (inputZone -> ""))
    assert(missing(texts + (output -> "yyyy Z")) == (outputZone -> ""))
    assert(table(texts).isWritable)
    assert(table(texts + (outputZone -> "UTC") + (input -> "yyyy-MM-ddZ")).isWritable)
  }

  test("a table is only read if a property is missing or no date follows from it") {
    assert(missing(Map.empty) == (kind -> ""))
    assert(missing(millis - output) == (output -> ""))
    assert(missing(texts - input) == (input -> ""))
    Seq(
      kind -> "epochmilliseconds",
      kind -> "NANOSECONDS",
      output -> "yyyy/bb",
      output -> "yyyy-MMM",
      output -> "yyyy E",
      output -> "yyyy/ZZZ",
      output -> "/yyyy",
      output -> "yyyy//MM",
      parser -> "com.acme.Dates"
    ).foreach { case (key, value) => assert(missing(millis + (key -> value)) == (key -> value)) }
    Seq("dd MMM yyyy", "yy-MM-dd", "yyyy-MM-dd,yy", "hh a").foreach { format =>
      assert(missing(texts + (input -> format))._1 == input, format)
    }
    assert(missing(texts + (delimiter -> "(")) == (delimiter -> "("))
    val scalar = millis + (kind -> "SCALAR") + (unit -> "WEEKS")
    assert(missing(scalar) == (unit -> "WEEKS"))
    assert(table(millis + (output -> "'MMM'yyyy")).isWritable)
    assert(missing(millis ++ Seq(Key.recordKeyFields -> "a,b", Key.keyGeneratorType -> "TIMESTAMP"))
      ._1 == "key generator")
    assert(missing(millis + (Key.bootstrapBase -> "/source"))._1 == "key generator")
  }

  test("a value that is no date is refused") {
    def refused(text: => String): Unit = {
      val e = intercept[HudiliteException](text: Unit)
      assert(e.condition == "HUDILITE_PARTITION_VALUE_INVALID")
      assert(e.parameters("column") == "ts")
    }
    Seq("", "x", "2024", "2024-01-15 ", "2024-13-01", PartitionPath.DefaultValue)
      .foreach(value => refused(rule(texts).ofText(value, "ts")))
    refused(rule(millis).ofText("2024-01-15", "ts"))
    refused(rule(texts).ofNumber(1, "ts"))
    refused(rule(texts).ofTimestamp(1, "ts"))
  }

  test("a timestamp is a number of microseconds unless the writer took it for a time") {
    val micros = 1705287845678901L
    assert(rule(millis).ofTimestamp(0, "ts") == "1970/01/01")
    assert(rule(millis).ofTimestamp(micros, "ts") == "56008/06/02")
    assert(rule(millis + (consistent -> "true")).ofTimestamp(micros, "ts") == "2024/01/15")
    assert(rule(texts + (consistent -> "TRUE") ++ utc).ofTimestamp(micros, "ts") == "2024/01")
  }

  test("a path is divided among columns by the folders of a date") {
    val custom = table(millis ++ Map(
      Key.keyGeneratorType -> "CUSTOM",
      Key.partitionFields -> "a:SIMPLE,ts:TIMESTAMP,b:SIMPLE"
    ))
    assert(custom.isWritable && custom.dateFields == Seq("ts"))
    assert(custom.hasFolderRule("ts") && !custom.holdsValue("ts") && custom.dateFolder("a").isEmpty)
    val path = "x/2024/01/15/y"
    assert(PartitionPath.levels(path, custom).contains(Seq("x", "2024/01/15", "y")))
    assert(
      PartitionPath.decode(path, custom).contains(Seq(Some("x"), Some("2024/01/15"), Some("y")))
    )
    assert(PartitionPath.levels("x/2024/y", custom).isEmpty)
    val escaped = TableConfig(custom.properties + (Key.urlEncode -> "true"))
    assert(PartitionPath.levels("x/2024%2F01%2F15/y", escaped).exists(_.size == 3))
  }

  test("a custom key generator needs the types of all columns, and the rule of its dates") {
    val custom = Key.keyGeneratorType -> "CUSTOM"
    assert(missing(millis + custom)._1 == "key generator")
    assert(
      missing(millis + custom + (Key.partitionFields -> "a,ts:TIMESTAMP"))._1 == "key generator"
    )
    assert(missing(Map(custom, Key.partitionFields -> "a:SIMPLE,ts:TIMESTAMP"))._1 == kind)
  }
}
