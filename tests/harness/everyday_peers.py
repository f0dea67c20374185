"""The lists of everyday statements as the projects themselves run them: what works must give their rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from harness.cells import row_texts
from harness.everyday import Entry
from harness.everyday_run import Outcome, Run, as_time
from harness.stock import StockFailed, StockSpark

_LIST = r"\((?:[^()']|'[^']*'|\([^()]*\))*\)"
# Clauses that an adopter adds for hudilite.
_KEY = re.compile(rf",\s*PRIMARY KEY\s*{_LIST}|'?primaryKey'? = '[^']*',? ?", re.IGNORECASE)
_KEY_OPTION = re.compile(r"\.(?:option|tableProperty)\(\"primaryKey\", \"\w+\"\)")
_PROVIDER = re.compile(r"\bhudilite\b")
_EMPTY = re.compile(r"\s*TBLPROPERTIES \(\)")
_PLACED = re.compile(r"\s*LOCATION '[^']*'")
_WITH_DEFAULTS = "USING delta TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')"


def of_delta(text: str) -> str:
    """A statement of the list as it was before an adopter changed it."""
    text = _keyless(text)
    if text.startswith("CREATE") and " DEFAULT '" in text:
        text = text.replace("USING hudilite", _WITH_DEFAULTS)
    return _PROVIDER.sub("delta", text)


def of_iceberg(text: str) -> str:
    """A statement of Iceberg's list as in its documentation; its catalog says where tables lie."""
    return _PROVIDER.sub("iceberg", _PLACED.sub("", _keyless(text)))


def of_hudi(text: str) -> str:
    """A statement of Hudi's list as in its documentation, which declares the key in this form, too."""
    return _PROVIDER.sub("hudi", text)


def _keyless(text: str) -> str:
    return _KEY_OPTION.sub("", _EMPTY.sub("", _KEY.sub("", text)))


@dataclass
class PeerRun(Run):
    """A list of which only the statements run that work on hudilite, and what goes before the others."""

    def _run(self, entry: Entry) -> Outcome:
        if entry.state == "works":
            return super()._run(entry)
        for text in entry.given:
            self.spark.sql(self._placed(text))
        return Outcome((), "NOT RUN")


@dataclass
class DeltaRun(PeerRun):
    """A list in a session whose catalog is Delta's."""

    def _placed(self, text: str) -> str:
        return of_delta(super()._placed(text))

    def _moment(self, place: re.Match[str]) -> str:
        versions = self.spark.sql(f"DESCRIBE HISTORY {place['table']}").orderBy("version").collect()
        return _text(versions[int(place["number"])]["timestamp"])


@dataclass
class IcebergRun(PeerRun):
    """A list in a session whose current catalog is Iceberg's."""

    def _placed(self, text: str) -> str:
        return of_iceberg(super()._placed(text))

    def _moment(self, place: re.Match[str]) -> str:
        database = self.spark.catalog.currentDatabase()
        found = self.spark.table(f"{database}.{place['table']}.snapshots").orderBy("committed_at")
        snapshot = found.collect()[int(place["number"]) - 1]
        if place["kind"] == "instant":
            return str(snapshot["snapshot_id"])
        return _text(snapshot["committed_at"])


@dataclass(kw_only=True)
class HudiRun(Run):
    """A list in the process of stock Hudi."""

    stock: StockSpark

    def _placed(self, text: str) -> str:
        return of_hudi(super()._placed(text))

    def _run(self, entry: Entry) -> Outcome:
        try:
            for text in entry.given:
                self.stock.ask(op="sql", text=self._placed(text))
            if entry.state != "works":
                return Outcome((), "NOT RUN")
            code = entry.code if entry.is_python else entry.text
            asked = {"op": "python" if entry.is_python else "sql", "text": self._placed(code)}
            if entry.shown is None:
                self.stock.ask(**asked)
                return Outcome()
            if entry.shown:
                self.stock.ask(**asked)
                asked = {"op": "sql", "text": self._placed(entry.shown)}
            table = self.stock.rows_of(**asked)
        except (StockFailed, IndexError) as failed:
            return Outcome((), "STOCK", str(failed))
        rows = [row.replace("\t", " | ") for row in row_texts(table)]
        return Outcome(tuple(rows if "ORDER BY" in asked["text"] else sorted(rows)))


def _text(moment: Any) -> str:
    return as_time(f"{moment:%Y%m%d%H%M%S}{moment.microsecond // 1000:03}")


def faults(entry: Entry, outcome: Outcome, place: str) -> Iterator[str]:
    """How the rows of a list differ from those of the project's own run."""
    same = not outcome.condition and (entry.shown is None or outcome.rows == entry.rows)
    told = f"{place}: {entry.id}: "
    if entry.peer:
        if same:
            yield f"{told}the project gives the same: remove `peer: {entry.peer}`"
    elif outcome.condition:
        yield f"{told}the project fails: mend it, or write `peer: why`\n{outcome.message[:400]}"
    elif not same:
        yield f"{told}the project gives\n" + "\n".join(outcome.rows)
