"""Writes the class archive of the tests' sessions: classes.py <archive>.

A session runs some statements, and its JVM writes what classes it loaded as it ends (class data
sharing). The archive holds for JVMs whose class path begins like this one's.
"""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness.java import short_lived
from harness.session import open_session

STATEMENTS = (
    "CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2",
    "INSERT INTO t SELECT id, 'a' FROM range(9)",
    "MERGE INTO t USING (SELECT 1 AS id, 'b' AS v) s ON t.id = s.id "
    "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
    "SELECT v, count(*) FROM t JOIN range(3) r ON t.id = r.id GROUP BY v ORDER BY v",
    "CALL verify('t')",
)


def main(archive: Path) -> None:
    """Run the statements and leave the archive, whole or not at all."""
    new = archive.with_suffix(".new")
    new.unlink(missing_ok=True)
    os.environ["SPARK_SUBMIT_OPTS"] = (
        f"{short_lived(new)} {shlex.join([f'-XX:ArchiveClassesAtExit={new}', '-Xlog:disable'])}"
    )
    with tempfile.TemporaryDirectory() as folder:
        spark = open_session("classes of the tests", Path(folder) / "wh")
        gateway: Any = spark.sparkContext._gateway
        jvm = gateway.proc
        for statement in STATEMENTS:
            spark.sql(statement).collect()
        spark.stop()
        gateway.shutdown()
        jvm.stdin.close()
        jvm.wait(timeout=300)
    new.rename(archive)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
