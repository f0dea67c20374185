"""Runs the statements of one side of the comparison: side_main.py <agent jar> <folder> <tree>.

Uses the tests of this tree, and the hudilite that the Python that runs it imports, which must lie in
<tree>. After each statement, a folder below `states` gets a copy of the tables that it wrote to.
`states.json` says which folder: it is an object of names and folders. A golden file that leaves no
table is not in it. A statement that fails ends the process with an error.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(1, str(Path(__file__).resolve().parents[1]))
sys.path.insert(2, str(Path(__file__).resolve().parents[1] / "faults"))
sys.path.insert(3, str(Path(__file__).resolve().parents[1] / "e2e"))

from statements import LISTS

from harness import inv, names
from harness.java import short_lived
from harness.session import geometry_conf, open_session

NO_ARCHIVE = Path("no such archive")  # that of the tests is not for a JVM with an agent


def main(agent: Path, folder: Path, tree: Path) -> None:
    logging.getLogger("SQLQueryContextLogger").disabled = True  # expected errors are no news
    os.environ["SPARK_SUBMIT_OPTS"] = short_lived(NO_ARCHIVE)
    conf = geometry_conf() | {
        "spark.master": "local[1]",
        "spark.driver.extraJavaOptions": f"-Duser.timezone=UTC -javaagent:{agent}",
    }
    spark = open_session("hudilite bytes", folder / "warehouse", conf)
    spark.sparkContext.setLogLevel("OFF")
    jvm: Any = spark._jvm
    assert is_of(tree, jvm), f"the jar is not of {tree}"
    states: dict[str, str] = {}
    begun = time.monotonic()
    for kind, statements in LISTS.items():
        for name, place in statements(spark, folder / kind):
            state = f"states/{len(states):03d}"
            for table in tables(place):
                inv.linked_copy(table, folder / state / table.relative_to(folder))
                states[name] = state
            jvm.hudilite.tests.Pinned.next()
            print(f"{time.monotonic() - begun:6.1f} s: {name}", flush=True)
    (folder / "states.json").write_text(json.dumps(states), encoding="utf-8")
    spark.stop()


def is_of(tree: Path, jvm: Any) -> bool:
    """Whether the jar that runs lies in a tree."""
    loader = jvm.Thread.currentThread().getContextClassLoader()
    extensions = loader.loadClass("hudilite.spark.HudiliteExtensions")
    place = extensions.getProtectionDomain().getCodeSource().getLocation().getPath()
    print(f"jar: {place}", flush=True)
    return Path(place).resolve().is_relative_to(tree)


def tables(place: Path) -> list[Path]:
    """The folders of the tables in a folder."""
    file = Path(names.current().properties)
    return sorted(path.parents[len(file.parts) - 1] for path in place.rglob(file.name))


if __name__ == "__main__":
    main(*(Path(word).resolve() for word in sys.argv[1:4]))
