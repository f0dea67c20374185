package hudilite.spark.parse

import org.scalatest.funsuite.AnyFunSuite

import hudilite.spark.plan.TableCommand._
import hudilite.spark.plan.{NamedTable, TableCommand}

class TableCommandsSuite extends AnyFunSuite {
  private val table =
    NamedTable("db.t", "CALL ", Seq("id"), Seq("p"), Some(4), Seq("id"), Map("type" -> "mor"))

  private def found(text: String): Option[TableCommands] =
    if (TableCommands.mayBeIn(text)) TableCommands.in(text) else None

  private def command(text: String): TableCommand =
    found(text).map(_.command).getOrElse(fail(s"$text is none"))

  private def instead(text: String): String = command(text) match {
    case Refused(_, _, fix) => fix(table).split("[Ww]rite: ").last
    case other => fail(s"$text is $other")
  }

  test("names, paths, comments and the end of a statement are read as Spark reads them") {
    assert(found("/* a */ vacuum\n`a``b`.Key.t;;").map(_.table).contains(Seq("a`b", "Key", "t")))
    assert(found("OPTIMIZE 'it''s'").exists(_.isPath))
    assert(found("DESC DETAIL hudilite.`/a b/c`").map(_.table).contains(Seq("hudilite", "/a b/c")))
    assert(command("OPTIMIZE t WHERE p = '\uD83D\uDE00' AND q") == Optimize(Some(
      "p = '\uD83D\uDE00' AND q"
    )))
  }

  test("the parts of a statement are recognized in each order that its project has") {
    assert(command("VACUUM t DRY RUN RETAIN 9 HOURS") == Vacuum(Some(9), dryRun = true))
    assert(command("RESTORE t VERSION AS OF 7") == Restore("versionAsOf", "7"))
    assert(command("RESTORE TABLE t TO FOR SYSTEM_TIME AS OF \"x\"") ==
      Restore("timestampAsOf", "x"))
    assert(command("describe history t limit 3") == History(Some(3)))
    assert(command("RUN COMPACTION ON t") == Optimize(None, packs = false))
    assert(command("OPTIMIZE t WHERE p = 1 zorder by (a, `b c`)") ==
      Optimize(Some("p = 1"), Seq(Seq("a"), Seq("b c"))))
    assert(command("OPTIMIZE t ZORDER BY s.x") == Optimize(None, Seq(Seq("s", "x"))))
  }

  test("statements of Spark and unfinished ones are left to Spark") {
    Seq(
      "DESCRIBE history",
      "DESCRIBE history AS JSON",
      "DESCRIBE HISTORY PARTITION (p = 1)",
      "DESCRIBE history.t",
      "CREATE TABLE clone (id INT)",
      "CREATE TABLE shallow USING parquet AS SELECT 1 clone",
      "ALTER TABLE t ADD PARTITION (p = 1)",
      "ALTER TABLE t DROP COLUMN tag",
      "ALTER TABLE t RENAME TO write",
      "SHOW TABLES",
      "REFRESH TABLE t",
      "VACUUM",
      "OPTIMIZE",
      "SELECT * FROM t",
      "-- nothing",
      ""
    ).foreach(text => assert(found(text).isEmpty, text))
  }

  test("a copy with other partitions keeps the other facts of the table") {
    val copy = "CREATE TABLE db.t_new USING hudilite"
    val facts = "TBLPROPERTIES (primaryKey = 'id', type = 'mor')"
    assert(instead("ALTER TABLE t ADD PARTITION FIELD q") ==
      s"$copy PARTITIONED BY (p, q) WITH BUCKETS 4 $facts AS SELECT * FROM db.t")
    assert(instead("ALTER TABLE t DROP PARTITION FIELD P") ==
      s"$copy WITH BUCKETS 4 $facts AS SELECT * FROM db.t")
    assert(instead("ALTER TABLE t REPLACE PARTITION FIELD p WITH days(`a b`) AS d") ==
      s"$copy PARTITIONED BY (`a b_day`) WITH BUCKETS 4 $facts AS " +
      "SELECT *, CAST(`a b` AS DATE) AS `a b_day` FROM db.t")
    assert(instead("ALTER TABLE t ADD PARTITION FIELD bucket(16, id)") ==
      s"$copy PARTITIONED BY (p) WITH BUCKETS 16 $facts AS SELECT * FROM db.t")
    assert(instead("CREATE OR REPLACE TABLE c SHALLOW CLONE t VERSION AS OF 3 LOCATION '/x'") ==
      s"CREATE OR REPLACE TABLE c USING hudilite PARTITIONED BY (p) WITH BUCKETS 4 $facts AS " +
      "SELECT * FROM db.t VERSION AS OF 3")
  }

  test("a clause that is not known is named, and the rest of the statement is kept") {
    assert(instead("VACUUM t LITE RETAIN 9 HOURS") == "VACUUM db.t RETAIN 9 HOURS")
    assert(instead("OPTIMIZE t WHERE p = 1 ZORDER BY (a b)") == "OPTIMIZE db.t WHERE p = 1")
    assert(instead("OPTIMIZE t FULL WHERE p = 1") == "OPTIMIZE db.t WHERE p = 1")
    assert(command("VACUUM t RETAIN 99999999999 HOURS").words ==
      "VACUUM ... RETAIN 99999999999 HOURS")
  }

  test("the files of CONVERT TO DELTA are adopted under the name of their folder") {
    def told(text: String) = ConvertToDelta.in(text).map(_.messageParameters("fix"))
    assert(told("CONVERT TO DELTA parquet.`/data/events/`").exists(
      _.endsWith("CALL bootstrap(table => 'events', source => '/data/events/', key => 'id')")
    ))
    assert(
      told("CONVERT TO DELTA db.e").exists(_.contains("table => 'db.e_hudi', source => 'db.e'"))
    )
    assert(told("CONVERT TO ICEBERG db.e").isEmpty)
  }
}
