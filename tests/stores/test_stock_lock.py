"""Writes under the lock of stock Hudi, which may write the same table at the same time."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from harness.children import ChildOutcome, run_child
from harness.fault_proxy import FaultProxy, Seen
from harness.rotation import rotation
from harness.stock import NO_STOCK, StockFailed, StockSpark, stock_environment
from harness.stock_on_s3 import SHARED, TABLE, is_conflict, stock_on, upsert
from harness.stores import NUMBER, S3Store

BUCKETS = {
    "hoodie.index.type": "BUCKET",
    "hoodie.bucket.index.num.buckets": "2",
    "hoodie.bucket.index.hash.field": "id",
}
LOCK = "/.hoodie/.locks/table_lock.json"
NINE = "'hoodie.write.table.version' = '9'"
SHARE = "'hudilite.stock.lock' = 'storage'"


def created(url: str, properties: str) -> str:
    """The statement that creates the table."""
    return (
        "CREATE TABLE t (id INT, n INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 "
        f"LOCATION '{url}' TBLPROPERTIES ({properties})"
    )


def labelled(*statements: str) -> list[dict[str, Any]]:
    return [{"label": str(number), "sql": text} for number, text in enumerate(statements)]


def errors(done: ChildOutcome) -> list[dict[str, Any]]:
    return [step for step in done.steps if "error" in step]


def lock_of(folder: Path) -> dict[str, Any]:
    held: dict[str, Any] = json.loads((folder / ".hoodie/.locks/table_lock.json").read_bytes())
    return held


def writes_of(proxy: FaultProxy, name: str) -> list[str]:
    """What a process wrote of the lock, the numbers and the completed files of a table, in order."""
    seen = [s for s in proxy.seen if s.method == "PUT" and name in s.path and s.status == 200]
    return [word for s in seen if (word := _word(s))]


def _word(seen: Seen) -> str:
    if seen.path.endswith(LOCK):
        return "lock"
    if seen.path.endswith(".commit.requested"):
        return "requested"
    if NUMBER.search(seen.path):
        return "number"
    return "completed" if seen.path.endswith(".commit") else ""


def test_a_write_begins_and_commits_under_the_lock(
    store: S3Store, proxy: FaultProxy, tmp_path: Path
) -> None:
    name = f"{uuid4()}/t"
    here = store.through(proxy.port)
    proxy.arm()
    done = run_child(
        tmp_path,
        labelled(
            created(here.url(name), f"{NINE}, {SHARE}"),
            "INSERT INTO t VALUES (1, 1), (2, 2)",
            "SELECT * FROM t ORDER BY id",
        ),
        here.conf(),
    )
    assert errors(done) == []
    assert done.rows("2") == [[1, 1], [2, 2]]
    expected = ["lock", "requested", "lock", "lock", "number", "completed", "lock"]
    assert writes_of(proxy, name) == expected
    assert lock_of(store.folder / name)["expired"] is True
    assert not any((store.folder / name / ".hoodie/.heartbeat").glob("*"))


OURS, STOCKS = 0, -1  # rows that count the statements of each side
ALL = (800, 200)  # statements of hudilite and of stock Hudi


def statements() -> tuple[int, int]:
    """A thousand in `make test-all`, some forty in `make test`."""
    return ALL if rotation() is None else (ALL[0] // 25, ALL[1] // 25)


@pytest.fixture(scope="module")
def stock(store: S3Store, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Stock Hudi-Spark that writes to the store."""
    environment = stock_environment()
    if environment is None:
        pytest.skip(NO_STOCK)
    with stock_on(store, environment, tmp_path_factory.mktemp("stock")) as found:
        yield found


def counted(url: str, number: int) -> str:
    """A statement of hudilite: it adds one to a row, and inserts a row of its own."""
    return (
        f"MERGE INTO hudilite.`{url}` t USING (SELECT {OURS} id, 1 n UNION ALL SELECT {number}, 1) s "
        "ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = t.n + s.n WHEN NOT MATCHED THEN INSERT *"
    )


def write_by_stock(stock: StockSpark, url: str, count: int, options: dict[str, str]) -> int:
    """As many upserts by stock Hudi, each with a row of its own and the row that counts them.

    Returns:
        How often it had to begin again, because hudilite was faster.
    """
    conflicts = 0
    for number in range(1, count + 1):
        rows = [{"id": 100_000 + number, "n": 1}, {"id": STOCKS, "n": number}]
        while True:
            try:
                upsert(stock, url, rows, options)
                break
            except StockFailed as failed:
                assert is_conflict(failed), failed
                conflicts += 1
    return conflicts


def both_write(
    store: S3Store, stock: StockSpark, folder: Path, shared: bool
) -> tuple[dict[int, int], int, int]:
    """Runs both sides at once on a new table.

    Returns:
        The rows of the table, and how many statements of each side were successful.
    """
    ours, stocks = statements()
    name = f"{uuid4()}/t"
    url = store.url(name)
    made = run_child(
        folder / "first",
        labelled(
            created(url, f"{NINE}, {SHARE}" if shared else NINE),
            f"INSERT INTO t VALUES ({OURS}, 0), ({STOCKS}, 0)",
        ),
        store.conf(),
    )
    assert errors(made) == []
    options = TABLE | BUCKETS | SHARED
    if not shared:
        options = {k: v for k, v in options.items() if "lock" not in k and "concurrency" not in k}
    with ThreadPoolExecutor(2) as pool:
        steps = labelled(*(counted(url, number) for number in range(1, ours + 1)))
        run = pool.submit(run_child, folder / "ours", steps, store.conf(), timeout=7200)
        theirs = pool.submit(write_by_stock, stock, url, stocks, options)
        told, failed = run.result(), theirs.result() if shared else None
    print("conflicts of stock Hudi:", failed, "errors:", errors(told)[:2])
    read = labelled(f"SELECT id, n FROM hudilite.`{url}`")
    rows = run_child(folder / "last", read, store.conf()).rows("0")
    assert len({row[0] for row in rows}) == len(rows)
    return dict(rows), len(told.steps) - len(errors(told)), stocks


def is_whole(rows: dict[int, int], ours: int, stocks: int) -> bool:
    """Whether the table has the rows of all statements, and each side's row has counted them."""
    expected = {OURS, STOCKS, *range(1, ours + 1), *range(100_001, 100_001 + stocks)}
    return set(rows) == expected and (rows[OURS], rows[STOCKS]) == (ours, stocks)


@pytest.mark.timeout(7200)
def test_stock_and_hudilite_lose_nothing_when_they_write_at_once(
    store: S3Store, stock: StockSpark, tmp_path: Path
) -> None:
    rows, ours, stocks = both_write(store, stock, tmp_path, shared=True)
    assert ours == statements()[0]
    assert is_whole(rows, ours, stocks)
