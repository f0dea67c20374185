"""The lint of a script: where it finds what, and where it finds nothing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlglot
from py4j.protocol import Py4JJavaError
from pyspark.errors import ParseException

from harness.golden import parse_golden
from hudilite import lint
from hudilite.lint import PROCEDURES, RULES, Declared
from hudilite.lint.facts import FACTS, TUNABLE

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[2]
T = "CREATE TABLE t (id INT, k INT, v STRING, PRIMARY KEY (id, k)) USING hudilite WITH BUCKETS 4;\n"
ONE = "CREATE TABLE o (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4;\n"
ON = "ON t.id = s.id AND t.k = s.k"
DELETE = "WHEN MATCHED THEN DELETE"


def found(text: str, **known: object) -> list[tuple[int, int, str]]:
    """Line, column and rule of each finding."""
    findings = lint.script(text, **known)  # type: ignore[arg-type]
    for one in findings:
        assert one.message and one.fix and "\n" not in one.message + one.fix
    return [(one.line, one.column, one.rule) for one in findings]


FOUND = {
    "key-not-pinned": [
        (T + f"MERGE INTO t USING s ON t.id = s.id {DELETE}", (2, 25)),
        (T + f"MERGE INTO t AS x\nUSING s\n  ON (s.id = x.id OR x.k = s.k) {DELETE}", (4, 7)),
        (T + f"MERGE INTO t USING s ON t.id = s.id AND t.k > s.k {DELETE}", (2, 25)),
        (T + f"MERGE INTO t USING s ON t.id = 1 AND t.k = 2 {DELETE}", (2, 25)),
        (T + f"MERGE INTO t USING s ON t.id = t.k AND t.k = s.k {DELETE}", (2, 25)),
        (T + f"MERGE INTO t USING s ON (t.id, t.k) = (s.id, t.id) {DELETE}", (2, 26)),
        (T + f"EXPLAIN MERGE INTO t USING s ON t.v = s.v {DELETE}", (2, 33)),
        (
            "CREATE TABLE c USING hudilite TBLPROPERTIES (primaryKey = 'a') AS SELECT 1 a, 2 b;\n"
            f"MERGE INTO c USING s ON c.b = s.b {DELETE}",
            (2, 25),
        ),
        (
            "CALL bootstrap(table => 'd.b', source => '/x', key => 'a, b');\n"
            f"MERGE INTO d.b USING s ON b.a = s.a {DELETE}",
            (2, 27),
        ),
        (T + f"ALTER TABLE t RENAME TO u;\nMERGE INTO u USING s ON u.id = s.id {DELETE}", (3, 25)),
    ],
    "unconditional-not-matched-by-source": [
        (
            f"MERGE INTO t USING s {ON}\n  WHEN NOT MATCHED THEN INSERT *\n"
            "  WHEN NOT MATCHED BY SOURCE THEN DELETE",
            (3, 3),
        ),
        (
            f"MERGE INTO t USING s {ON} WHEN MATCHED AND s.when = 1 THEN DELETE\n"
            "WHEN NOT MATCHED BY SOURCE THEN DELETE",
            (2, 1),
        ),
        (
            f"MERGE INTO t USING (SELECT CASE WHEN a THEN 1 END id, 1 k FROM u) s {ON} "
            "AND CASE WHEN s.id > 1 THEN TRUE END WHEN MATCHED THEN DELETE\n"
            "WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v = 'x'",
            (2, 1),
        ),
    ],
    "unknown-procedure": [
        ("CALL verifi(table => 't')", (1, 6)),
        ("SELECT 1;\n\nCALL run_clustering('t')", (3, 6)),
        ("EXPLAIN CALL lake.system.show_timelines(table => 't')", (1, 14)),
    ],
    "unknown-argument": [
        ("CALL verify(table => 't',\n  levl => 'rows')", (2, 3)),
        ("CALL hudilite.system.rollback(`tabel` => 't', instant => '1')", (1, 31)),
        ("CALL show_index('t', 'more')", (1, 22)),
    ],
    "set-star-schema-gap": [
        (
            T + f"MERGE INTO t USING (SELECT 1 id, 2 k) s {ON}\nWHEN MATCHED THEN UPDATE SET *",
            (3, 30),
        ),
        (
            T + f"MERGE INTO t USING VALUES (1, 2, 'x', 4) AS s(id, k, v, more) {ON}\n"
            "WHEN NOT MATCHED THEN INSERT *",
            (3, 30),
        ),
        (
            T + "CREATE TABLE s (id INT, k INT) USING parquet;\n"
            f"MERGE INTO t USING s {ON} WHEN NOT MATCHED THEN INSERT *",
            (3, 80),
        ),
        (
            T + f"WITH s AS (SELECT id, k FROM u) MERGE INTO t USING s {ON} {DELETE}\n"
            "WHEN NOT MATCHED THEN INSERT *",
            (3, 30),
        ),
        (
            T + "CREATE TEMPORARY VIEW s AS SELECT *, 1 AS n FROM t;\n"
            f"MERGE INTO t USING s {ON} WHEN NOT MATCHED THEN INSERT *",
            (3, 80),
        ),
        (
            T + "ALTER TABLE t ADD COLUMNS (w INT);\n"
            f"MERGE WITH SCHEMA EVOLUTION INTO t USING (SELECT 1 id, 2 k, '' v) s {ON}\n"
            "WHEN MATCHED THEN UPDATE SET *",
            (4, 30),
        ),
    ],
    "non-deterministic-source": [
        (f"MERGE INTO t USING (SELECT id, k, rand() v FROM u) s {ON} {DELETE}", (1, 35)),
        (f"MERGE INTO t USING (SELECT id, k,\n uuid() v FROM u) s {ON} {DELETE}", (2, 2)),
        (f"MERGE INTO t USING (SELECT *, current_timestamp v FROM u) s {ON} {DELETE}", (1, 31)),
        (f"MERGE INTO t USING (SELECT * FROM u WHERE at < now()) s {ON} {DELETE}", (1, 48)),
        (f"MERGE INTO t USING (SELECT * FROM u LIMIT 5) s {ON} {DELETE}", (1, 37)),
        (
            "MERGE INTO t USING (SELECT * FROM (SELECT * FROM u ORDER BY id LIMIT 9)\n LIMIT 5) s "
            f"{ON} {DELETE}",
            (2, 2),
        ),
        (f"WITH s AS (SELECT * FROM u LIMIT 5) MERGE INTO t USING s {ON} {DELETE}", (1, 28)),
    ],
    "fact-set-as-option": [
        ("SET hoodie.bucket.index.num.buckets = 8", (1, 5)),
        ("SELECT 1;\n SET `hoodie.datasource.write.recordkey.field` = id", (2, 6)),
        ("SET hoodie.table.precombine.field=ts", (1, 5)),
        ("SET hoodie.clean.automatic = true", (1, 5)),
        ("INSERT INTO t WITH ('hoodie.clean.hours.retained' = '9') VALUES (1)", (1, 21)),
        ("SET hoodie.datasource.hive_sync.sync_as_datasource = false", (1, 5)),
        ("INSERT INTO t WITH ('a' = 'b', 'Hoodie.Index.Type' = 'BLOOM') VALUES (1)", (1, 32)),
        ("INSERT INTO t WITH (primaryKey = 'id') VALUES (1)", (1, 21)),
        ("INSERT INTO t WITH (hoodie.datasource.write.table.type = 'mor') VALUES (1)", (1, 21)),
        ("SELECT * FROM t WITH (hoodie.table.type = 'mor')", (1, 23)),
    ],
}


@pytest.mark.parametrize(
    ("rule", "text", "place"),
    [(rule, *case) for rule, cases in FOUND.items() for case in cases],
)
def test_rule_finds(rule: str, text: str, place: tuple[int, int]) -> None:
    assert found(text) == [(*place, rule)]


NOTHING = {
    "key-not-pinned": [
        T + f"MERGE INTO t USING s {ON} {DELETE}",
        T
        + f"MERGE INTO t USING s ON ((s.k <=> t.k) AND t.v = 'x') AND t.id = CAST(s.x AS INT) {DELETE}",
        T + f"MERGE INTO t USING s ON t.id = s.id AND t.k = 1 {DELETE}",
        T + f"MERGE INTO spark_catalog.db.t USING s AS q ON T.ID = q.id AND t.K = q.k {DELETE}",
        T + f"MERGE INTO t USING (SELECT 1 a, 2 b) s ON id = a AND b = k {DELETE}",
        T + f"MERGE INTO t USING s ON id = a AND b = k {DELETE}",
        T + f"MERGE INTO t USING s ON (t.id, t.k) = (s.id, s.k) {DELETE}",
        T + f"MERGE INTO t USING s ON (t.id) = (s.id) AND ((t.k)) = s.k {DELETE}",
        "CREATE TABLE c.`x y`.o (id INT, PRIMARY KEY (id)) USING hudilite;\n"
        f"MERGE INTO c.`x y`.o USING c.z.o ON c.`x y`.o.id = c.z.o.id {DELETE}",
        T + f"DROP TABLE t;\nMERGE INTO t USING s ON t.v = s.v {DELETE}",
        "CREATE TABLE p (id INT PRIMARY KEY, v INT) USING iceberg;\n"
        f"MERGE INTO p USING s ON p.v = s.v {DELETE}",
        f"EXPLAIN {T}MERGE INTO t USING s ON t.v = s.v {DELETE}",
        f"MERGE INTO stranger AS t USING s ON t.v = s.v {DELETE}",
    ],
    "unconditional-not-matched-by-source": [
        f"MERGE INTO t USING s {ON} WHEN NOT MATCHED BY SOURCE AND t.v = 'x' THEN DELETE "
        "WHEN NOT MATCHED THEN INSERT *",
    ],
    "unknown-procedure": [
        ";".join(f"CALL {name}()" for name in PROCEDURES),
        "CALL Lake.System.VERIFY('t')",
        "CALL ice.system.rewrite_data_files(table => 't')",
        "CALL hudi.system.show_rollbacks(table => 't')",
        "CALL paimon.sys.rollback(table => 't', version => '1'); CALL paimon.sys.repair('t')",
    ],
    "unknown-argument": [
        "CALL verify(TABLE => 't', `level` => 'rows'); CALL show_timeline('t', 5)",
    ],
    "set-star-schema-gap": [
        T + f"MERGE INTO t USING (SELECT 1 ID, 2 k, 'x' V) s {ON} WHEN MATCHED THEN UPDATE SET *",
        "CREATE TABLE t (id INT, at TIMESTAMP, day DATE GENERATED ALWAYS AS (CAST(at AS DATE)), "
        "PRIMARY KEY (id)) USING hudilite; MERGE INTO t USING (SELECT 1 id, DATE'2024-01-01' at) s "
        "ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
        T + f"MERGE INTO t USING u AS s {ON} WHEN NOT MATCHED THEN INSERT *",
        T + f"MERGE INTO t USING (SELECT *, 'D' AS op FROM t) s {ON} "
        "WHEN MATCHED AND s.op = 'D' THEN DELETE WHEN MATCHED THEN UPDATE SET *",
        T + f"MERGE INTO t USING (SELECT * FROM u) s {ON} WHEN NOT MATCHED THEN INSERT *",
        T
        + f"MERGE INTO t USING (SELECT * FROM t JOIN u USING (id)) s {ON} WHEN NOT MATCHED THEN INSERT *",
        T
        + f"MERGE INTO t USING (SELECT *, _hoodie_commit_time FROM t) s {ON} WHEN MATCHED THEN UPDATE SET *",
        T + "MERGE WITH SCHEMA EVOLUTION INTO t USING (SELECT *, 1 more FROM t) s "
        f"{ON} WHEN MATCHED THEN UPDATE SET *",
        T + f"MERGE INTO t USING (SELECT 1 id, 2 k) s {ON} WHEN MATCHED THEN UPDATE SET v = 'x'",
        T + f"MERGE INTO t USING (SELECT * EXCEPT (n) FROM (SELECT *, 1 n FROM t)) s {ON} "
        "WHEN NOT MATCHED THEN INSERT *",
        T + f"MERGE INTO t USING (SELECT id, k, v FROM u UNION ALL SELECT 1, 2, 3) s {ON} "
        "WHEN NOT MATCHED THEN INSERT *",
        "CREATE TABLE h (id INT PRIMARY KEY) USING hudilite PARTITIONED BY (p STRING);\n"
        "MERGE INTO h USING (SELECT 1 id, 'a' p) s ON h.id = s.id WHEN NOT MATCHED THEN INSERT *",
    ],
    "non-deterministic-source": [
        f"MERGE INTO t USING (SELECT id, k FROM u ORDER BY id, k LIMIT 5) s {ON} {DELETE}",
        f"MERGE INTO t USING s {ON} WHEN MATCHED THEN UPDATE SET v = uuid()",
        f"MERGE INTO t USING (SELECT d.random(id) id, 1 k FROM u) s {ON} {DELETE}",
        f"MERGE INTO t USING (SELECT max(id) id, 1 k FROM u LIMIT ALL) s {ON} {DELETE}",
        "MERGE INTO t USING (SELECT * FROM u WHERE EXISTS (SELECT 1 FROM w LIMIT 1) "
        f"AND id > (SELECT max(id) FROM t LIMIT 1)) s {ON} {DELETE}",
        "INSERT INTO t SELECT rand(), 2 FROM u LIMIT 5",
        f"MERGE INTO t USING (SELECT * FROM u WHERE day = current_date()) s {ON} {DELETE}",
    ],
    "fact-set-as-option": [
        "SET hoodie.parquet.max.file.size = 64m; SET spark.sql.ansi.enabled = true; SET",
        "SET hoodie.bucket.index.num.buckets; RESET hoodie.bucket.index.num.buckets",
        "CREATE TABLE u (id INT) USING hudilite TBLPROPERTIES (primaryKey = 'id')",
        "ALTER TABLE t SET TBLPROPERTIES ('hoodie.clean.automatic' = 'true')",
    ],
}


@pytest.mark.parametrize(
    ("rule", "text"), [(rule, text) for rule, texts in NOTHING.items() for text in texts]
)
def test_rule_finds_nothing(rule: str, text: str) -> None:
    assert found(text) == []
    assert rule in RULES


def test_every_rule_has_scripts_of_both_kinds() -> None:
    assert set(FOUND) == set(NOTHING) == set(RULES)


@pytest.mark.parametrize(
    ("text", "place", "fix"),
    [
        (T + f"MERGE INTO t USING s ON t.id = s.id {DELETE}", (2, 25), "Add AND t.k = s.k"),
        (
            "CREATE TABLE a.o (id INT, PRIMARY KEY (id)) USING hudilite;\n"
            f"MERGE INTO a.o USING b.o ON true {DELETE}",
            (2, 1),
            "Add AND a.o.id = b.o.id",
        ),
        ("CALL verifi('t')", (1, 6), "Write verify"),
        ("CALL verify(levl => 't')", (1, 13), "Write level"),
    ],
)
def test_fix_is_what_to_write(text: str, place: tuple[int, int], fix: str) -> None:
    (one,) = lint.script(text)
    assert (one.line, one.column, one.fix) == (*place, fix)


def test_what_the_caller_knows_holds() -> None:
    merge = f"MERGE INTO lake.orders USING s ON orders.v = s.v {DELETE}"
    assert found(merge) == []
    facts = {"orders": Declared(columns=("id", "v"), key=("id",))}
    assert found(merge, tables=facts) == [(1, 35, "key-not-pinned")]

    call = "CALL ice.system.show_indexes(tabel => 't')"
    assert found(call) == [(1, 6, "unknown-procedure")]
    known = {"ice.system.show_indexes": ["table"]}
    assert found(call, procedures=known) == [(1, 30, "unknown-argument")]


def test_a_malformed_statement_is_one_finding_and_hides_no_other() -> None:
    text = "SELECT 1 +;\nMERGE INTO t\nUSNG s;\nCALL verifi('t')"
    assert [(line, rule) for line, _, rule in found(text)] == [
        (1, "syntax"),
        (3, "syntax"),
        (4, "unknown-procedure"),
    ]
    assert found("CREATE TABLE t (a INT) USING hudilite WITH BUCKETS four") == [(1, 52, "syntax")]


def test_a_quote_without_end_is_reported_where_it_begins() -> None:
    assert found("SELECT 1;\nSELECT 'it") == [(2, 8, "syntax")]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("SELECT 1;\nSELECT 2 /* open", (2, 10)),
        ("/* closed */ SELECT '/*' /* open\n /* inner */", (1, 26)),
        ("/*", (1, 1)),
        ("SELECT /*+ BROADCAST(t)", (1, 8)),
        ("SELECT '\\'/*', \"/*\", `/*`, r'\\' -- /*\n/* it's */, '' /* open ` */ /* '", (2, 29)),
    ],
)
def test_a_comment_without_end_is_reported_where_it_begins(
    text: str, place: tuple[int, int]
) -> None:
    (one,) = lint.script(text)
    assert (one.line, one.column) == place
    assert one.message == "The comment is not closed"


@pytest.mark.parametrize(
    "text",
    [
        "CREATE DATABASE IF NOT EXISTS d COMMENT 'x' LOCATION '/x' WITH DBPROPERTIES (a = 'b', 'c' = 'd')",
        "CREATE SCHEMA d WITH DBPROPERTIES ('c' = 'd')",
        "CREATE NAMESPACE d WITH PROPERTIES ('c' = 'd')",
        "CREATE TABLE c USING parquet AS WITH properties (n) AS (SELECT 4) SELECT * FROM properties",
        "INSERT OVERWRITE DIRECTORY '/x' USING parquet OPTIONS (a 'b', c = 'd') SELECT 1",
        "INSERT OVERWRITE LOCAL DIRECTORY '/x' USING parquet SELECT * FROM u",
        "INSERT OVERWRITE DIRECTORY '/x' STORED AS orc SELECT 1",
        "COMMENT ON TABLE u IS NULL; COMMENT ON SCHEMA d IS NULL",
        "COMMENT ON TABLE u IS 'x'",
    ],
)
def test_what_spark_accepts_is_no_fault(text: str, spark: SparkSession) -> None:
    parser = spark._jsparkSession.sessionState().sqlParser()
    for one in text.split("; "):
        parser.parsePlan(one)
        again = sqlglot.parse_one(one, read="hudilite").sql("hudilite")
        assert str(parser.parsePlan(again)) == str(parser.parsePlan(one))
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    ["COMMENT ON TABLE u IS 5", "COMMENT ON TABLE u", "INSERT OVERWRITE DIRECTORY '/x' USING orc"],
)
def test_what_spark_does_not_accept_is_a_fault(text: str, spark: SparkSession) -> None:
    with pytest.raises(ParseException):
        spark._jsparkSession.sessionState().sqlParser().parsePlan(text)
    assert [rule for *_, rule in found(text)] == ["syntax"]


BLOCK = """BEGIN
  DECLARE x INT DEFAULT 5;
  DECLARE odd CONDITION FOR SQLSTATE '22012';
  DECLARE EXIT HANDLER FOR odd, SQLSTATE VALUE '22013' BEGIN
    CALL verifi('a');
  END;
  DECLARE EXIT HANDLER FOR NOT FOUND DELETE FROM t;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION SET x = 3;
  SET x = 6;
  IF x > (SELECT CASE WHEN a THEN 1 END FROM t) AND CASE WHEN x = 1 THEN TRUE END THEN
    CALL verifi('b');
  ELSEIF x = 3 THEN DELETE FROM t WHERE a;
  ELSE w: WHILE x < 5 DO SET x = x + 1; ITERATE w; LEAVE w; END WHILE w;
  END IF;
  FOR r AS SELECT a FROM t DO CALL verifi('c'); END FOR;
  REPEAT SELECT 2; UNTIL x > 3 END REPEAT;
  CASE x WHEN 1 THEN SELECT 1; WHEN 2 THEN CALL verifi('d'); ELSE SELECT 3; END CASE;
  CASE WHEN x = 1 THEN SELECT 1; END CASE;
  l: LOOP LEAVE l; END LOOP l;
  BEGIN SELECT 1; END;
END"""


def test_statements_in_blocks_are_checked(spark: SparkSession) -> None:
    spark._jsparkSession.sessionState().sqlParser().parsePlan(BLOCK)
    expected = [(line, "unknown-procedure") for line in (6, 12, 16, 18)]
    places = [(line, rule) for line, _, rule in found(f"SELECT 1;\n{BLOCK};")]
    assert places == expected
    behind = f"SELECT 1;\n{BLOCK}; CALL verifi('e'); SELECT FROM FROM"
    assert [rule for *_, rule in found(behind)] == ["unknown-procedure"] * 5 + ["syntax"]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("BEGIN NOT ATOMIC\nCALL verifi();\nEND", [2]),
        ("BEGIN IF x = 'THEN' OR `THEN` THEN\nCALL verifi(); END IF;\nCALL verifi(); END", [2, 3]),
        ("BEGIN WHILE t.end > t.case AND t.do DO\nCALL verifi();\nEND WHILE; END", [2]),
        ("BEGIN IF max(end) > 1 AND end = t.then THEN\nCALL verifi();\nEND IF; END", [2]),
        (
            "BEGIN IF CASE WHEN end > 1 THEN end END = 1 THEN\nCALL verifi(); END IF;\n"
            "CALL verifi(); END; SELECT 1",
            [2, 3],
        ),
        ("BEGIN REPEAT\nCALL verifi(); UNTIL end > 1 END REPEAT;\nCALL verifi(); END", [2, 3]),
        ("BEGIN FOR r AS SELECT 1 AS do DO\nCALL verifi(); END FOR; END", [2]),
        (
            "BEGIN DECLARE `BEGIN` CONDITION FOR SQLSTATE '22012'; "
            "DECLARE EXIT HANDLER FOR `BEGIN`, SQLSTATE '22013' BEGIN\nCALL verifi(); END;\n"
            "CALL verifi(); END",
            [2, 3],
        ),
    ],
)
def test_names_are_no_words_of_a_block(text: str, lines: list[int], spark: SparkSession) -> None:
    spark._jsparkSession.sessionState().sqlParser().parsePlan(text.removesuffix("; SELECT 1"))
    assert [(line, rule) for line, _, rule in found(text)] == [
        (line, "unknown-procedure") for line in lines
    ]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("SELECT 1;\nBEGIN SELECT 1;", (2, 1)),
        ("BEGIN SELECT 1; IF x THEN SELECT 1;", (1, 17)),
        ("BEGIN IF x THEN SELECT 1; END; END", (1, 27)),
        ("BEGIN IF x THEN SELECT 1; END WHILE; END", (1, 31)),
        ("BEGIN SELECT 1; END FOO BAR", (1, 21)),
        ("BEGIN l: LOOP LEAVE l; END LOOP m; END", (1, 28)),
        ("BEGIN IF x = 1; END IF; END", (1, 14)),
        ("BEGIN IF x THEN SELECT 1; WHEN x THEN SELECT 2; END IF; END", (1, 27)),
        ("BEGIN IF x y THEN SELECT 1; END IF; END", (1, 12)),
        ("BEGIN FOR r AS SELECT 1 1 DO SELECT 1; END FOR; END", (1, 25)),
    ],
)
def test_malformed_blocks_are_found(text: str, place: tuple[int, int], spark: SparkSession) -> None:
    with pytest.raises((ParseException, Py4JJavaError)):
        spark._jsparkSession.sessionState().sqlParser().parsePlan(text.removeprefix("SELECT 1;\n"))
    assert found(text) == [(*place, "syntax")]


def test_the_query_of_a_loop_is_checked() -> None:
    merge = f"MERGE INTO t USING s ON t.id = s.id {DELETE}"
    text = f"{T}BEGIN FOR r AS SELECT * FROM t WITH (hoodie.table.type = 'mor') DO {merge}; END FOR; END"
    assert [rule for *_, rule in found(text)] == ["fact-set-as-option", "key-not-pinned"]


@pytest.mark.parametrize(
    ("change", "rules"),
    [
        ("DROP TABLE t", []),
        ("ALTER TABLE t RENAME TO u", []),
        ("CREATE OR REPLACE TABLE t (v STRING PRIMARY KEY) USING hudilite", []),
        ("USE elsewhere", []),
        ("CREATE TABLE u (id INT)", ["key-not-pinned"]),
        ("CREATE TABLE IF NOT EXISTS t (id INT)", ["key-not-pinned"]),
    ],
)
@pytest.mark.parametrize(
    "block",
    [
        "BEGIN IF x THEN {}; END IF; {}; END",
        "BEGIN CASE WHEN x THEN SELECT 1; ELSE {}; END CASE; {}; END",
        "BEGIN WHILE x DO BEGIN {}; END; END WHILE; {}; END",
        "BEGIN DECLARE EXIT HANDLER FOR NOT FOUND {}; {}; END",
        "BEGIN DECLARE EXIT HANDLER FOR NOT FOUND BEGIN {}; END; {}; END",
    ],
)
def test_what_may_not_run_makes_tables_unknown(block: str, change: str, rules: list[str]) -> None:
    merge = f"MERGE INTO t USING s ON t.v = s.v {DELETE}"
    assert [rule for *_, rule in found(T + block.format(change, merge))] == rules
    declared = lint.declarations(T + block.format(change, "SELECT 1"))
    assert (declared["`t`"] == Declared()) is not bool(rules)
    always = "BEGIN DROP TABLE t; BEGIN CREATE TABLE t (v INT PRIMARY KEY) USING hudilite; END; END"
    assert lint.declarations(f"{T}{always}")["`t`"].key == ("v",)


def test_columns_count_from_1_behind_other_lines_and_characters() -> None:
    text = "/* two\r\nlines */ SELECT 'ä😀';\r\n\tCALL verifi('t')"
    assert found(text) == [(3, 7, "unknown-procedure")]


@pytest.mark.parametrize("what", ["USE", "MERGE WITH SCHEMA EVOLUTION INTO"])
def test_a_query_in_the_place_of_a_name_changes_nothing(what: str) -> None:
    more = f" USING s ON s.id = 1 {DELETE}" if "MERGE" in what else ""
    assert found(f"{what} (SELECT 1){more}; CALL verifi()")[-1][2] == "unknown-procedure"


def test_what_sqlglot_does_not_know_of_spark_is_no_fault() -> None:
    assert found("REPAIR TABLE t; REPLACE TABLE t USING parquet AS SELECT 1 a") == []
    assert found("OPTIMIZE delta_t ZORDER BY (a); VACUUM delta_t RETAIN 168 HOURS") == []


def test_an_empty_script_has_no_fault() -> None:
    assert found("") == found(" ; -- nothing\n;") == []


def test_findings_come_in_the_order_of_the_text() -> None:
    text = (
        ONE + "MERGE INTO o USING (SELECT uuid() id FROM u LIMIT 1) s ON o.v = s.id\n"
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED BY SOURCE THEN DELETE;\n"
        "CALL nowhere()"
    )
    places = found(text)
    assert [rule for _, _, rule in places] == [
        "non-deterministic-source",
        "non-deterministic-source",
        "key-not-pinned",
        "set-star-schema-gap",
        "unconditional-not-matched-by-source",
        "unknown-procedure",
    ]
    assert places == sorted(places)


def test_procedures_are_those_that_can_be_called(spark: SparkSession) -> None:
    called: dict[str, tuple[str, ...]] = {}
    for row in spark.sql("CALL help()").collect():
        called[row["procedure"]] = (*called.get(row["procedure"], ()), row["parameter"])
    assert called == PROCEDURES


def test_facts_are_those_of_the_scala_source() -> None:
    source = ROOT / "sql-extension/spark/src/main/scala/hudilite/spark/catalog/PropertyRules.scala"
    text = source.read_text(encoding="utf-8")
    named = dict(re.findall(r'^  val (\w+) = "([^"]+)"', text, re.MULTILINE))
    named["global"] = "hudilite.index.global"
    body = text.split("val spellings: Seq[(String, String)] = Seq(")[1].split(").concat")[0]
    entries = re.findall(r"(\w+) -> (Nil|Seq\(.*?\))", body, re.DOTALL)
    assert "version" in dict(entries)  # hoodie.write.table.version is also a setting of a session
    spelled = {
        (named[first], *re.findall(r'"([^"]+)"', rest))
        for first, rest in entries
        if first != "version"
    }
    assert spelled == set(FACTS)


@pytest.mark.parametrize("service", ["Archive", "Clean", "Sync"])
def test_facts_of_services_are_those_of_the_scala_source(service: str) -> None:
    folder = ROOT / "sql-extension/spark/src/main/scala/hudilite/spark/plan"
    text = (folder / f"Automatic{service}.scala").read_text(encoding="utf-8")
    text = text.replace("$prefix", "hoodie.datasource.hive_sync")
    named = set(re.findall(r'^  private val \w+ = s?"(hoodie\.[\w.]+)"', text, re.MULTILINE))
    named -= {"hoodie.datasource.hive_sync"}
    assert named in [set(names) for names in TUNABLE]


def test_the_fact_of_bloom_filters_is_that_of_the_scala_source() -> None:
    source = ROOT / "sql-extension/core/src/main/scala/hudilite/format/TableConfig.scala"
    (name,) = re.findall(r'val bloomFilters = "([^"]+)"', source.read_text(encoding="utf-8"))
    assert (name,) in TUNABLE


def test_goldens_that_pass_are_well_formed() -> None:
    for file in (ROOT / "tests/sql").rglob("*.sql"):
        blocks = parse_golden(file.read_text(encoding="utf-8")).blocks
        script = ";\n".join(block.text for block in blocks if not block.expected_error)
        assert "syntax" not in {one.rule for one in lint.script(script)}, file


def test_a_statement_without_any_one_word_is_read_or_reported() -> None:
    seen = set()
    for file in sorted((ROOT / "tests/sql/merge").rglob("*.sql")):
        for block in parse_golden(file.read_text(encoding="utf-8")).blocks:
            words = block.text.split()
            for at in range(len(words)):
                seen |= {one.rule for one in lint.script(" ".join(words[:at] + words[at + 1 :]))}
    assert "syntax" in seen


def test_odd_names_in_a_fix_cannot_break_out() -> None:
    text = (
        "CREATE TABLE t (`a``b` INT, `${x}` INT, PRIMARY KEY (`a``b`, `${x}`)) USING hudilite;\n"
        "MERGE INTO t AS `select` USING s AS `q p` ON `select`.v = `q p`.v WHEN MATCHED THEN DELETE"
    )
    (one,) = lint.script(text)
    assert one.fix == "Add AND `select`.`a``b` = `q p`.`a``b` AND `select`.`${x}` = `q p`.`${x}`"
