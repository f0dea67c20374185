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

Settings of a session. Set them with `SET key = value`, with `spark.conf.set`, or when the session starts. A statement with an
invalid value fails with HUDILITE_SETTING_INVALID before it reads anything. The key, the buckets and the type of a table are not
settings: CREATE TABLE declares them, and a write with a contrary setting fails with HUDILITE_PROPERTY_CONFLICT.

| setting | default | values | meaning |
| --- | --- | --- | --- |
"""
TAIL = """
Writes also use two settings of Spark: `spark.sql.parquet.compression.codec` is the codec of new files, and
`spark.sql.shuffle.partitions` is the maximum number of tasks of the exchange of the source.
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
