"""Exceptions of hudilite.

Every error has a condition (``HUDILITE_DUPLICATE_KEY``), parameters by name, an SQLSTATE and a
message that says what to do. Spark wraps an error in several ways before Python receives it.
`translated` and `from_exception` find the condition in all of them. This module needs neither
pyspark nor a JVM.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

PREFIX = "HUDILITE_"

_LABELLED = re.compile(
    r"\[(?P<condition>[A-Z][A-Z0-9_.]+)\] (?P<text>.*?)\s*(?:SQLSTATE: (?P<state>[0-9A-Z]{5})|\Z)",
    re.DOTALL,
)
_QUOTED_BY_SPARK = re.compile(
    rf"\[(?P<condition>{PREFIX}[A-Z0-9_]+)\] (?P<text>[^\n]*?)\s*"
    r"(?:SQLSTATE: (?P<state>[0-9A-Z]{5})|\n|\Z)"
)


class HudiliteError(Exception):
    """Error of a statement, a table or a session; base class of hudilite's exceptions.

    Args:
        condition: Stable name of the error, for programs to test.
        parameters: Values in the message, by parameter name.
        sql_state: SQLSTATE of five characters; None when the source had none.
        message: What happened and what to do, without the condition.

    Examples:
        >>> error = HudiliteError("HUDILITE_NULL_KEY", {"column": "id"}, "23502", "Key is null.")
        >>> str(error)
        '[HUDILITE_NULL_KEY] Key is null. SQLSTATE: 23502'
        >>> error.parameters["column"]
        'id'
    """

    def __init__(
        self,
        condition: str,
        parameters: Mapping[str, str] | None = None,
        sql_state: str | None = None,
        message: str = "",
    ) -> None:
        """Stores the parts, of which ``str`` builds the text."""
        self.condition = condition
        self.parameters: dict[str, str] = dict(parameters or {})
        self.sql_state = sql_state
        self.message = message
        super().__init__(condition, self.parameters, sql_state, message)

    def __str__(self) -> str:
        """Returns condition, message and SQLSTATE, in the form of Spark's messages."""
        state = f" SQLSTATE: {self.sql_state}" if self.sql_state else ""
        return f"[{self.condition}] {self.message}{state}"


class StatementError(HudiliteError):
    """Invalid statement or table declaration (SQLSTATE class 42)."""


class UnsupportedError(HudiliteError):
    """Feature that is not supported; the message says what to use instead (SQLSTATE class 0A)."""


class KeyViolationError(HudiliteError):
    """Record key that is null, duplicated, or matched by two source rows (SQLSTATE class 23)."""


class ConflictError(HudiliteError):
    """Conflict with another writer; nothing was written (SQLSTATE classes 2D and 40).

    The other writer changed the same buckets, or rolled the commit back. Run the statement again.
    """


class CommitUnknownError(HudiliteError):
    """Commit whose outcome is unknown (SQLSTATE class 08). Read the table to find out."""


class StorageError(HudiliteError):
    """File that is missing, damaged or not accessible (SQLSTATE classes 58 and XX)."""


class SessionError(HudiliteError):
    """Spark installation or session that cannot run hudilite, or runs without it.

    The Python package raises it, not the JVM.
    """


class SparkError(HudiliteError):
    """Error of Spark itself, under Spark's condition."""


_KINDS: Mapping[str, type[HudiliteError]] = {
    "42": StatementError,
    "0A": UnsupportedError,
    "23": KeyViolationError,
    "2D": ConflictError,
    "40": ConflictError,
    "08": CommitUnknownError,
    "58": StorageError,
    "XX": StorageError,
}


def kind_of(sql_state: str | None) -> type[HudiliteError]:
    """Returns the exception class for the SQLSTATE of a hudilite condition.

    Examples:
        >>> kind_of("58030").__name__
        'StorageError'
    """
    return _KINDS.get((sql_state or "")[:2], HudiliteError)


@contextmanager
def translated() -> Iterator[None]:
    """Raises exceptions of Spark and the JVM as `HudiliteError`.

    It is a context manager and a decorator. An exception without a condition passes through
    unchanged. The original exception becomes the cause of the new one.

    Raises:
        HudiliteError: Subclass that fits the SQLSTATE.
        HudiliteError: `SparkError` for a condition of Spark.

    Examples:
        >>> with translated():
        ...     rows = "what spark.sql('SELECT * FROM t').collect() gives"
    """
    try:
        yield
    except Exception as error:
        found = from_exception(error)
        if found is None or found is error:
            raise
        raise found from error


def from_exception(error: BaseException) -> HudiliteError | None:
    """Finds the hudilite error inside an exception, however deep Spark wrapped it.

    Args:
        error: ``Py4JJavaError``, an exception of ``pyspark.errors``, or any other.

    Returns:
        Error with hudilite's condition; without one, an error with Spark's own condition; None when
        the exception has no condition at all.

    Examples:
        >>> from_exception(ValueError("no condition")) is None
        True
    """
    if isinstance(error, HudiliteError):
        return error
    links = list(_links(error))
    labelled = [(link, _LABELLED.match(_text(link))) for link in links]
    found = [(link, match) for link, match in labelled if match]
    own = [pair for pair in found if pair[1]["condition"].startswith(PREFIX)]
    for link, match in own:
        return _built(match, link)
    for link in links:
        quoted = _QUOTED_BY_SPARK.search(_text(link))
        if quoted:
            return _built(quoted, None)
    for link, match in found:
        return _built(match, link)
    return None


def _links(error: BaseException) -> Iterator[object]:
    """Yields Spark's exceptions and the Java throwables behind `error`, outermost first."""
    queue: list[BaseException] = [error]
    seen: set[int] = set()
    while queue:
        link = queue.pop(0)
        if id(link) in seen:
            continue
        seen.add(id(link))
        throwable = getattr(link, "java_exception", None) or getattr(link, "_origin", None)
        if throwable is not None:
            yield from _causes(throwable)
        elif hasattr(link, "getCondition"):
            yield link
        queue += [
            cause
            for cause in (getattr(link, "_cause", None), link.__cause__)
            if isinstance(cause, BaseException)
        ]


def _causes(throwable: object) -> Iterator[object]:
    link: object = throwable
    for _ in range(100):
        if link is None:
            return
        yield link
        link = _asked(link, "getCause")


def _text(link: object) -> str:
    return str(link) if isinstance(link, BaseException) else str(_asked(link, "getMessage") or "")


def _asked(link: object, question: str) -> object:
    """Calls a method that an exception may not have.

    Returns None when it has no such method, or when its JVM is gone.
    """
    try:
        return getattr(link, question)()
    except Exception:  # noqa: BLE001 (py4j's classes are not known here)
        return None


def _built(match: re.Match[str], link: object | None) -> HudiliteError:
    condition = match["condition"]
    found = _asked(link, "getMessageParameters") if link is not None else None
    parameters = {str(k): str(v) for k, v in found.items()} if isinstance(found, Mapping) else {}
    state = match["state"] or (_asked(link, "getSqlState") if link is not None else None)
    sql_state = str(state) if state else None
    kind: type[HudiliteError] = SparkError
    if condition.startswith(PREFIX):
        kind = kind_of(sql_state)
    return kind(condition, parameters, sql_state, match["text"].strip())
