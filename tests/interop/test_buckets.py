"""Buckets by stock Hudi's BucketIdentifier, against the oracle and the engine's files."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.rust import read_files
from harness.stock import StockSpark
from oracle.bucket import bucket_of_key

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Key, hash fields, buckets, and the bucket that stock Hudi gave (hudi-format.md 6.4).
KNOWN = [
    ("1", "id", 4, 0),
    ("1", "id", 256, 80),
    ("0", "id", 16, 15),
    ("100", "id", 256, 16),
    ("abc", "id", 256, 129),
    ("-5", "id", 7, 2),
    ("id:1", "id", 256, 177),
    ("a:b", "id", 16, 8),
    ("a,b", "id", 16, 6),
    ("a:b,c", "id", 16, 15),
    ("id:1,name:a", "nosuch", 16, 11),
    ("a:x,y,b:z", "a,b", 16, 6),
    ("a:2014-10-22 13:50:42,b:z", "a,b", 16, 8),
    ("你好", "id", 16, 12),
    ("2024-01-02", "id", 16, 0),
    ("1.50", "id", 16, 7),
    ("1704164645678901", "id", 16, 4),
    ("k:3,x", "k", 16, 14),
    ("id:1,name:k1", "name", 8, 5),
    ("a:1,b:a", "a,b", 256, 17),
    ("a:1,b:__null__", "a,b", 2481, 2480),
    ("a:1,b:__empty__", "a,b", 2481, 2480),
]
PIECES = ["a", "1", ":", ",", "=", "é", "你", "\U0001d4b3", " ", "x:y", "__null__", "long" * 2560]


def random_key(rng: random.Random) -> tuple[str, str, int]:
    buckets = rng.choice([1, 2, 4, 7, 16, 256, 99_999, 100_000])
    if rng.random() < 0.4:
        return "".join(rng.choices(PIECES, k=rng.randint(1, 5))), "id", buckets
    fields = rng.sample(["a", "b_c", "Name", "d4"], rng.randint(2, 4))
    values = ["".join(rng.choices(PIECES, k=rng.randint(0, 3))) or "__empty__" for _ in fields]
    hashed = [field for field in fields if rng.random() < 0.6] or fields
    return (
        ",".join(f"{f}:{v}" for f, v in zip(fields, values, strict=True)),
        ",".join(hashed),
        buckets,
    )


def stock_answers(key: str, hashed: str) -> bool:
    """False when stock would loop for ever: the last field is not hashed and holds a colon."""
    if "," not in key or ":" not in key:
        return True
    rest = key
    while True:
        field, _, tail = rest.partition(":")
        ends = (tail[:i].rfind(",") for i, sign in enumerate(tail) if sign == ":")
        end = next((comma for comma in ends if comma >= 0), None)
        if end is None:
            return field in hashed.split(",") or ":" not in tail
        rest = tail[end + 1 :]


def test_known_buckets(stock: StockSpark) -> None:
    asked = [(key, fields, n) for key, fields, n, _ in KNOWN]
    known = [bucket for *_, bucket in KNOWN]
    assert stock.buckets(asked) == known
    assert [bucket_of_key(key, fields.split(","), n) for key, fields, n in asked] == known


@pytest.mark.rotated(third=1)
def test_random_buckets(stock: StockSpark) -> None:
    seed = int(os.environ.get("HUDILITE_SEED") or random.SystemRandom().randrange(2**32))
    print(f"HUDILITE_SEED={seed}")
    rng = random.Random(seed)
    keys = (random_key(rng) for _ in range(3000))
    asked = [key for key in keys if stock_answers(*key[:2])]
    assert len(asked) > 2000
    differing = [
        (key[:80], fields, n, theirs)
        for (key, fields, n), theirs in zip(asked, stock.buckets(asked), strict=True)
        if bucket_of_key(key, fields.split(","), n) != theirs
    ]
    assert differing == []


@pytest.mark.rotated(third=1)
@pytest.mark.fault("F52")
@pytest.mark.parametrize(
    ("declared", "keys", "clause"),
    [
        ("k STRING", ["k"], "WITH BUCKETS 16"),
        ("k BIGINT", ["k"], "WITH BUCKETS 7"),
        ("k DATE", ["k"], "WITH BUCKETS 16"),
        ("k DECIMAL(20,4)", ["k"], "WITH BUCKETS 16"),
        ("a STRING, b INT", ["a", "b"], "WITH BUCKETS 16"),
        ("a STRING, b DATE, c DECIMAL(10,2)", ["a", "b", "c"], "WITH BUCKETS 256 ON (b, a)"),
        ("a BIGINT, b STRING", ["a", "b"], "WITH BUCKETS 16 ON (b)"),
    ],
)
def test_the_engines_files_hold_stocks_buckets(
    spark: SparkSession,
    database: Path,
    stock: StockSpark,
    declared: str,
    keys: list[str],
    clause: str,
) -> None:
    spark.sql(
        f"CREATE TABLE t ({declared}, PRIMARY KEY ({', '.join(keys)})) USING hudilite {clause}"
    )
    values = {
        "STRING": "array('x', 'a:b,c=d', '你好', 'k:3,', ' ')[CAST(id % 5 AS INT)] || id",
        "BIGINT": "id * 1000003 - 7000000",
        "INT": "CAST(id - 100 AS INT)",
        "DATE": "date_from_unix_date(CAST(id * 100 - 9000 AS INT))",
        "DECIMAL(20,4)": "CAST(id - 100 AS DECIMAL(20,4)) / 8",
        "DECIMAL(10,2)": "CAST(id - 100 AS DECIMAL(10,2)) / 8",
    }
    columns = [part.split(" ", 1)[1] for part in declared.split(", ")]
    spark.sql(f"INSERT INTO t SELECT {', '.join(values[kind] for kind in columns)} FROM range(300)")
    hashed = clause.partition("ON (")[2].rstrip(")").replace(" ", "") or ",".join(keys)
    buckets = int(clause.split()[2])
    asked, own = [], []
    for found in layout.latest_slices(database / "t"):
        for key in read_files([found.path]).column("_hoodie_record_key").to_pylist():
            asked.append((key, hashed, buckets))
            own.append(found.bucket)
    assert len(asked) == 300
    assert stock.buckets(asked) == own
