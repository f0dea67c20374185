"""hudilite: keyed tables in Spark SQL, stored as Apache Hudi copy-on-write tables.

Examples:
    >>> import hudilite
    >>> spark = hudilite.session("orders", warehouse="lake")  # doctest: +SKIP
    >>> spark.sql("MERGE INTO orders USING changes ON ...").show()  # doctest: +SKIP
"""

from hudilite import files, sql, table_facts, timeline
from hudilite.doctor import Report, doctor
from hudilite.errors import HudiliteError
from hudilite.progress import progress
from hudilite.session import configure, session
from hudilite.table import MergeCounts, Table

__all__ = [
    "HudiliteError",
    "MergeCounts",
    "Report",
    "Table",
    "configure",
    "doctor",
    "files",
    "progress",
    "session",
    "sql",
    "table_facts",
    "timeline",
]
