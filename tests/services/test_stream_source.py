"""readStream of a table: what commits change arrives once, in their order, from where it was left."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout, names, streams
from harness.faults import fault_of
from harness.rotation import product
from harness.seeds import asked_seed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

CREATE = (
    "CREATE TABLE {} (id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 3"
)
WHEN = product("spark/stream/")
pytestmark = pytest.mark.rotated(by="test", when=WHEN)
FORMAT = "hoodie.datasource.query.incremental.format"
START = "hoodie.datasource.streaming.startOffset"
FOLLOW = """
    MERGE INTO u USING (
      SELECT id, max_by(struct(p, v, _change_type AS kind),
        struct(_commit_instant, _change_type <> 'delete')) AS last FROM changes
      WHERE _change_type <> 'update_preimage' GROUP BY id
    ) s ON u.id = s.id
    WHEN MATCHED AND s.last.kind = 'delete' THEN DELETE
    WHEN MATCHED THEN UPDATE SET p = s.last.p, v = s.last.v
    WHEN NOT MATCHED AND s.last.kind <> 'delete' THEN
      INSERT (id, p, v) VALUES (s.id, s.last.p, s.last.v)
"""


class Killed(Exception):
    """The stream ends here."""


class Heard:
    """Takes the batches of a stream of table `t`."""

    def __init__(self, spark: SparkSession, checkpoint: Path, **options: str) -> None:
        self.spark, self.checkpoint, self.options = spark, checkpoint, options
        self.batches: list[list[Row]] = []

    def run(self, rows: DataFrame | None = None) -> str | None:
        def take(batch: DataFrame, _: int) -> None:
            self.batches.append(sorted(batch.collect()))

        stream = rows or self.spark.readStream.options(**self.options).table("t")
        writer = stream.writeStream.foreachBatch(take).trigger(availableNow=True)
        return streams.ended(writer.option("checkpointLocation", str(self.checkpoint)).start())

    def new(self) -> list[tuple[object, ...]]:
        """The rows that one more run brings."""
        self.batches = []
        assert self.run() is None
        return [tuple(row) for batch in self.batches for row in batch]


def statement(rng: random.Random) -> str:
    ids = ", ".join(str(id) for id in rng.sample(range(30), rng.randrange(1, 8)))
    word = f"'{rng.randrange(1000)}'"
    rows = f"SELECT id, 'p' AS p, {word} AS v FROM (SELECT explode(array({ids})) AS id)"
    return rng.choice(
        [
            f"MERGE INTO t USING ({rows}) s ON t.id = s.id "
            "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
            f"UPDATE t SET v = {word} WHERE id IN ({ids})",
            f"DELETE FROM t WHERE id IN ({ids})",
            f"INSERT OVERWRITE t {rows}",
        ]
    )


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("most", "form"),
    [
        pytest.param(None, "cow", marks=pytest.mark.rotated(third=2, when=WHEN)),
        pytest.param(1, "cow", marks=pytest.mark.rotated(third=1, when=WHEN)),
        pytest.param(None, "mor", marks=pytest.mark.rotated(third=0, when=WHEN)),
    ],
)
def test_a_table_that_follows_another_by_its_changes_is_like_it(
    spark: SparkSession, database: Path, tmp_path: Path, most: int | None, form: str
) -> None:
    chosen = asked_seed()
    print(f"HUDILITE_SEED={chosen}")
    rng = random.Random(chosen)
    spark.sql(f"{CREATE.format('t')} TBLPROPERTIES (type = '{form}')")
    spark.sql(CREATE.format("u"))
    spark.sql("INSERT INTO t SELECT id, 'p', 'old' FROM range(20)")
    sizes: list[int] = []
    dies = False

    def follow(batch: DataFrame, _: int) -> None:
        if dies:
            raise Killed
        batch.createOrReplaceTempView("changes")
        commits = "SELECT count(DISTINCT _commit_instant) FROM changes"
        sizes.append(batch.sparkSession.sql(commits).collect()[0][0])
        batch.sparkSession.sql(FOLLOW).collect()

    options = {FORMAT: "cdc"} | ({} if most is None else {"maxCommitsPerTrigger": str(most)})
    for n in range(8):
        for _ in range(rng.randrange(4) if n < 7 else 3):
            spark.sql(statement(rng))
        for dies in [True, False] if n % 3 == 1 else [False]:
            changes = spark.readStream.options(**options).table("t")
            writer = changes.writeStream.foreachBatch(follow).trigger(availableNow=True)
            writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
            fault = streams.ended(writer.start())
            assert fault is None or dies, fault
        rows = [spark.sql(f"SELECT * FROM {table} ORDER BY id").collect() for table in "tu"]
        assert rows[0] == rows[1], f"round {n}"
    later = sizes[1:]  # the first batch is the table as it is, whatever its commits
    assert max(later) > 1 if most is None else max(later) == 1


def test_rows_are_the_table_first_and_then_what_commits_have_left(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    spark.sql(CREATE.format("t"))
    heard = Heard(spark, tmp_path / "checkpoint")
    assert heard.new() == []
    spark.sql("INSERT INTO t VALUES (1, 'a', 'x'), (2, 'a', 'x')")
    spark.sql("UPDATE t SET v = 'y' WHERE id = 2")
    assert heard.new() == [(1, "a", "x"), (2, "a", "y")]
    assert heard.new() == []
    spark.sql("UPDATE t SET v = 'z' WHERE id = 1")
    spark.sql("INSERT INTO t VALUES (3, 'b', 'x'), (4, 'b', 'x')")
    spark.sql("DELETE FROM t WHERE id = 4")
    assert heard.new() == [(1, "a", "z"), (3, "b", "x")]
    by_path = Heard(spark, tmp_path / "other")
    rows = spark.readStream.format("hudilite").load(str(database / "t"))
    assert rows.columns == ["id", "p", "v"]
    assert by_path.run(rows) is None
    assert [tuple(row) for row in by_path.batches[0]] == [
        (1, "a", "z"),
        (2, "a", "y"),
        (3, "b", "x"),
    ]


def test_changes_come_with_kind_and_instant(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    spark.sql(CREATE.format("t"))
    spark.sql("INSERT INTO t VALUES (1, 'a', 'x'), (2, 'a', 'x')")
    heard = Heard(spark, tmp_path / "checkpoint", **{FORMAT: "cdc"})
    first = sorted(layout.completed(database / "t"))[0]
    assert heard.new() == [(1, "a", "x", "insert", first), (2, "a", "x", "insert", first)]
    spark.sql("UPDATE t SET v = 'y' WHERE id = 2")
    spark.sql("DELETE FROM t WHERE id = 1")
    _, second, third = sorted(layout.completed(database / "t"))
    assert heard.new() == [
        (1, "a", "x", "delete", third),
        (2, "a", "x", "update_preimage", second),
        (2, "a", "y", "update_postimage", second),
    ]


@pytest.mark.parametrize(
    "kinds",
    [
        pytest.param(False, marks=pytest.mark.rotated(third=1, when=WHEN)),
        pytest.param(True, marks=pytest.mark.rotated(third=2, when=WHEN)),
    ],
)
def test_where_a_stream_begins(
    spark: SparkSession, database: Path, tmp_path: Path, kinds: bool
) -> None:
    spark.sql(CREATE.format("t"))
    form = {FORMAT: "cdc"} if kinds else {}
    latest_of_none = Heard(spark, tmp_path / "none", **form, **{START: "latest"})
    assert latest_of_none.new() == []
    for id in (1, 2):
        spark.sql(f"INSERT INTO t VALUES ({id}, 'a', 'x')")
    first, second = sorted(layout.completed(database / "t"))
    wanted = {"earliest": {1, 2}, first: {2}, second: set(), "latest": set()}
    heard = {start: Heard(spark, tmp_path / start, **form, **{START: start}) for start in wanted}
    for start, ids in wanted.items():
        assert {row[0] for row in heard[start].new()} == ids, start
    assert {row[0] for row in latest_of_none.new()} == {1, 2}
    spark.sql("INSERT INTO t VALUES (3, 'a', 'x')")
    for start in wanted:
        assert {row[0] for row in heard[start].new()} == {3}, start
    assert {row[0] for row in latest_of_none.new()} == {3}


@pytest.mark.rotated(third=1, when=WHEN)
def test_a_run_for_what_there_is_ends_at_what_there_was(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    spark.sql(CREATE.format("t"))
    for id in range(4):
        spark.sql(f"INSERT INTO t VALUES ({id}, 'a', 'x')")
    first = sorted(layout.completed(database / "t"))[0]
    told: list[list[int]] = []

    def take(batch: DataFrame, number: int) -> None:
        told.append([row.id for row in batch.collect()])
        batch.sparkSession.sql(f"INSERT INTO t VALUES ({10 + number}, 'a', 'x')")

    options = {START: first, "maxCommitsPerTrigger": "2"}
    for _ in range(2):
        stream = spark.readStream.options(**options).table("t").writeStream.foreachBatch(take)
        stream = stream.option("checkpointLocation", str(tmp_path / "checkpoint"))
        assert streams.ended(stream.trigger(availableNow=True).start()) is None
    assert [sorted(ids) for ids in told] == [[1, 2], [3], [10, 11]]


def test_a_stream_goes_from_table_to_table(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    spark.sql(CREATE.format("t"))
    spark.sql(CREATE.format("u"))
    for n in range(3):
        spark.sql(f"INSERT INTO t SELECT {10 * n} + id, 'p', '{n}' FROM range(5)")
        rows = spark.readStream.table("t")
        assert streams.ended(streams.writer(rows, tmp_path / "checkpoint").toTable("u")) is None
    both = [spark.sql(f"SELECT * FROM {table} ORDER BY id").collect() for table in "tu"]
    assert both[0] == both[1]


@pytest.mark.rotated(third=2, when=WHEN)
def test_a_cleaned_range_is_an_error_unless_it_was_already_read(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    spark.sql(CREATE.format("t"))
    spark.sql("INSERT INTO t SELECT id, 'a', '0' FROM range(50)")
    ahead = Heard(spark, tmp_path / "ahead", **{FORMAT: "cdc"})
    behind = Heard(spark, tmp_path / "behind", **{FORMAT: "cdc"})
    assert len(ahead.new()) == len(behind.new()) == 50
    for n in range(1, 4):
        spark.sql(f"UPDATE t SET v = '{n}'")
        assert len(ahead.new()) == 100
    spark.sql(
        "CALL clean(table => 't', retain_commits => 1, retain_hours => 0, "
        "allow_short_retention => true)"
    ).collect()
    assert behind.run() == "HUDILITE_CHANGES_EXPIRED"
    spark.sql("DELETE FROM t WHERE id = 1")
    assert [row[3] for row in ahead.new()] == ["delete"]


@pytest.mark.rotated(third=2, when=WHEN)
def test_a_commit_of_stock_hudi_is_read_before_and_after_it_gets_a_number(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    spark.sql(CREATE.format("t"))
    heard = Heard(spark, tmp_path / "checkpoint", **{FORMAT: "cdc"})
    spark.sql("INSERT INTO t VALUES (1, 'a', 'x')")
    assert [row[0] for row in heard.new()] == [1]
    spark.sql("INSERT INTO t VALUES (2, 'a', 'x')")
    commits = database / "t/.hoodie/.hudilite/commits"
    for number in commits.glob(f"{2:020}*"):
        number.unlink()  # stock Hudi writes none
    assert [row[0] for row in heard.new()] == [2]
    spark.sql("INSERT INTO t VALUES (3, 'a', 'x')")
    assert json.loads((commits / f"{2:020}").read_text())["kind"] == "adopted"
    assert [row[0] for row in heard.new()] == [3]


@pytest.mark.parametrize("form", ["rows", "cdc"])
def test_a_commit_of_stock_hudi_waits_for_one_that_began_before_it(
    spark: SparkSession, database: Path, tmp_path: Path, form: str
) -> None:
    spark.sql(CREATE.format("t"))
    options = {FORMAT: "cdc"} if form == "cdc" else {}
    heard = Heard(spark, tmp_path / "checkpoint", **options)
    spark.sql("INSERT INTO t VALUES (1, 'a', 'x')")
    assert [row[0] for row in heard.new()] == [1]
    for id in (2, 3):
        spark.sql(f"INSERT INTO t VALUES ({id}, 'a', 'x')")
    for number in (database / "t/.hoodie/.hudilite/commits").glob(f"{0:019}[23]*"):
        number.unlink()  # stock Hudi writes none
    done = layout.completed_file(database / "t", sorted(layout.completed(database / "t"))[1])
    aside = done.rename(tmp_path / done.name)
    assert heard.new() == []
    aside.rename(done)
    assert [row[0] for row in heard.new()] == [2, 3]
    assert heard.new() == []


def test_a_stream_goes_on_behind_what_was_archived_beyond_a_savepoint(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    spark.sql(CREATE.format("t"))
    rows = Heard(spark, tmp_path / "rows")
    changes = Heard(spark, tmp_path / "changes", **{FORMAT: "cdc"})
    spark.sql("INSERT INTO t VALUES (1, 'a', 'x')")
    assert [len(heard.new()) for heard in (rows, changes)] == [1, 1]
    (saved,) = layout.completed(database / "t")
    for id in range(2, 6):
        spark.sql(f"INSERT INTO t VALUES ({id}, 'a', 'x')")
    spark.sql(f"CALL savepoint(table => 't', instant => '{saved}')").collect()
    timeline = database / "t" / names.at(database / "t").timeline
    kept = {file: tmp_path / file.name for file in timeline.glob(f"{saved}*")}
    for file, aside in kept.items():
        file.rename(aside)
    spark.sql("CALL archive(table => 't', keep_min => 1, keep_max => 2)").collect()
    for file, aside in kept.items():
        aside.rename(file)  # as stock Hudi with hoodie.archive.beyond.savepoint
    assert len(layout.completed(database / "t")) == 2
    assert [row[0] for row in rows.new()] == [2, 3, 4, 5]
    assert changes.run() == "HUDILITE_CHANGES_EXPIRED"


def test_a_stream_does_not_go_on_behind_a_restore(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    spark.sql(CREATE.format("t"))
    for id in range(3):
        spark.sql(f"INSERT INTO t VALUES ({id}, 'a', 'x')")
    heard = Heard(spark, tmp_path / "checkpoint")
    assert len(heard.new()) == 3
    second = sorted(layout.completed(database / "t"))[1]
    early = Heard(spark, tmp_path / "early", **{START: second})
    spark.sql(f"CALL restore(table => 't', instant => '{second}')").collect()
    assert heard.run() == "HUDILITE_VERSION_NOT_FOUND"
    spark.sql("INSERT INTO t VALUES (9, 'a', 'x')")
    assert [row[0] for row in early.new()] == [9]


@pytest.mark.rotated(third=1, when=WHEN)
def test_a_table_that_was_replaced_or_has_other_columns_ends_a_stream(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    spark.sql(CREATE.format("t"))
    spark.sql("INSERT INTO t VALUES (1, 'a', 'x')")
    heard = Heard(spark, tmp_path / "checkpoint")
    assert len(heard.new()) == 1
    rows = spark.readStream.table("t")

    def alter(batch: DataFrame, _: int) -> None:
        batch.sparkSession.sql("ALTER TABLE t ADD COLUMN w INT")
        batch.sparkSession.sql("INSERT INTO t VALUES (2, 'a', 'x', 2)")

    spark.sql("UPDATE t SET v = 'y'")
    stream = rows.writeStream.foreachBatch(alter).trigger(processingTime="0 seconds")
    stream = stream.option("checkpointLocation", str(tmp_path / "checkpoint"))
    assert streams.ended(stream.start()) == "HUDILITE_STREAM_STOPPED"
    assert heard.new() == [(2, "a", "x", 2)]
    spark.sql("DROP TABLE t")
    spark.sql(CREATE.format("t"))
    spark.sql("INSERT INTO t VALUES (1, 'a', 'x')")
    assert heard.run() == "HUDILITE_STREAM_STOPPED"


@pytest.mark.parametrize("form", ["rows", "cdc"])
def test_columns_added_before_others_are_null_in_earlier_changes(
    spark: SparkSession, database: Path, tmp_path: Path, form: str
) -> None:
    spark.sql(CREATE.format("t"))
    spark.sql("INSERT INTO t VALUES (1, 'p', 'x')")
    options = {"maxCommitsPerTrigger": "1"} | ({FORMAT: "cdc"} if form == "cdc" else {})
    heard = Heard(spark, tmp_path / "checkpoint", **options)
    assert len(heard.new()) == 1
    spark.sql("INSERT INTO t VALUES (2, 'p', 'y')")
    spark.sql("ALTER TABLE t ADD COLUMN w INT FIRST")
    spark.sql("INSERT INTO t VALUES (30, 3, 'p', 'z')")
    assert [row[:4] for row in heard.new()] == [(None, 2, "p", "y"), (30, 3, "p", "z")]
    spark.sql("INSERT INTO t VALUES (40, 4, 'p', 'z')")
    spark.sql("ALTER TABLE t ALTER COLUMN w AFTER v")
    assert heard.run() == "HUDILITE_STREAM_STOPPED"


@pytest.mark.parametrize("change", ["RENAME COLUMN v TO w", "DROP COLUMN v"])
def test_a_new_column_with_the_name_of_an_earlier_one_ends_a_stream(
    spark: SparkSession, database: Path, tmp_path: Path, change: str
) -> None:
    spark.sql(CREATE.format("t"))
    forms = {"rows": {}, "cdc": {FORMAT: "cdc"}}
    heard = [
        Heard(spark, tmp_path / form, maxCommitsPerTrigger="1", **options)
        for form, options in forms.items()
    ]
    spark.sql("INSERT INTO t VALUES (1, 'p', 'x')")
    assert [len(of.new()) for of in heard] == [1, 1]
    spark.sql("INSERT INTO t VALUES (2, 'p', 'y')")
    spark.sql(f"ALTER TABLE t {change}")
    spark.sql("ALTER TABLE t ADD COLUMN v STRING")
    assert [of.run() for of in heard] == ["HUDILITE_STREAM_STOPPED"] * 2


@pytest.mark.parametrize("form", ["rows", "cdc"])
@pytest.mark.parametrize("by", ["name", "path"])
def test_a_kept_frame_returns_the_columns_that_it_has_or_its_stream_ends(
    spark: SparkSession, database: Path, tmp_path: Path, form: str, by: str
) -> None:
    spark.sql(CREATE.format("t"))
    spark.sql("INSERT INTO t VALUES (1, 'p', 'x')")
    options = {FORMAT: "cdc"} if form == "cdc" else {}

    def frame() -> DataFrame:
        reader = spark.readStream.format("hudilite").options(**options)
        return reader.table("t") if by == "name" else reader.load(str(database / "t"))

    heard = Heard(spark, tmp_path / "checkpoint")
    reordered = frame()
    assert heard.run(reordered) is None
    spark.sql("ALTER TABLE t ALTER COLUMN v AFTER id")
    spark.sql("INSERT INTO t VALUES (2, 'y', 'p')")
    assert heard.run(reordered) == "HUDILITE_STREAM_STOPPED"
    replaced = frame()
    heard = Heard(spark, tmp_path / "other")
    spark.sql("ALTER TABLE t DROP COLUMN v")
    spark.sql("ALTER TABLE t ADD COLUMN w STRING AFTER id")
    assert heard.run(replaced) == "HUDILITE_STREAM_STOPPED"
    spark.sql("ALTER TABLE t ADD COLUMN deep STRUCT<f: INT>")
    kept = frame()
    spark.sql("ALTER TABLE t ALTER COLUMN w COMMENT 'new'")
    spark.sql("ALTER TABLE t ALTER COLUMN deep.f COMMENT 'new'")
    assert heard.run(kept) is None
    assert [tuple(row)[:3] for row in heard.batches[0]] == [(1, None, "p"), (2, None, "p")]


def test_columns_that_change_twice_behind_the_last_row_do_not_end_a_stream_of_changes(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    spark.sql(CREATE.format("t"))
    heard = Heard(spark, tmp_path / "checkpoint", **{FORMAT: "cdc"})
    spark.sql("INSERT INTO t VALUES (1, 'p', 'x')")
    assert len(heard.new()) == 1
    spark.sql("ALTER TABLE t RENAME COLUMN v TO w")
    spark.sql("ALTER TABLE t RENAME COLUMN p TO q")
    assert heard.new() == []
    spark.sql("INSERT INTO t VALUES (2, 'p', 'y')")
    assert [row[:4] for row in heard.new()] == [(2, "p", "y", "insert")]
    spark.sql("ALTER TABLE t RENAME COLUMN w TO v")
    spark.sql("INSERT INTO t VALUES (3, 'p', 'z')")
    spark.sql("ALTER TABLE t RENAME COLUMN q TO p")
    assert heard.run() == "HUDILITE_COLUMNS_CHANGED"


@pytest.mark.parametrize("form", ["rows", "cdc"])
def test_columns_that_change_twice_do_not_end_a_stream_of_single_commits(
    spark: SparkSession, database: Path, tmp_path: Path, form: str
) -> None:
    spark.sql(CREATE.format("t"))
    options = {"maxCommitsPerTrigger": "1"} | ({FORMAT: "cdc"} if form == "cdc" else {})
    heard = Heard(spark, tmp_path / "checkpoint", **options)
    spark.sql("INSERT INTO t VALUES (1, 'p', 'x')")
    assert len(heard.new()) == 1
    spark.sql("ALTER TABLE t ADD COLUMN n INT")
    spark.sql("ALTER TABLE t RENAME COLUMN v TO w")
    spark.sql("ALTER TABLE t RENAME COLUMN p TO q")
    spark.sql("INSERT INTO t VALUES (2, 'p', 'y', 4)")
    assert [row[:4] for row in heard.new()] == [(2, "p", "y", 4)]
    spark.sql("INSERT INTO t VALUES (3, 'p', 'z', 4)")
    spark.sql("ALTER TABLE t RENAME COLUMN w TO v")
    assert heard.run() == "HUDILITE_STREAM_STOPPED"


def test_a_row_that_moves_to_another_partition_moves_in_the_table_that_follows(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    spark.sql(f"{CREATE.format('t')} PARTITIONED BY (p)")
    spark.sql(CREATE.format("u"))
    spark.sql("INSERT INTO t VALUES (1, 'b', 'x'), (2, 'a', 'y'), (3, 'a', 'z')")

    def follow() -> list[Row]:
        changes = spark.readStream.option(FORMAT, "cdc").table("t")
        writer = changes.writeStream.foreachBatch(take).trigger(availableNow=True)
        writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
        assert streams.ended(writer.start()) is None
        return spark.sql("SELECT id, p, v FROM u ORDER BY id").collect()

    def take(batch: DataFrame, _: int) -> None:
        batch.createOrReplaceTempView("changes")
        batch.sparkSession.sql(FOLLOW).collect()

    assert len(follow()) == 3
    spark.sql("UPDATE t SET p = CASE id WHEN 1 THEN 'a' ELSE 'b' END WHERE id < 3")
    assert follow() == [(1, "a", "x"), (2, "b", "y"), (3, "a", "z")]


def test_options_of_a_stream_are_used_or_an_error(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    spark.sql(CREATE.format("t"))

    def condition(load: Callable[[str], object], place: str) -> str:
        with pytest.raises(Exception) as caught:
            load(place)
        return fault_of(caught.value).condition

    for key, value in [
        (START, "yesterday"),
        (FORMAT, "all"),
        ("maxCommitsPerTrigger", "0"),
        ("hoodie.datasource.query.type", "incremental"),
        ("hoodie.datasource.read.begin.instanttime", "0"),
        ("readChangeFeed", "true"),
        ("maxFilesPerTrigger", "1"),
        ("ignoreDeletes", "true"),
    ]:
        reader = spark.readStream.option(key, value)
        assert condition(reader.table, "t") == "HUDILITE_PROPERTY_UNSUPPORTED", key
        reader = spark.readStream.format("hudilite").option(key, value)
        load = reader.load
        assert condition(load, str(database / "t")) == "HUDILITE_PROPERTY_UNSUPPORTED"
    reader = spark.readStream.format("hudilite")
    assert condition(reader.load, str(tmp_path)) == "HUDILITE_PATH_INVALID"
    absent = Heard(spark, tmp_path / "absent", **{START: "20200101000000000"})
    assert absent.run() == "HUDILITE_VERSION_NOT_FOUND"


def test_an_offset_names_the_table_and_its_commit(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    spark.sql(CREATE.format("t"))
    spark.sql("INSERT INTO t VALUES (1, 'a', 'x')")
    Heard(spark, tmp_path / "checkpoint").new()
    stored = (tmp_path / "checkpoint/offsets/0").read_text().splitlines()[-1]
    uuid = layout.properties(database / "t")["hudilite.table.uuid"]
    instant = max(layout.completed(database / "t"))
    assert json.loads(stored) == {"table": uuid, "instant": instant}
