"""The process behind harness.fences: page_main.py <plan> <results>."""

from __future__ import annotations

import json
import re
import sys
import traceback
from pathlib import Path
from typing import Any

ROOTS = re.compile(r"(?<![\w/])/(?=(?:data|lake)\b)")


def main(plan: Path, results: Path) -> None:
    names: dict[str, Any] = {"__name__": "page"}
    faults: dict[str, str] = {}
    for fence in json.loads(plan.read_text(encoding="utf-8")):
        try:
            _statements(names, fence["given"])
            if fence["language"] == "sql":
                _statements(names, fence["text"])
            else:
                exec(compile(_here(fence["text"]), fence["place"], "exec"), names)
        except Exception as fault:  # noqa: BLE001 - the test tells of each
            faults[fence["place"]] = "".join(traceback.format_exception(fault))[-1500:]
    results.write_text(json.dumps(faults), encoding="utf-8")


def _statements(names: dict[str, Any], text: str) -> None:
    for statement in re.split(r";\s*(?:\n|\Z)", _here(text)):
        if statement.strip():
            _session(names).sql(statement).collect()


def _session(names: dict[str, Any]) -> Any:
    """The session that the page opened; a page of SQL alone has one all the same."""
    if "spark" not in names:
        import hudilite

        names["spark"] = hudilite.session("page", warehouse="lake")
    return names["spark"]


def _here(text: str) -> str:
    return ROOTS.sub(f"{Path.cwd()}/", text)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
