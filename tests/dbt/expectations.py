"""Checks of the example's project after it has run, in a session or on a Thrift server."""

from __future__ import annotations

from shop_steps import CHANGES, LOCATED, REPLACED, TABLES, Shop

DAY = "2026-01-0"
FIRST = [[1, "ann", 10, DAY + "1"], [2, "bob", 20, DAY + "1"], [3, "cid", 30, DAY + "2"]]
NEW = [[1, "ann", 11, DAY + "1"], [3, "cid", 31, DAY + "2"], [4, "dan", 40, DAY + "3"]]
SECOND = {
    "orders": NEW,
    "current_orders": [*FIRST[:2], *NEW[1:]],
    "order_log": [*FIRST, NEW[2]],
    "orders_by_day": [*FIRST[:2], *NEW[1:]],
    "order_batches": NEW,
}


def check_runs(shop: Shop) -> None:
    """Every command succeeds."""
    for step in ("seed", "run", "snapshot", "test"):
        for time in ("first", "second"):
            gave = shop.gave[f"{time} {step}"]
            assert gave["success"], (step, time, gave)
            assert gave["nodes"], step
    assert len(shop.gave["second test"]["nodes"]) == 4
    assert shop.gave["refresh"]["success"]


def check_rows(shop: Shop) -> None:
    """Each table has the rows of its strategy after the first and the second run."""
    first = {table: shop.rows(f"first {table}") for table in TABLES}
    assert first == dict.fromkeys(TABLES, FIRST)
    assert {table: shop.rows(f"second {table}") for table in TABLES} == SECOND
    assert shop.rows("customers") == [["ann", 11], ["cid", 31], ["dan", 40]]
    assert shop.rows("refreshed") == NEW


def check_history(shop: Shop) -> None:
    """The snapshot closes what changed and what is gone, and a snapshot of the same adds nothing."""
    assert shop.rows("first history") == [[1, 10, True], [2, 20, True], [3, 30, True]]
    closed = [[1, 10, False], [2, 20, False], [3, 30, False]]
    assert shop.rows("second history") == sorted(
        [*closed, [1, 11, True], [3, 31, True], [4, 40, True]]
    )
    assert shop.rows("third history") == shop.rows("second history")


def check_catalog(shop: Shop) -> None:
    """docs generate finds each table with its columns; comments are in the table."""
    assert shop.gave["docs"]["success"]
    catalog = shop.catalog()
    assert {*TABLES, "customers", "orders_history", "raw_orders"} <= set(catalog)
    columns = {
        name: column["type"] for name, column in catalog["current_orders"]["columns"].items()
    }
    assert list(columns) == ["id", "customer", "amount", "day"]
    assert set(columns.values()) <= {"bigint", "long", "string", "date"}
    assert catalog["customers"]["metadata"]["type"] == "view"
    ((shown,),) = shop.rows("shown")
    assert "PRIMARY KEY (id)" in shown
    assert "COMMENT 'The order\\'s number'" in shown
    assert "COMMENT 'The newest state of each order, isn\\'t it'" in shown
    assert ("WITH BUCKETS 4" in shown) == (shop.of.file_format == "hudilite")


def check_changes(shop: Shop) -> None:
    """on_schema_change: ignore leaves the columns, fail fails, the others change them."""
    assert shop.gave["old columns"]["success"], shop.gave["old columns"]
    states = {kind: shop.node("new columns", f"change_{kind}") for kind in CHANGES}
    assert states["fail"][0] == "error"
    assert "out of sync" in states["fail"][1]
    assert {kind for kind, state in states.items() if state[0] == "success"} == {*CHANGES} - {
        "fail"
    }
    left = {kind: shop.rows(f"changed {kind}") for kind in CHANGES}
    narrow = [[row[0], row[1]] for row in NEW]
    assert left["ignore"] == left["fail"] == narrow
    assert left["append_new_columns"] == [row[:3] for row in NEW]
    drops = shop.of.file_format == "hudilite"
    assert left["sync_all_columns"] == [[row[0], row[2]] if drops else row[:3] for row in NEW]


def check_mistakes(shop: Shop) -> None:
    """A mistake is one line that says what to do, and nothing is lost or left."""
    status, message = shop.node("run of mistakes", "keyless")
    # A Thrift server writes words of its own before the text, and a stack trace after its line.
    line = next(line for line in message.splitlines() if "[HUDILITE_KEY_NOT_DECLARED] " in line)
    text = line.rpartition("[HUDILITE_KEY_NOT_DECLARED] ")[2]
    assert status == "error"
    assert text.startswith("Table shop.keyless has no primary key, but WITH BUCKETS ")
    assert "to a dbt model, unique_key='column'" in text
    assert "[HUDILITE_DUPLICATE_KEY] " in shop.node("run of mistakes", "twice")[1]
    assert shop.rows("keyless left") == []
    status, message = shop.node("run of lost key", "order_log")
    assert status == "error"
    assert "[HUDILITE_DUPLICATE_KEY] " in message
    assert shop.rows("lost key left") == SECOND["order_log"]


def check_threads(shop: Shop) -> None:
    """Two threads change one file group at a time: each change is there once."""
    assert shop.gave["threads"]["success"], shop.gave["threads"]
    assert shop.rows("tallied") == [["both", 6], ["left", 2], ["right", 4]]


def check_replacements(shop: Shop) -> None:
    """A table model keeps its history where columns and constraints stay, and its rows where it fails."""
    if shop.of.file_format == "hudi":
        return
    left = {name: (shop.rows(f"{name} left"), shop.rows(f"{name} history")) for name in REPLACED}
    assert left == {
        "plain": ([[1, 10]], [[1]]),
        "other rows": ([[2, 20]], [[2]]),
        "a failed": ([[2, 20]], [[2]]),
        "a checked": ([[4, 40]], [[2]]),
        "a violated": ([[4, 40]], [[2]]),
        "another checked": ([[6, 60]], [[3]]),
        "other columns": ([[7, 7, 70]], [[2]]),
    }
    states = {name: shop.node(f"{name} replacement", "replaced") for name in REPLACED}
    failed = {name: message for name, (status, message) in states.items() if status == "error"}
    assert set(failed) == {"a failed", "a violated"}
    assert "[HUDILITE_DUPLICATE_KEY] " in failed["a failed"]
    assert "[CHECK_CONSTRAINT_VIOLATION] " in failed["a violated"]


def check_places(shop: Shop) -> None:
    """A table with a location of its own is not dropped: its files would stay."""
    if shop.of.file_format == "hudi":
        return
    left = [shop.rows(f"{value} left in place") for value in LOCATED]
    assert left == [[[1]], [[2]], [[2]]]
    status, message = shop.node("3L in place", "located")
    assert status == "error"
    assert "[HUDILITE_REPLACE_DIFFERS] " in message


CHECKS = (
    *(check_runs, check_rows, check_history, check_catalog),
    *(check_changes, check_mistakes, check_threads),
    *(check_replacements, check_places),
)
