"""CALL rescale while two writers MERGE and readers of all kinds read: what is read is one state, and nothing fails.

HUDILITE_RESCALE_SECONDS says for how long, with three million rows; `make test` takes a few seconds and rows.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from harness import layout
from harness.faults import fault_of
from harness.invariants import check_table
from harness.log_files import blocks
from harness.rotation import product
from hudilite import files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from harness.stock import StockSpark

SECONDS = float(os.environ.get("HUDILITE_RESCALE_SECONDS", "8"))
IS_SOAK = "HUDILITE_RESCALE_SECONDS" in os.environ
KEYS, BUCKETS = (3_000_000, (16, 32)) if IS_SOAK else (20_000, (4, 8))
ALONE = SECONDS / 10  # seconds before the first rescale
PAUSE = 2.0 if IS_SOAK else 0.2  # of a reader
TEAMS = 100  # all rows of a team have one value
PARTITIONS = ("a", "b")  # each has the teams of one writer
WHEN = product("procedures/TableRescale.scala", "spark/repair/BucketRescale.scala")
MERGE = (
    "MERGE INTO t USING (SELECT id, {n}L AS v, '{p}' AS p FROM range({team}, {keys}, {teams})) s "
    "ON t.id = s.id AND t.p = s.p "
    "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
)
ROWS = pa.schema([("id", pa.int64()), ("v", pa.int64())])
TOTALS = "SELECT id % {teams} AS team, count(*) AS n, sum(id) AS ids, min(v) AS least, max(v) AS most FROM {t} GROUP BY 1"


@dataclass(frozen=True)
class Spell:
    """A statement of a writer that was acknowledged, by the clock of the machine."""

    began: float
    ended: float


@dataclass
class Work:
    """Record of the work: what the writers began and what was acknowledged, by team; what was wrong."""

    begun: list[int] = field(default_factory=lambda: [0] * TEAMS)
    last: list[int] = field(default_factory=lambda: [0] * TEAMS)
    spells: tuple[list[Spell], list[Spell]] = field(default_factory=lambda: ([], []))
    reads: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    def thread(self, name: str, step: Callable[[], None], pause: float = 0) -> threading.Thread:
        """A thread that repeats a step until the work has ended or something was wrong."""

        def run() -> None:
            while not self.ended.wait(pause) and not self.wrong:
                try:
                    step()
                except Exception as error:  # noqa: BLE001 - each is an anomaly
                    self.wrong.append(f"{name}: {fault_of(error).condition} {str(error)[:500]}")

        return threading.Thread(target=run, name=name)

    def check(self, name: str, read: Callable[[], pa.Table]) -> None:
        """Compares what a reader has read of each team with what the writers have done."""
        before = list(self.last)
        found = {row["team"]: row for row in read().to_pylist()}
        begun = list(self.begun)
        for team in range(TEAMS):
            row, rows = found.get(team, {}), range(team, KEYS, TEAMS)
            whole = (row.get("n"), row.get("ids")) == (len(rows), sum(rows))
            if not whole or row["least"] != row["most"]:
                self.wrong.append(f"{name} saw {row} of {len(rows)} rows")
            elif not before[team] <= row["least"] <= begun[team]:
                self.wrong.append(f"{name} saw {row}, not of {before[team]} to {begun[team]}")
        self.reads[name] += 1


def totals(rows: pa.Table) -> pa.Table:
    """Number of rows, sum of keys, least and greatest value of each team."""
    teams = pc.subtract(rows["id"], pc.multiply(pc.divide(rows["id"], TEAMS), TEAMS))
    by = rows.append_column("team", teams).group_by("team")
    found = by.aggregate([("id", "count"), ("id", "sum"), ("v", "min"), ("v", "max")])
    names = ["n", "ids", "least", "most"]
    columns = [found[name] for name in ("team", "id_count", "id_sum", "v_min", "v_max")]
    return pa.table(columns, names=["team", *names])


def by_arrow(base: Path) -> pa.Table:
    """The rows of all file slices that the Python package lists, without the engine."""
    return totals(pa.concat_tables(_slice(of) for of in files.slices(base)))


def _slice(of: files.FileSlice) -> pa.Table:
    columns = ["id", "v"]
    parts = [pq.ParquetFile(of.base.path).read(columns).cast(ROWS)] if of.base else []
    for log in (log for log in of.logs if log.instant is not None):  # of commits
        found = blocks(Path(log.path).read_bytes())
        parts += [
            pq.ParquetFile(pa.BufferReader(b.content)).read(columns).cast(ROWS) for b in found
        ]
    if len(parts) == 1:
        return parts[0]
    latest = pa.concat_tables(parts).group_by("id", use_threads=False).aggregate([("v", "last")])
    return pa.table([latest["id"], latest["v_last"]], schema=ROWS)


def by_rust(base: Path) -> pa.Table:
    """The rows that hudi-rs reads."""
    from hudi import HudiReadOptions, HudiTable

    wanted = HudiReadOptions().with_projection(["id", "v"])
    batches = [pa.record_batch(batch) for batch in HudiTable(base.as_uri()).read(wanted)]
    return totals(pa.concat_tables(pa.table(b).select(["id", "v"]).cast(ROWS) for b in batches))


def by_stock(stock: StockSpark, base: Path) -> pa.Table:
    """The totals of what stock Hudi reads."""
    view = f"at_work USING hudi OPTIONS (path '{base}')"
    stock.ask(op="sql", text=f"CREATE OR REPLACE TEMPORARY VIEW {view}")
    return stock.rows_of(op="sql", text=TOTALS.format(teams=TEAMS, t="at_work"))


def again(base: Path, read: Callable[[], pa.Table]) -> pa.Table:
    """Rows that a reader of another project reads.

    Names of log files in version 6 do not tell which write they are of. Stock Hudi and hudi-rs open
    those of pending writes, too, and fail if a write was undone meanwhile: then they read again.
    """
    while True:
        try:
            return read()
        except Exception as error:
            gone = set(re.findall(r"\.[\w-]+_\d+\.log\.\d+_[\d-]+", str(error)))
            written = [layout.commit_metadata(base, i) for i in layout.completed(base)]
            if not gone or any(name in str(of) for of in written for name in gone):
                raise


def session(spark: SparkSession) -> SparkSession:
    made = spark.newSession()
    made.sql(f"USE {spark.catalog.currentDatabase()}")
    return made


def writer(spark: SparkSession, work: Work, place: int) -> Callable[[], None]:
    """MERGE after MERGE into the teams of one writer; they are those of a partition."""
    own, teams = session(spark), range(place, TEAMS, len(PARTITIONS))

    def step() -> None:
        number = len(work.spells[place]) + 1
        team = teams[number % len(teams)]
        work.begun[team] = number
        began = time.time()
        p = PARTITIONS[place]
        own.sql(MERGE.format(n=number, p=p, team=team, keys=KEYS, teams=TEAMS)).collect()
        work.last[team] = number
        work.spells[place].append(Spell(began, time.time()))

    return step


def threads(
    spark: SparkSession, stock: StockSpark, base: Path, work: Work
) -> Iterator[threading.Thread]:
    own, keyed = session(spark), session(spark)

    def one() -> None:
        key = work.reads["key"] * 997 % KEYS
        team, before = key % TEAMS, work.last[key % TEAMS]
        rows = keyed.sql(f"SELECT v FROM t WHERE id = {key} AND p = '{PARTITIONS[key % 2]}'")
        values = [row.v for row in rows.collect()]
        if len(values) != 1 or not before <= values[0] <= work.begun[team]:
            work.wrong.append(f"the read of key {key} saw {values}, not from {before} on")
        work.reads["key"] += 1

    readers = {
        "Spark": lambda: own.sql(TOTALS.format(teams=TEAMS, t="t")).toArrow(),
        "arrow": lambda: by_arrow(base),
        "hudi-rs": lambda: again(base, lambda: by_rust(base)),
        "stock": lambda: again(base, lambda: by_stock(stock, base)),
    }
    for place in range(len(PARTITIONS)):
        yield work.thread(f"writer {place}", writer(spark, work, place))
    for name, read in readers.items():
        yield work.thread(name, lambda name=name, read=read: work.check(name, read), PAUSE)
    yield work.thread("key", one, PAUSE)


def rescale(spark: SparkSession, base: Path, of: tuple[int, int]) -> list[str]:
    """One call; each old bucket is hidden by one replacecommit.

    Returns:
        The instants of its steps.
    """
    known, (before, after) = layout.completed(base), of
    steps = spark.sql(f"CALL rescale(table => 't', buckets => {after})").collect()
    done = layout.completed(base)
    made = sorted(i for i in done if i not in known and done[i] == "replacecommit")
    hidden = [(p, g) for i in made for p, ids in layout.hidden(base, i).items() for g in ids]
    fewer = len(PARTITIONS) * min(before, after)
    assert (len(made), len(steps)) == (fewer, fewer)
    assert all(len(layout.hidden(base, instant)) == 1 for instant in made)
    assert len(hidden) == len(set(hidden)) == len(PARTITIONS) * before
    return made


def seconds(spells: list[Spell]) -> list[float]:
    return sorted(spell.ended - spell.began for spell in spells)


def commits(base: Path) -> list[list[float]]:
    """The times at which statements of each writer were committed.

    The writer itself may learn of a commit after the next step, because the Python threads of this process
    run one at a time.
    """
    written = [i for i, action in layout.completed(base).items() if action != "replacecommit"]
    partitions = {i: layout.commit_metadata(base, i)["partitionToWriteStats"] for i in written}
    return [
        [
            layout.completed_file(base, i).stat().st_mtime
            for i in written
            if f"p={p}" in partitions[i]
        ]
        for p in PARTITIONS
    ]


def without(times: list[float], gaps: list[tuple[float, float]]) -> int:
    """In how many gaps between two steps no statement was committed."""
    return sum(not any(a < time <= b for time in times) for a, b in gaps)


def between(base: Path, calls: list[list[str]]) -> list[tuple[float, float]]:
    """The times of each two steps of a call that follow each other."""
    ends = [[layout.completed_file(base, i).stat().st_mtime for i in of] for of in calls]
    return [gap for of in ends for gap in pairwise(of)]


def retries(base: Path) -> dict[str, int]:
    """Numbers of statements by their retries."""
    writes = [i for i, action in layout.completed(base).items() if action != "replacecommit"]
    extra = [layout.commit_metadata(base, instant)["extraMetadata"] for instant in writes]
    return dict(sorted(Counter(of["hudilite.metrics.numRetries"] for of in extra).items()))


def report(
    work: Work, begins: float, times: list[list[float]], gaps: list[tuple[float, float]]
) -> Iterator[str]:
    """How long the writers waited, before the first rescale and beside it."""
    for place, spells in enumerate(work.spells):
        late = without([spell.ended for spell in spells], gaps)
        alone = seconds([spell for spell in spells if spell.ended < begins])
        beside = seconds([spell for spell in spells if spell.ended >= begins])
        typical, most = median(beside), max(beside)
        yield (
            f"writer {place}: {len(alone)} statements alone, median {median(alone or [0]):.2f} s, most "
            f"{max(alone, default=0):.2f} s; {len(beside)} beside, median {typical:.2f} s, most {most:.2f} s "
            f"({most / typical:.2f} medians); none in {without(times[place], gaps)} of {len(gaps)} steps, "
            f"as the writer has seen it in {late}; "
            f"slowest {', '.join(f'{second:.2f}' for second in beside[-5:])}"
        )


@pytest.mark.timeout(SECONDS + 900)
@pytest.mark.parametrize(
    ("kind", "version"),
    [
        pytest.param("cow", 6, marks=pytest.mark.rotated(rare=True, third=0, when=WHEN)),
        pytest.param("mor", 6, marks=pytest.mark.rotated(rare=True, third=1, when=WHEN)),
        pytest.param("cow", 9, marks=pytest.mark.rotated(rare=True, third=2)),
        pytest.param("mor", 9, marks=pytest.mark.rotated(rare=True, third=0)),
    ],
)
def test_a_rescale_beside_writers_and_readers(
    spark: SparkSession, stock: StockSpark, database: Path, kind: str, version: int
) -> None:
    """Each writer has a statement committed between two steps, and each reader sees one state."""
    spark.sql(
        "CREATE TABLE t (id BIGINT, v BIGINT, p STRING, PRIMARY KEY (id, p)) USING hudilite "
        f"PARTITIONED BY (p) WITH BUCKETS {BUCKETS[0]} "
        f"TBLPROPERTIES (type = '{kind}', hoodie.table.version = '{version}')"
    )
    spark.sql(f"INSERT INTO t SELECT id, 0L, IF(id % 2 = 0, 'a', 'b') FROM range({KEYS})")
    base, work = database / "t", Work()
    by_stock(stock, base)
    running = list(threads(spark, stock, base, work))
    calls: list[list[str]] = []
    for thread in running:
        thread.start()
    try:
        time.sleep(ALONE)
        while not work.wrong and min(map(len, work.spells)) < 2:
            time.sleep(0.1)  # on a busy machine
        begins, until = time.time(), time.time() + SECONDS - ALONE
        while not work.wrong and (time.time() < until or not calls or len(work.reads) < 5):
            turn = BUCKETS if len(calls) % 2 == 0 else BUCKETS[::-1]
            calls.append(rescale(spark, base, turn))
    finally:
        work.ended.set()
        for thread in running:
            thread.join()
    assert work.wrong == []
    gaps = between(base, calls)
    taken = [b - a for a, b in gaps]
    print(f"{kind} {version}: {len(calls)} calls, steps {[len(of) for of in calls]}")
    print(f"from step to step {median(taken):.2f} s, at most {max(taken):.2f} s")
    print(f"reads {dict(work.reads)}; statements by retries {retries(base)}")
    times = commits(base)
    print(*report(work, begins, times, gaps), sep="\n", flush=True)
    assert [without(of, gaps) for of in times] == [0, 0]
    for spells in work.spells if IS_SOAK else ():
        beside = seconds([spell for spell in spells if spell.ended >= begins])
        assert max(beside) <= 2 * median(beside)
    assert check_table(base) == []
