"""A user's program for spark-submit: yarn_program.py <location of a table> <file for what it saw>.

Each row of the table names the YARN container that computed it.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

HERE = "reflect('java.lang.System', 'getenv', 'CONTAINER_ID')"
COLUMNS = "id INT, v STRING, container STRING"
CREATE = (
    f"CREATE TABLE t ({COLUMNS}, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 LOCATION '{{}}'"
)
INSERT = f"INSERT INTO t SELECT CAST(id AS INT), 'old', {HERE} FROM range(20)"
MERGE = (
    f"MERGE INTO t USING (SELECT CAST(id AS INT) id, 'new' v, {HERE} container FROM range(10, 30)) s "
    "ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
)
SUM = "SELECT v, count(*), sum(id) FROM {} GROUP BY v ORDER BY v"


def main(place: str, told: Path) -> None:
    spark = SparkSession.builder.appName("hudilite on YARN").getOrCreate()

    def rows(text: str) -> list[list[Any]]:
        return [list(row) for row in spark.sql(text).collect()]

    rows(CREATE.format(place))
    rows(INSERT)
    seen = {
        "application": spark.sparkContext.applicationId,
        "driver": os.environ.get("CONTAINER_ID"),
        "merged": rows(MERGE),
        "by name": rows(SUM.format("t")),
        "by path": rows(SUM.format(f"hudilite.`{place}`")),
        "containers": rows("SELECT DISTINCT v, container FROM t ORDER BY v, container"),
        "files": rows("CALL show_files(table => 't')"),
        "faults": rows("CALL verify(table => 't', level => 'rows')"),
    }
    told.write_text(json.dumps(seen, default=str), encoding="utf-8")
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
