"""docs/errors.md, written from hudilite-conditions.json.

Usage: errors_doc.py [--check]. --check writes nothing and exits 1 when the page is stale.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator

from files import ROOT

CONDITIONS = ROOT / "sql-extension/core/src/main/resources/hudilite-conditions.json"
PAGE = ROOT / "docs" / "errors.md"
CLASSES = {
    "08": ("CommitUnknownError", "it is not known whether the commit succeeded"),
    "0A": ("UnsupportedError", "something is not supported; the message names an alternative"),
    "22": ("HudiliteError", "a value cannot be stored or used"),
    "23": ("KeyViolationError", "a key is null, a duplicate, or matches two source rows"),
    "2D": ("ConflictError", "another writer committed first; run the statement again"),
    "42": ("StatementError", "the statement or the declaration of a table is wrong"),
    "44": ("HudiliteError", "a row is outside the partitions that the statement replaces"),
    "54": ("HudiliteError", "a file is larger than any file that Hudi writes"),
    "55": ("SessionError", "the session, the environment or a server is not ready"),
    "58": ("StorageError", "a file is missing or cannot be used"),
    "XX": ("StorageError", "files of the table are damaged or contradict each other"),
}
VERBS = (
    "Add|Call|Change|change|Choose|Create|Filter|filter|If|Install|Make|make|Name|Read|Remove|remove"
    "|Restore|restore|Roll|roll|Run|run|Set|Start|Use|use|Write|Drop|Insert|insert|Rename|Wait|Say|write"
)
HEAD = """# Errors

<!-- Written by tests/tools/errors_doc.py from hudilite-conditions.json: `make fmt` rewrites it. -->

Every error of hudilite has a condition, an SQLSTATE, and a message of one line. The message says what happened and what to do. It
is the same in PySpark, spark-sql and Beeline:

```
[HUDILITE_BUCKET_COUNT_INVALID] A table cannot have 0 buckets. Write a whole number from 1 to 100000. SQLSTATE: 42616
```

Beeline prints `Error: ` and text of the Thrift server before it. If Spark has a condition for the fault, such as
`UNRESOLVED_COLUMN`, `TABLE_OR_VIEW_NOT_FOUND` or `UNRECOGNIZED_PARAMETER_NAME`, Spark's condition is raised.

In Python, errors that prevent a session from starting are a `SessionError`: `HUDILITE_SESSION_...`,
`HUDILITE_CATALOG_NAME_TAKEN`, `HUDILITE_ENVIRONMENT_INVALID`, `HUDILITE_JAR_MISSING`, `HUDILITE_JAVA_...`,
`HUDILITE_PACKAGE_MISSING`, `HUDILITE_PORT_...`, `HUDILITE_SERVER_ENDED`, `HUDILITE_SPARK_VERSION_UNSUPPORTED`,
`HUDILITE_SCALA_VERSION_UNSUPPORTED`. The SQLSTATE determines the class of all other errors. The command `hudilite errors` prints
this list.

| SQLSTATE | in Python | meaning |
| --- | --- | --- |
"""


def render() -> str:
    """The whole page."""
    found = json.loads(CONDITIONS.read_text(encoding="utf-8"))
    used = sorted({entry["sqlState"][:2] for entry in found.values()})
    classes = [f"| {c}... | `{CLASSES[c][0]}` | {CLASSES[c][1]} |" for c in used]
    return HEAD + "\n".join([*classes, *_conditions(found)]) + "\n"


def faults() -> Iterator[str]:
    """A page that is not what this module would write."""
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != render():
        yield "docs/errors.md is stale: run make fmt"


def _conditions(found: dict[str, dict[str, str]]) -> Iterator[str]:
    yield "\nIn a message, the value replaces each `<name>`.\n"
    yield "| condition | SQLSTATE | what happened | what to do |"
    yield "| --- | --- | --- | --- |"
    for name, entry in found.items():
        happened, fix = _halves(entry["message"])
        yield f"| {name} | {entry['sqlState']} | {_cell(happened)} | {_cell(fix)} |"


def _halves(message: str) -> tuple[str, str]:
    """What happened, and what to do: from the first sentence, or half of one, that commands."""
    parts = re.fullmatch(rf"(.*?[.;]) (<fix>|(?:{VERBS})\b.+)", message)
    if parts is None:
        raise ValueError(f"no verb of VERBS says what to do: {message}")
    happened, fix = parts[1].removesuffix(";"), parts[2]
    fix = "See <fix> in the message." if fix == "<fix>" else fix[0].upper() + fix[1:]
    return happened if happened.endswith(".") else f"{happened}.", fix


def _cell(text: str) -> str:
    return re.sub(r"<(\w+)>", r"`<\1>`", text).replace("|", "\\|")


def main() -> int:
    """Write the page, or only judge it."""
    if "--check" in sys.argv[1:]:
        stale = list(faults())
        print("\n".join(stale))
        return 1 if stale else 0
    PAGE.write_text(render(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
