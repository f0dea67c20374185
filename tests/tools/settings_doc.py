"""docs/settings.md, written from hudilite-settings.json.

Usage: settings_doc.py [--check]. --check writes nothing and exits 1 when the page is stale.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator

from files import ROOT, relative, tracked

SETTINGS = ROOT / "sql-extension/core/src/main/resources/hudilite-settings.json"
PAGE = ROOT / "docs" / "settings.md"
HEAD = """# Settings

<!-- Written by tests/tools/settings_doc.py from hudilite-settings.json: `make fmt` rewrites it. -->

What a session may say, by `SET key = value`, by `spark.conf.set`, or when it starts. A value that makes no sense is
HUDILITE_SETTING_INVALID, before anything is read. Facts of a table (its key, its buckets, its kind) are no settings:
CREATE TABLE says them, and a setting that contradicts them is refused.

| setting | where nothing is said | may be | means |
| --- | --- | --- | --- |
"""
TAIL = """
Spark's own settings that matter to a write: `spark.sql.parquet.compression.codec`, the codec of new files, and
`spark.sql.shuffle.partitions`, the tasks that a source is exchanged to at most.
"""
OURS = re.compile(r'"(spark\.hudilite\.[A-Za-z.]+)"')


def render() -> str:
    """The whole page."""
    found = json.loads(SETTINGS.read_text(encoding="utf-8"))
    rows = [
        f"| `{key}` | {_code(of['default'])} | {of['values']} | {of['means']} |"
        for key, of in found.items()
    ]
    return HEAD + "\n".join(rows) + "\n" + TAIL


def faults() -> Iterator[str]:
    """A page that is not what this module would write; settings that are unknown, unused or untested."""
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != render():
        yield "docs/settings.md is stale: run make fmt"
    known = json.loads(SETTINGS.read_text(encoding="utf-8"))
    if list(known) != sorted(known):
        yield "hudilite-settings.json is not sorted"
    code = {relative(p): p.read_text("utf-8") for p in tracked("sql-extension/*.scala")}
    for path, text in code.items():
        for key in sorted(set(OURS.findall(text)) - set(known)):
            yield f"{path}: {key} is not in hudilite-settings.json"
    places = ("tests/sql/*.sql", "tests/*.py", "tests/unit/*.scala")
    tests = "".join(p.read_text("utf-8") for place in places for p in tracked(place))
    for key in known:
        if not any(f'"{key}"' in text for text in code.values()):
            yield f"hudilite-settings.json: nothing reads {key}"
        if key not in tests:
            yield f"hudilite-settings.json: no test sets {key}"


def _code(text: str) -> str:
    return f"`{text}`" if text else "nothing"


def main() -> int:
    """Write the page, or only judge it."""
    if "--check" in sys.argv[1:]:
        found = list(faults())
        print("\n".join(found))
        return 1 if found else 0
    PAGE.write_text(render(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
