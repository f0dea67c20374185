"""SQL on tables in an object store."""

from __future__ import annotations

import shlex
from pathlib import Path
from uuid import uuid4

import pytest

from harness.children import ChildOutcome, run_child
from harness.fault_proxy import FaultProxy
from harness.invariants import check_table
from harness.rotation import ninth, product
from harness.stores import NUMBER, S3Store

pytestmark = ninth(8, when=product("core/commit/", "core/io/"))

PENDING = "29990101000000000"
LOST = f"00000001-1111-2222-3333-444444444444-0_7-0-0_{PENDING}.parquet"


def steps(table: str, folder: Path) -> list[tuple[str, str]]:
    """Statements, labelled where their rows are looked at; the second last rolls back what is planted."""
    return [
        (
            "",
            "CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite "
            f"WITH BUCKETS 2 PARTITIONED BY (p) LOCATION '{table}'",
        ),
        ("", "INSERT INTO t SELECT id, if(id % 2 = 0, 'a', 'b'), 'old' FROM range(20)"),
        (
            "",
            "MERGE INTO t USING (SELECT 7 id, 'b' p, 'new' v UNION ALL SELECT 30, 'c', 'new') s "
            "ON t.id = s.id AND t.p = s.p "
            "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
        ),
        ("", "DELETE FROM t WHERE id < 3"),
        ("rows", "SELECT p, v, count(*), sum(id) FROM t GROUP BY p, v ORDER BY p, v"),
        ("plant", shlex.join(["sh", "-c", plant(folder)])),
        ("rollback", f"CALL rollback(table => 't', instant => '{PENDING}')"),
        ("after", "SELECT p, v, count(*), sum(id) FROM t GROUP BY p, v ORDER BY p, v"),
    ]


def plant(folder: Path) -> str:
    """A script that leaves a write of another process pending, with a data file."""
    metadata = folder / ".hoodie"
    marker = metadata / ".temp" / PENDING / "p=a" / f"{LOST}.marker.CREATE"
    empty = (metadata / f"{PENDING}.commit.requested", marker)
    lines = [f"mkdir -p {shlex.quote(str(marker.parent))}"]
    lines += [f": >{shlex.quote(str(path))}" for path in empty]
    lines += [f"echo '{{}}' >{shlex.quote(str(metadata / f'{PENDING}.inflight'))}"]
    lines += [f"echo lost >{shlex.quote(str(folder / 'p=a' / LOST))}"]
    return "; ".join(lines)


def run(store: S3Store, table: str, folder: Path, place: Path) -> ChildOutcome:
    """Runs the statements in a process of their own."""
    asked = [
        {"label": label, "run": shlex.split(text)}
        if label == "plant"
        else {"label": label or str(n), "sql": text}
        for n, (label, text) in enumerate(steps(table, place))
    ]
    return run_child(folder, asked, store.conf())


@pytest.fixture(scope="module")
def done(
    store: S3Store, proxy: FaultProxy, tmp_path_factory: pytest.TempPathFactory
) -> tuple[ChildOutcome, FaultProxy, Path]:
    """The statements on a table behind the proxy, which breaks nothing; the table as files."""
    name = f"{uuid4()}/t"
    proxy.arm()
    folder = tmp_path_factory.mktemp("statements")
    place = store.folder / name
    told = run(store.through(proxy.port), store.url(name), folder / "child", place)
    assert [step for step in told.steps if "error" in step] == []
    return told, proxy, place


def test_rows_are_those_of_any_other_storage(
    done: tuple[ChildOutcome, FaultProxy, Path],
) -> None:
    told, _, place = done
    rows = [["a", "old", 8, 88], ["b", "new", 1, 7], ["b", "old", 8, 92], ["c", "new", 1, 30]]
    assert told.rows("rows") == told.rows("after") == rows
    assert check_table(place) == []


def test_a_pending_write_is_rolled_back(done: tuple[ChildOutcome, FaultProxy, Path]) -> None:
    _, _, place = done
    left = [path.name for path in place.rglob(f"*{PENDING}*")]
    assert [name[20:] for name in left] == [f"-{PENDING}"]  # the abort record's hint
    assert any(path.name.endswith(".rollback") for path in (place / ".hoodie").iterdir())


def test_a_number_is_taken_by_a_condition_and_a_data_file_by_one_put(
    done: tuple[ChildOutcome, FaultProxy, Path],
) -> None:
    _, proxy, place = done
    puts = [seen for seen in proxy.seen if seen.method == "PUT" and place.parent.name in seen.path]
    numbers = [seen for seen in puts if NUMBER.search(seen.path)]
    assert len(numbers) >= 4
    assert all(seen.is_conditional for seen in numbers)
    files = [seen.path for seen in puts if seen.path.endswith(".parquet")]
    assert len(files) == len(set(files)) >= 6
    marks = [seen for seen in puts if ".marker." in seen.path]
    assert {len(marks)} == {len(files)}
    assert not any(seen.is_conditional for seen in marks)


def test_no_text_tells_a_key(done: tuple[ChildOutcome, FaultProxy, Path], store: S3Store) -> None:
    told, _, place = done
    texts = [told.log, *(path.read_text("latin-1") for path in place.rglob("*") if path.is_file())]
    assert not any(key in text for key in store.keys for text in texts)
