"""One run of a list of everyday statements: what hudilite answers to each, and how that differs from the list."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from harness import layout
from harness.cells import row_texts
from harness.everyday import Entry, Listing
from harness.faults import fault_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Conditions that say of a statement that it cannot be read, or of a name that there is no such thing.
# A statement that fails with one of them must be `bare`.
NAMELESS = re.compile(
    r"PARSE_SYNTAX_ERROR|INVALID_STATEMENT_OR_CLAUSE|INVALID_SQL_SYNTAX\b.*|DATA_SOURCE_NOT_FOUND"
    r"|(?:TABLE_OR_VIEW|SCHEMA)_NOT_FOUND|UNRESOLV.*|FAILED_TO_LOAD_ROUTINE|ROUTINE_NOT_FOUND|_LEGACY_ERROR.*"
    r"|REQUIRES_SINGLE_PART_NAMESPACE|INTERNAL_ERROR|[A-Z][a-z].*"
)
PLACE = re.compile(r"\{(?P<kind>instant|time) (?P<number>\d+) of (?P<table>\w+)\}")
CONDITION = re.compile(r"\[([A-Z][A-Z0-9_.]+)\]")
# Conditions of the errors in which Spark wraps that of a streaming query.
OUTER = ("STREAM_FAILED", "FOREACH_BATCH_USER_FUNCTION_ERROR")
VERBS = (
    "ALTER|ANALYZE|CALL|CREATE|DELETE|DESCRIBE|DROP|INSERT|MERGE|OPTIMIZE|REFRESH|RESTORE|SELECT|SET"
    "|SHOW|TRUNCATE|UPDATE|VACUUM"
)
# A statement between backticks, or from a colon to the end of the sentence.
FIX = re.compile(
    rf"`(?P<quoted>(?:{VERBS})\s[^`]+)`"
    rf"|\b(?i:type|run|write):\s(?P<said>(?:{VERBS})\s.+?)(?=\.?\s+(?:SQLSTATE:|[A-Z][a-z])|\.?$)",
    re.MULTILINE,
)


def fixes(message: str) -> list[str]:
    """The statements that an error's message says to type, those with a gap to fill left out."""
    found = (match["quoted"] or match["said"] for match in FIX.finditer(message))
    return [fix for fix in found if "..." not in fix]


@dataclass(frozen=True)
class Outcome:
    """What came of a statement: rows, or an error's condition and message.

    Attributes:
        fix: What came of the statement that the error says to type, where the list asks for that.
    """

    rows: tuple[str, ...] = ()
    condition: str = ""
    message: str = ""
    fix: Outcome | None = None


@dataclass
class Run:
    """A list as it runs in a session and a database of its own, statement by statement.

    A statement runs after all that stand before it in the list, so that a test may ask for any.
    """

    spark: SparkSession
    listing: Listing
    folder: Path
    outcomes: dict[str, Outcome] = field(default_factory=dict)

    def outcome(self, wanted: Entry) -> Outcome:
        """What came of a statement."""
        for entry in self.listing.entries:
            if entry.id not in self.outcomes:
                self.outcomes[entry.id] = self._run(entry)
            if entry is wanted:
                break
        return self.outcomes[wanted.id]

    def _run(self, entry: Entry) -> Outcome:
        before = self._settings()
        try:
            for text in entry.given:
                self.spark.sql(self._placed(text)).collect()
        except Exception as error:  # noqa: BLE001 - no answer of the statement
            return Outcome((), f"GIVEN {_condition(error)}", str(error).strip())
        run = self._python if entry.is_python else self._sql
        outcome = self._outcome(entry, lambda: run(entry))
        if entry.mended and outcome.condition:
            mended = replace(entry, text=entry.mended)
            run = self._python if mended.is_python else self._sql
            outcome = replace(outcome, fix=self._outcome(mended, lambda: run(mended)))
        elif entry.then and outcome.condition:
            outcome = replace(outcome, fix=self._fix(entry, fixes(outcome.message)))
        for key in self._settings().keys() - before.keys():
            self.spark.conf.unset(key)
        return outcome

    def _settings(self) -> dict[str, str]:
        return {row["key"]: row["value"] for row in self.spark.sql("SET").collect()}

    def _fix(self, entry: Entry, said: list[str]) -> Outcome:
        if not said:
            return Outcome(condition="NONE", message="the error says no statement to type")
        return self._outcome(entry, lambda: self._rows(self.spark.sql(said[0]), (), said[0]))

    def _outcome(self, entry: Entry, run: Callable[[], list[str]]) -> Outcome:
        try:
            rows = run()
            if entry.shown:
                query = self._placed(entry.shown)
                rows = self._rows(self.spark.sql(query), (), query)
        except Exception as error:  # noqa: BLE001 - judged against what the list says
            return Outcome((), _condition(error), str(error).strip())
        return Outcome(tuple(rows))

    def _sql(self, entry: Entry) -> list[str]:
        text = self._placed(entry.text)
        return self._rows(self.spark.sql(text), entry.columns, text)

    def _python(self, entry: Entry) -> list[str]:
        """Runs the lines; the rows are those of the last one's value."""
        from pyspark.sql import DataFrame

        names = self._names()
        lines = ast.parse(self._placed(entry.code)).body
        last = lines.pop() if isinstance(lines[-1], ast.Expr) else None
        exec(compile(ast.Module(lines, []), entry.id, "exec"), names)
        if not isinstance(last, ast.Expr):
            return []
        value = eval(compile(ast.Expression(last.value), entry.id, "eval"), names)
        if isinstance(value, DataFrame):
            return self._rows(value, entry.columns, "")
        return [] if value is None else [str(value)]

    def _names(self) -> dict[str, Any]:
        """What the Python of a statement finds."""
        from pyspark.sql.functions import col, expr, lit

        from hudilite import Table

        return {"spark": self.spark, "col": col, "lit": lit, "expr": expr, "Table": Table}

    def _rows(self, frame: DataFrame, columns: tuple[str, ...], text: str) -> list[str]:
        if columns:
            frame = frame.select(*columns)
        table = frame.toArrow() if frame.columns else pa.table({})
        rows = [row.replace("\t", " | ") for row in row_texts(table)]
        return rows if "ORDER BY" in text else sorted(rows)

    def _placed(self, text: str) -> str:
        """The text with the folder of the run, and with commits of tables by their number from 1 on."""
        return PLACE.sub(self._moment, text).replace("{folder}", str(self.folder))

    def _moment(self, place: re.Match[str]) -> str:
        own = self.folder / "db" / place["table"]
        base = own if own.exists() else self.folder / place["table"]
        instant = sorted(layout.completed(base))[int(place["number"]) - 1]
        if place["kind"] == "instant":
            return instant
        return as_time(instant)


def as_time(instant: str) -> str:
    """An instant of 17 digits as the text of a timestamp."""
    day, at = instant[:8], instant[8:]
    return f"{day[:4]}-{day[4:6]}-{day[6:]} {at[:2]}:{at[2:4]}:{at[4:6]}.{at[6:]}"


def _condition(error: Exception) -> str:
    """The condition of an error, also of one that PySpark does not translate; else its class."""
    found = fault_of(error).condition
    if found not in OUTER and found != type(error).__name__:
        return found
    told = [name for name in CONDITION.findall(str(error)) if name not in OUTER]
    return told[0] if told else found


def faults(entry: Entry, outcome: Outcome, place: str) -> Iterator[str]:
    """How a statement's outcome differs from what the list says, each with what to write there."""
    state = f"bare {outcome.condition}" if outcome.condition else "works"
    told = f"{place}: {entry.id}: "
    if entry.state == "works":
        if outcome.condition:
            yield f"{told}it does not work: write `{state}`\n{outcome.message[:800]}"
        elif entry.shown is not None and outcome.rows != entry.rows:
            yield f"{told}it gives\n" + "\n".join(outcome.rows)
        return
    if not outcome.condition:
        yield f"{told}it works now: write `works`"
    elif outcome.condition != entry.condition:
        yield f"{told}the error is another one: write `{state}`\n{outcome.message[:800]}"
    elif entry.state == "refused" and NAMELESS.fullmatch(outcome.condition):
        yield f"{told}{outcome.condition} does not say what is refused: write `{state}`"
    elif entry.hint not in outcome.message:
        yield f"{told}the message does not say {entry.hint!r}:\n{outcome.message[:800]}"
    elif entry.then:
        yield from _fix_faults(entry, outcome, told)


def _fix_faults(entry: Entry, outcome: Outcome, told: str) -> Iterator[str]:
    unsaid = entry.unsaid(outcome.message)
    if unsaid:
        yield f"{told}the message does not say {', '.join(unsaid)}:\n{outcome.message[:800]}"
    fix = outcome.fix or Outcome(condition="NONE")
    if fix.condition:
        yield f"{told}what the error says to type fails with {fix.condition}\n{fix.message[:800]}"
    elif (entry.shown or (entry.mended and entry.shown == "")) and fix.rows != entry.rows:
        yield f"{told}after what the error says to type there are\n" + "\n".join(fix.rows)
