"""A session that notes what it is asked, behind a pyspark whose JVM is not real.

hudilite opens it as any other: what it asks of pyspark, and over py4j of the JVM, is answered here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pyspark
import pytest
from pyspark import sql

FAULTS = ["severity", "code", "path", "detail", "sample_key"]


class FakeSession:
    """Answers each statement with rows that are given.

    Attributes:
        asked: The statements.
        conf: All settings that it was opened with.
        stopped: How often it was stopped.
        columns: Of each answer.
        rows: Of each answer.
        fails: Called by each statement.
        followed: Set once somebody looks how far the work is.
    """

    version = pyspark.__version__

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.conf: dict[str, str] = {}
        self.stopped = 0
        self.columns: list[str] = FAULTS
        self.rows: list[tuple[Any, ...]] = []
        self.fails: Callable[[], None] = lambda: None
        self.followed = threading.Event()

    def sql(self, text: str) -> SimpleNamespace:
        self.asked.append(text)
        self.fails()
        return SimpleNamespace(columns=self.columns, collect=lambda: self.rows)

    def stop(self) -> None:
        self.stopped += 1

    @property
    def sparkContext(self) -> SimpleNamespace:
        tracker = SimpleNamespace(getActiveStageIds=lambda: [7], getStageInfo=self._stage)
        return SimpleNamespace(
            getConf=lambda: SimpleNamespace(getAll=lambda: list(self.conf.items())),
            statusTracker=lambda: tracker,
        )

    def _stage(self, number: int) -> SimpleNamespace:
        self.followed.set()
        return SimpleNamespace(numCompletedTasks=2, numTasks=4)

    @property
    def _jsparkSession(self) -> Any:
        """Its planner has a strategy of the extension, as after a start with it."""
        strategy = jvm_object(getClass=jvm_object(getName="hudilite.spark.Strategy"))
        strategies = iter([strategy])
        listed = SimpleNamespace(hasNext=lambda: True, next=lambda: next(strategies))
        planner = jvm_object(strategies=jvm_object(iterator=listed))
        return jvm_object(sessionState=jvm_object(planner=planner))

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Let pyspark's builder open this one."""
        loader = jvm_object(getResource="the jar has it")
        thread = jvm_object(currentThread=jvm_object(getContextClassLoader=loader))
        jvm = SimpleNamespace(
            scala=SimpleNamespace(
                util=SimpleNamespace(Properties=jvm_object(versionNumberString="2.13.16"))
            ),
            java=SimpleNamespace(lang=SimpleNamespace(Thread=thread)),
        )
        context = SimpleNamespace(
            _active_spark_context=None,
            _gateway=None,
            _jvm=jvm,
            _ensure_initialized=lambda: None,
        )
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pyspark, "SparkContext", context)
            patch.setattr(sql, "SparkSession", SimpleNamespace(builder=_Builder(self)))
            yield


class _Builder:
    """As that of pyspark's sessions, each time a new one."""

    def __init__(self, session: FakeSession) -> None:
        self._session = session
        self._options: dict[str, str] = {}

    def appName(self, name: str) -> _Builder:
        return _Builder(self._session).config("spark.app.name", name)

    def config(self, key: str, value: str) -> _Builder:
        self._options[key] = value
        return self

    def getOrCreate(self) -> FakeSession:
        self._session.conf = self._options
        return self._session


def jvm_object(**answers: object) -> SimpleNamespace:
    """What has methods that answer whatever they are given."""

    def method(answer: object) -> Callable[..., object]:
        return lambda *given: answer

    return SimpleNamespace(**{name: method(answer) for name, answer in answers.items()})
