"""A MERGE into 8 file groups in an object store whose every request takes 20 ms more, against a local disk.

Usage: python tests/bench/store_latency.py [--rows N] [--rounds N] [--milliseconds N] [--peers] [--folder PATH]

The store is an S3 server on this machine behind a proxy that waits before it passes a request on. With
`--peers`, Delta and Iceberg (Hadoop catalog) do the same in the same session, in turns. Seconds depend on
the machine and its load: quote ratios. The limit is twice the local time, and 1.5 seconds.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness import fault_proxy
from harness.fault_proxy import FaultProxy
from harness.session import open_session
from harness.setups import OWN, peers_conf
from harness.stores import S3Store, versitygw

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GROUPS = 8
CHANGED = 100  # one row in so many
WARM_UPS = 2
LIMIT_TIMES, LIMIT_SECONDS = 2.0, 1.5
COLUMNS = "id BIGINT, v STRING, n BIGINT"
ICEBERG = {
    "spark.sql.catalog.ice_store": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.ice_store.type": "hadoop",
}


@dataclass(frozen=True)
class System:
    """One way to keep the table.

    Attributes:
        name: Of its table on the local disk, and in the store.
        create: CREATE TABLE of a name at a location.
    """

    title: str
    name: Callable[[str], str]
    create: Callable[[str, str], str]


@dataclass
class Taken:
    """Seconds that the MERGEs of one system took at one place.

    Attributes:
        requests: Of a MERGE, as the proxy counted them.
    """

    seconds: list[float] = field(default_factory=list)
    requests: list[int] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


def _hudilite(catalog: str) -> System:
    return System(
        "hudilite",
        lambda place: f"{catalog}.default.ours_{place}",
        lambda name, url: (
            f"CREATE TABLE {name} ({COLUMNS}, PRIMARY KEY (id)) USING hudilite "
            f"WITH BUCKETS {GROUPS} LOCATION '{url}'"
        ),
    )


PEERS = (
    System(
        "Delta, copy on write",
        lambda place: f"delta_{place}",
        lambda name, url: (
            f"CREATE TABLE {name} ({COLUMNS}) USING delta LOCATION '{url}' "
            "TBLPROPERTIES ('delta.enableDeletionVectors' = 'false')"
        ),
    ),
    System(
        "Iceberg, copy on write",
        lambda place: f"{'ice_store' if place == 'store' else 'ice'}.db.t",
        lambda name, _: (
            f"CREATE TABLE {name} ({COLUMNS}) USING iceberg PARTITIONED BY (bucket({GROUPS}, id)) "
            "TBLPROPERTIES ('write.merge.mode' = 'copy-on-write')"
        ),
    ),
)


def main() -> None:
    asked = _arguments()
    folder = Path(asked.folder or tempfile.mkdtemp(prefix="store_latency_"))
    fault_proxy.SLOW = asked.milliseconds / 1000
    with (
        versitygw(folder / "store") as store,
        fault_proxy.fault_proxy(store.port, store.folder.parent) as proxy,
    ):
        spark = _session(folder, store.through(proxy.port), asked.peers)
        spark.sparkContext.setLogLevel("ERROR")
        systems = [
            _hudilite(OWN if asked.peers else "spark_catalog"),
            *(PEERS if asked.peers else ()),
        ]
        taken = _measure(spark, proxy, systems, folder, store, asked)
        spark.stop()
    _print(taken, asked.milliseconds)


def _session(folder: Path, store: S3Store, peers: bool) -> SparkSession:
    conf = store.conf() | {"spark.sql.shuffle.partitions": str(GROUPS)}
    if peers:
        theirs = peers_conf(folder / "wh")
        jars = ",".join((theirs["spark.jars"], conf["spark.jars"]))
        conf |= theirs | ICEBERG | {"spark.jars": jars}
        conf["spark.sql.catalog.ice_store.warehouse"] = store.url("ice")
    return open_session("store latency", folder / "wh", conf)


def _measure(
    spark: SparkSession,
    proxy: FaultProxy,
    systems: list[System],
    folder: Path,
    store: S3Store,
    asked: argparse.Namespace,
) -> dict[str, dict[str, Taken]]:
    """Makes every table, then MERGEs in turns; what the systems hold is the same at the end."""
    places = {"local": (folder / "local").as_uri(), "store": store.url("wh")}
    for system in systems:
        for place, url in places.items():
            _make(spark, system, place, url, asked.rows)
    taken = {system.title: {place: Taken() for place in places} for system in systems}
    proxy.chance = lambda seen: "slow"
    for i in range(WARM_UPS + asked.rounds):
        for system in systems:
            for place in places:
                seconds, requests = _merge(spark, proxy, system.name(place), asked.rows, i)
                if i >= WARM_UPS:
                    taken[system.title][place].seconds.append(seconds)
                    taken[system.title][place].requests.append(requests)
    proxy.chance = lambda seen: ""
    sums = {_sum(spark, system.name(place)) for system in systems for place in places}
    assert len(sums) == 1, f"the tables differ: {sums}"
    return taken


def _make(spark: SparkSession, system: System, place: str, url: str, rows: int) -> None:
    name = system.name(place)
    if ".db." in name:
        spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {name.rsplit('.', 1)[0]}")
    spark.sql(system.create(name, f"{url}/{name.replace('.', '_')}"))
    spark.sql(
        f"INSERT INTO {name} SELECT /*+ REPARTITION({GROUPS}, id) */ "
        f"id, repeat(sha2(CAST(id AS STRING), 256), 2) v, 0L n FROM range({rows})"
    )


def _merge(
    spark: SparkSession, proxy: FaultProxy, name: str, rows: int, i: int
) -> tuple[float, int]:
    before = len(proxy.seen)
    began = time.perf_counter()
    spark.sql(
        f"MERGE INTO {name} t USING (SELECT id * {CHANGED} + {i} id, 'm{i}' v, {i}L n "
        f"FROM range({rows // CHANGED})) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    ).collect()
    return time.perf_counter() - began, len(proxy.seen) - before


def _sum(spark: SparkSession, name: str) -> tuple[int, int, int]:
    found = spark.sql(f"SELECT count(*), sum(n), sum(hash(id, v, n)) FROM {name}").collect()[0]
    return (found[0], found[1], found[2])


def _print(taken: dict[str, dict[str, Taken]], milliseconds: int) -> None:
    print(
        f"| system | local s | store s, {milliseconds} ms a request | requests | store / local | of limit |"
    )
    print("|---|---|---|---|---|---|")
    for title, places in taken.items():
        local, far = places["local"].median, places["store"].median
        limit = LIMIT_TIMES * local + LIMIT_SECONDS
        requests = round(statistics.median(places["store"].requests))
        print(
            f"| {title} | {local:.2f} | {far:.2f} | {requests} | {far / local:.2f} | {far / limit:.2f} |"
        )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=800_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--milliseconds", type=int, default=20)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--folder")
    return parser.parse_args()


if __name__ == "__main__":
    main()
