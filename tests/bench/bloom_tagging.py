"""How long a MERGE into a bloom table takes to find its rows: performance case 6.

Usage: python tests/bench/bloom_tagging.py [--files N] [--rows N] [--keys 10000,1000000]
                                           [--orders ordered,random] [--rounds N] [--folder PATH]
                                           [--stock]

Half of the keys are in the table, the others lie between them. `ordered` keys grow from file to
file; `random` ones are spread over all files. Tagging is the time from a MERGE's first stage, which
reads the source, to the end of its look-up, where it is cancelled; cold is the first on a table in a
process that has looked up keys of other tables, warm the median of those after it. The plain pass opens the same files for their footers, on as many threads; the join is
Spark's, of the source and the files' key column; stock is Hudi's own BLOOM index (its
checkExists) on the same table. Seconds depend on the machine: quote ratios.
Full size: --files 2000 --rows 50000.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness import layout
from harness.events import event_log_conf
from harness.java import compile_against, compiled
from harness.session import open_session
from harness.stock import stock_environment
from harness.tagging import tagged_keys

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JAVA = Path(__file__).parent / "java"
STOCK = Path(__file__).parent / "stock"
STOCK_ROUNDS = 2
THREADS = 2
FILES_AT_ONCE = 50
WARM_UPS, WARM_UP_FILES, WARM_UP_ROWS, WARM_UP_KEYS = 4, 300, 5_000, 1_500
KEY = {
    "ordered": "lpad(CAST({n} AS STRING), 16, '0')",
    "random": "substring(md5(CAST({n} AS STRING)), 1, 16)",
}
MERGE = "MERGE INTO {t} t USING s ON t.id = s.id WHEN MATCHED AND s.n < 0 THEN UPDATE SET n = s.n"
COLUMNS = "(id STRING, n BIGINT, x BIGINT, PRIMARY KEY (id)) USING hudilite"


def main() -> None:
    asked = _arguments()
    folder = Path(asked.folder or tempfile.mkdtemp(prefix="bloom_tagging_"))
    if asked.child:
        print(json.dumps(_measured(folder, asked)))
        return
    folder.mkdir(parents=True, exist_ok=True)
    compiled(JAVA, folder / "classes")
    _load(folder, "warm_up", WARM_UP_FILES, WARM_UP_ROWS)
    for order in asked.orders.split(","):
        _load(folder, order, asked.files, asked.rows)
        for keys in asked.keys.split(","):
            told = _child(folder, order, keys, asked)
            print(f"{order} keys, {asked.files} files of {asked.rows} rows, {keys} keys to tag")
            for name in ("cold", "warm", "pass", "join"):
                ratios = [f"{told[name] / told[of]:.2f} x {of}" for of in ("pass", "join")]
                print(f"  {name}: {told[name]:.3f} s, {', '.join(ratios)}")
            for name in ("cold", "warm"):
                print(f"  {name} MERGE: {told['counts'][name]}", flush=True)
            if asked.stock:
                stock = _stock(folder, order, int(keys), Path(told["source"]))
                for name, seconds in stock.items():
                    ratios = [f"{seconds / told[of]:.2f} x {of}" for of in ("cold", "warm")]
                    print(f"  {name}: {seconds:.3f} s, {', '.join(ratios)}", flush=True)


def _child(folder: Path, order: str, keys: str, asked: argparse.Namespace) -> dict[str, Any]:
    """What a process of its own measures: what a JVM knows of footers, it keeps."""
    options = {"--folder": folder, "--orders": order, "--keys": keys, "--rounds": asked.rounds}
    options |= {"--files": asked.files, "--rows": asked.rows}
    words = [str(word) for pair in options.items() for word in pair]
    command = [sys.executable, __file__, "--child", *words]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def _stock(folder: Path, order: str, keys: int, source: Path) -> dict[str, float]:
    """Stock Hudi's BLOOM index on the same table and keys; nothing is kept between its rounds."""
    environment = stock_environment()
    assert environment is not None, "stock Hudi's environment is not there"
    python, bundle = environment
    jars = next(python.parents[1].glob("lib/python*/site-packages/pyspark/jars"))
    compile_against(f"{jars}/*:{bundle}", STOCK, folder / "stock_classes")
    words = [bundle, folder / "stock_classes", STOCK_ROUNDS, folder / "wh" / "warm_up"]
    words += [folder / "wh" / order, source]
    command = [str(word) for word in (python, STOCK / "tagging.py", *words)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["found"] == keys // 2, told
    return {"stock cold": told["seconds"][0], "stock warm": min(told["seconds"])}


def _session(folder: Path, name: str) -> SparkSession:
    conf = event_log_conf(folder / "events" / name) | {
        "spark.driver.memory": "6g",
        "spark.sql.shuffle.partitions": "16",
        "spark.driver.extraClassPath": str(folder / "classes"),
        "spark.sql.parquet.compression.codec": "snappy",
    }
    spark = open_session("bloom tagging", folder / "wh", conf)
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def _load(folder: Path, order: str, files: int, rows: int) -> None:
    """A table of files of as many rows each; its numbers are even."""
    base = folder / "wh" / order
    if base.exists():
        return
    spark = _session(folder, f"load-{order}")
    spark.sql(f"CREATE TABLE {order} {COLUMNS}")
    if order == "ordered":
        _append(spark, base, files, rows)
    else:
        _spread(spark, base, files, rows)
    spark.stop()


def _append(spark: SparkSession, base: Path, files: int, rows: int) -> None:
    """The first file tells how large one of so many rows is."""
    spark.conf.set("hoodie.parquet.small.file.limit", "0")
    spark.conf.set("hoodie.parquet.max.file.size", "1g")
    spark.sql(f"INSERT INTO ordered {_rows('ordered', 0, rows)}")
    (first,) = layout.latest_slices(base)
    spark.conf.set("hoodie.parquet.max.file.size", first.path.stat().st_size)
    for begin in range(1, files, FILES_AT_ONCE):
        end = min(begin + FILES_AT_ONCE, files)
        spark.sql(f"INSERT INTO ordered {_rows('ordered', begin * rows, end * rows)}")


def _spread(spark: SparkSession, base: Path, files: int, rows: int) -> None:
    """The files of a bucket table, each of which has keys from all over, under another index."""
    spark.sql(f"CREATE TABLE buckets {COLUMNS} WITH BUCKETS {files}")
    spark.sql(f"INSERT INTO buckets {_rows('random', 0, files * rows)}")
    facts = (base / ".hoodie" / "hoodie.properties").read_bytes()
    shutil.rmtree(base)
    shutil.copytree(base.with_name("buckets"), base)
    (base / ".hoodie" / ".hoodie.properties.crc").unlink(missing_ok=True)
    (base / ".hoodie" / "hoodie.properties").write_bytes(facts)
    spark.sql("DROP TABLE buckets")


def _rows(order: str, begin: int, end: int) -> str:
    return f"SELECT {KEY[order].format(n='2 * id')}, id, id % 7 FROM range({begin}, {end})"


def _measured(folder: Path, asked: argparse.Namespace) -> dict[str, Any]:
    order, keys, there = asked.orders, int(asked.keys), asked.files * asked.rows
    name = f"{order}-{keys}-{time.time_ns()}"
    spark = _session(folder, name)
    jvm: Any = spark._jvm
    spark.sql(f"CREATE TABLE {order} USING hudilite LOCATION '{folder / 'wh' / order}'")
    files = [str(found.path) for found in layout.latest_slices(folder / "wh" / order)]
    _warm_up(spark, folder)
    number = f"2 * (id div 2 * {2 * there} div {keys}) + id % 2"
    source = f"SELECT {KEY[order].format(n=f'({number})')} id, id n FROM range({keys})"
    spark.sql(source).repartition(THREADS).write.parquet(str(folder / "source" / name))
    spark.read.parquet(str(folder / "source" / name)).createOrReplaceTempView("s")
    passes, joins = [], []
    spark.sparkContext._jsc.sc().addSparkListener(jvm.hudilite.tests.StopAfterLookup())
    for _ in range(asked.rounds + 1):
        with contextlib.suppress(Exception):  # it is cancelled
            spark.sql(MERGE.format(t=order)).collect()
        passes.append(jvm.hudilite.tests.FooterPass.seconds(files, THREADS))
    spark.read.parquet(*files).createOrReplaceTempView("files")
    for _ in range(asked.rounds):
        began = time.perf_counter()
        joined = "SELECT count(*) FROM s JOIN files f ON s.id = f._hoodie_record_key"
        found = spark.sql(joined).collect()[0][0]
        joins.append(time.perf_counter() - began)
    assert found == keys // 2, found
    spark.stop()
    tagged = list(tagged_keys(folder / "events" / name))[-asked.rounds - 1 :]
    assert all(counts["keys found"] == found for _, counts in tagged), tagged
    assert tagged[0][1]["files opened"] == len(files), tagged[0]
    return {
        "cold": tagged[0][0],
        "warm": statistics.median(seconds for seconds, _ in tagged[1:]),
        "pass": statistics.median(passes),
        "join": statistics.median(joins),
        "source": str(folder / "source" / name),
        "counts": {"cold": tagged[0][1], "warm": tagged[-1][1]},
    }


def _warm_up(spark: SparkSession, folder: Path) -> None:
    """The same statement on tables that nobody has read: what a JVM compiles is no part of tagging."""
    source = KEY["random"].format(n=f"(id * {2 * WARM_UP_FILES * WARM_UP_ROWS // WARM_UP_KEYS})")
    spark.sql(f"SELECT {source} id, id n FROM range({WARM_UP_KEYS})").createOrReplaceTempView("s")
    for i in range(WARM_UPS):
        name = f"warm_up_{i}"
        shutil.rmtree(folder / "wh" / name, ignore_errors=True)
        shutil.copytree(folder / "wh" / "warm_up", folder / "wh" / name)
        spark.sql(f"CREATE TABLE {name} USING hudilite LOCATION '{folder / 'wh' / name}'")
        for _ in range(2):
            spark.sql(MERGE.format(t=name)).collect()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--keys", default="10000,1000000")
    parser.add_argument("--orders", default="ordered,random")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder")
    parser.add_argument("--stock", action="store_true", help="measure stock Hudi's index too")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
