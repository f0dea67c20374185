"""How many requests a statement makes in an object store, counted by a proxy in front of it."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from uuid import uuid4

import pytest

from harness.children import run_child
from harness.fault_proxy import FaultProxy, Seen
from harness.rotation import ninth, product
from harness.stores import BUCKET, S3Store

pytestmark = ninth(3, when=product("core/commit/", "core/io/"))

MARK = "/mark/"
MERGE = (
    "MERGE INTO t USING ({source}) s ON t.id = s.id AND t.p = s.p "
    "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
)
# By label: the statement, and the most requests that it may make.
COUNTED = {
    "insert into 8 new file groups": (
        "INSERT INTO t SELECT id, concat('p', id % 4) p, repeat(uuid(), 4) FROM range(20000)",
        58,
    ),
    "merge into 1 file group": (MERGE.format(source="SELECT 8 id, 'p0' p, 'new' v"), 30),
    "merge into 8 file groups": (
        MERGE.format(source="SELECT id, concat('p', id % 4) p, 'm' v FROM range(1000)"),
        110,
    ),
    "delete in 1 file group": ("DELETE FROM t WHERE id = 8 AND p = 'p0'", 30),
    "merge into 1 file of 8 MB": (
        "MERGE INTO large t USING (SELECT 8 id, 'new' v) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET *",
        30,
    ),
    "select from 8 files": ("SELECT count(v), sum(id), max(v) FROM t", 20),
    "select of 1 key": ("SELECT * FROM t WHERE id = 9 AND p = 'p1'", 9),
    "clean of 8 files": (
        "CALL clean(table => 't', retain_commits => 1, retain_hours => 0, "
        "allow_short_retention => true)",
        60,
    ),
}


def mark(port: int, label: str) -> list[str]:
    """A command that leaves a mark among the requests that the proxy has seen."""
    return [
        sys.executable,
        "-c",
        "import http.client, sys\n"
        "proxy = http.client.HTTPConnection('127.0.0.1', int(sys.argv[1]))\n"
        "proxy.request('HEAD', sys.argv[2]); proxy.getresponse()",
        str(port),
        MARK + label.replace(" ", "_"),
    ]


def by_mark(seen: list[Seen]) -> dict[str, list[Seen]]:
    """The requests after each mark."""
    found: dict[str, list[Seen]] = {}
    label = ""
    for request in seen:
        if request.path.startswith(MARK):
            label = request.path.removeprefix(MARK).replace("_", " ")
        else:
            found.setdefault(label, []).append(request)
    return found


@pytest.fixture(scope="module")
def counted(
    store: S3Store, proxy: FaultProxy, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[Seen]]:
    """The requests of each statement, in a process that has written to the bucket before."""
    proxy.arm()
    place = f"s3a://{BUCKET}/{uuid4()}"
    made = (
        f"CREATE TABLE other (id INT, PRIMARY KEY (id)) USING hudilite LOCATION '{place}/other'",
        "INSERT INTO other VALUES (1)",
        "CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite "
        f"WITH BUCKETS 2 PARTITIONED BY (p) LOCATION '{place}/t'",
        "CREATE TABLE large (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 "
        f"LOCATION '{place}/large'",
        "INSERT INTO large SELECT id, concat(uuid(), uuid(), uuid()) FROM range(150000)",
    )
    steps: list[dict[str, object]] = [{"label": str(n), "sql": sql} for n, sql in enumerate(made)]
    for label, (sql, _) in COUNTED.items():
        steps += [
            {"label": "mark", "run": mark(proxy.port, label)},
            {"label": label, "sql": sql},
        ]
    steps.append({"label": "mark", "run": mark(proxy.port, "end")})
    told = run_child(tmp_path_factory.mktemp("requests"), steps, store.through(proxy.port).conf())
    assert [step for step in told.steps if "error" in step] == []
    assert told.rows("select of 1 key")[0][:2] == [9, "p1"]
    largest = max(path.stat().st_size for path in store.folder.rglob("large/*.parquet"))
    assert 4 << 20 < largest < 32 << 20  # of which a look-up does not read all
    return by_mark(proxy.seen)


@pytest.mark.parametrize("label", COUNTED)
def test_a_statement_makes_few_requests(counted: dict[str, list[Seen]], label: str) -> None:
    made = counted[label]
    kinds = Counter(f"{seen.method} {seen.status}" for seen in made)
    listed = "\n".join(f"{seen.method} {seen.status} {seen.path}?{seen.query}" for seen in made)
    assert 0 < len(made) <= COUNTED[label][1], f"{dict(kinds)}\n{listed}"
    print(f"{label}: {len(made)} requests, {dict(kinds)}")


def test_nothing_is_read_or_asked_for_twice(counted: dict[str, list[Seen]]) -> None:
    made = counted["merge into 1 file group"]
    puts = Counter(seen.path for seen in made if seen.method == "PUT")
    assert set(puts.values()) == {1}
    assert not any(Path(seen.path).name == ".bucket_index" for seen in made)
