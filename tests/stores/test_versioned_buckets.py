"""A table in a bucket that keeps the versions of its objects.

The server counts a deleted object as present when it is created under a condition, which Amazon's S3 does
not. A process that finds this refuses the bucket. In the other one the bucket passes before it keeps
versions: statements never create a deleted object again.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from harness import stores
from harness.children import run_child
from harness.invariants import check_table
from harness.rotation import ninth, product
from harness.s3_requests import keep_versions, versions
from harness.stores import S3Store

pytestmark = ninth(4, when=product("core/commit/", "core/io/"))
TESTS = Path(__file__).resolve().parents[1]
TABLE = (
    "CREATE TABLE {} (id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite "
    "WITH BUCKETS 2 PARTITIONED BY (p) LOCATION '{}'"
)
VALUES = "SELECT id, if(id % 2 = 0, 'a', 'b') p, '{}' v FROM range({})"
ROWS = "SELECT p, v, count(*), sum(id) FROM t GROUP BY p, v ORDER BY p, v"
STATEMENTS = {
    "insert": f"INSERT INTO t {VALUES.format('old', 20)}",
    "merge": f"MERGE INTO t USING ({VALUES.format('new', 10)}) s ON t.id = s.id AND t.p = s.p "
    "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
    "delete": "DELETE FROM t WHERE id = 19",
    "merged": ROWS,
    "overwrite": f"INSERT OVERWRITE t {VALUES.format('last', 4)}",
    "clean": "CALL clean(table => 't', retain_commits => 1, retain_hours => 0, "
    "allow_short_retention => true)",
    "rows": ROWS,
}


@pytest.fixture(scope="module")
def versioned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Store]:
    """A server whose bucket can keep versions."""
    if not stores.has_go():
        pytest.skip("versitygw is built by Go, which is not installed here")
    with stores.versitygw(tmp_path_factory.mktemp("versioned"), versions=True) as found:
        yield found


def keeping(store: S3Store) -> list[str]:
    """A command that turns the versions of the bucket on."""
    told = json.dumps([store.port, str(store.folder), store.access, store.secret])
    return [
        sys.executable,
        "-c",
        "import json, sys; from pathlib import Path; sys.path.insert(0, sys.argv[1])\n"
        "from harness.s3_requests import keep_versions\n"
        "from harness.stores import S3Store\n"
        "port, folder, *keys = json.loads(sys.argv[2])\n"
        "keep_versions(S3Store(port, Path(folder), *keys))",
        str(TESTS),
        told,
    ]


def test_statements_answer_as_in_any_other_bucket(versioned: S3Store, tmp_path: Path) -> None:
    name = f"{uuid4()}/t"
    asked: list[dict[str, object]] = [
        {"label": "create", "sql": TABLE.format("t", versioned.url(name))},
        {"label": "versions", "run": keeping(versioned)},
    ]
    asked += [{"label": label, "sql": sql} for label, sql in STATEMENTS.items()]
    told = run_child(tmp_path / "child", asked, versioned.conf())
    assert [step for step in told.steps if "error" in step] == []
    assert told.rows("rows") == [["a", "last", 2, 2], ["b", "last", 2, 4]]
    merged = [["a", "new", 5, 20], ["a", "old", 5, 70], ["b", "new", 5, 25], ["b", "old", 4, 56]]
    assert told.rows("merged") == merged
    place = versioned.fetched(name, tmp_path / "table")
    assert check_table(place) == []
    # A commit number and its hint are written once. What CALL clean deletes stays below its delete marker.
    numbers = list((place / ".hoodie/.hudilite/commits").glob("[0-9]" * 20))
    assert len(numbers) >= 4
    for path in numbers:
        assert versions(versioned, f"{name}/.hoodie/.hudilite/commits/{path.name}") == (2, 0)
    kept, deleted = versions(versioned, f"{name}/p=a/")
    assert deleted >= 2
    assert kept >= deleted + len(list((place / "p=a").glob("*.parquet")))


def test_a_bucket_that_counts_deleted_objects_is_refused(
    versioned: S3Store, tmp_path: Path
) -> None:
    keep_versions(versioned)
    place = versioned.url(f"{uuid4()}/t")
    conf = versioned.conf() | {"spark.hudilite.write.storeSeconds": "20"}
    asked = [{"label": "create", "sql": TABLE.format("t", place)}]
    told = run_child(tmp_path / "child", asked, conf)
    assert "HUDILITE_UNSAFE_STORAGE" in told.steps[0]["text"]
    assert "versions" in told.steps[0]["text"]
