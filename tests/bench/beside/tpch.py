"""TPC-H's refresh functions as MERGE on orders and lineitem.

dbgen leaves 24 of every 32 order keys free, and tpchgen makes no refresh sets: a refresh here takes
one order in a thousand with its lines, as new ones under free keys, and deletes as many others.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from bench.beside.shapes import UPSERT, Case, Change, Round, Rows, Table
from bench.beside.t1_cases import counted

SEED, EVERY, ROWS_OF_ONE = 42, 1000, 3_000_000
BUCKETS = 16
DELETE = "WHEN MATCHED THEN DELETE"
PAIR = "pair"
ORDERS = Table(
    "orders",
    "o_orderkey BIGINT, o_custkey BIGINT, o_orderstatus STRING, o_totalprice DECIMAL(15,2), "
    "o_orderdate DATE, o_orderpriority STRING, o_clerk STRING, o_shippriority INT, "
    "o_comment STRING",
    ("o_orderkey",),
    BUCKETS,
    ("o_orderkey",),
    "o_custkey",
)
LINEITEM = Table(
    "lineitem",
    "l_orderkey BIGINT, l_partkey BIGINT, l_suppkey BIGINT, l_linenumber INT, "
    "l_quantity DECIMAL(15,2), l_extendedprice DECIMAL(15,2), l_discount DECIMAL(15,2), "
    "l_tax DECIMAL(15,2), l_returnflag STRING, l_linestatus STRING, l_shipdate DATE, "
    "l_commitdate DATE, l_receiptdate DATE, l_shipinstruct STRING, l_shipmode STRING, "
    "l_comment STRING",
    ("l_orderkey", "l_linenumber"),
    BUCKETS,
    ("l_orderkey",),
    "l_linenumber",
)


def refresh(rows: int, rounds: int, warm_ups: int, folder: Path) -> Case:
    """Pairs of both refresh functions, at scale factor 1 for three million rows."""
    scale = rows / ROWS_OF_ONE
    made = _generated(folder / f"tpch_{scale:g}", scale)
    base = [
        Rows(
            table.name,
            f"SELECT * FROM parquet.`{made / table.name}.parquet`",
            f"{made.name}_{table.name}",
        )
        for table in (ORDERS, LINEITEM)
    ]
    plan = [
        Round(PAIR, [*_inserts(made, number), *_deletes(made, number)])
        for number in range(rounds + warm_ups)
    ]
    title = f"TPC-H refresh at scale factor {scale:g}: 0.1 % inserted and 0.1 % deleted"
    return Case(
        *("tpch", title, [LINEITEM, ORDERS], base, counted(plan, warm_ups)),
        beside=("iceberg", "delta", "hudi"),
    )


def _generated(folder: Path, scale: float) -> Path:
    if not folder.exists():
        half = folder.with_name(f"{folder.name}.half")
        command = [Path(sys.executable).with_name("tpchgen-cli"), "parquet", "-s", f"{scale:g}"]
        words = ["--tables", "orders,lineitem", "--output-dir", half, "--overwrite"]
        subprocess.run([str(word) for word in [*command, *words]], check=True, capture_output=True)
        half.rename(folder)
    return folder


def _inserts(made: Path, number: int) -> list[Change]:
    """Orders under keys that dbgen leaves free, which are another third for each number."""
    return [
        _change(made, table, number, f"{key} + {8 * (1 + number % 3)}", SEED, UPSERT)
        for table, key in ((ORDERS, "o_orderkey"), (LINEITEM, "l_orderkey"))
    ]


def _deletes(made: Path, number: int) -> list[Change]:
    return [
        _change(made, table, number, key, SEED + 1, DELETE)
        for table, key in ((ORDERS, "o_orderkey"), (LINEITEM, "l_orderkey"))
    ]


def _change(made: Path, table: Table, number: int, key: str, seed: int, clauses: str) -> Change:
    own = table.key[0]
    names = ", ".join([f"{key} {own}", *(name for name in table.names() if name != own)])
    text = (
        f"SELECT {names} FROM parquet.`{made / table.name}.parquet` "
        f"WHERE xxhash64({own}, {number}, {seed}) % {EVERY} = 0"
    )
    return Change(Rows(table.name, text, f"{made.name}_{table.name}_{seed}_{number}"), clauses)
