package hudilite.spark.catalog

import java.nio.file.Files

import hudilite.spark.SparkSuite

/** What CREATE TABLE refuses, by condition, before anything is on disk or in the catalog. */
class CreateRefusalSuite extends SparkSuite {

  private def refuse(
      columns: String,
      clauses: String,
      condition: String,
      parameters: (
          String,
          String
      )*
  ): Unit = {
    val path = folder.resolve("refused")
    assertFault(condition, parameters: _*) {
      sql(s"CREATE TABLE refused ($columns) USING hudilite LOCATION '$path' $clauses")
    }
    assert(!spark.catalog.tableExists("refused"))
    assert(!Files.exists(path))
  }

  test("what needs a key, in a table without one") {
    val noKey = "HUDILITE_KEY_NOT_DECLARED"
    val ofBuckets = "clause" -> "WITH BUCKETS 1"
    refuse("id INT", "WITH BUCKETS 1", noKey, ofBuckets)
    refuse("id INT", "WITH BUCKETS 1 TBLPROPERTIES (primaryKey = ' , ')", noKey, ofBuckets)
    val global = "hudilite.index.global"
    refuse("id INT", s"TBLPROPERTIES ('$global' = 'true')", noKey,
      "clause" -> s"'$global' = 'true'")
  }

  test("a key column that is missing, repeated or of a type without an exact text") {
    val invalid = "HUDILITE_KEY_COLUMN_INVALID"
    refuse("id INT", "WITH BUCKETS 1 TBLPROPERTIES (primaryKey = 'no')", invalid, "column" -> "no")
    refuse("id INT, PRIMARY KEY (no)", "WITH BUCKETS 1", invalid, "column" -> "no")
    refuse(
      "id INT",
      "WITH BUCKETS 1 TBLPROPERTIES (primaryKey = 'id,ID')",
      invalid,
      "reason" -> "it occurs twice"
    )
    Seq(
      "FLOAT",
      "DOUBLE",
      "ARRAY<INT>",
      "MAP<STRING, INT>",
      "STRUCT<a: INT>",
      "CHAR(3)",
      "VARCHAR(3)"
    ).foreach { dataType =>
      refuse(s"id $dataType PRIMARY KEY", "WITH BUCKETS 1", invalid, "column" -> "id")
    }
  }

  test("hash columns outside the key or in the partition") {
    val invalid = "HUDILITE_BUCKET_COLUMN_INVALID"
    val columns = "id INT, v INT, p INT, PRIMARY KEY (id, p)"
    refuse(columns, "WITH BUCKETS 1 ON (v)", invalid, "column" -> "v")
    refuse(columns, "WITH BUCKETS 1 ON (no)", invalid, "column" -> "no")
    refuse(columns, "WITH BUCKETS 1 ON (id, ID)", "COLUMN_ALREADY_EXISTS")
    refuse(columns, "WITH BUCKETS 1 ON (p) PARTITIONED BY (p)", invalid, "column" -> "p")
  }

  test("partition transforms and partition columns without an exact text") {
    val columns = "id INT PRIMARY KEY, d DATE, f DOUBLE, s STRUCT<a: INT>"
    Seq("days(d)", "truncate(2, id)", "s.a", "no", "f", "s").foreach { transform =>
      refuse(
        columns,
        s"PARTITIONED BY ($transform) WITH BUCKETS 1",
        "HUDILITE_UNSUPPORTED_CLAUSE"
      )
    }
  }

  // F85
  test("columns that Hudi cannot name or hold") {
    Seq("_hoodie_x", "_HOODIE_RECORD_KEY", "`a b`", "`1a`", "`ä`").foreach { name =>
      refuse(s"id INT PRIMARY KEY, $name INT", "WITH BUCKETS 1", "HUDILITE_INVALID_NAME")
    }
    refuse(
      "id INT PRIMARY KEY, s STRUCT<`a-b`: INT>",
      "WITH BUCKETS 1",
      "HUDILITE_INVALID_NAME",
      "name" -> "a-b"
    )
    Seq(
      "INTERVAL DAY TO SECOND",
      "INTERVAL YEAR",
      "VARIANT",
      "MAP<INT, INT>",
      "ARRAY<VARIANT>",
      "STRING COLLATE UTF8_LCASE",
      "MAP<STRING COLLATE UTF8_LCASE, INT>",
      "VOID"
    )
      .foreach { dataType =>
        val (condition, _) = fault {
          sql(
            s"CREATE TABLE refused (id INT PRIMARY KEY, v $dataType) USING hudilite WITH BUCKETS 1"
          )
        }
        assert(
          Set("HUDILITE_UNSUPPORTED_TYPE", "UNSUPPORTED_FEATURE.TIME_TYPE").contains(condition) ||
            condition.startsWith("UNSUPPORTED_DATATYPE"),
          dataType
        )
      }
  }

  test("properties without an effect") {
    Seq(
      "type = 'ro'",
      "'hoodie.index.type' = 'SIMPLE'",
      "'hoodie.bucket.index.num.bucket' = '1'",
      "'hoodie.index.class' = 'x'",
      "'index.type' = 'FLINK_STATE'",
      "'hudilite.table.uuid' = 'x'"
    ).foreach { property =>
      refuse(
        "id INT PRIMARY KEY, ts INT",
        s"WITH BUCKETS 1 TBLPROPERTIES ($property)",
        "HUDILITE_PROPERTY_UNSUPPORTED"
      )
      refuse(
        "id INT PRIMARY KEY, ts INT",
        s"WITH BUCKETS 1 OPTIONS ($property)",
        "HUDILITE_PROPERTY_UNSUPPORTED"
      )
    }
  }

  test("other constraints") {
    refuse("id INT PRIMARY KEY, v INT UNIQUE", "WITH BUCKETS 1", "HUDILITE_UNSUPPORTED_CLAUSE")
    refuse(
      "id INT PRIMARY KEY, v INT REFERENCES other (id)",
      "WITH BUCKETS 1",
      "HUDILITE_UNSUPPORTED_CLAUSE"
    )
  }

  // F86
  test("a location that is not empty") {
    val path = Files.createDirectory(folder.resolve("full"))
    Files.writeString(path.resolve("file"), "x")
    assertFault("HUDILITE_LOCATION_NOT_EMPTY") {
      sql(s"CREATE TABLE refused (id INT PRIMARY KEY) USING hudilite LOCATION '$path' " +
        "WITH BUCKETS 1")
    }
    assert(Files.list(path).count() == 1)
  }

  test("statements that would make a table in another way") {
    sql("CREATE TABLE present (id INT PRIMARY KEY) USING hudilite WITH BUCKETS 1")
    val differs = "HUDILITE_REPLACE_DIFFERS"
    Seq(
      "CREATE OR REPLACE TABLE present (id INT) USING hudilite",
      "CREATE OR REPLACE TABLE present USING hudilite AS SELECT 1 AS id",
      "REPLACE TABLE present (id INT) USING hudilite"
    ).foreach(text => assertFault(differs)(sql(text)))
    assertFault(differs)(spark.range(3).writeTo("present").using("hudilite").createOrReplace())
    assertFault("HUDILITE_PROPERTY_CONFLICT")(
      sql("CREATE TABLE refused LIKE present TBLPROPERTIES (type = 'mor')")
    )
    val buckets = "hoodie.bucket.index.num.buckets"
    val keyless = spark.range(3).write.format("hudilite").option(buckets, 2).mode("append")
    assertFault("HUDILITE_KEY_NOT_DECLARED")(keyless.saveAsTable("refused"))
    assertFault("HUDILITE_KEY_NOT_DECLARED")(keyless.save(folder.resolve("x").toString))
    assertFault("HUDILITE_PATH_INVALID")(spark.read.format("hudilite").load(folder.toString))
    assert(sql("SELECT * FROM present").schema.size == 1)
    assert(!spark.catalog.tableExists("refused"))
  }

  test("statements on a table that have no implementation") {
    sql("CREATE TABLE t (id INT PRIMARY KEY, v INT) USING hudilite WITH BUCKETS 1")
    Seq(
      "ALTER TABLE t DROP COLUMN id",
      "ALTER TABLE t RENAME COLUMN id TO w",
      "ALTER TABLE t ALTER COLUMN id TYPE BIGINT",
      "ALTER TABLE t SET LOCATION '/tmp/x'",
      "ALTER TABLE t ADD CONSTRAINT c UNIQUE (v)",
      "ALTER TABLE t CLUSTER BY (v)",
      "SHOW PARTITIONS t",
      "MSCK REPAIR TABLE t",
      "LOAD DATA INPATH '/tmp/x' INTO TABLE t"
    ).foreach(text => assertFault("HUDILITE_UNSUPPORTED_STATEMENT")(sql(text)))
    assertFault("HUDILITE_UNSUPPORTED_CLAUSE")(
      sql("INSERT INTO t REPLACE WHERE rand() > id VALUES (1, 2)")
    )
    assert(sql("SELECT id, v FROM t").schema.size == 2)
  }
}
