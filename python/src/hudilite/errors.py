"""What goes wrong in hudilite, as Python exceptions.

Every error has a condition (``HUDILITE_DUPLICATE_KEY``), its parameters by name, an SQLSTATE and
a text that says what to do. Spark hands errors to Python in several wrappings; `translated` and
`from_exception` find the condition in all of them. This module needs neither pyspark nor a JVM.
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
    """A statement, a table or a session is not as it has to be.

    Args:
        condition: Stable name of the fault, for programs to branch on.
        parameters: What the text names, by parameter name.
        sql_state: Five characters of the SQL standard; None when the source gave none.
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
        """Keep the parts; the text is made of them."""
        self.condition = condition
        self.parameters: dict[str, str] = dict(parameters or {})
        self.sql_state = sql_state
        self.message = message
        super().__init__(condition, self.parameters, sql_state, message)

    def __str__(self) -> str:
        """Condition, message and SQLSTATE, as Spark writes them."""
        state = f" SQLSTATE: {self.sql_state}" if self.sql_state else ""
        return f"[{self.condition}] {self.message}{state}"


class StatementError(HudiliteError):
    """The statement or the declaration of a table is wrong (SQLSTATE class 42)."""


class UnsupportedError(HudiliteError):
    """Refused by name, with what to use instead (SQLSTATE class 0A)."""


class KeyViolationError(HudiliteError):
    """A key is null, comes twice, or has two source rows (SQLSTATE class 23)."""


class ConflictError(HudiliteError):
    """Another writer changed the same buckets: nothing was written (classes 2D and 40)."""


class CommitUnknownError(HudiliteError):
    """It is not known whether the commit took place: read the table to see (class 08)."""


class StorageError(HudiliteError):
    """A file is missing, damaged or out of reach (classes 58 and XX)."""


class SessionError(HudiliteError):
    """The Spark in use cannot run hudilite, or runs without it (raised by this package)."""


class SparkError(HudiliteError):
    """An error of Spark's own, under Spark's condition."""


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
    """The class of hudilite's conditions with an SQLSTATE.

    Examples:
        >>> kind_of("58030").__name__
        'StorageError'
    """
    return _KINDS.get((sql_state or "")[:2], HudiliteError)


@contextmanager
def translated() -> Iterator[None]:
    """Raise Spark's and the JVM's exceptions as `HudiliteError`; works as a decorator too.

    What carries no condition passes through unchanged. The original exception is the cause.

    Raises:
        HudiliteError: The subclass that fits the SQLSTATE, or `SparkError` for Spark's conditions.

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
    """The hudilite error inside an exception, however deep Spark wrapped it.

    Args:
        error: A ``Py4JJavaError``, an exception of ``pyspark.errors``, or any other.

    Returns:
        The error with its condition; Spark's own condition when none of hudilite's is inside;
        None when there is no condition at all.

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
    """The exceptions of Spark and the Java throwables behind `error`, outermost first."""
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
    """The answer of an exception to a question it may not know; a JVM that is gone knows none."""
    try:
        return getattr(link, question)()
    except Exception:  # noqa: BLE001 (py4j's classes are not known here)
        return None


def _built(match: re.Match[str], link: object | None) -> HudiliteError:
    condition = match["condition"]
    given = _asked(link, "getMessageParameters") if link is not None else None
    parameters = {str(k): str(v) for k, v in given.items()} if isinstance(given, Mapping) else {}
    state = match["state"] or (_asked(link, "getSqlState") if link is not None else None)
    sql_state = str(state) if state else None
    kind: type[HudiliteError] = SparkError
    if condition.startswith(PREFIX):
        kind = kind_of(sql_state)
    return kind(condition, parameters, sql_state, match["text"].strip())
