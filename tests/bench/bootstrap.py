"""How long CALL bootstrap takes, and how fast its table is read: performance case 7.

Usage: python tests/bench/bootstrap.py [--rows N] [--files N] [--row-bytes 90|1000] [--rounds N]
                                       [--small-files N] [--folder PATH] [--peers]

The floor is a Spark job that reads the key column of every file as Spark's own scan does, puts the
keys into hudilite's filter and writes as many bytes as the skeletons have; it makes no row numbers,
looks for no key that comes twice and commits nothing. The rewrite is Spark's, of the same
files. Hashing is the time to fill the filters alone. A scan takes the greatest value of every
column, of a text its length; beside that with meta columns stands one of the source with as many
columns that Spark itself tells of files. Small files hold 50 rows each. Peers are stock Hudi's
run_bootstrap, Iceberg's add_files and Delta's CONVERT, each in a process of its own, on the same
files. Each figure is the best of the rounds after one that is not counted; scans have twice as
many. The first rounds are slower, as Java compiles what they run. Seconds depend on the machine: quote
ratios. Full size: --rows 20000000 --files 400 --rounds 6.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness import layout
from harness.java import compiled
from harness.session import open_session
from harness.setups import JARS
from harness.stock import stock_environment
from tables import t1

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JAVA = Path(__file__).parent / "java"
STOCK = Path(__file__).parent / "stock"
CORES = 2
SMALL_ROWS = 50
WARM_UP_FILES = 2
OF_FILES = ("file_path", "file_name", "file_size", "file_block_start", "row_index")
RFC_ROWS = 33_000  # a second and core, by RFC-12
META = ("commit_time", "commit_seqno", "record_key", "partition_path", "file_name")
WIDE = ", ".join(f"sha2(concat('{i}-', id), 512) w{i}" for i in range(7))  # 128 characters each
PAD = "substr(sha1(CAST(id AS STRING)), 1, 19) w"
BYTES = 1 << 20


def main() -> None:
    asked = _arguments()
    folder = Path(asked.folder or tempfile.mkdtemp(prefix="bootstrap_"))
    folder.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(folder / "wh", ignore_errors=True)
    compiled(JAVA, folder / "classes")
    spark = _session(folder)
    try:
        source = _source(spark, folder, asked)
        least = _writes(spark, folder, source, asked)
        _scans(spark, source, asked.rounds)
        if asked.small_files:
            _small(spark, folder, asked)
        spark.stop()
        if asked.peers:
            _peers(folder, source, least["bootstrap"], asked.rounds)
    finally:
        if not asked.folder:
            shutil.rmtree(folder)


def _session(folder: Path) -> SparkSession:
    conf = {
        "spark.driver.memory": "4g",
        "spark.driver.extraClassPath": str(folder / "classes"),
        "spark.sql.parquet.compression.codec": "snappy",
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",  # stock refuses INT96
    }
    spark = open_session("bootstrap", folder / "wh", conf)
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def _source(spark: SparkSession, folder: Path, asked: argparse.Namespace) -> Path:
    """As many files of equal size, and a folder with the first few of them."""
    path = folder / f"source_{asked.rows}_{asked.files}_{asked.row_bytes}"
    if not path.exists():
        columns = f"{t1.COLUMNS.format(salt=0)}, {WIDE if asked.row_bytes == 1000 else PAD}"
        rows = f"SELECT {columns} FROM range(0, {asked.rows}, 1, {asked.files})"
        spark.sql(rows).write.parquet(str(path))
        few = path.with_name(path.name + "_few")
        few.mkdir()
        for file in sorted(path.glob("*.parquet"))[:WARM_UP_FILES]:
            shutil.copy(file, few)
    return path


def _writes(
    spark: SparkSession, folder: Path, source: Path, asked: argparse.Namespace
) -> dict[str, float]:
    files = [str(path) for path in sorted(source.glob("*.parquet"))]
    size = sum(Path(path).stat().st_size for path in files)
    _bootstrap(spark, source)
    skeletons = [found.path.stat().st_size for found in layout.latest_slices(folder / "wh" / "t")]
    assert len(skeletons) == len(files) == asked.files, (len(skeletons), len(files))
    each, rows, tasks = sum(skeletons) // len(files), asked.rows // asked.files, _tasks(size, files)
    floor = spark._jvm.hudilite.tests.BootstrapFloor  # type: ignore[union-attr]
    java, made = spark._jsparkSession, folder / "floor"

    def plain(forces: bool) -> None:
        assert floor.run(java, str(source), "k", rows, each, str(made), forces) == asked.rows
        shutil.rmtree(made)

    least = _best(
        asked.rounds,
        {
            "bootstrap": lambda: _bootstrap(spark, source),
            "floor": lambda: plain(False),
            "floor with fsync": lambda: plain(True),
            "hashing": lambda: floor.hashed(java, asked.files, tasks, rows),
            "rewrite": lambda: _rewrite(spark, source, folder / "rewritten"),
        },
        before=lambda: spark.sql("DROP TABLE IF EXISTS t"),
    )
    _print_writes(least, asked, size, sum(skeletons), tasks)
    return least


def _print_writes(
    least: dict[str, float], asked: argparse.Namespace, size: int, skeletons: int, tasks: int
) -> None:
    rows, ours = asked.rows, least["bootstrap"]
    print(
        f"{rows} rows in {asked.files} files, {size / rows:.0f} bytes a row, {size // BYTES} MiB; "
        f"skeletons {skeletons // BYTES} MiB, {skeletons / rows:.1f} bytes a row, "
        f"{skeletons / size:.1%} of the source; {tasks} tasks"
    )
    print(f"bootstrap: {ours:.2f} s")
    for name in ("floor", "floor with fsync"):
        print(f"  {name}: {least[name]:.2f} s, bootstrap is {ours / least[name]:.2f} x")
    print(f"  rewrite: {least['rewrite']:.2f} s, {least['rewrite'] / ours:.1f} x bootstrap")
    print(f"  hashing: {least['hashing']:.2f} s, {least['hashing'] / ours:.0%} of bootstrap")
    rate = rows / ours / CORES
    print(f"  {rate:,.0f} rows a second and core, {rate / RFC_ROWS:.0f} x RFC-12's", flush=True)


def _tasks(size: int, files: list[str]) -> int:
    """As Spark packs the files of a scan, as many for each core."""
    cost = 4 << 20
    total = size + cost * len(files)
    splits = total // min(128 << 20, max(cost, total // CORES))
    return min((splits // CORES + 1) * CORES, len(files))


def _bootstrap(spark: SparkSession, source: Path) -> None:
    spark.sql(f"CALL bootstrap(table => 't', source => '{source}', key => 'k')").collect()


def _rewrite(spark: SparkSession, source: Path, target: Path) -> None:
    spark.read.parquet(str(source)).write.mode("overwrite").parquet(str(target))


def _scans(spark: SparkSession, source: Path, rounds: int) -> None:
    spark.sql("DROP TABLE IF EXISTS t")
    _bootstrap(spark, source)
    raw, table = spark.read.parquet(str(source)), spark.table("t")
    plain = [
        f"max(octet_length({name}))" if kind == "string" else f"max({name})"
        for name, kind in raw.dtypes
    ]
    meta = [f"max(octet_length(_hoodie_{name}))" for name in META]
    of_files = [f"max(octet_length(CAST(_metadata.{name} AS STRING)))" for name in OF_FILES]
    least = _best(
        2 * rounds,
        {
            "source": lambda: raw.selectExpr(*plain).collect(),
            "table": lambda: table.selectExpr(*plain).collect(),
            "table with meta columns": lambda: table.selectExpr(*plain, *meta).collect(),
            "source with as many of Spark's own": lambda: raw.selectExpr(
                *plain, *of_files
            ).collect(),
        },
    )
    assert raw.selectExpr(*plain).collect() == table.selectExpr(*plain).collect()
    first = least.pop("source")
    print(f"scan of the source: {first:.2f} s, {raw.rdd.getNumPartitions()} splits")
    for name, seconds in least.items():
        print(f"  {name}: {seconds:.2f} s, {seconds / first:.3f} x")
    print(f"  splits of the table: {table.rdd.getNumPartitions()}", flush=True)


def _small(spark: SparkSession, folder: Path, asked: argparse.Namespace) -> None:
    for number in (asked.small_files // 5, asked.small_files):
        source = folder / f"small_{number}"
        _write_small(source, number)
        before = _heap(spark)
        least = _best(
            asked.rounds,
            {"bootstrap": partial(_bootstrap, spark, source)},
            before=lambda: spark.sql("DROP TABLE IF EXISTS t"),
        )["bootstrap"]
        after = _heap(spark)
        skeletons = [f.path.stat().st_size for f in layout.latest_slices(folder / "wh" / "t")]
        assert len(skeletons) == number, len(skeletons)
        print(
            f"{number} files of {SMALL_ROWS} rows: {least:.2f} s, {1000 * least / number:.2f} ms a "
            f"file; a skeleton {sum(skeletons) / number:.0f} bytes; heap of the driver "
            f"{before / BYTES:.0f} MiB before, {after / BYTES:.0f} MiB after",
            flush=True,
        )


def _write_small(folder: Path, files: int) -> None:
    if folder.exists():
        return
    folder.mkdir()
    for number in range(files):
        ids = range(number * SMALL_ROWS, (number + 1) * SMALL_ROWS)
        rows = pa.table({"k": [f"{i * 2654435761 % (1 << 32):016x}" for i in ids], "v": list(ids)})
        pq.write_table(rows, folder / f"{number:06}.parquet")


def _heap(spark: SparkSession) -> int:
    """Bytes that the driver's heap holds after a collection."""
    jvm: Any = spark._jvm
    gc.collect()
    for _ in range(2):
        jvm.java.lang.System.gc()
    beans = jvm.java.lang.management.ManagementFactory
    used: int = beans.getMemoryMXBean().getHeapMemoryUsage().getUsed()
    return used


def _peers(folder: Path, source: Path, ours: float, rounds: int) -> None:
    words = [folder / "peers", rounds, f"{source}_few", source]
    environment = stock_environment()
    assert environment is not None, "stock Hudi's environment is not there"
    python, bundle = environment
    stock = _child(python, STOCK / "bootstrap.py", bundle, *words)
    jars = os.pathsep.join(_jars())
    iceberg = _child(sys.executable, STOCK / "add_files.py", jars, *words)
    delta = _child(sys.executable, STOCK / "convert.py", jars, *words)
    files = len(list(source.glob("*.parquet")))
    assert stock["files"] == iceberg["files"] == delta["files"] == files, (stock, iceberg, delta)
    for name, told in (("stock", stock), ("add_files", iceberg), ("CONVERT TO DELTA", delta)):
        for mode, seconds in told["seconds"].items():
            print(f"{name}, {mode}: {seconds:.2f} s, {seconds / ours:.2f} x bootstrap")


def _jars() -> list[str]:
    return JARS.read_text(encoding="utf-8").split()


def _child(python: object, *words: object) -> dict[str, Any]:
    (_, _, folder, *_) = words
    shutil.rmtree(str(folder), ignore_errors=True)
    command = [str(word) for word in (python, *words)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def _best(
    rounds: int, runs: dict[str, Callable[[], object]], before: Callable[[], object] = dict
) -> dict[str, float]:
    """The least seconds of each, in turns; the first round is not counted."""
    taken: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds + 1):
        for name, run in runs.items():
            before()
            began = time.perf_counter()
            run()
            taken[name].append(time.perf_counter() - began)
    return {name: min(seconds[1:]) for name, seconds in taken.items()}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--files", type=int, default=40)
    parser.add_argument("--row-bytes", type=int, choices=(90, 1000), default=90)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--small-files", type=int, default=0, help="how many; none by default")
    parser.add_argument("--folder")
    parser.add_argument("--peers", action="store_true", help="measure stock Hudi and Iceberg too")
    return parser.parse_args()


if __name__ == "__main__":
    main()
