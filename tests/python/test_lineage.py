"""The lineage of a MERGE: each clause, each column, and what it is made of."""

from __future__ import annotations

import pytest
from sqlglot import ParseError

from hudilite import HudiliteError, lineage
from hudilite.errors import StatementError
from hudilite.lineage import Declared

T = {"t": Declared(columns=("id", "v", "n"), key=("id",))}


def origins_of(text: str, **known: Declared) -> list[dict[str, str]]:
    """Of each clause the columns, with their origins in one text."""
    return [
        {one.column: " ".join(map(str, one.origins)) for one in clause.columns}
        for clause in lineage.merge(text, tables=known)
    ]


def test_each_clause_has_the_origins_of_its_columns() -> None:
    clauses = lineage.merge(
        """MERGE INTO db.t AS x USING (SELECT 1 id, 'a' v) AS s ON x.id = s.id
        WHEN MATCHED AND s.v = x.v AND x.n > 1 THEN DELETE
        WHEN MATCHED THEN UPDATE SET x.v = concat(s.v, x.v, s.v), n = DEFAULT, st.f = x.st.g + 1
        WHEN NOT MATCHED AND s.id > 0 THEN INSERT (id, v, n) VALUES (s.id, upper(v), 5)
        WHEN NOT MATCHED BY SOURCE THEN UPDATE SET n = n + 1"""
    )
    assert [(c.number, c.when, c.action, " ".join(map(str, c.condition))) for c in clauses] == [
        (1, "MATCHED", "DELETE", "source.v target.v target.n"),
        (2, "MATCHED", "UPDATE", ""),
        (3, "NOT MATCHED", "INSERT", "source.id"),
        (4, "NOT MATCHED BY SOURCE", "UPDATE", ""),
    ]
    assert [[(a.column, " ".join(map(str, a.origins))) for a in c.columns] for c in clauses] == [
        [],
        [("v", "source.v target.v"), ("n", ""), ("st.f", "target.st.g")],
        [("id", "source.id"), ("v", "source.v"), ("n", "")],
        [("n", "target.n")],
    ]
    assert [a.expression for a in clauses[1].columns] == [
        "concat(s.v, x.v, s.v)",
        "DEFAULT",
        "x.st.g + 1",
    ]


@pytest.mark.parametrize(
    "value",
    [
        "to_date(s.a, 'yyyy-MM-dd')",
        "log10(s.a)",
        "s.a - INTERVAL 1 DAY 12 HOURS",
        "get_json_object(s.a, '$..x')",
    ],
)
def test_values_stay_as_they_are_written(value: str) -> None:
    text = (
        f"MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = {value} -- why\n"
        f"WHEN NOT MATCHED THEN INSERT (id, v) VALUES (DEFAULT, {value})"
    )
    written = [[one.expression for one in clause.columns] for clause in lineage.merge(text)]
    assert written == [[value], ["DEFAULT", value]]


@pytest.mark.parametrize("star", ["MATCHED THEN UPDATE SET *", "NOT MATCHED THEN INSERT *"])
def test_stars_are_taken_apart(star: str) -> None:
    text = f"EXPLAIN MERGE INTO d.t USING u AS `order` ON t.id = `order`.id WHEN {star}"
    assert origins_of(text, **T) == [{"id": "source.id", "v": "source.v", "n": "source.n"}]
    (clause,) = lineage.merge(text, tables=T)
    assert [one.expression for one in clause.columns] == ["`order`.id", "`order`.v", "`order`.n"]


@pytest.mark.parametrize("day", ["", ", day"])
def test_a_star_sets_a_generated_column_that_the_source_has(day: str) -> None:
    text = (
        "CREATE TABLE t (id INT, at DATE, DAY INT GENERATED ALWAYS AS (day(at)), PRIMARY KEY (id)) "
        f"USING hudilite; MERGE INTO t USING (SELECT id, at{day} FROM u) s ON t.id = s.id "
        "WHEN NOT MATCHED THEN INSERT *"
    )
    (merged,) = lineage.script(text)
    names = [column.column for column in merged.clauses[0].columns]
    assert names == ["id", "at", *(["DAY"] if day else [])]


def test_schema_evolution_adds_the_columns_of_the_source() -> None:
    text = "INTO t USING (SELECT 1 ID, 2 v, 3 n, 4 more) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *"
    same = {"id": "source.ID", "v": "source.v", "n": "source.n"}
    assert origins_of(f"MERGE {text}", **T) == [same]
    assert origins_of(f"MERGE WITH SCHEMA EVOLUTION {text}", **T) == [
        {**same, "more": "source.more"}
    ]


@pytest.mark.parametrize(
    ("value", "origins"),
    [
        ("a + n", "source.a target.n"),
        ("CASE WHEN s.a > 1 THEN t.v ELSE a END", "source.a target.v"),
        ("(SELECT max(a) FROM s WHERE s.id = t.id)", "target.id"),
        ("(SELECT max(z.q) FROM z WHERE z.id = s.a)", "source.a"),
        ("transform(s.a, x -> x + t.n)", "source.a target.n"),
        ("s.a.b.c", "source.a.b.c"),
        ("d.t.v", "target.v"),
        ("t.st['k']", "target.st"),
        ("a.t.s", "source.a.t.s"),
        ("d.t.t.s", "target.t.s"),
        ("current_timestamp()", ""),
        ("CAST(NULL AS INT)", ""),
    ],
)
def test_origins_of_an_expression(value: str, origins: str) -> None:
    text = f"MERGE INTO d.t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = {value}"
    known = {**T, "s": Declared(columns=("a", "id"))}
    assert origins_of(text, **known) == [{"v": origins}]


ON = "ON t.id = s.id WHEN MATCHED THEN UPDATE SET"


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        (f"MERGE INTO unknown AS t USING s {ON} *", "UPDATE SET *"),
        ("MERGE INTO u USING s ON u.id = s.id WHEN NOT MATCHED THEN INSERT *", "INSERT *"),
        (f"MERGE INTO t USING (SELECT 1 id) s {ON} *", "UPDATE SET *"),
        (f"MERGE WITH SCHEMA EVOLUTION INTO t USING s {ON} *", "UPDATE SET *"),
        (f"MERGE INTO t USING s {ON} v = n", "WHEN MATCHED"),
        (f"MERGE INTO u AS t USING (SELECT 1 id) s {ON} v = id", "WHEN MATCHED"),
        (
            "MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id) VALUES (1, 2)",
            "INSERT",
        ),
        ("SELECT 1", "the statement"),
    ],
)
def test_columns_that_the_text_does_not_determine_are_an_error(text: str, clause: str) -> None:
    with pytest.raises(HudiliteError) as raised:
        lineage.merge(text, tables=T)
    assert isinstance(raised.value, StatementError)
    assert raised.value.condition == "HUDILITE_LINEAGE_UNKNOWN"
    assert raised.value.parameters["clause"] == clause


def test_variables_are_no_columns() -> None:
    merge = f"MERGE INTO t USING (SELECT 1 id, 2 more) s {ON} v = X + more, n = id + w"
    text = f"BEGIN DECLARE x, W INT DEFAULT 1; DECLARE id INT; {merge}; END"
    (found,) = lineage.script(text, tables={"t": Declared(columns=("v", "n"))})
    origins = {one.column: [str(two) for two in one.origins] for one in found.clauses[0].columns}
    assert origins == {"v": ["source.more"], "n": ["source.id"]}
    text = text.replace(
        "MATCHED THEN UPDATE SET v = X + more, n = id + w", "NOT MATCHED THEN INSERT (v) VALUES (x)"
    )
    (found,) = lineage.script(text)
    assert found.clauses[0].columns[0].origins == ()


def test_what_may_not_run_makes_tables_unknown() -> None:
    text = (
        "CREATE TABLE t (id INT, v INT, PRIMARY KEY (id)) USING hudilite; BEGIN "
        f"IF x THEN ALTER TABLE t ADD COLUMNS (w INT); END IF; MERGE INTO t USING s {ON} *; END"
    )
    with pytest.raises(HudiliteError) as raised:
        lineage.script(text)
    assert raised.value.condition == "HUDILITE_LINEAGE_UNKNOWN"


def test_malformed_text_keeps_its_place() -> None:
    with pytest.raises(ParseError) as raised:
        lineage.merge("MERGE INTO t USING s\nON t.id = = 1 WHEN MATCHED THEN DELETE")
    assert raised.value.errors[0]["line"] == 2
