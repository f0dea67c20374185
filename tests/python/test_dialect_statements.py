"""Every statement is a tree: none is opaque, each comes back, its parts can be edited."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlglot
from sqlglot import ErrorLevel, ParseError, UnsupportedError, exp

from harness.golden import parse_golden
from hudilite.dialect import (
    AbsentPartition,
    Buckets,
    Call,
    ChangeColumn,
    DescribeColumn,
    EvolvingMerge,
    Explain,
    MoveColumn,
    PurgePartition,
    RenamePartition,
    ResetConfig,
    SchemaEvolution,
    SetConfig,
    Show,
    TableCommand,
    TableOptions,
    UnsetProperties,
    setting_key,
    setting_value,
    write,
)
from hudilite.dialect.nodes import KIND
from hudilite.dialect.writers import WRITERS

GOLDENS = Path(__file__).parents[1] / "sql"


def parsed(text: str) -> exp.Expr:
    return sqlglot.parse_one(text, read="hudilite")


@pytest.mark.parametrize("file", sorted(GOLDENS.rglob("*.sql")), ids=lambda file: file.stem)
def test_goldens_are_trees_that_come_back(file: Path) -> None:
    for block in parse_golden(file.read_text(encoding="utf-8")).blocks:
        if block.expected_error:
            continue
        tree = parsed(block.text)
        assert not tree.find(exp.Command), block.text
        written = tree.sql("hudilite", unsupported_level=ErrorLevel.RAISE)
        assert parsed(written).sql("hudilite") == written


@pytest.mark.parametrize(
    ("text", "node"),
    [
        (
            "MERGE WITH SCHEMA EVOLUTION INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *",
            EvolvingMerge,
        ),
        (
            "WITH s AS (SELECT 'MERGE INTO' AS id) MERGE WITH SCHEMA EVOLUTION INTO t USING s "
            "ON t.id = s.id WHEN MATCHED THEN DELETE",
            EvolvingMerge,
        ),
        ("INSERT WITH SCHEMA EVOLUTION INTO t SELECT 1 AS id", SchemaEvolution),
        ("INSERT WITH SCHEMA EVOLUTION INTO t BY NAME SELECT 1 AS id", SchemaEvolution),
        ("INSERT WITH SCHEMA EVOLUTION INTO t (id, v) VALUES (1, 2)", SchemaEvolution),
        (
            "INSERT WITH SCHEMA EVOLUTION OVERWRITE TABLE t PARTITION(p = 1) SELECT 2",
            SchemaEvolution,
        ),
        (
            "WITH s AS (SELECT 1 AS id) INSERT WITH SCHEMA EVOLUTION INTO t SELECT * FROM s",
            SchemaEvolution,
        ),
        ("INSERT INTO t WITH ('a'='b') VALUES (1)", TableOptions),
        ("INSERT OVERWRITE TABLE t WITH (a.b=1) PARTITION(p = 1) SELECT 2", TableOptions),
        ("INSERT INTO t WITH ('a'='b') (id, v) VALUES (1, 2)", TableOptions),
        ("SELECT * FROM t WITH ('a'='b') AS x", TableOptions),
        ("EXPLAIN SELECT 1", Explain),
        ("EXPLAIN EXTENDED DELETE FROM t WHERE id = 1", Explain),
        ("EXPLAIN FORMATTED CALL x.y(a => 1)", Explain),
        ("EXPLAIN COST INSERT INTO t SELECT 1", Explain),
        ("EXPLAIN CODEGEN SELECT 1", Explain),
        ("CALL rollback(table => 't', instant => '2024')", Call),
        ("SHOW TABLES", Show),
        ("SHOW TABLES IN d LIKE 'x*'", Show),
        ("SHOW TABLE EXTENDED IN d LIKE 'x' PARTITION(p = 1)", Show),
        ("SHOW COLUMNS IN c.`d e` IN x", Show),
        ("SHOW CREATE TABLE `select` AS SERDE", Show),
        ("SHOW TBLPROPERTIES t ('a.b')", Show),
        ("SHOW TBLPROPERTIES t (a.b)", Show),
        ("SHOW PARTITIONS t PARTITION(p = DATE '2024-01-02')", Show),
        ("SHOW CURRENT NAMESPACE", Show),
        ("SHOW CURRENT SCHEMA", Show),
        ("SHOW SYSTEM FUNCTIONS LIKE a", Show),
        ("SHOW PROCEDURES IN lake.system", Show),
        ("SHOW CATALOGS LIKE 'x'", Show),
        ("SET", SetConfig),
        ("SET -v", SetConfig),
        ("SET a.b", SetConfig),
        ("SET a.b = ", SetConfig),
        ("SET a.b = two words, (and) more = x", SetConfig),
        ("SET `odd/key` = file:///x", SetConfig),
        ("SET TIME ZONE 'Asia/Kolkata'", SetConfig),
        ("RESET", ResetConfig),
        ("RESET a.b", ResetConfig),
        ("VACUUM t", TableCommand),
        ("VACUUM hudilite.`/a b` RETAIN 200 HOURS DRY RUN", TableCommand),
        ("VACUUM '/a' DRY RUN", TableCommand),
        ("RESTORE TABLE c.d.t TO VERSION AS OF 3", TableCommand),
        ("RESTORE TABLE t TO TIMESTAMP AS OF '2026-01-01'", TableCommand),
        ("OPTIMIZE t WHERE p = 'x' AND q > 1", TableCommand),
        ("OPTIMIZE t WHERE p = 'x' ZORDER BY (a, `b c`)", TableCommand),
        ("OPTIMIZE t ZORDER BY (a)", TableCommand),
        ("RUN COMPACTION ON t", TableCommand),
        ("DESCRIBE HISTORY t", TableCommand),
        ("DESCRIBE HISTORY d.t LIMIT 3", TableCommand),
        ("DESCRIBE DETAIL t", TableCommand),
        ("DESCRIBE history", exp.Describe),
        ("DESCRIBE history.t", exp.Describe),
        ("DESCRIBE detail PARTITION(p = 1)", exp.Describe),
        ("SELECT vacuum AS optimize FROM restore AS run", exp.Select),
        ("DESCRIBE t a.b", DescribeColumn),
        ("DESCRIBE EXTENDED t `a b` AS JSON", DescribeColumn),
        ("DESCRIBE FORMATTED t PARTITION(p = 1) format", DescribeColumn),
        ("DESCRIBE extended.formatted", exp.Describe),
        ("DESCRIBE FUNCTION EXTENDED abs", exp.Describe),
        ("DESCRIBE NAMESPACE EXTENDED d", exp.Describe),
        ("DESCRIBE EXTENDED t PARTITION(p = 1) AS JSON", exp.Describe),
        ("ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS ('a', b.c)", UnsetProperties),
        ("ALTER TABLE t CHANGE COLUMN id COMMENT 'x'", ChangeColumn),
        ("ALTER TABLE t CHANGE COLUMN a b INT COMMENT 'x' AFTER c", ChangeColumn),
        ("ALTER TABLE t CHANGE COLUMN a FIRST", ChangeColumn),
        ("ALTER TABLE t ALTER COLUMN s.a AFTER b", MoveColumn),
        ("ALTER TABLE t DROP IF EXISTS PARTITION(p = 1) PURGE", PurgePartition),
        ("ALTER TABLE t PARTITION(p = 1) RENAME TO PARTITION(p = 2)", RenamePartition),
        ("ALTER TABLE t ALTER COLUMN s.`a b`.c COMMENT 'x'", exp.AlterColumn),
        ("ALTER TABLE t CHANGE COLUMN s.a DROP NOT NULL", ChangeColumn),
        ("ALTER TABLE t RENAME TO d.u", exp.AlterRename),
        ("CLEAR CACHE", exp.Var),
        ("CREATE FUNCTION f AS 'a.B' USING JAR 'x'", exp.Create),
        ("CREATE TABLE t (a INT) USING org.apache.hudi LOCATION '/x'", exp.FileFormatProperty),
        ("USE NAMESPACE d", exp.Use),
        (
            "INSERT OVERWRITE TABLE t PARTITION(p = 1) IF NOT EXISTS SELECT 2",
            AbsentPartition,
        ),
        ("ALTER TABLE t RENAME COLUMN a TO b", exp.RenameColumn),
        ("ALTER TABLE t RECOVER PARTITIONS", exp.Alter),
        ("ANALYZE TABLE t COMPUTE STATISTICS NOSCAN", exp.Analyze),
        ("ANALYZE TABLE t COMPUTE STATISTICS FOR COLUMNS a, b", exp.Analyze),
        ("ALTER TABLE t CLUSTER BY NONE", exp.Alter),
        ("SELECT * FROM t VERSION AS OF 1 AS x", exp.Version),
        ("SELECT * FROM t TIMESTAMP AS OF '2024-01-01'", exp.Version),
        ("SELECT show, explain, call, commit FROM rollback", exp.Column),
        ("SET VARIABLE x = 1", exp.Set),
    ],
)
def test_text_comes_out_as_it_went_in(text: str, node: type[exp.Expr]) -> None:
    tree = parsed(text)
    assert tree.find(node) is not None
    assert not tree.find(exp.Command)
    assert tree.sql("hudilite") == text.strip()
    assert tree.copy() == tree


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("SELECT * FROM t FOR VERSION AS OF 1 x", "SELECT * FROM t VERSION AS OF 1 AS x"),
        ("SELECT * FROM t FOR SYSTEM_VERSION AS OF 1", "SELECT * FROM t VERSION AS OF 1"),
        ("SELECT * FROM t SYSTEM_TIME AS OF 'x'", "SELECT * FROM t TIMESTAMP AS OF 'x'"),
        ("set a=b", "SET a = b"),
        ("DESC TABLE EXTENDED t", "DESCRIBE EXTENDED t"),
        ("DESC WITH a AS (SELECT 1) FROM a", "DESCRIBE WITH a AS (SELECT 1) SELECT * FROM a"),
        (
            "ALTER TABLE t SET TBLPROPERTIES (comment 'x', a.b = 1)",
            "ALTER TABLE t SET TBLPROPERTIES ('comment'='x', a.b=1)",
        ),
        ("TABLE t", "SELECT * FROM t"),
        ("INSERT INTO t TABLE u", "INSERT INTO t SELECT * FROM u"),
        ("SHOW USER FUNCTIONS d.f", "SHOW USER FUNCTIONS LIKE d.f"),
        (
            "ALTER TABLE t ADD COLUMNS a INT, b INT FIRST",
            "ALTER TABLE t ADD COLUMNS (a INT, b INT FIRST)",
        ),
        ("show columns from t", "SHOW COLUMNS IN t"),
        ("show tables 'x*'", "SHOW TABLES LIKE 'x*'"),
        ("DESCRIBE QUERY SELECT 1", "DESCRIBE SELECT 1"),
        ("ALTER TABLE t CHANGE a TYPE BIGINT", "ALTER TABLE t CHANGE COLUMN a TYPE BIGINT"),
    ],
)
def test_text_comes_out_in_one_spelling(text: str, written: str) -> None:
    assert parsed(text).sql("hudilite") == written
    assert parsed(written).sql("hudilite") == written


def test_bucket_count_is_edited_in_the_tree() -> None:
    tree = parsed("EXPLAIN CREATE TABLE t (a INT, PRIMARY KEY (a)) USING hudilite WITH BUCKETS 4")
    clause = tree.find(Buckets)
    assert clause is not None
    clause.set("buckets", exp.Literal.number(clause.args["buckets"].to_py() + 1))
    assert tree.sql("hudilite").endswith("USING hudilite WITH BUCKETS 5")


def test_parts_are_edited_in_the_tree() -> None:
    setting = parsed("SET hoodie.index.type = BLOOM")
    assert isinstance(setting, SetConfig)
    assert (setting_key(setting), setting_value(setting)) == ("hoodie.index.type", "BLOOM")
    setting.set("value", exp.var("GLOBAL_BLOOM"))
    assert setting.sql("hudilite") == "SET hoodie.index.type = GLOBAL_BLOOM"

    shown = parsed("SHOW PARTITIONS t")
    shown.set("table", exp.to_table("d.u"))
    assert shown.sql("hudilite") == "SHOW PARTITIONS d.u"

    explained = parsed("EXPLAIN SELECT 1")
    explained.set("style", "FORMATTED")
    assert explained.sql("hudilite") == "EXPLAIN FORMATTED SELECT 1"

    merge = parsed("MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN DELETE")
    evolving = EvolvingMerge(**merge.copy().args)
    assert evolving.sql("hudilite") == merge.sql("hudilite").replace(
        "MERGE", "MERGE WITH SCHEMA EVOLUTION"
    )


def test_clauses_of_spark_stay_in_its_dialect_and_are_errors_elsewhere() -> None:
    merge = parsed(
        "MERGE WITH SCHEMA EVOLUTION INTO t USING s ON t.id = s.id WHEN MATCHED THEN DELETE"
    )
    assert write(merge, "databricks").startswith("MERGE WITH SCHEMA EVOLUTION INTO t")
    insert = parsed("INSERT WITH SCHEMA EVOLUTION INTO t SELECT 1 AS id")
    assert write(insert, "databricks") == "INSERT WITH SCHEMA EVOLUTION INTO t SELECT 1 AS id"
    options = parsed("INSERT INTO t WITH ('a'='b') VALUES (1)")
    for tree, dialect in (
        (merge, "postgres"),
        (insert, "duckdb"),
        (options, "tsql"),
        (options, "duckdb"),
    ):
        with pytest.raises(UnsupportedError):
            write(tree, dialect, unsupported_level=ErrorLevel.RAISE)
        with pytest.raises(ValueError, match="Unsupported expression"):
            tree.sql(dialect)
    for tree in (merge, insert):
        assert "EVOLUTION" not in write(tree, "snowflake", unsupported_level=ErrorLevel.IGNORE)


@pytest.mark.parametrize("rest", ["t SELECT 1", "VALUES (1)", "BY NAME SELECT 1"])
def test_schema_evolution_stands_before_into(rest: str) -> None:
    with pytest.raises(ParseError, match="INTO or OVERWRITE"):
        parsed(f"INSERT WITH SCHEMA EVOLUTION {rest}")


@pytest.mark.parametrize(
    ("text", "line", "highlight"),
    [
        ("SELECT 1,\n  FROM WHERE", 2, "WHERE"),
        ("CREATE TABLE t (a INT)\nUSING hudilite\nWITH BUCKETS four", 3, "four"),
        ("CREATE TABLE t (a INT) USING hudilite WITH BUCKETS -1", 1, "-"),
        ("MERGE INTO t USING s\nON t.id = = s.id WHEN MATCHED THEN DELETE", 2, "="),
        ("MERGE t USING s ON a = b WHEN MATCHED THEN DELETE", 1, "t"),
        ("MERGE INTO t USING s ON a = b", 1, "b"),
        ("MERGE INTO t USING s WHEN MATCHED THEN DELETE", 1, "DELETE"),
        ("MERGE INTO t USING s ON a = b WHEN NOT THEN INSERT *", 1, "THEN"),
        ("MERGE INTO t USING s ON a = b WHEN MATCHED\nINSERT *", 2, "INSERT"),
        ("MERGE INTO t USING s ON a = b WHEN MATCHED THEN INSERT *", 1, "INSERT"),
        ("MERGE INTO t USING s ON a = b WHEN MATCHED THEN UPDATE *", 1, "*"),
        ("MERGE INTO t USING s ON a = b WHEN MATCHED THEN UPDATE SET\nv", 2, "v"),
        ("MERGE INTO t USING s ON a = b WHEN NOT MATCHED THEN DELETE", 1, "DELETE"),
        ("MERGE INTO t USING s ON a = b WHEN NOT MATCHED THEN INSERT (id)", 1, ")"),
        (
            "MERGE INTO t USING s ON a = b WHEN NOT MATCHED BY SOURCE THEN UPDATE SET *",
            1,
            "*",
        ),
        ("EXPLAIN\nSELECT 1 +", 2, "+"),
        ("SELECT map('a', 1,\n'b')", 2, ")"),
        ("SHOW\nINDEXES FROM t", 2, "INDEXES"),
        ("SHOW COLUMNS t", 1, "t"),
        ("SHOW TABLE EXTENDED IN d", 1, "d"),
        ("SHOW TABLES LIKE x", 1, "x"),
        ("CALL verify(\ntable => )", 2, ")"),
        ("ALTER TABLE t\nUNSET TBLPROPERTIES 'a'", 2, "'a'"),
        ("DESCRIBE t id what", 1, "what"),
    ],
)
def test_malformed_text_keeps_its_place(text: str, line: int, highlight: str) -> None:
    with pytest.raises(ParseError) as raised:
        parsed(text)
    told = raised.value.errors[0]
    assert (told["line"], told["highlight"]) == (line, highlight)
    end = text.split("\n")[line - 1][: told["col"]]
    assert end.endswith(highlight)


def test_what_sparks_parser_refuses_is_refused() -> None:
    refused = [
        block.text
        for file in sorted(GOLDENS.rglob("*.sql"))
        for block in parse_golden(file.read_text(encoding="utf-8")).blocks
        if block.expected_error in ("PARSE_SYNTAX_ERROR", "INVALID_STATEMENT_OR_CLAUSE")
        and not block.text.startswith(("CALL", "OPTIMIZE", "VACUUM"))  # Delta has two
    ]
    assert refused
    for text in refused:
        with pytest.raises(ParseError):
            parsed(text)


def test_every_dialect_of_sqlglot_writes_every_node() -> None:
    own = [
        "MERGE WITH SCHEMA EVOLUTION INTO t USING s ON t.id = s.id WHEN MATCHED THEN DELETE",
        "INSERT OVERWRITE TABLE t PARTITION(p = 1) IF NOT EXISTS SELECT 2",
        "INSERT WITH SCHEMA EVOLUTION INTO t SELECT 1 AS id",
        "INSERT INTO t WITH ('a'='b') VALUES (1)",
        "EXPLAIN EXTENDED CALL a.b(c => 1)",
        "SHOW TBLPROPERTIES t ('a')",
        "SET a.b = c",
        "RESET a.b",
        "DESCRIBE t a",
        "VACUUM t DRY RUN",
        "REPLACE TABLE t (a INT) USING hudilite",
        "ALTER TABLE t UNSET TBLPROPERTIES ('a')",
        "ALTER TABLE t CHANGE COLUMN a COMMENT 'x'",
        "ALTER TABLE t ALTER COLUMN a FIRST",
        "ALTER TABLE t DROP PARTITION(p = 1) PURGE",
        "ALTER TABLE t PARTITION(p = 1) RENAME TO PARTITION(p = 2)",
    ]
    trees = [parsed(text) for text in own]
    assert {node.args.get(KIND) for tree in trees for node in tree.walk()} >= set(WRITERS)
    for dialect in (d.value for d in sqlglot.Dialects if d.value not in ("", "prql")):
        for text, tree in zip(own, trees, strict=True):
            written = write(tree, dialect, unsupported_level=ErrorLevel.IGNORE)
            assert written.split()[0] == text.split()[0]
