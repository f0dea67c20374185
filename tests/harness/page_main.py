"""The process behind harness.fences.Reader: a page a line on its input, an answer a line."""

from __future__ import annotations

import json
import os
import re
import sys
import traceback
from pathlib import Path
from typing import Any

ROOTS = re.compile(r"(?<![\w/])/(?=(?:data|lake)\b)")


def main() -> None:
    # What pages and the JVM print goes into the log.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        page = json.loads(line)
        os.chdir(page["folder"])
        answers.write(json.dumps(_faults(page["fences"])) + "\n")
        answers.flush()


def _faults(fences: list[dict[str, str]]) -> dict[str, str]:
    """What went wrong, by the place of the block."""
    names: dict[str, Any] = {"__name__": "page"}
    faults: dict[str, str] = {}
    for fence in fences:
        try:
            _statements(names, fence["given"])
            if fence["language"] == "sql":
                _statements(names, fence["text"])
            else:
                exec(compile(_here(fence["text"]), fence["place"], "exec"), names)
        except Exception as fault:  # noqa: BLE001 - the test tells of each
            faults[fence["place"]] = "".join(traceback.format_exception(fault))[-1500:]
    if "spark" in names:
        names["spark"].stop()  # the application with its tables and settings; the JVM stays
    return faults


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
    main()
