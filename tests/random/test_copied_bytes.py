"""A write that copies what it does not change, and one that encodes every row: the same rows.

Two tables get the same random statements, one in a session that copies and one in a session that does
not, at 3 rows a page and 10 rows a row group. Each file group that is written is one merge. The run
fails unless every way that a row group comes about, and every reason to copy nothing, has come up
often. HUDILITE_SEED gives others.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from harness import damage, layout
from harness.canonical import Row, assert_same_rows, canonical_rows
from harness.faults import run_statement
from harness.metrics import committed
from harness.rotation import THIRDS, rotation, share, third
from harness.session import PAGE_ROWS, ROW_GROUP_ROWS
from model.relations import DATABASE, SEED, settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COPY = "spark.hudilite.write.copy"
WAYS = ("Copied", "PartlyCopied", "ByColumns", "ByRows")
REASONS = ("Writer", "Schema", "Fragments", "Unsorted", "Adopted", "Setting")
SETTING = "numFilesNotCopiedSetting"
STATEMENTS, MERGES, OFTEN = 40, 1000, 50  # at a rotation of `make test` a third of each
# No code is compiled for a statement that comes once, on few rows.
INTERPRETED = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
WRITTEN = ("_hoodie_commit_time", "_hoodie_commit_seqno", "_hoodie_file_name")  # at each its own
EVERYWHERE = "UPDATE {} SET v = 'w' WHERE pmod(n, 7) < 4"
PARTITIONS, EACH = 4, 640  # keys of a partition, which lie together; every other one is there
ALL = PARTITIONS * EACH

KEY = "id BIGINT, p STRING"
FLAT = {
    "n INT": "{n}",
    "v STRING": "IF({n} % 5 = 0, NULL, concat('v', {n} % 7))",
    "d DECIMAL(20, 3)": "CAST({n} * 1.001 AS DECIMAL(20, 3))",
    "e DECIMAL(9, 2)": "CAST({n} % 1000 AS DECIMAL(9, 2))",
    "f DOUBLE": "{n} / 3",
    "b BOOLEAN": "{n} % 2 = 0",
    "day DATE": "date_add(DATE '2020-01-01', {n})",
    "t TIMESTAMP": "timestamp_micros({n} * 1000003L)",
    "u TIMESTAMP_NTZ": "CAST(timestamp_micros({n} * 1009L) AS TIMESTAMP_NTZ)",
    "y BINARY": "IF({n} % 3 = 0, NULL, CAST(concat('y', {n}) AS BINARY))",
    "s SMALLINT": "CAST({n} % 100 AS SMALLINT)",
}
NESTED = {
    "a ARRAY<STRUCT<x: INT, y: STRING>>": (
        "IF({n} % 4 = 0, NULL, array(named_struct('x', {n}, 'y', IF({n} % 3 = 0, NULL, 'z'))))"
    )
}


@dataclass
class Pair:
    """Two tables of the same rows: the first is written with copies.

    Args:
        names: Of the tables.
        columns: Declarations, and what makes the values of a number `{n}`.
        on: By which MERGE matches.
    """

    names: tuple[str, str]
    columns: dict[str, str]
    on: str = "t.id = s.id AND t.p = s.p"

    @property
    def fields(self) -> list[str]:
        return [declared.split()[0] for declared in self.columns]

    def rows(self, keys: str, number: str) -> str:
        """A query of rows of the keys, whose values come of a number."""
        values = ", ".join(
            f"{value.format(n=f'({number})')} {name}"
            for name, value in zip(self.fields, self.columns.values(), strict=True)
        )
        return f"SELECT id, concat('p', id div {EACH}) p, {values} FROM ({keys})"

    @property
    def first(self) -> str:
        """What the tables hold at first."""
        return self.rows(f"SELECT id * 2 id FROM range({ALL // 2})", "CAST(id AS INT)")


def create(spark: SparkSession, kind: str, columns: dict[str, str]) -> Pair:
    pair = Pair((f"copied_{kind}", f"encoded_{kind}"), dict(columns))
    clause = "" if kind == "bloom" else "WITH BUCKETS 8"
    for name in pair.names:
        spark.sql(
            f"CREATE TABLE {name} ({KEY}, {', '.join(columns)}, PRIMARY KEY (id)) USING hudilite "
            f"PARTITIONED BY (p) {clause}"
        )
        spark.sql(f"INSERT INTO {name} {pair.first}")
    return pair


def adopt(spark: SparkSession, folder: Path, number: int) -> Pair:
    """Tables over files that stay where they are, each of which is written once."""
    pair = Pair((f"copied_adopted{number}", f"encoded_adopted{number}"), dict(FLAT), "t.id = s.id")
    for name in pair.names:
        source = folder / f"{name}_source"
        spark.sql(pair.first).repartition(30, "id").write.parquet(str(source))
        spark.sql(f"CALL bootstrap(table => '{name}', source => '{source}', key => 'id')")
    return pair


def merge_clauses(rng: random.Random, pair: Pair) -> str:
    one = rng.choice(pair.fields)
    update = rng.choice(
        [
            "UPDATE SET *",
            "UPDATE SET *",
            f"UPDATE SET {one} = s.{one}",
            f"UPDATE SET {one} = s.{one}, e = t.e + 1",
            "UPDATE SET v = concat(t.v, s.n)",
        ]
    )
    found = [f"WHEN MATCHED AND s.n % 3 > 0 THEN {update}"]
    if rng.random() < 0.3:
        found.append("WHEN MATCHED AND t.n % 2 = 0 THEN DELETE")
    if rng.random() < 0.3:
        found.append(f"WHEN MATCHED THEN UPDATE SET {one} = NULL")
    if rng.random() < 0.4:
        found.append("WHEN NOT MATCHED THEN INSERT *")
    if rng.random() < 0.15:
        found.append(f"WHEN NOT MATCHED BY SOURCE AND t.n % {rng.randint(5, 40)} = 1 THEN DELETE")
    return " ".join(found)


def some_keys(rng: random.Random) -> str:
    """Few or many keys, from everywhere or side by side, half of them there."""
    start = rng.randrange(ALL)
    end = rng.choice([start + 40, start + EACH // 2, ALL])
    start = 0 if end == ALL else start
    return f"SELECT id FROM range({start}, {end}) WHERE pmod(hash(id, {rng.random()}), {rng.choice([1, 3, 20])}) = 0"


def statement(rng: random.Random, pair: Pair, number: int) -> str:
    """One for `{}`, the table."""
    drawn = rng.random()
    if drawn < 0.75:
        source = pair.rows(some_keys(rng), f"CAST(pmod(hash(id, {number}), 10000) AS INT)")
        return f"MERGE INTO {{}} t USING ({source}) s ON {pair.on} {merge_clauses(rng, pair)}"
    if drawn < 0.85:
        return f"UPDATE {{}} SET v = 'u{number}' WHERE n % {rng.randint(2, 60)} = 0"
    if drawn < 0.93:
        return f"DELETE FROM {{}} WHERE n % {rng.choice([2, 7, 40])} = 1"
    return f"UPDATE {{}} SET p = 'p{rng.randrange(PARTITIONS)}' WHERE id % {rng.randint(20, 90)} = 4 AND id > {ALL // 2}"


def rewrite(base: Path, share: float, rng: random.Random, is_sorted: bool) -> None:
    """Some base files come of another writer, which may not say that they are sorted."""
    for found in layout.latest_slices(base):
        if rng.random() > share:
            continue
        if is_sorted:
            damage.rewrite(base, found, group=10)
        else:
            damage.rewrite_unsorted(base, found, rng, 10)


def event(
    spark: SparkSession, folder: Path, pair: Pair, number: int, rng: random.Random
) -> list[str]:
    """Now and then something happens that lets nothing be copied; statements that meet it in every file."""
    if number % 16 in (2, 3):
        for name in pair.names:
            spark.sql(f"ALTER TABLE {name} ADD COLUMN c{number} INT")
        pair.columns[f"c{number} INT"] = "{n}"
    elif number % 16 in (6, 7, 10, 11):
        rewrite(folder / pair.names[0], 0.9, rng, is_sorted=number % 16 > 8)
    elif number % 16 in (14, 15):
        refill = (
            f"MERGE INTO {{}} t USING ({pair.first}) s ON {pair.on} WHEN NOT MATCHED THEN INSERT *"
        )
        return ["DELETE FROM {} WHERE n % 7 > 0", EVERYWHERE, refill]
    else:
        return []
    return [EVERYWHERE]


def state(spark: SparkSession, base: Path) -> list[Row]:
    """Every row, as Spark reads it, and whether the newest commit has written it."""
    return canonical_rows(
        spark.sql(
            "SELECT *, _hoodie_record_key, _hoodie_partition_path, "
            f"_hoodie_commit_time = '{max(layout.completed(base))}' is_new FROM {base.name}"
        ).toArrow()
    )


def state_of_files(base: Path) -> list[Row]:
    """Every row, as the base files hold it, and whether the newest commit has written it."""
    newest = max(layout.completed(base))
    read = [pq.ParquetFile(found.path).read() for found in layout.latest_slices(base)]
    names = sorted({name for table in read for name in table.column_names} - {*WRITTEN})
    rows = []
    for table in read:
        full = table
        for name in {*names} - {*table.column_names}:  # it came to the table later
            full = full.append_column(name, pa.nulls(len(table)))
        full = full.append_column("is_new", pc.equal(table["_hoodie_commit_time"], newest))
        rows += canonical_rows(full, [*names, "is_new"])
    return rows


def step(
    spark: SparkSession, folder: Path, pair: Pair, sql: str, by_spark: bool = False
) -> Counter[str]:
    """Runs a statement on both tables, and tells what it did to the first.

    Args:
        by_spark: Whether Spark reads the rows that are compared, else they come from the base files.
    """
    bases = [folder / name for name in pair.names]
    before = [layout.instants(base) for base in bases]
    faults = []
    for name, copies in zip(pair.names, ("true", "false"), strict=True):
        with settings(spark, {COPY: copies}):
            faults.append(run_statement(spark, sql.format(name)))
    told_of = [fault and fault.condition for fault in faults]
    assert told_of[0] == told_of[1], f"{faults}\n{sql}"
    read = [state(spark, base) if by_spark else state_of_files(base) for base in bases]
    assert read[0], sql
    assert_same_rows(*read, label=sql)
    changed = [layout.instants(base) != was for base, was in zip(bases, before, strict=True)]
    assert changed[0] == changed[1], sql
    if not all(changed):
        return Counter()
    for written in layout.latest_slices(bases[0]):
        names = pq.ParquetFile(written.path).read(columns=["_hoodie_file_name"]).column(0).unique()
        assert names.to_pylist() in ([], [written.path.name]), sql
    encoded = committed(bases[1])
    assert encoded["numRowGroupsCopied"] == encoded["numRowGroupsPartlyCopied"] == 0, sql
    return Counter(committed(bases[0])) + Counter({SETTING: encoded[SETTING]})


@pytest.fixture(scope="module")
def totals(spark: SparkSession, folder: Path) -> Counter[str]:
    """What all statements did."""
    counts: Counter[str] = Counter()
    rng = random.Random(f"{SEED}:copies:{rotation()}")
    small = INTERPRETED | {PAGE_ROWS: 3, ROW_GROUP_ROWS: 10, "spark.sql.shuffle.partitions": 4}
    usual = spark.catalog.currentDatabase()
    spark.catalog.setCurrentDatabase(DATABASE)
    try:
        with settings(spark, small):
            made = [create(spark, "flat", FLAT), create(spark, "nested", FLAT | NESTED)]
            made.append(create(spark, "bloom", FLAT))
            adopted = [adopt(spark, folder, number) for number in range(share(2))]
            for number in third(range(STATEMENTS)):
                pair = rng.choice(made)
                by_spark = number % 9 < THIRDS  # of each rotation every third
                counts += step(spark, folder, pair, statement(rng, pair, number), by_spark)
                pair = made[number % 2]  # the bloom index knows how long its files are
                for sql in event(spark, folder, pair, number, rng):
                    counts += step(spark, folder, pair, sql)
            for pair in adopted:
                for sql in (EVERYWHERE, statement(rng, pair, 0), statement(rng, pair, 1)):
                    counts += step(spark, folder, pair, sql, by_spark=True)
    finally:
        spark.catalog.setCurrentDatabase(usual)
    print(dict(counts))
    return counts


def test_a_thousand_merges_give_the_same_rows_whether_they_copy_or_not(
    totals: Counter[str],
) -> None:
    assert totals["numFilesWritten"] >= share(MERGES)


@pytest.mark.parametrize("way", WAYS)
def test_row_groups_come_about_in_every_way(totals: Counter[str], way: str) -> None:
    assert totals[f"numRowGroups{way}"] >= share(OFTEN)


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_to_copy_nothing_comes_up(totals: Counter[str], reason: str) -> None:
    assert totals[f"numFilesNotCopied{reason}"] >= share(OFTEN)
