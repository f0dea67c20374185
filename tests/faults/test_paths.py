"""Links, partition values and locations that lead out of a table: nothing there is touched."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from damaged import attempt, untouched
from runs import Enumeration, by_path
from script import BY_NAME, ORIGINAL

from harness import layout
from harness.faults import run_statement

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DELETES = (
    "INSERT OVERWRITE {t} PARTITION (p = 'a') SELECT 1000, 'x'",
    "DELETE FROM {t} WHERE p = 'a'",
    "TRUNCATE TABLE {t}",
    "DROP TABLE {t}",
)


@pytest.mark.fault("F83")
def test_a_link_leads_no_delete_out_of_the_table(
    enumeration: Enumeration, spark: SparkSession, victims: Path
) -> None:
    """A folder in the table is a link to files of others, one with the name of a base file."""
    for number, sql in enumerate(DELETES):
        spark.sql(
            f"CREATE TABLE linked_{number} (id INT, p STRING, v STRING, PRIMARY KEY (id)) "
            "USING hudilite PARTITIONED BY (p) WITH BUCKETS 4"
        )
        location = spark.sql(f"DESCRIBE EXTENDED linked_{number}").where("col_name = 'Location'")
        place = Path(location.first().data_type.removeprefix("file:"))
        shutil.rmtree(place)
        shutil.copytree(enumeration.original, place)
        (place / "p=linked").symlink_to(victims)
        (place / ".hoodie" / ".temp").mkdir(exist_ok=True)
        (place / ".hoodie" / ".temp" / "20200101000000000").symlink_to(victims)
        told: list[str] = []
        assert attempt(spark, sql.format(t=f"linked_{number}"), told) is not None, sql
        assert told == []
        assert untouched(victims), sql
        spark.sql(f"DROP TABLE IF EXISTS linked_{number}")
        assert untouched(victims)


WRITES = (
    "INSERT INTO {t} VALUES (1000, 'linked', 'x')",
    "MERGE INTO {t} t USING (SELECT 1 id, 'linked' p, 'x' v UNION ALL SELECT 0, 'a', 'x') s "
    "ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
    "INSERT OVERWRITE {t} PARTITION (p = 'linked') SELECT 1000, 'x'",
)


@pytest.mark.fault("F83")
def test_a_link_leads_no_write_out_of_the_table(
    enumeration: Enumeration, spark: SparkSession, victims: Path
) -> None:
    """A partition's folder is a link to files of others: no file comes there, nor to the table.

    A link to the table itself leads nowhere else.
    """
    place = enumeration.place(BY_NAME["merge"])
    (place / "p=linked").symlink_to(victims)
    before = layout.untouched_state(place)
    for sql in WRITES:
        fault = run_statement(spark, sql.format(t=by_path(place)))
        assert fault is not None and fault.condition == "HUDILITE_PATH_INVALID", (sql, fault)
        assert fault.parameters["path"].endswith("p=linked")
        assert untouched(victims), sql
        assert layout.untouched_state(place) == before, sql
    (place / "p=linked").unlink()
    place.with_name(f"{place.name}-link").symlink_to(place)
    spark.sql(WRITES[0].format(t=by_path(place.with_name(f"{place.name}-link"))))
    assert len(enumeration.look(place, [ORIGINAL | {(1000, "linked", "x")}])[1]) == 0


@pytest.mark.fault("F62")
def test_a_table_is_at_home_anywhere(enumeration: Enumeration, spark: SparkSession) -> None:
    """A moved table is read, written and rolled back.

    None of its files says where it lies, but records of rollbacks, as stock Hudi writes them.
    """
    statement = BY_NAME["rollback"]
    place, home = enumeration.place(statement), enumeration.folder / "another home" / "ü %20"
    home.parent.mkdir()
    place.rename(home)
    for sql, states in (
        (statement.sql, [ORIGINAL]),
        (BY_NAME["merge"].sql, [BY_NAME["merge"].after(ORIGINAL)]),
    ):
        assert run_statement(spark, sql.format(t=by_path(home))) is None
        assert enumeration.look(home, states, rust=True)[1] == []
    files = [path for path in home.rglob("*") if path.is_file() and ".rollback" not in path.name]
    told = str(enumeration.folder).encode()
    assert [path for path in files if told in path.read_bytes()] == []


@pytest.mark.fault("F82", "F84")
def test_values_and_locations_stay_in_their_folder(
    enumeration: Enumeration, spark: SparkSession, victims: Path
) -> None:
    """`..` in a partition value is a name; in a LOCATION it is followed before anything is made."""
    place = enumeration.folder / "deep" / "a" / ".." / "b"
    spark.sql(
        f"CREATE TABLE up (id INT, p STRING, v STRING, PRIMARY KEY (id)) USING hudilite "
        f"PARTITIONED BY (p) WITH BUCKETS 1 LOCATION '{place}'"
    )
    values = ("..", "../../outside", "/", "../../../../../../tmp", ".hoodie", "%2e%2e")
    for number, value in enumerate(values):
        spark.sql(f"INSERT INTO up VALUES ({number}, '{value}', 'x')")
        spark.sql(f"INSERT OVERWRITE up PARTITION (p = '{value}') SELECT {number}, 'y'")
    rows = spark.sql("SELECT id, p, v FROM up").collect()
    assert sorted(map(tuple, rows)) == [(n, value, "y") for n, value in enumerate(values)]
    spark.sql("DELETE FROM up WHERE p = '..'")
    assert [path.name for path in (enumeration.folder / "deep").iterdir()] == ["b"]
    assert {path.name[:2] for path in (enumeration.folder / "deep" / "b").iterdir()} == {"p=", ".h"}
    assert untouched(victims)
    spark.sql("DROP TABLE up")
