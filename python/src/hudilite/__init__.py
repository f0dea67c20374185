"""hudilite: keyed tables in Spark SQL, stored as Apache Hudi tables.

Each name is imported when it is first used, so that importing the package takes little time.

Examples:
    >>> import hudilite
    >>> spark = hudilite.session("orders", warehouse="lake")  # doctest: +SKIP
    >>> spark.sql("MERGE INTO orders USING changes ON ...").show()  # doctest: +SKIP
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from hudilite.version import __version__

if TYPE_CHECKING:
    from hudilite import (
        convert,
        dialect,
        errors,
        files,
        lineage,
        lint,
        sql,
        table,
        table_facts,
        timeline,
        top,
        why,
    )
    from hudilite.errors import HudiliteError
    from hudilite.launch.checks import Report, doctor
    from hudilite.launch.sessions import configure, session
    from hudilite.launch.stage_progress import progress
    from hudilite.table import MergeCounts, Table

__all__ = [
    "HudiliteError",
    "MergeCounts",
    "Report",
    "Table",
    "__version__",
    "configure",
    "convert",
    "dialect",
    "doctor",
    "errors",
    "files",
    "lineage",
    "lint",
    "progress",
    "session",
    "sql",
    "table",
    "table_facts",
    "timeline",
    "top",
    "why",
]

_MODULE_OF = {
    "HudiliteError": "errors",
    "MergeCounts": "table",
    "Report": "launch.checks",
    "Table": "table",
    "configure": "launch.sessions",
    "doctor": "launch.checks",
    "progress": "launch.stage_progress",
    "session": "launch.sessions",
}


def __getattr__(name: str) -> object:
    """Imports a public name when it is first used."""
    if name not in __all__:
        raise AttributeError(f"module 'hudilite' has no attribute {name!r}")
    if name not in _MODULE_OF:
        return importlib.import_module(f"hudilite.{name}")
    value: object = getattr(importlib.import_module(f"hudilite.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
