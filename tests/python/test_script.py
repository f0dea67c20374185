"""What the text of a script tells of tables and of the columns of a query."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot import exp

from hudilite.script.columns import output_columns
from hudilite.script.tables import Declared, Tables
from hudilite.script.text import Lines, statements

KNOWN = {"a": ("id", "v"), "b": ("id", "w")}


def asked(text: str) -> tuple[str, ...] | None:
    tree = sqlglot.parse_one(text, read="hudilite")
    return output_columns(tree, lambda table: KNOWN.get(table.name.lower()))


@pytest.mark.parametrize(
    ("query", "columns"),
    [
        ("SELECT 1 AS x, id, a.v, s.f.g FROM a", ["x", "id", "v", "g"]),
        ("SELECT * FROM A", ["id", "v"]),
        ("SELECT * FROM a, b", ["id", "v", "id", "w"]),
        ("SELECT y.*, 1 n FROM a x JOIN b AS y ON x.id = y.id", ["id", "w", "n"]),
        ("SELECT * EXCEPT (ID) FROM a", ["v"]),
        (
            "SELECT COUNT(*), upper(v), 'x', 2, id + 1 FROM a",
            ["COUNT(*)", "upper(v)", "x", "2", "id + 1"],
        ),
        ("SELECT CAST(id AS INT), (v), CAST(v AS INT) AS w FROM a", ["id", "v", "w"]),
        ("SELECT * FROM (SELECT id AS k FROM a) s", ["k"]),
        ("SELECT * FROM (SELECT id FROM a) s(z)", ["z"]),
        ("SELECT * FROM VALUES (1, 2)", ["col1", "col2"]),
        ("VALUES (1, 2) AS s(x, y)", ["x", "y"]),
        ("SELECT * FROM (VALUES (1) AS v(q)) AS s", ["q"]),
        ("WITH c AS (SELECT * FROM a), d(e, f) AS (SELECT * FROM c) SELECT * FROM d", ["e", "f"]),
        ("WITH a AS (SELECT 1 AS mine) SELECT * FROM a", ["mine"]),
        ("SELECT v FROM a UNION ALL SELECT w FROM b", ["v"]),
        ("SELECT a.* FROM a JOIN b USING (id)", ["id", "v"]),
    ],
)
def test_columns_of_a_query(query: str, columns: list[str]) -> None:
    assert asked(query) == tuple(columns)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM unknown",
        "SELECT * FROM a JOIN b USING (id)",
        "SELECT * FROM a NATURAL JOIN b",
        "SELECT * FROM a LEFT SEMI JOIN b ON a.id = b.id",
        "SELECT *, e FROM a LATERAL VIEW explode(v) t AS e",
        "SELECT explode(v) FROM a",
        "SELECT json_tuple(v, 'x', 'y') FROM a",
        "SELECT stack(2, 1, 2) FROM a",
        "SELECT TRANSFORM (id) USING 'cat' AS (x, y) FROM a",
        "SELECT s.* FROM a",
        "SELECT * FROM range(10)",
        "SELECT * FROM a PIVOT (count(v) FOR id IN (1, 2))",
    ],
)
def test_columns_that_the_text_does_not_determine(query: str) -> None:
    assert asked(query) is None


@pytest.mark.parametrize(
    ("script", "columns"),
    [
        ("CREATE TABLE t (A INT, b INT) PARTITIONED BY (c INT)", ["A", "b", "c"]),
        ("CREATE TABLE t (a INT, b INT) PARTITIONED BY (b)", ["a", "b"]),
        ("CREATE TABLE t AS SELECT 1 x", ["x"]),
        ("CREATE TABLE u (a INT); CREATE TABLE t LIKE u", ["a"]),
        ("CREATE TEMPORARY VIEW t (a, b COMMENT 'x') AS SELECT 1, 2", ["a", "b"]),
        ("CACHE TABLE t AS SELECT 1 x", ["x"]),
        ("CREATE TABLE t (a INT); ALTER TABLE t ADD COLUMN b INT", ["a", "b"]),
        (
            "CREATE TABLE t (a STRUCT<b: INT>); ALTER TABLE t ADD COLUMNS (a.c INT, d INT)",
            ["a", "d"],
        ),
        ("CREATE TABLE t (a INT, b INT); ALTER TABLE t DROP COLUMN B", ["a"]),
        ("CREATE TABLE t (a INT, b INT, c INT); ALTER TABLE t DROP COLUMNS (a, c)", ["b"]),
        ("CREATE TABLE t (a INT, b INT); ALTER TABLE t RENAME COLUMN a TO c", ["c", "b"]),
        ("CREATE TABLE u (a INT); ALTER TABLE u RENAME TO t", ["a"]),
        ("CREATE TABLE t (a INT); CREATE TABLE IF NOT EXISTS d.t (b INT)", ["a"]),
        ("CREATE TABLE t (a INT); DROP TABLE d.t; CREATE TABLE t (b INT)", ["b"]),
        ("CREATE TABLE t (a INT); ALTER TABLE t REPLACE COLUMNS (b INT, c INT)", ["b", "c"]),
        ("CREATE VIEW t AS SELECT 1 a; ALTER VIEW t AS SELECT 1 b", ["b"]),
        ("CREATE TABLE t (a INT); USE d; CREATE TABLE t (b INT)", ["b"]),
        ("CREATE TABLE t (a INT); USE d; CREATE TABLE lake.d.t (b INT); USE e", ["b"]),
    ],
)
def test_columns_of_a_table_after_a_script(script: str, columns: list[str]) -> None:
    tables = Tables()
    for statement in statements(script):
        tables.learn(statement.tree)
    assert tables.columns(exp.to_table("lake.d.t")) == tuple(columns)
    assert tables.of(exp.to_table("other")) is None


@pytest.mark.parametrize(
    "script",
    [
        "CREATE TABLE e.t (a INT); USE d",
        "CREATE TABLE t (a INT); USE d",
        "USE d; CREATE TABLE t (a INT); USE e",
        "CREATE TABLE d.t (a INT); USE d; DROP DATABASE d CASCADE",
        "CREATE TABLE d.t (a INT); USE d; MERGE WITH SCHEMA EVOLUTION INTO t USING s ON t.a = s.a "
        "WHEN NOT MATCHED THEN INSERT *",
        "CREATE TABLE d.t (a INT); USE d; INSERT WITH SCHEMA EVOLUTION INTO t SELECT 1 AS a, 2 AS b",
    ],
)
def test_nothing_is_known_of_a_table_after_a_script(script: str) -> None:
    tables = Tables()
    for statement in statements(script):
        tables.learn(statement.tree)
    assert tables.columns(exp.to_table("t")) is None


def test_names_are_the_same_where_one_ends_with_the_other() -> None:
    tables = Tables({"lake.`D`.t": Declared(key=("a",)), "e.t": Declared(key=("b",))})
    found = [tables.of(exp.to_table(name)) for name in ("D.T", "e.t", "f.t", "lake.d.t")]
    assert [facts.key if facts else None for facts in found] == [("a",), ("b",), None, ("a",)]
    assert tables.of(exp.to_table("t")) is None  # it may be either


def test_tables_of_one_name_in_two_databases_are_two() -> None:
    tables = Tables()
    for statement in statements("CREATE TABLE d.t (a INT); CREATE TABLE t (b INT)"):
        tables.learn(statement.tree)
    assert tables.columns(exp.to_table("d.t")) == ("a",)
    assert tables.columns(exp.to_table("t")) == ("b",)


def test_places_count_lines_and_columns_from_1() -> None:
    lines = Lines("ab\n\nc")
    assert [(p.line, p.column) for p in map(lines.place, range(5))] == [
        (1, 1),
        (1, 2),
        (1, 3),
        (2, 1),
        (3, 1),
    ]
