"""What a session may not lose: file handles, secrets, and rows in errors and logs.

One Spark of its own, which logs at INFO, runs the statements; each test judges its part.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness import layout
from harness.children import ChildOutcome, run_child
from harness.invariants import check_table_settled

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(third=2)  # a JVM of its own
ROOM = (0, 2, 6, 40)  # handles that a statement is left
# The last is what the JVM says where it could not open a file of its own.
OUT_OF_HANDLES = r"[Tt]oo many open files|FAILED_READ_FILE|Bad file descriptor"
LIMIT = "p=$(pgrep -P $PPID java); prlimit --pid $p --nofile={}:"
CREATE = "CREATE TABLE {} (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4"
# A payload that no text of a statement holds: only rows do.
ROWS = "SELECT CAST(id % {} AS INT) id, concat('pay', 'load-', id * 7 + {}) v FROM range(40)"
MERGE = (
    "MERGE INTO {} t USING ({}) s ON t.id = s.id "
    "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
)
SECRETS = ("canary-one", "canary-two", "canary-three")
LOG = """
rootLogger.level = info
logger.gateway.name = org.apache.spark.api.python.PythonGatewayServer
logger.gateway.level = info
rootLogger.appenderRef.step_of.ref = step_of
appender.step_of.type = Console
appender.step_of.name = step_of
appender.step_of.layout.type = PatternLayout
appender.step_of.layout.pattern = %p %c: %m%n%ex
"""
KEY = "my.password"


def handle_steps() -> list[dict[str, Any]]:
    """MERGEs and SELECTs with no handle left, or a few."""
    steps: list[dict[str, Any]] = [
        {"label": "create handles", "sql": CREATE.format("handles")},
        {"label": "fill handles", "sql": f"INSERT INTO handles {ROWS.format(40, 0)}"},
        {"label": "warm merge", "sql": MERGE.format("handles", ROWS.format(40, 0))},
        {"label": "warm read", "sql": "SELECT count(*), count(DISTINCT v) FROM handles"},
    ]
    for room in ROOM:
        few = LIMIT.format(f"$(($(ls /proc/$p/fd | wc -l) + {room}))")
        steps += [
            {"label": f"few {room}", "run": ["sh", "-c", few]},
            {"label": f"read {room}", "sql": "SELECT count(*), count(DISTINCT v) FROM handles"},
            {"label": f"merge {room}", "sql": MERGE.format("handles", ROWS.format(40, room + 1))},
            {"label": f"many {room}", "run": ["sh", "-c", LIMIT.format(4096)]},
            {"label": f"state {room}", "sql": "SELECT max(v) FROM handles WHERE id = 0"},
        ]
    return steps


def secret_steps() -> list[dict[str, Any]]:
    properties = f"TBLPROPERTIES ('{KEY}' = '{SECRETS[0]}', 'note' = 'plain')"
    texts = {
        "create kept": f"{CREATE.format('kept')} {properties}",
        "options": f"{CREATE.format('refused')} OPTIONS ('{KEY}' = '{SECRETS[1]}')",
        "alter": f"ALTER TABLE kept SET TBLPROPERTIES ('api.token' = '{SECRETS[2]}')",
        "insert kept": f"INSERT INTO kept {ROWS.format(40, 0)}",
        "show create": "SHOW CREATE TABLE kept",
        "show properties": "SHOW TBLPROPERTIES kept",
        "describe": "DESCRIBE EXTENDED kept",
        "describe json": "DESCRIBE EXTENDED kept AS JSON",
        "explain": "EXPLAIN EXTENDED SELECT * FROM kept",
        "explain insert": f"EXPLAIN EXTENDED INSERT INTO kept {ROWS.format(40, 0)}",
        "explain read": f"EXPLAIN EXTENDED SELECT * FROM kept WITH ('{KEY}' = '{SECRETS[1]}')",
    }
    return [{"label": label, "sql": sql} for label, sql in texts.items()]


def row_steps() -> list[dict[str, Any]]:
    texts = {
        "create rows": CREATE.format("payloads"),
        "insert rows": f"INSERT INTO payloads {ROWS.format(40, 0)}",
        "twice": f"INSERT INTO payloads {ROWS.format(40, 1)}",
        "in source": MERGE.format("payloads", ROWS.format(20, 2)),
        "null": f"INSERT INTO payloads SELECT IF(id > 3, NULL, id + 900), v FROM ({ROWS.format(40, 3)})",
        "explain call": "EXPLAIN EXTENDED CALL verify(table => 'payloads')",
        "verify": "CALL verify(table => 'payloads', level => 'rows')",
    }
    return [{"label": label, "sql": sql} for label, sql in texts.items()]


@pytest.fixture(scope="module")
def child(tmp_path_factory: pytest.TempPathFactory) -> tuple[ChildOutcome, Path]:
    folder = tmp_path_factory.mktemp("leaks")
    (folder / "log4j2.properties").write_text(LOG, encoding="utf-8")
    options = f"-Duser.timezone=UTC -Dlog4j2.configurationFile={folder / 'log4j2.properties'}"
    conf = {"spark.driver.memory": "1g", "spark.driver.extraJavaOptions": options}
    return run_child(folder, [*secret_steps(), *row_steps(), *handle_steps()], conf), folder


def step_of(child: ChildOutcome, label: str) -> dict[str, Any]:
    return next(step for step in child.steps if step["label"] == label)


@pytest.mark.fault("F63")
def test_a_statement_without_file_handles(
    spark: SparkSession, child: tuple[ChildOutcome, Path]
) -> None:
    """It fails and says why, or works; a table is never taken for empty, and stays whole.

    Without a handle it may be unable to list what it wrote: then it is rolled back as a dead writer's.
    """
    outcome, folder = child
    failed, state = 0, "payload-0"
    assert outcome.rows("warm read") == [[40, 40]]
    for room in ROOM:
        read, merged = step_of(outcome, f"read {room}"), step_of(outcome, f"merge {room}")
        for step in (read, merged):
            if "error" in step:
                failed += 1
                assert re.search(OUT_OF_HANDLES, step["text"]), step
        assert read.get("rows", [[40, 40]]) == [[40, 40]], room
        if "error" not in merged:
            state = f"payload-{room + 1}"
        assert outcome.rows(f"state {room}") == [[state]], room
    assert failed > 0, "no statement failed: nothing was tested"
    place = folder / "wh" / "handles"
    for instant in layout.pending(place):
        spark.sql(f"CALL rollback('hudilite.`{place}`', '{instant}')")
    assert check_table_settled(place) == []


@pytest.mark.fault("F96")
def test_secrets_are_shown_nowhere(child: tuple[ChildOutcome, Path]) -> None:
    """A property named as a secret is a property still, but for answers, logs and the table's files."""
    outcome, folder = child
    assert step_of(outcome, "options").get("error") == "HUDILITE_PROPERTY_UNSUPPORTED"
    for step in outcome.steps:
        assert not any(secret in str(step) for secret in SECRETS), step
    assert "plain" in str(outcome.rows("show properties"))
    assert KEY in str(outcome.rows("show create"))
    assert [line for line in outcome.log.splitlines() if "canary-" in line] == []
    files = [path for path in (folder / "wh" / "kept").rglob("*") if path.is_file()]
    assert len(layout.latest_slices(folder / "wh" / "kept")) == 4
    assert [path for path in files if b"canary-" in path.read_bytes()] == []


@pytest.mark.fault("F97")
def test_errors_contain_keys_and_no_other_values(child: tuple[ChildOutcome, Path]) -> None:
    """Neither an error nor the log at INFO has a payload; an error has ten keys at most."""
    outcome, _ = child
    expected = {
        "twice": "HUDILITE_DUPLICATE_KEY",
        "in source": "HUDILITE_MERGE_CARDINALITY",
        "null": "HUDILITE_NULL_KEY",
    }
    for label, condition in expected.items():
        step = step_of(outcome, label)
        assert step.get("error") == condition, step
        assert "payload-" not in step["text"]
    keys = re.findall(r"with the key ([^.]*)[.]", step_of(outcome, "twice")["text"])[0]
    assert 1 <= len(re.findall(r"\d+", keys)) <= 10, keys
    assert outcome.rows("verify") == []
    assert [line for line in outcome.log.splitlines() if "payload-" in line] == []
    assert outcome.log.count("INFO org.apache.spark") > 100


@pytest.mark.fault("F93")
def test_a_call_shows_its_table(child: tuple[ChildOutcome, Path]) -> None:
    """The plan of a procedure is Spark's own node, with the table among its arguments."""
    text = child[0].rows("explain call")[0][0]
    analyzed = text.split("== Analyzed Logical Plan ==")[1].split("==")[0]
    assert re.search(r"^Call .*payloads", analyzed, re.MULTILINE), text
