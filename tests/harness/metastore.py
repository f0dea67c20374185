"""What a Hive metastore holds, asked by a session of plain Spark."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.setups import hive_conf

SCRIPT = Path(__file__).parent / "metastore_main.py"
PLAIN = {
    "spark.master": "local[1]",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
}


@dataclass(frozen=True)
class Seen:
    """Facts of each entry, and the rows of each query."""

    entries: dict[str, dict[str, Any]]
    rows: dict[str, list[list[Any]]]


def look(
    folder: Path,
    entries: Sequence[str],
    queries: Sequence[str] = (),
    metastore: dict[str, str] | None = None,
) -> Seen:
    """Opens a metastore.

    Args:
        folder: For the plan and the results.
        entries: Each `database.table`.
        queries: Run by Spark without a jar of ours or Hudi's.
        metastore: Spark's settings for it; without them it is the one for which `hive_conf` was
            given the folder, and which no other process has open.
    """
    plan, results = folder / "look.json", folder / "seen.json"
    conf = (
        (metastore or hive_conf(folder)) | PLAIN | {"spark.sql.warehouse.dir": str(folder / "wh")}
    )
    plan.write_text(
        json.dumps({"conf": conf, "entries": list(entries), "queries": list(queries)}),
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(plan), str(results)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(results.read_text(encoding="utf-8"))
    return Seen(told["entries"], told["rows"])
