"""The sqlglot dialect: what it reads, what it writes, and that Spark reads both the same."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlglot
from _pytest.mark import ParameterSet
from sqlglot import ErrorLevel, UnsupportedError, exp

from harness.golden import Block, parse_golden
from harness.rotation import ROOT, third_of
from hudilite.dialect import Buckets, Call, Hudilite, key_columns

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GOLDENS = ROOT / "tests" / "sql"
# A change of it runs every file.
DIALECT = "python/src/hudilite/dialect/"

SAME = [
    "CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 8",
    "CREATE TABLE `T x` (Id INT, `sel ect` INT PRIMARY KEY) USING Hudilite WITH BUCKETS 8 ON (`sel ect`, Id)",
    "CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 8 PARTITIONED BY (p) COMMENT 'c' LOCATION '/x'",
    "CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) WITH BUCKETS 8 COMMENT 'c' LOCATION '/x'",
    "CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite PARTITIONED BY (p) COMMENT 'c' WITH BUCKETS 8 LOCATION '/x'",
    "CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite LOCATION '/x' WITH BUCKETS 8 TBLPROPERTIES ('a'='b')",
    "CREATE TABLE IF NOT EXISTS c.d.t (id INT NOT NULL DEFAULT 1 COMMENT 'x', CONSTRAINT pk PRIMARY KEY (id)) USING hudilite WITH BUCKETS 8",
    "CREATE TABLE t USING hudilite WITH BUCKETS 8 LOCATION '/x'",
    "CREATE TABLE t USING hudilite WITH BUCKETS 8 TBLPROPERTIES ('primaryKey'='id') AS SELECT 1 AS id",
    "CREATE TABLE t USING hudilite WITH BUCKETS 8 AS WITH buckets AS (SELECT 4 AS four) SELECT * FROM buckets",
    "CREATE TABLE t (id INT, v STRING) USING parquet CLUSTERED BY (id) SORTED BY (v) INTO 2 BUCKETS",
    "CALL show_timeline(table => 'db.t')",
    "CALL lake.`Sys tem`.show(1, `odd name` => -2, o => MAP('a', ARRAY(1, NULL)))",
    "CALL x()",
    "MERGE INTO t AS x USING s ON x.id = s.id AND x.p = 'a' WHEN MATCHED AND s.v THEN DELETE WHEN MATCHED THEN UPDATE SET x.a.b = s.v, `c d` = DEFAULT WHEN NOT MATCHED AND s.n > 1 THEN INSERT (id, v) VALUES (s.id, DEFAULT) WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE AND x.p = 'a' THEN UPDATE SET v = 1 WHEN NOT MATCHED BY SOURCE THEN DELETE",
    "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *",
    "MERGE INTO t USING VALUES (1, 'a') AS s(id, v) ON t.id = s.id WHEN NOT MATCHED THEN INSERT *",
    "MERGE WITH SCHEMA EVOLUTION INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *",
    "INSERT INTO t BY NAME SELECT 1 AS id",
    "SELECT DATE '2024-01-02', TIMESTAMP_NTZ '2024-01-02 00:00:00', CAST('2024-01-02' AS DATE)",
    "DESCRIBE PROCEDURE show_timeline",
    "DESCRIBE EXTENDED t",
    "DESCRIBE t id",
    "RESET hoodie.index.type",
    "MERGE INTO t USING (VALUES (1, 'a') AS v(id, v)) AS s ON t.id = s.id WHEN MATCHED THEN DELETE",
    "SET spark.sql.session.timeZone = Asia/Kolkata",
    "ALTER TABLE t CHANGE COLUMN id COMMENT 'x'",
    "SELECT call, bUckets, myFunction(x) FROM call AS buckets",
]


@pytest.mark.parametrize("text", SAME)
def test_text_comes_out_as_it_went_in(text: str) -> None:
    assert sqlglot.parse_one(text, read="hudilite").sql("hudilite") == text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        (
            "create table T (id int primary key) using HudiLite with buckets 08",
            "CREATE TABLE T (id INT PRIMARY KEY) USING HudiLite WITH BUCKETS 08",
        ),
        (
            "CREATE TABLE c USING parquet WITH buckets (n) AS (SELECT 4) SELECT * FROM buckets",
            "CREATE TABLE c USING parquet AS WITH buckets(n) AS (SELECT 4) SELECT * FROM buckets",
        ),
        ("call x ( a=>1 )", "CALL x(a => 1)"),
        ("SELECT 'it''s', \"a\"\"b\"", "SELECT 'it\\'s', 'a\"b'"),
    ],
)
def test_text_comes_out_in_one_spelling(text: str, written: str) -> None:
    assert sqlglot.parse_one(text, read="hudilite").sql("hudilite") == written


def test_clause_is_a_node_with_its_number_and_columns() -> None:
    tree = sqlglot.parse_one(
        "CREATE TABLE t (a INT, B INT) USING hudilite WITH BUCKETS 8 ON (B, `a`)", read="hudilite"
    )
    clause = tree.find(Buckets)
    assert clause is not None
    assert clause.this.to_py() == 8
    assert [(column.name, column.quoted) for column in clause.expressions] == [
        ("B", False),
        ("a", True),
    ]


def test_call_is_a_tree_with_named_arguments() -> None:
    call = sqlglot.parse_one("CALL c.`s y`.p(1, `t` => 'x')", read="hudilite")
    assert isinstance(call, Call)
    assert [part.name for part in call.this.find_all(exp.Identifier, bfs=False)] == [
        "c",
        "s y",
        "p",
    ]
    assert [type(argument) for argument in call.expressions] == [exp.Literal, exp.Kwarg]
    assert call.expressions[1].this == exp.to_identifier("t", quoted=True)


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("(a INT, b INT, PRIMARY KEY (b, a)) USING hudilite", ["b", "a"]),
        ("(a INT, b INT, CONSTRAINT pk PRIMARY KEY (`b`)) USING hudilite", ["b"]),
        ("(a INT, b INT PRIMARY KEY) USING hudilite", ["b"]),
        ("(a INT) USING hudilite TBLPROPERTIES (primaryKey = 'a , b', x = 'y')", ["a", "b"]),
        ("(a INT) USING hudilite TBLPROPERTIES ('x' = 'y')", []),
    ],
)
def test_key_columns_of_a_declaration(declared: str, expected: list[str]) -> None:
    tree = sqlglot.parse_one(f"CREATE TABLE t {declared}", read="hudilite")
    assert [column.name for column in key_columns(tree)] == expected


@pytest.mark.parametrize("dialect", ["spark", "databricks"])
@pytest.mark.parametrize(
    ("clause", "written"),
    [("WITH BUCKETS 8", "(a, b)"), ("WITH BUCKETS 8 ON (b)", "(b)")],
)
def test_spark_gets_the_clause_in_its_own_grammar(dialect: str, clause: str, written: str) -> None:
    text = f"CREATE TABLE t (a INT, b INT, PRIMARY KEY (a, b)) USING hudilite {clause}"
    assert sqlglot.transpile(text, read="hudilite", write=dialect) == [
        f"CREATE TABLE t (a INT, b INT, PRIMARY KEY (a, b)) USING HUDILITE CLUSTERED BY {written} INTO 8 BUCKETS"
    ]


@pytest.mark.parametrize("dialect", ["spark", "duckdb", "postgres"])
def test_a_clause_that_cannot_be_written_is_unsupported(dialect: str) -> None:
    text = "CREATE TABLE t (a INT) USING hudilite WITH BUCKETS 8"
    with pytest.raises(UnsupportedError, match=r"(?i)buckets"):
        sqlglot.transpile(text, read="hudilite", write=dialect, unsupported_level=ErrorLevel.RAISE)
    assert "BUCKETS" not in sqlglot.transpile(text, read="hudilite", write=dialect)[0]


def test_every_dialect_of_sqlglot_writes_the_nodes() -> None:
    texts = [
        "CREATE TABLE t (a INT, PRIMARY KEY (a)) USING hudilite WITH BUCKETS 8",
        "CALL a.b(c => 1)",
    ]
    trees = [sqlglot.parse_one(text, read="hudilite") for text in texts]
    for dialect in (d.value for d in sqlglot.Dialects if d.value not in ("", "prql")):
        written = [tree.sql(dialect, unsupported_level=ErrorLevel.IGNORE) for tree in trees]
        assert written[0].startswith("CREATE TABLE")
        assert written[1].startswith("CALL a.b(")


def test_dialects_that_wrote_before_write_the_nodes_too() -> None:
    code = (
        "import sqlglot; sqlglot.transpile('SELECT 1', read='spark', write='spark');"
        "sqlglot.transpile('SELECT 1', write='postgres');"
        "print(sqlglot.transpile('CALL a(b => 1)', read='hudilite', write='spark')[0]);"
        "print(sqlglot.transpile('CALL a(b => 1)', read='hudilite', write='postgres')[0])"
    )
    assert (
        subprocess.check_output([sys.executable, "-c", code], text=True).splitlines()
        == ["CALL a(b => 1)"] * 2
    )


def test_dialect_is_registered_by_entry_point() -> None:
    (found,) = entry_points(group="sqlglot.dialects", name="hudilite")
    assert found.load() is Hudilite
    code = "import sqlglot, sys; sqlglot.parse_one('CALL x()', read='hudilite'); print('pyspark' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "False\n"


def passing(file: Path) -> list[Block]:
    """The blocks of a golden file that must pass."""
    blocks = parse_golden(file.read_text(encoding="utf-8")).blocks
    return [block for block in blocks if not block.expected_error]


def rotated() -> list[ParameterSet]:
    """The golden files, each at a rotation and when it changes."""
    files = {str(file.relative_to(ROOT)): file for file in sorted(GOLDENS.rglob("*.sql"))}
    return [
        pytest.param(
            file,
            id=file.stem,
            marks=pytest.mark.rotated(third=third_of(name), when=(name, DIALECT)),
        )
        for name, file in files.items()
    ]


@pytest.mark.parametrize("file", rotated())
def test_goldens_mean_the_same_when_written_again(file: Path, spark: SparkSession) -> None:
    spark.conf.set("spark.sql.parser.eagerEvalOfUnresolvedInlineTable", "false")  # shows VALUES
    parser = spark._jsparkSession.sessionState().sqlParser()
    for block in passing(file):
        tree = sqlglot.parse_one(block.text, read="hudilite")
        written = tree.sql("hudilite", unsupported_level=ErrorLevel.RAISE)
        assert sqlglot.parse_one(written, read="hudilite").sql("hudilite") == written
        assert not tree.find(exp.Command), block.text
        meant, read = (str(parser.parsePlan(text)) for text in (block.text, written))
        assert words(read) == words(meant), f"{block.text}\n{written}"


def words(plan: str) -> list[str]:
    """The words of a plan of Spark's parser, without what two spellings of one meaning differ in.

    sqlglot writes 1L and DOUBLE(x) as casts, IS NOT NULL as NOT .. IS NULL, named_struct
    as STRUCT with aliases, |> as sub-queries, and a view keeps the text of its query.
    """
    text = re.sub(r"#\d+l?|__auto_generated_subquery_name", "", plan.lower())
    text = re.sub(r"^(createviewcommand `[^`]*`).*", r"\1", text)
    text = re.sub(r"not isnull\(", "isnotnull(", text)
    types = r"(bigint|int|string|date|timestamp(_ntz)?|double|float|tinyint|smallint|decimal\(\d+,\d+\))"
    text = re.sub(
        rf"\bas {types}\)|'?\b(cast|double|float|int|string)\(|named_(?=struct)", "", text
    )
    text = re.sub(r" as `?\w+`?(?=[,)])| utc\b", "", text)
    return re.findall(r"[^\s'(),\[\]]+", text)


def test_a_change_of_meaning_has_other_words() -> None:
    assert words("Filter ('a = 1)") != words("Filter ('a = 2)")
    assert words("Project [1 AS a]") != words("Project [1 AS b]")
    assert json.dumps(words("Filter isnotnull('a)")) == json.dumps(words("Filter NOT isnull('a)"))
