"""Collects golden SQL files; HUDILITE_GOLDEN_UPDATE=1 rewrites their .out files.

`make golden-update` says `checked`: no file is written whose rows Delta does not give.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness import golden, names, runner, twin
from harness.geometry import assert_small
from harness.rotation import JVM, product, third_of
from harness.session import small_geometry
from harness.setups import asked_setup, matrix, own_catalog

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# `make test` runs a third of the files of each folder, and all of them where a change touches the files of the
# product that are named here; of a folder that is not named, where it touches any code that runs in a JVM.
ROTATED = {
    "adopt": product("core/bootstrap/", "procedures/"),
    "alter": product("spark/catalog/", "spark/rewrite/"),
    "bloom": product("core/index/", "spark/locate/"),
    "call": product("procedures/"),
    "commands": product("spark/command/", "spark/parse/", "procedures/"),
    "plans": product("spark/plan/", "spark/exec/"),
    "select": product("spark/read/", "core/view/"),
    "types": product("core/format/", "spark/write/RowSupport.scala"),
}
# The rotations of what takes longest, so that the three cost alike.
THIRDS = {"bloom/global": 0, "select/changes": 1}
# Bytes of files decide what they return; tiny row groups multiply these.
OF_SIZES = {"call/advise_buckets"}
# On an axis, these run at one commit of nine: they are about procedures, commands and clauses that no axis
# changes.
RARE_ON_AXES = re.compile(
    r"commands/|call/(advise_buckets|archive|bootstrap_mor|check_storage|compact|metadata_table|other_names"
    r"|set_table_type|stock_names|upgrade)$"
    r"|create/(generated_columns|keyless|like_others|merge_on_read|or_replace_others|stock_lock|version_9)$"
    r"|alter/(archive_facts|column_defaults|column_order|constraints|fields|metadata_facts|nullable_columns"
    r"|stored_expressions)$|insert/(generated_values|keyless)$|plans/changes$"
    r"|select/(changes_earliest|iceberg_names|stock_functions)$"
)
# With the second layout, `make test` runs a third of these, which write and name every kind of metadata file,
# and all other files where the code of layouts changes.
OF_LAYOUT = re.compile(
    r"(adopt|call|overwrite|paths)/|(select/(changes|time_travel)|create/(drop|errors))$"
    r"|(insert/insert|merge/basics|catalogs/locations)$"
)

# Files that write tables of version 9 or an archive. The second layout, which only tests have, is that of no
# other version and has no archive.
OF_VERSIONS = re.compile(
    r"alter/(archive_facts|column_order|fields|metadata_facts|nullable_columns)$"
    r"|call/(archive|upgrade)$|create/(keyless|stock_lock|version_9)$|logs/log_changes_earliest$"
    r"|merge/(keys_that_leave|ordering_fields)$|select/(changes_earliest|stock_functions)$"
)


def pytest_collect_file(parent: pytest.Collector, file_path: Path) -> pytest.Collector | None:
    """Every .sql file under tests/sql is one test; of another set-up those of the matrix are."""
    if file_path.suffix != ".sql" or (
        asked_setup() != "memory" and not twins() and file_path not in matrix()
    ):
        return None
    place = f"{file_path.parent.name}/{file_path.stem}"
    if names.is_second() and OF_VERSIONS.search(place):
        return None
    return GoldenCollector.from_parent(parent, path=file_path)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """How many files have rows that Delta gives too, and why the others have not."""
    told = [
        golden.parse_golden(p.read_text("utf-8")).hand for p in Path(__file__).parent.rglob("*.sql")
    ]
    by_hand = [reason for reason in told if reason is not None]
    terminalreporter.write_line(
        f"{len(told)} golden files: {len(told) - len(by_hand)} with rows compared with Delta, "
        f"{len(by_hand)} by hand"
    )


@pytest.fixture(scope="session")
def folders() -> Iterator[list[Path]]:
    """Where the golden files' tables lie; at the end they must have the asked geometry."""
    used: list[Path] = []
    yield used
    if small_geometry():
        assert_small(used)


class GoldenCollector(pytest.File):
    """One golden file."""

    def collect(self) -> Iterator[pytest.Item]:
        item = GoldenItem.from_parent(self, name=self.path.stem)
        folder = self.path.parent.name
        name = f"{folder}/{self.path.stem}"
        if small_geometry() and name in OF_SIZES:
            return
        third = THIRDS.get(name, third_of(name))
        rare = bool(os.environ.get("HUDILITE_AXIS")) and RARE_ON_AXES.match(name) is not None
        if small_geometry():  # what runs with the default geometry at the next commit
            item.add_marker(pytest.mark.rotated(third=(third + 1) % 3, rare=rare))
        elif names.is_second() and not OF_LAYOUT.match(name):
            item.add_marker(pytest.mark.rotated(third=-1, when=product("core/timeline/")))
        elif rare:
            item.add_marker(pytest.mark.rotated(rare=True))
        elif not os.environ.get("HUDILITE_AXIS"):  # another axis runs the third of the path
            item.add_marker(pytest.mark.rotated(third=third, when=ROTATED.get(folder, JVM)))
        yield item


class GoldenItem(pytest.Function):
    """Runs a golden file in the shared session, in a database of its own."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(callobj=self.compare, **arguments)

    def compare(self, spark: SparkSession, tmp_path: Path, folders: list[Path]) -> None:
        """Fails on the first line that differs from the .out file."""
        parsed = golden.parse_golden(self.path.read_text(encoding="utf-8"))
        version = tuple(int(part) for part in spark.version.split(".")[:2])
        if parsed.min_spark is not None and version < parsed.min_spark:
            pytest.skip(f"needs Spark {parsed.min_spark[0]}.{parsed.min_spark[1]}")
        database = "golden_" + re.sub(r"\W", "_", f"{self.path.parent.name}_{self.path.stem}")
        if twins():
            if parsed.hand is None:
                twin.keep(self.path, twin.run(spark, parsed, database, tmp_path))
            return
        folders.append(tmp_path)
        catalog = own_catalog(asked_setup())
        rows: dict[str, list[str]] = {}
        actual = runner.run_golden(spark, parsed, database, tmp_path, catalog, rows)
        assert names.strangers(tmp_path) == [], "metadata lies where the layout does not put it"
        out = golden.out_path(self.path)
        update = os.environ.get("HUDILITE_GOLDEN_UPDATE", "")
        is_usual = asked_setup() == "memory" and not names.is_second()
        if is_usual and not names.table_version() and update in ("1", "checked"):
            checked = update == "checked" and parsed.hand is None
            other = twin.differences(self.path, rows) if checked else []
            assert not other, "rows that Delta does not give:\n" + "\n".join(other)
            out.write_text(actual, encoding="utf-8")
            return
        if not out.exists():
            pytest.fail(f"{out.name} does not exist: run with HUDILITE_GOLDEN_UPDATE=1, review it")
        expected = out.read_text(encoding="utf-8")
        if runner.without_buckets():
            actual, expected = map(golden.whatever_the_index, (actual, expected))
        if names.table_version():
            actual, expected = map(golden.whatever_the_version, (actual, expected))
        if actual != expected:
            pytest.fail(golden.first_difference(expected, actual), pytrace=False)


def twins() -> bool:
    """Whether this run only notes what Delta answers, for the run that writes the .out files."""
    return os.environ.get("HUDILITE_GOLDEN_TWIN") == "1"
