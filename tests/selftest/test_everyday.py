"""Lists of everyday statements: their form, and what makes two statements alike."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.everyday import Entry, ListError, Listing, read_list, shape
from harness.everyday_peers import faults as faults_of_peer
from harness.everyday_peers import of_delta, of_hudi, of_iceberg
from harness.everyday_run import Outcome, faults, fixes

LIST = """# A list.
works: 1
bare: 1
setting: spark.sql.ansi.enabled = false

### one | Docs: A page | works
given: SET a = 1
peer: it has no
peer: such table
SELECT *
  FROM t
--- columns a, b
1 | x

### two | Docs: A page | refused CONDITION.PART: write it | then
>>> spark.table("t")
--- SELECT 1
1

### three | Docs: A page | bare OTHER
VACUUM t
"""


def parsed(folder: Path, text: str) -> Listing:
    path = folder / "list.txt"
    path.write_text(text, encoding="utf-8")
    return read_list(path)


def entry(folder: Path, text: str) -> Entry:
    return parsed(folder, f"works: 0\nbare: 0\n### a | p | works\n{text}").entries[0]


def test_a_list_is_read(tmp_path: Path) -> None:
    found = parsed(tmp_path, LIST)
    assert (found.works, found.bare) == (1, 1)
    assert found.settings == {"spark.sql.ansi.enabled": "false"}
    assert [found.count(state) for state in ("works", "refused", "bare")] == [1, 1, 1]
    one, two, three = found.entries
    assert (one.given, one.text, one.shown) == (("SET a = 1",), "SELECT *\n  FROM t", "")
    assert (one.peer, two.peer) == ("it has no such table", "")
    assert (one.columns, one.rows, one.line) == (("a", "b"), ("1 | x",), 6)
    assert (two.state, two.condition, two.hint) == ("refused", "CONDITION.PART", "write it")
    assert two.then and two.is_python and two.code == 'spark.table("t")'
    assert (two.shown, two.rows) == ("SELECT 1", ("1",))
    assert (three.state, three.condition, three.shown) == ("bare", "OTHER", None)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("works: 1\nword: 2\n### a | p | works\nSELECT 1", "list.txt:2: "),
        ("works: 1\n### a | p | works\nSELECT 1", "'bare' is missing"),
        ("works: 1\nbare: 1\n### a | works\nSELECT 1", "list.txt:3: "),
        ("works: 1\nbare: 1\n### a | p | refused CONDITION\nSELECT 1", "list.txt:3: "),
        ("works: 1\nbare: 1\n### a | p | refused: word\nSELECT 1", "list.txt:3: "),
        ("works: 1\nbare: 1\n### a | p | works\n--- SELECT 1", "a has no statement"),
    ],
)
def test_a_line_out_of_form_is_named(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(ListError, match=told):
        parsed(tmp_path, text)


ALIKE = [
    ("SELECT a FROM t WHERE b = 'x'", "SELECT c, d FROM u WHERE e = 1"),
    ("INSERT INTO t VALUES (1, 'a')", "INSERT INTO `u` VALUES (2, 'b'), (3, 'c')"),
    ("CREATE TABLE t (a INT, b DATE)", "CREATE TABLE u (c STRING)"),
    ("MERGE INTO t USING s ON t.a = s.a", "MERGE INTO u USING r ON u.b = r.b"),
    ("VACUUM t -- the old files", "VACUUM u"),
    (">>> x = spark.table('t')", ">>> rows = session.table('u')"),
]
APART = [
    ("CALL show_commits(table => 't')", "CALL show_savepoints(table => 't')"),
    ("CALL clean(table => 't')", "CALL clean(path => 't')"),
    ("ALTER TABLE t SET TBLPROPERTIES ('a' = '1')", "ALTER TABLE t SET TBLPROPERTIES ('b' = '1')"),
    ("ALTER TABLE t DROP COLUMN a", "ALTER TABLE t DROP COLUMN a.b"),
    ("CREATE TABLE t (a INT) USING hudi", "CREATE TABLE t (a INT) USING hudilite"),
    ("SELECT count(*) FROM t", "SELECT max(*) FROM t"),
    (">>> df.write.option('a', 1).save('p')", ">>> df.write.option('b', 1).save('p')"),
    (">>> df.write.mode('a').save('p')", ">>> df.write.save('p')"),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_alike_but_for_literals_and_names(tmp_path: Path, one: str, other: str) -> None:
    assert shape(entry(tmp_path, one)) == shape(entry(tmp_path, other))


@pytest.mark.parametrize(("one", "other"), APART)
def test_words_of_the_product_set_statements_apart(tmp_path: Path, one: str, other: str) -> None:
    assert shape(entry(tmp_path, one)) != shape(entry(tmp_path, other))


def test_procedures_count_as_names_if_one_is_strict(tmp_path: Path) -> None:
    one, other = (entry(tmp_path, text) for text in APART[0])
    assert shape(one, strictly=True) == shape(other, strictly=True)


MESSAGES = {
    "Write: CALL clean(table => 'db.t'). SQLSTATE: 0A000": ["CALL clean(table => 'db.t')"],
    "Run `DROP TABLE db.t` first. SQLSTATE: 0A000": ["DROP TABLE db.t"],
    "Nothing does that. To see it, write: SHOW CREATE TABLE a.b SQLSTATE: 0A000": [
        "SHOW CREATE TABLE a.b"
    ],
    "Type: SELECT * FROM t WHERE v = 0.5. Then look.\nAt it.": ["SELECT * FROM t WHERE v = 0.5"],
    "Write DROP TABLE, then CREATE TABLE. SQLSTATE: 0A000": [],
    "Type: CALL set_table_type(table => '...'). SQLSTATE: 0A000": [],
    "clause: SHOW INDEXES is not valid. SQLSTATE: 42601": [],
}


@pytest.mark.parametrize("message", MESSAGES)
def test_what_an_error_says_to_type(message: str) -> None:
    assert fixes(message) == MESSAGES[message]


WORKS = "### a | p | works\nSELECT 1\n---\n1"
REFUSED = "### a | p | refused HUDILITE_X: type this\nSELECT 1"
THEN = "### a | p | refused HUDILITE_X: type this | then\nSELECT 1\n--- SELECT 2\n2"
MENDED = "### a | p | refused HUDILITE_X: type this\nthen: SELECT please\nSELECT no\n---\n2"
BARE = "### a | p | bare PARSE_SYNTAX_ERROR\nSELECT 1"
FAILED = Outcome(condition="HUDILITE_X", message="No. Please type this")
PARSE = Outcome(condition="PARSE_SYNTAX_ERROR", message="near 'this'")


@pytest.mark.parametrize(
    ("text", "outcome", "told"),
    [
        (WORKS, Outcome(("1",)), ""),
        (WORKS, Outcome(("2",)), "it gives\n2"),
        (WORKS, FAILED, "write `bare HUDILITE_X`"),
        (REFUSED, FAILED, ""),
        (REFUSED, Outcome(condition="HUDILITE_X", message="No."), "does not say 'type this'"),
        (REFUSED, PARSE, "write `bare PARSE_SYNTAX_ERROR`"),
        (REFUSED, Outcome(), "write `works`"),
        (REFUSED.replace("HUDILITE_X", PARSE.condition), PARSE, "does not say what is refused"),
        (BARE, PARSE, ""),
        (BARE, FAILED, "write `bare HUDILITE_X`"),
        (BARE, Outcome(), "write `works`"),
        (THEN, replace(FAILED, fix=Outcome(("2",))), ""),
        (THEN, replace(FAILED, fix=Outcome(("3",))), "there are\n3"),
        (THEN, replace(FAILED, fix=PARSE), "fails with PARSE_SYNTAX_ERROR"),
        (THEN, FAILED, "fails with NONE"),
        (MENDED, replace(FAILED, fix=Outcome(("2",))), ""),
        (MENDED, replace(FAILED, fix=Outcome(("3",))), "there are\n3"),
        (MENDED, replace(FAILED, fix=PARSE), "fails with PARSE_SYNTAX_ERROR"),
        (MENDED.replace("please", "word"), replace(FAILED, fix=Outcome(("2",))), "not say word"),
    ],
)
def test_an_outcome_is_judged_by_the_list(
    tmp_path: Path, text: str, outcome: Outcome, told: str
) -> None:
    judged = parsed(tmp_path, f"works: 0\nbare: 0\n{text}").entries[0]
    found = "".join(faults(judged, outcome, "list.txt:3"))
    assert found == "" if not told else found.startswith("list.txt:3: a: ") and told in found


def test_what_the_adopter_changed_is_taken_back() -> None:
    text = (
        "CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite LOCATION '/t' "
        "TBLPROPERTIES ('primaryKey' = 'id', 'team' = 'north')"
    )
    placed = (
        "CREATE TABLE t (id INT, v STRING) USING {} LOCATION '/t' TBLPROPERTIES ('team' = 'north')"
    )
    assert of_delta(text) == placed.format("delta")
    assert of_iceberg(text) == placed.format("iceberg").replace(" LOCATION '/t'", "")
    assert of_hudi(text) == text.replace("hudilite", "hudi")
    made = "CREATE TABLE t USING hudilite TBLPROPERTIES (primaryKey = 'id') AS SELECT 1 AS id"
    assert of_delta(made) == "CREATE TABLE t USING delta AS SELECT 1 AS id"
    frame = '>>> df.write.format("hudilite").option("primaryKey", "id").saveAsTable("t")'
    assert of_delta(frame) == '>>> df.write.format("delta").saveAsTable("t")'


PEER = WORKS.replace("SELECT 1", "peer: it has none\nSELECT 1")


@pytest.mark.parametrize(
    ("text", "outcome", "told"),
    [
        (WORKS, Outcome(("1",)), ""),
        (WORKS, Outcome(("2",)), "the project gives\n2"),
        (WORKS, FAILED, "the project fails"),
        (PEER, FAILED, ""),
        (PEER, Outcome(("2",)), ""),
        (PEER, Outcome(("1",)), "remove `peer: it has none`"),
    ],
)
def test_rows_of_a_list_are_those_of_the_project(
    tmp_path: Path, text: str, outcome: Outcome, told: str
) -> None:
    judged = parsed(tmp_path, f"works: 0\nbare: 0\n{text}").entries[0]
    found = "".join(faults_of_peer(judged, outcome, "list.txt:3"))
    assert found == "" if not told else found.startswith("list.txt:3: a: ") and told in found
