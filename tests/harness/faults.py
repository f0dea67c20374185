"""What a statement's failure says: condition, SQLSTATE and parameters, never its text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Writes of a table `t` of stock Hudi with the key column `id` and the columns `n` and `v`.
WRITES = (
    "INSERT INTO t SELECT * FROM t",
    "MERGE INTO t USING (SELECT 'k1' AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE",
    "DELETE FROM t WHERE n > 3",
    "UPDATE t SET v = 'x'",
)


@dataclass(frozen=True)
class Fault:
    """The identity of an error; `condition` is the exception's class when it has none."""

    condition: str
    sql_state: str | None = None
    parameters: dict[str, str] = field(default_factory=dict)


def fault_of(error: BaseException) -> Fault:
    """The condition that the client sees on the outermost exception; causes do not count."""
    condition = _asked(error, "getCondition")
    if condition is None:
        return Fault(type(error).__name__)
    return Fault(
        condition, _asked(error, "getSqlState"), dict(_asked(error, "getMessageParameters") or {})
    )


def run_statement(spark: SparkSession, text: str) -> Fault | None:
    """Runs a statement to its end; the fault when it fails, None when it does not."""
    return fault_in(lambda: spark.sql(text).collect())


def assert_refused(
    spark: SparkSession, statements: Iterable[str], condition: str, fact: str | None
) -> None:
    """Each statement fails with a condition that names a fact of the table."""
    for statement in statements:
        fault = run_statement(spark, statement)
        assert fault is not None, statement
        named = (fault.condition, fault.parameters.get("fact"))
        assert named == (condition, fact), (statement, fault)


def fault_in(call: Callable[[], object]) -> Fault | None:
    """Calls a function; the fault when it fails, None when it does not."""
    try:
        call()
    except Exception as error:  # noqa: BLE001 - the caller judges every kind of failure
        return fault_of(error)
    return None


@contextmanager
def dead_at_once(spark: SparkSession) -> Iterator[None]:
    """Within it every pending write of somebody else counts as dead, whatever its age."""
    key = "spark.hudilite.write.rollbackAfter"
    spark.conf.set(key, "0s")
    yield
    spark.conf.unset(key)


def _asked(error: BaseException, method: str) -> Any:
    asked = getattr(error, method, None)
    return asked() if asked is not None else None
