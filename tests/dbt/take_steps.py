"""Steps of a dbt project in one process, by the Python of the dbt environment: `take_steps.py FILE`.

FILE is a JSON document: the project, the server's port if there is one, and the steps. A step is a
list of dbt's arguments, a statement, or a file's new text. What each gives goes to `FILE.results`.
The name of this module may not begin with `dbt_`: dbt imports those as its plugins.
"""

from __future__ import annotations

import json
import sys
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

asked = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
# Behind dbt's own: pyspark, and what dbt's environment lacks.
sys.path.extend(asked["behind"])

from dbt.cli.main import dbtRunner  # type: ignore[import-not-found] # noqa: E402


def dbt(*words: str) -> dict[str, Any]:
    """One command of dbt: whether it succeeded, and each node with its state and message."""
    project = asked["project"]
    place = ["--project-dir", project, "--profiles-dir", project, "--no-use-colors"]
    done = dbtRunner().invoke([*words, *place])
    results = getattr(done.result, "results", None) or []
    nodes = {
        found.node.name: [str(found.status), found.message or ""]
        for found in results
        if hasattr(found, "node")
    }
    error = str(done.exception) if done.exception else ""
    return {"success": done.success, "nodes": nodes, "error": error}


def statement(text: str) -> list[list[Any]] | str:
    """The rows of a statement, or the first line of its error."""
    try:
        return [[plain(cell) for cell in row] for row in rows_of(text)]
    except Exception as error:
        return str(error).splitlines()[0]


def rows_of(text: str) -> list[Any]:
    """The rows as the client gives them."""
    if asked.get("port") is None:
        from pyspark.sql import SparkSession

        return SparkSession.builder.getOrCreate().sql(text).collect()
    from pyhive import hive  # type: ignore[import-not-found] # only in dbt's environment

    with hive.connect("127.0.0.1", port=asked["port"]) as connection:
        cursor = connection.cursor()
        cursor.execute(text)
        return list(cursor.fetchall()) if cursor.description else []


def plain(cell: Any) -> Any:
    """A value that JSON can hold."""
    return str(cell) if isinstance(cell, date | datetime | Decimal) else cell


def run(step: dict[str, Any]) -> Any:
    """Takes a step, and returns its result."""
    if "dbt" in step:
        return dbt(*step["dbt"])
    if "sql" in step:
        return statement(step["sql"])
    path = Path(asked["project"]) / step["file"]
    path.parent.mkdir(exist_ok=True)
    path.write_text(step["text"], encoding="utf-8")
    return None


def main() -> None:
    """Takes the steps in their order."""
    results = []
    for step in asked["steps"]:
        results.append(run(step))
        print("=====", step, results[-1], flush=True)
    Path(f"{sys.argv[1]}.results").write_text(json.dumps(results), encoding="utf-8")


if __name__ == "__main__":
    main()
