package hudilite.spark.read

import org.apache.spark.sql.types.StructType

import hudilite.spark.SparkSuite

/** Hadoop configuration of the tasks: sent again only where a setting has changed. */
class TaskSettingsSuite extends SparkSuite {
  private val columns = StructType.fromDDL("a INT")

  private def sent(options: (String, String)*): Long =
    new TaskSettings(spark, options.toMap).of(columns).id

  private def value(key: String): Option[String] =
    Option(new TaskSettings(spark, Map.empty).of(columns).value.value.get(key))

  test(
    "statements share a broadcast until a setting of the session, of Hadoop or an option changes"
  ) {
    val first = sent()
    assert(sent() == first)
    assert(sent("hudilite.test" -> "1") != first)
    withConf("hudilite.test" -> "2") {
      assert(value("hudilite.test").contains("2"))
      assert(sent() == sent() && sent() != first)
    }
    assert(value("hudilite.test").isEmpty)
    val hadoop = spark.sparkContext.hadoopConfiguration
    hadoop.set("hudilite.test", "3")
    try assert(value("hudilite.test").contains("3"))
    finally hadoop.unset("hudilite.test")
    assert(value("hudilite.test").isEmpty)
    withConf("spark.sql.session.timeZone" -> "Asia/Tokyo") {
      assert(value("spark.sql.session.timeZone").contains("Asia/Tokyo"))
    }
  }

  test("columns of one reader are not those of another") {
    val settings = new TaskSettings(spark, Map.empty)
    val (one, other) = (settings.of(columns), settings.of(StructType.fromDDL("b INT")))
    val key = "org.apache.spark.sql.parquet.row.requested_schema"
    assert(
      one.value.value.get(key).contains("\"a\"") && other.value.value.get(key).contains("\"b\"")
    )
  }
}
