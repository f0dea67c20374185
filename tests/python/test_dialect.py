"""The sqlglot dialect: what it reads, what it writes, and what it leaves as it is in sqlglot."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from importlib.metadata import entry_points

import pytest
import sqlglot
from pyspark.sql import functions
from sqlglot import ErrorLevel, ParseError, UnsupportedError, exp

from hudilite.dialect import Buckets, Call, Hudilite, KeyColumns, key_columns, write

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
    "SELECT current_timestamp() - INTERVAL 1 DAY 12 HOURS, a + INTERVAL 1 MONTH 2 DAYS 3 HOURS",
    "SELECT current_timestamp() + INTERVAL 1 DAY -2 HOURS 3 MINUTES + 4 SECONDS",
    "SELECT a - INTERVAL '1' WEEK - '2' DAY AS w, INTERVAL '2' HOURS - 3 AS n",
    "SELECT to_char(d, 'yyyy'), to_date(a, 'yyyy-MM-dd'), log10(a), get_json_object(a, '$..x')",
    "SELECT sum(a) FILTER (WHERE nvl(b, c)) OVER (ORDER BY d), CASE WHEN nvl(a, b) THEN 1 END",
    "SELECT * FROM t LATERAL VIEW explode(named_struct('a', 1)) x AS y",
]

# Prints nothing: it fails if a table of a class of sqlglot is not what it was.
TABLES = """
import sqlglot
from sqlglot import generator, parser

def classes(known):
    return [known, *(one for child in known.__subclasses__() for one in classes(child))]

def tables():
    found = {}
    for known in [*classes(parser.Parser), *classes(generator.Generator)]:
        for name in dir(known):
            value = getattr(known, name)
            if name.isupper() and isinstance(value, (dict, set, list, tuple)):
                found[known, name] = (id(value), value.copy() if hasattr(value, "copy") else value)
    return found

dialects = [d.value for d in sqlglot.Dialects if d.value not in ("", "prql")]
for dialect in dialects:
    sqlglot.transpile("SELECT 1", read="spark", write=dialect)
before, known = tables(), set(vars(sqlglot)) | set(sqlglot.expressions.EXPR_CLASSES)
assert len(before) > 1000

from hudilite.dialect import write
for text in ("CREATE TABLE t (a INT PRIMARY KEY) USING hudilite WITH BUCKETS 2", "CALL a(b => 1)"):
    tree = sqlglot.parse_one(text, read="hudilite")
    for dialect in dialects:
        write(tree, dialect, unsupported_level=sqlglot.ErrorLevel.IGNORE)
after = {key: value for key, value in tables().items() if key in before}
assert {key for key in before if before[key] != after.get(key)} == set()
assert set(vars(sqlglot)) | set(sqlglot.expressions.EXPR_CLASSES) == known
"""


@pytest.mark.parametrize("text", SAME)
def test_text_comes_out_as_it_went_in(text: str) -> None:
    assert sqlglot.parse_one(text, read="hudilite").sql("hudilite") == text


def test_every_function_comes_out_as_it_went_in() -> None:
    names = {*Hudilite.parser_class.FUNCTIONS, *Hudilite.parser_class.FUNCTION_PARSERS}
    kept = set()
    more = {name for name in vars(functions) if name.islower() and name[0] != "_"}
    for name in sorted({name.lower() for name in names} | more):
        for count in range(5):
            text = f"SELECT 1 = {name}({', '.join('abcd'[:count])})"
            try:
                tree = sqlglot.parse_one(text, read="hudilite")
            except ParseError:
                continue  # the number of arguments is wrong
            if tree.find(exp.Aliases):
                continue  # a keyword of sqlglot, which Spark does not have as a function
            assert tree.sql("hudilite") == text
            kept.add(name)
    assert len(kept) > 700


def test_a_call_that_has_changed_is_written_anew() -> None:
    text = "SELECT coalesce(a, nvl(b, c)) /* why */, log10(a /* in */), INTERVAL 1 DAY 2 HOURS"
    tree = sqlglot.parse_one(text, read="hudilite")
    changed = tree.copy()
    for column in changed.find_all(exp.Column):
        if column.name == "a":
            column.replace(exp.column("z"))
    assert changed.sql("hudilite") == (
        "SELECT COALESCE(z, nvl(b, c)) /* why */, LOG(10, z), INTERVAL 1 DAY 2 HOURS"
    )
    assert "log10(a) /* in */" in tree.sql("hudilite")
    assert "COALESCE(`a`, COALESCE(`b`, `c`))" in tree.sql("hudilite", identify=True)


def test_a_call_stays_as_it_was_read_where_others_around_it_change() -> None:
    text = (
        "SELECT transform(a, x -> to_date(x, 'yyyy-MM-dd')), "
        "log10(b) FILTER (WHERE a) OVER (ORDER BY a), first_value(a IGNORE NULLS) OVER (ORDER BY d), "
        "lead(nvl(c, b) IGNORE NULLS) OVER (ORDER BY a), "
        "d.my_sum(nvl(a, b)) OVER (ORDER BY a)"
    )
    tree = sqlglot.parse_one(text, read="hudilite")
    assert tree.sql("hudilite") == text
    for column in tree.find_all(exp.Column):
        if column.name == "a":
            column.replace(exp.column("z"))
    assert tree.sql("hudilite") == (
        "SELECT TRANSFORM(z, x -> to_date(x, 'yyyy-MM-dd')), "
        "log10(b) FILTER(WHERE z) OVER (ORDER BY z), FIRST_VALUE(z) IGNORE NULLS OVER (ORDER BY d), "
        "LEAD(nvl(c, b)) IGNORE NULLS OVER (ORDER BY z), "
        "d.my_sum(COALESCE(z, b)) OVER (ORDER BY z)"
    )


def test_a_tree_of_another_process_keeps_the_text_of_its_calls() -> None:
    text = "SELECT to_date(a, 'yyyy-MM-dd'), log10(a)"
    code = (
        "import pickle, sqlglot, sys; "
        f'sys.stdout.buffer.write(pickle.dumps(sqlglot.parse_one("{text}", read="hudilite")))'
    )
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        made = subprocess.check_output([sys.executable, "-c", code], env=environment)
        assert pickle.loads(made).sql("hudilite") == text


def test_calls_without_their_text_are_written_anew() -> None:
    dialect = Hudilite()
    tokens = dialect.tokenize("nvl(a, 1) > 0")
    (tree,) = dialect.parser().parse_into(exp.Condition, tokens)
    assert tree is not None
    assert tree.sql("hudilite") == "COALESCE(a, 1) > 0"


def test_options_of_the_spelling_hold_inside_of_calls() -> None:
    tree = sqlglot.parse_one("SELECT nvl(Aa, (SELECT 1))", read="hudilite")
    assert tree.sql("hudilite", normalize=True) == "SELECT COALESCE(aa, (SELECT 1))"
    lines = ["SELECT", "  COALESCE(Aa, (", "    SELECT", "      1", "  ))"]
    assert tree.sql("hudilite", pretty=True).splitlines() == lines


def test_nested_calls_share_one_text() -> None:
    text = "SELECT " + "nvl(" * 30 + "a" + ", b)" * 30
    calls = list(sqlglot.parse_one(text, read="hudilite").find_all(exp.Coalesce))
    assert len(calls) == 30
    assert len({id(call.meta["hudilite.call"][1][0]) for call in calls}) == 1


def test_an_interval_of_several_units_is_one_value_in_other_dialects() -> None:
    text = "SELECT a - INTERVAL 1 DAY 12 HOURS"
    assert sqlglot.transpile(text, read="hudilite", write="duckdb") == [
        "SELECT a - (INTERVAL '1' DAY + INTERVAL '12' HOURS)"
    ]
    text = "SELECT a + INTERVAL 1 DAY -2 HOURS 3 MINUTES"
    assert sqlglot.transpile(text, read="hudilite", write="duckdb") == [
        "SELECT a + (INTERVAL '1' DAY - INTERVAL '2' HOURS + INTERVAL '3' MINUTES)"
    ]


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
        ("SELECT INTERVAL '1 day' - 2 days", "SELECT INTERVAL '1' DAY - 2 AS days"),
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
    assert clause.args["buckets"].to_py() == 8
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
    tree = sqlglot.parse_one(
        "CREATE TABLE t (a INT) USING hudilite WITH BUCKETS 8", read="hudilite"
    )
    with pytest.raises(UnsupportedError, match=r"(?i)buckets|clustered"):
        write(tree, dialect, unsupported_level=ErrorLevel.RAISE)
    assert "BUCKETS" not in write(tree, dialect)


def test_a_clause_whose_columns_are_not_known_is_not_lost_by_sqlglot() -> None:
    text = "CREATE TABLE t (a INT) USING hudilite WITH BUCKETS 8"
    with pytest.raises(ValueError, match="Unsupported expression"):
        sqlglot.transpile(text, read="hudilite", write="spark")


def test_columns_of_a_clause_are_those_of_the_key_where_it_is_declared() -> None:
    def columns(declared: str) -> list[exp.Expr]:
        tree = sqlglot.parse_one(f"CREATE TABLE t {declared}", read="hudilite")
        clause = tree.find(Buckets)
        assert clause is not None
        return list(clause.expressions)

    assert columns("(a INT, PRIMARY KEY (a)) USING hudilite WITH BUCKETS 2") == [
        exp.to_identifier("a")
    ]
    (unknown,) = columns("USING hudilite WITH BUCKETS 2 LOCATION '/x'")
    assert isinstance(unknown, KeyColumns)


def test_every_dialect_of_sqlglot_writes_the_nodes() -> None:
    texts = [
        "CREATE TABLE t (a INT, PRIMARY KEY (a)) USING hudilite WITH BUCKETS 8",
        "CALL a.b(c => 1)",
    ]
    trees = [sqlglot.parse_one(text, read="hudilite") for text in texts]
    for dialect in (d.value for d in sqlglot.Dialects if d.value not in ("", "prql")):
        written = [write(tree, dialect, unsupported_level=ErrorLevel.IGNORE) for tree in trees]
        assert written[0].startswith("CREATE TABLE")
        assert written[1].startswith("CALL a.b(")


def test_the_dialect_changes_nothing_in_those_of_sqlglot() -> None:
    """Tables of every parser and generator, before the import and after all nodes were written."""
    done = subprocess.run([sys.executable, "-c", TABLES], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_other_dialects_refuse_what_they_do_not_know() -> None:
    for dialect in ("spark", "postgres"):
        with pytest.raises(ValueError, match="Unsupported expression"):
            sqlglot.transpile("CALL a(b => 1)", read="hudilite", write=dialect)


def test_dialect_is_registered_by_entry_point() -> None:
    (found,) = entry_points(group="sqlglot.dialects", name="hudilite")
    assert found.load() is Hudilite
    code = "import sqlglot, sys; sqlglot.parse_one('CALL x()', read='hudilite'); print('pyspark' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "False\n"
