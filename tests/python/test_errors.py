"""Conditions found in what Spark and the JVM raise, without either."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest

from hudilite import errors
from hudilite.errors import HudiliteError, translated


def from_exception(error: BaseException) -> Any:
    """The error found; typed loosely, as most tests know that there is one."""
    return errors.from_exception(error)


class Throwable:
    """A Java throwable as py4j shows it: a question that its class lacks is an error."""

    def __init__(self, message: str | None, parameters: Any = None, cause: Any = None) -> None:
        self._message, self._parameters, self._caused = message, parameters, cause

    def getMessage(self) -> str | None:
        return self._message

    def getCause(self) -> Any:
        return self._caused

    def getMessageParameters(self) -> Any:
        if self._parameters is None:
            raise RuntimeError("Method getMessageParameters([]) does not exist")
        return self._parameters


class JavaError(Exception):
    """As py4j's Py4JJavaError."""

    def __init__(self, throwable: Any) -> None:
        super().__init__("An error occurred while calling o1.sql")
        self.java_exception = throwable


class Captured(Exception):
    """As PySpark's CapturedException, with the Java throwable at hand."""

    def __init__(self, throwable: Any) -> None:
        super().__init__(throwable.getMessage())
        self._origin, self._cause = throwable, None

    def getCondition(self) -> None:
        return None


class Remote(Exception):
    """As Spark Connect's exceptions: text and parameters, no JVM."""

    def getCondition(self) -> str:
        return "HUDILITE_NULL_KEY"

    def getMessageParameters(self) -> Any:
        return {"column": "id"}


NULL_KEY = "[HUDILITE_NULL_KEY] Key column `id` of table t is null. SQLSTATE: 23502"
FAILED_STAGE = (
    "Job aborted due to stage failure: Task 0 in stage 1.0 failed 1 times, most recent failure: "
    f"Lost task 0.0 (TID 7): hudilite.error.HudiliteException: {NULL_KEY}\n\tat hudilite.X"
)


@pytest.mark.parametrize("wrapping", [JavaError, Captured])
def test_condition_of_the_throwable_itself(wrapping: Any) -> None:
    found = from_exception(wrapping(Throwable(NULL_KEY, {"column": "id", "table": "t"})))
    assert type(found) is errors.KeyViolationError
    assert found.condition == "HUDILITE_NULL_KEY"
    assert found.parameters == {"column": "id", "table": "t"}
    assert found.sql_state == "23502"
    assert found.message == "Key column `id` of table t is null."
    assert str(found) == NULL_KEY


def test_condition_below_a_failed_task() -> None:
    cause = Throwable(NULL_KEY, {"column": "id"})
    outer = Throwable("Job aborted.", None, Throwable(FAILED_STAGE, None, cause))
    found = from_exception(JavaError(outer))
    assert (found.condition, found.parameters) == ("HUDILITE_NULL_KEY", {"column": "id"})


def test_condition_below_a_condition_of_spark() -> None:
    cause = Throwable(NULL_KEY, {"column": "id"})
    outer = Throwable("[FAILED_EXECUTE_UDF] User function failed. SQLSTATE: 39000", {}, cause)
    assert from_exception(Captured(outer)).condition == "HUDILITE_NULL_KEY"


def test_condition_in_the_text_alone() -> None:
    found = from_exception(JavaError(Throwable(FAILED_STAGE)))
    assert type(found) is errors.KeyViolationError
    assert str(found) == NULL_KEY
    assert found.parameters == {}


def test_condition_of_a_connect_client() -> None:
    found = from_exception(Remote(NULL_KEY))
    assert (found.condition, found.parameters) == ("HUDILITE_NULL_KEY", {"column": "id"})


def test_condition_of_spark_keeps_its_name() -> None:
    text = "[UNRESOLVED_COLUMN.WITH_SUGGESTION] No column `x`. SQLSTATE: 42703; line 1 pos 7"
    found = from_exception(Captured(Throwable(text, {"objectName": "`x`"})))
    assert type(found) is errors.SparkError
    assert found.condition == "UNRESOLVED_COLUMN.WITH_SUGGESTION"
    assert found.parameters == {"objectName": "`x`"}
    assert found.sql_state == "42703"


def test_no_condition_is_no_hudilite_error() -> None:
    assert from_exception(ValueError("[HUDILITE_NULL_KEY] said a text")) is None
    assert from_exception(JavaError(Throwable("java.lang.NullPointerException"))) is None
    assert from_exception(JavaError(Throwable(None))) is None


def test_jvm_that_is_gone_has_no_condition() -> None:
    class Gone:
        def __getattr__(self, name: str) -> Any:
            raise ConnectionError("py4j: the gateway is closed")

    assert from_exception(JavaError(Gone())) is None


def test_causes_in_a_circle_end() -> None:
    link = Throwable("a")
    link._caused = link
    assert from_exception(JavaError(link)) is None


@pytest.mark.parametrize(
    ("state", "kind"),
    [
        ("42K03", errors.StatementError),
        ("0AKDC", errors.UnsupportedError),
        ("23505", errors.KeyViolationError),
        ("2D521", errors.ConflictError),
        ("08007", errors.CommitUnknownError),
        ("58030", errors.StorageError),
        ("XX001", errors.StorageError),
        ("99999", HudiliteError),
    ],
)
def test_kind_follows_the_sql_state(state: str, kind: type[HudiliteError]) -> None:
    text = f"[HUDILITE_X] It is so. SQLSTATE: {state}"
    assert type(from_exception(JavaError(Throwable(text, {})))) is kind


def test_translated_raises_with_the_cause_kept() -> None:
    original = JavaError(Throwable(NULL_KEY, {"column": "id"}))
    with pytest.raises(errors.KeyViolationError) as caught, translated():
        raise original
    assert caught.value.__cause__ is original


def test_translated_lets_others_through() -> None:
    with pytest.raises(ZeroDivisionError), translated():
        _ = 1 / 0


def test_translated_decorates_a_function() -> None:
    @translated()
    def statement() -> None:
        raise JavaError(Throwable(NULL_KEY, {}))

    with pytest.raises(HudiliteError):
        statement()


def test_error_survives_pickling() -> None:
    error = errors.ConflictError("HUDILITE_CONCURRENT_WRITE", {"bucket": "3"}, "2D521", "So.")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is errors.ConflictError
    assert isinstance(again.parameters, Mapping)
    assert str(again) == str(error)


def test_package_imports_no_pyspark() -> None:
    code = "import sys, hudilite, hudilite.errors; sys.exit('pyspark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
