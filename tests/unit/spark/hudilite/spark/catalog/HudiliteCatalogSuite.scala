package hudilite.spark.catalog

import java.nio.file.{Files, Path}

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException
import org.apache.spark.sql.types._

import hudilite.format.{IndexKind, TableVersion}
import hudilite.spark.SparkSuite

class HudiliteCatalogSuite extends SparkSuite {

  private def entry(name: String) =
    spark.sessionState.catalog.getTableMetadata(TableIdentifier(name))

  private def open(name: String): HudiliteTable = new SessionTables(spark).open(entry(name))

  private def location(name: String): Path = Path.of(entry(name).location)

  private def exists(name: String): Boolean = spark.catalog.tableExists(name)

  test("a table keeps its declaration in hoodie.properties and its entry in the catalog") {
    sql("""CREATE TABLE facts (id BIGINT, name STRING COMMENT 'who', p INT, n TINYINT DEFAULT 7,
      PRIMARY KEY (id, NAME)) USING hudilite COMMENT 'a table' PARTITIONED BY (p)
      TBLPROPERTIES (owner_team = 'x', type = 'cow') WITH BUCKETS 4 ON (Id)""")
    val table = open("facts")
    assert(table.config.recordKeyFields == Seq("id", "name"))
    assert(table.config.partitionFields == Seq("p"))
    assert(table.config.index == IndexKind.Bucket(4, Seq("id")))
    assert(table.schema.map(f => (f.name, f.dataType, f.nullable)) == Seq(
      ("id", LongType, false),
      ("name", StringType, false),
      ("p", IntegerType, true),
      ("n", ByteType, true)
    ))
    assert(table.schema("name").getComment().contains("who"))
    assert(table.properties.get("owner_team") == "x")
    assert(entry("facts").provider.contains("hudilite"))
    assert(entry("facts").tableType.name == "MANAGED")
    assert(Files.exists(location("facts").resolve(".hoodie/hoodie.properties")))
  }

  test("the name of a table begins with the catalog that shows it") {
    sql("CREATE TABLE located (id INT PRIMARY KEY) USING hudilite")
    val table = new SessionTables(spark, "lake").open(entry("located"))
    val name = s"${spark.catalog.currentDatabase}.located"
    assert(table.name == s"lake.$name")
    assert(CallText.of(table, "verify", "level" -> "meta") ==
      s"CALL lake.system.verify(table => 'lake.$name', level => 'meta')")
    assert(CallText.of(open("located"), "show_index") ==
      s"CALL show_index(table => 'spark_catalog.$name')")
  }

  test("describe shows columns, keys and layout") {
    sql("CREATE TABLE shown (id INT PRIMARY KEY, p STRING) USING hudilite PARTITIONED BY (p) " +
      "WITH BUCKETS 2")
    val rows = sql("DESCRIBE EXTENDED shown").collect().map(_.toSeq.map(String.valueOf))
    assert(rows.exists(_.take(2) == Seq("id", "int")))
    assert(rows.exists(_.mkString(" ").contains("bucket(2, id)")))
    assert(rows.exists(row => row.head == "Provider" && row(1) == "hudilite"))
    assert(sql("SHOW TABLES").collect().exists(_.getString(1) == "shown"))
  }

  test("a key by table property is the same as PRIMARY KEY") {
    sql("CREATE TABLE by_property (a INT, b DATE) USING hudilite " +
      "TBLPROPERTIES (primaryKey = 'b, A') WITH BUCKETS 1")
    assert(open("by_property").config.recordKeyFields == Seq("b", "a"))
    assert(open("by_property").schema.forall(!_.nullable))
    sql("CREATE TABLE by_both (a INT PRIMARY KEY) USING hudilite " +
      "TBLPROPERTIES (primaryKey = 'a') WITH BUCKETS 1")
    assertFault("HUDILITE_PROPERTY_CONFLICT", "declared" -> "a", "asked" -> "b") {
      sql("CREATE TABLE x (a INT PRIMARY KEY, b INT) USING hudilite " +
        "TBLPROPERTIES (primaryKey = 'b') WITH BUCKETS 1")
    }
    assert(!exists("x"))
  }

  // F12
  test("drop deletes a managed table's files and leaves an external table's") {
    sql("CREATE TABLE managed (id INT PRIMARY KEY) USING hudilite WITH BUCKETS 1")
    val own = location("managed")
    sql("DROP TABLE managed")
    assert(!Files.exists(own) && !exists("managed"))

    val path = folder.resolve("external")
    sql(s"CREATE TABLE ext (id INT PRIMARY KEY) USING hudilite LOCATION '$path' WITH BUCKETS 1")
    assert(entry("ext").tableType.name == "EXTERNAL")
    sql("DROP TABLE ext")
    assert(Files.exists(path.resolve(".hoodie/hoodie.properties")))
    assertFault("HUDILITE_PROPERTY_CONFLICT") {
      sql(s"CREATE TABLE ext (id INT PRIMARY KEY) USING hudilite LOCATION '$path' WITH BUCKETS 2")
    }
    assert(!exists("ext"))
    sql(s"CREATE TABLE ext (id INT PRIMARY KEY) USING hudilite LOCATION '$path' WITH BUCKETS 1")
    assert(exists("ext"))
  }

  // F12
  test("drop works when the folder is gone and spares a folder that is no table any more") {
    sql("CREATE TABLE gone (id INT PRIMARY KEY) USING hudilite WITH BUCKETS 1")
    SparkSuite.deleteTree(location("gone"))
    sql("DROP TABLE gone")
    assert(!exists("gone"))

    sql("CREATE TABLE replaced (id INT PRIMARY KEY) USING hudilite WITH BUCKETS 1")
    val path = location("replaced")
    SparkSuite.deleteTree(path.resolve(".hoodie"))
    Files.writeString(path.resolve("notes.txt"), "mine")
    sql("DROP TABLE replaced")
    assert(!exists("replaced") && Files.exists(path.resolve("notes.txt")))
  }

  // F11, F40
  test("a table without its hoodie.properties is an error when it is read") {
    sql("CREATE TABLE broken (id INT PRIMARY KEY) USING hudilite WITH BUCKETS 1")
    Files.delete(location("broken").resolve(".hoodie/hoodie.properties"))
    assert(fault(sql("SELECT * FROM broken"))._1.startsWith("HUDILITE_"))
    sql("DROP TABLE broken")
  }

  test("if not exists leaves the first table alone") {
    val create = "(id INT PRIMARY KEY) USING hudilite WITH BUCKETS"
    sql(s"CREATE TABLE once $create 1")
    val uuid = open("once").config.uuid
    sql(s"CREATE TABLE IF NOT EXISTS once $create 2")
    assert(open("once").config.uuid == uuid)
    assertFault("TABLE_OR_VIEW_ALREADY_EXISTS")(sql(s"CREATE TABLE once $create 1"))
  }

  // F11
  test("a failed entry leaves nothing behind") {
    val path = folder.resolve("undone")
    val declared = TableDeclaration(
      TableIdentifier("undone", Some("nowhere")),
      new StructType().add("id", IntegerType, nullable = false),
      Seq("id"),
      Nil,
      IndexKind.Bucket(1, Seq("id")),
      Nil,
      Some(path.toUri.toString),
      isExternal = true,
      Map.empty,
      None,
      isGlobal = false,
      version = TableVersion.Six
    )
    assertFault("SCHEMA_NOT_FOUND")(new SessionTables(spark).create(declared))
    assert(!Files.exists(path))
    sql("CREATE TABLE taken (id INT) USING parquet")
    val taken = declared.copy(table = TableIdentifier("taken"))
    intercept[Exception](new SessionTables(spark).create(taken))
    assert(!Files.exists(path))
    Files.createDirectory(path)
    intercept[Exception](new SessionTables(spark).create(taken))
    assert(Files.list(path).count() == 0)
  }

  test("another catalog name sees the same tables") {
    sql("CREATE TABLE other.both.seen (id INT PRIMARY KEY) USING hudilite WITH BUCKETS 1"
      .replace("both", spark.catalog.currentDatabase))
    assert(exists("seen"))
    assert(sql(s"SELECT * FROM other.${spark.catalog.currentDatabase}.seen").schema.names.toSeq ==
      Seq("id"))
    sql(s"CREATE TABLE other.${spark.catalog.currentDatabase}.plain (id INT) USING parquet")
    sql("INSERT INTO plain VALUES (1)")
    assert(sql("SELECT * FROM plain").count() == 1)
  }

  test("tables of other providers work as before and refuse a key") {
    sql("CREATE TABLE pq (id INT, p INT) USING parquet PARTITIONED BY (p)")
    sql("INSERT INTO pq VALUES (1, 2)")
    assert(sql("SELECT * FROM pq").count() == 1)
    sql("DROP TABLE pq")
    assert(!exists("pq"))
    intercept[NoSuchTableException](entry("pq"))
    assert(fault(sql("CREATE TABLE pq (id INT PRIMARY KEY) USING parquet"))._1.nonEmpty)
    assert(!exists("pq"))
  }
}
