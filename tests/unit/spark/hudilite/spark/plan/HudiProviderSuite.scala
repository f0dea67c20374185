package hudilite.spark.plan

import java.net.{URI, URLClassLoader}
import java.nio.file.Files

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{
  CatalogStorageFormat,
  CatalogTable,
  CatalogTableType
}
import org.apache.spark.sql.sources.DataSourceRegister
import org.apache.spark.sql.types.StructType

import hudilite.spark.SparkSuite

/** Who answers to the provider name `hudi`. */
class HudiProviderSuite extends SparkSuite {
  private val create = "CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudi WITH BUCKETS 1"

  private def asked(value: String)(body: => Any): Unit =
    withConf(HudiProvider.setting -> value)(body)

  /** Runs the body with a jar on the class path that registers `hudi`, as stock Hudi's does. */
  private def withStock[A](body: => A): A = {
    val services = Files.createDirectories(folder.resolve("stock/META-INF/services"))
    Files.writeString(
      services.resolve(classOf[DataSourceRegister].getName),
      classOf[OtherHudi].getName
    )
    val own = Thread.currentThread.getContextClassLoader
    val stock = new URLClassLoader(Array(folder.resolve("stock").toUri.toURL), own)
    Thread.currentThread.setContextClassLoader(stock)
    try body
    finally {
      Thread.currentThread.setContextClassLoader(own)
      stock.close()
    }
  }

  test("the name means hudilite if the session says so") {
    asked("true") {
      sql(create)
      sql("INSERT INTO t VALUES (1)")
      assert(sql("SHOW CREATE TABLE t").head().getString(0).contains("USING hudilite"))
    }
    assert(sql("SELECT * FROM t").count() == 1)
    assert(HudiProvider.isOurs("HUDILITE"))
    assert(!HudiProvider.isOurs("hudi"))
  }

  test("without the setting, the error says what to type") {
    val unset = "HUDILITE_PROVIDER_UNSET"
    assertFault("HUDILITE_BUCKETS_WITHOUT_PROVIDER")(sql(create))
    assertFault(unset, "instead" -> "USING hudilite") {
      sql("CREATE TABLE t (id INT) USING hudi")
    }
    assertFault(unset)(sql("CREATE TABLE t USING HUDI AS SELECT 1 AS id"))
    assertFault(unset, "instead" -> "format(\"hudilite\")") {
      spark.range(1).write.format("hudi").save(folder.resolve("t").toString)
    }
    assertFault(unset)(spark.read.format("hudi").load(folder.toString))
    assertFault(unset)(spark.readStream.format("hudi").load(folder.toString))
    assertFault(unset, "instead" -> s"hudilite.`$folder/t`")(sql(s"SELECT * FROM hudi.`$folder/t`"))
    assertFault("HUDILITE_SETTING_INVALID")(asked("yes")(sql("SELECT 1")))
  }

  /** Registers a table as stock Hudi does in a metastore. */
  private def register(name: String, location: String, storage: Map[String, String]): Unit =
    spark.sessionState.catalog.createTable(
      CatalogTable(
        TableIdentifier(name, Some(spark.catalog.currentDatabase)),
        CatalogTableType.EXTERNAL,
        CatalogStorageFormat.empty.copy(
          locationUri = Some(new URI(location)),
          properties = storage
        ),
        new StructType().add("id", "int"),
        provider = Some("hudi")
      ),
      ignoreIfExists = false
    )

  test("a table that stock Hudi has registered opens with the setting, but for one of base files") {
    val place = folder.resolve("registered").toUri.toString
    sql(s"CREATE TABLE own (id INT, PRIMARY KEY (id)) USING hudilite LOCATION '$place'")
    register("theirs", place, Map.empty)
    register("theirs_ro", place, Map("hoodie.query.as.ro.table" -> "true"))
    asked("true") {
      sql("INSERT INTO theirs VALUES (7)")
      assert(sql("SELECT id FROM theirs").head().getInt(0) == 7)
      assertFault("HUDILITE_UNSUPPORTED_STATEMENT")(sql("ALTER TABLE theirs ADD COLUMN v INT"))
      intercept[Exception](sql("SELECT * FROM theirs_ro").collect()): Unit
    }
    intercept[Exception](sql("SELECT * FROM theirs").collect()): Unit
    assert(sql("SELECT * FROM own").count() == 1)
  }

  test("a jar of stock Hudi keeps its name, and is never disturbed without the setting") {
    withStock {
      assert(!HudiProvider.isNobodys("hudi"))
      assert(spark.range(3).count() == 3)
    }
  }

  test("both asked for is an error of every statement but SET") {
    asked("true") {
      withStock {
        assertFault("HUDILITE_PROVIDER_TAKEN", "owner" -> classOf[OtherHudi].getName)(sql(create))
        assertFault("HUDILITE_PROVIDER_TAKEN")(spark.range(3).count())
        sql(s"SET ${HudiProvider.setting} = false")
        assert(spark.range(3).count() == 3)
      }
    }
  }
}

/** Source of another jar that has the name `hudi`. */
class OtherHudi extends DataSourceRegister {
  override def shortName(): String = "hudi"
}
