"""Processes that call hudilite's storage in a store, driven a line at a time."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from harness.java import kept
from harness.session import JAR
from harness.stores import Store

SOURCES = Path(__file__).resolve().parents[1] / "stores" / "java"
MAIN = "hudilite.tests.StoreCalls"


@dataclass
class Caller:
    """A process with Hadoop's settings of its own.

    Attributes:
        store: That the settings point to.
    """

    process: subprocess.Popen[str]
    store: Store

    def url(self, name: str) -> str:
        """The address of an object of its bucket."""
        return self.store.url(name)

    def ask(self, *words: str) -> None:
        """Begins a call; `answer` waits for it."""
        assert self.process.stdin is not None
        self.process.stdin.write("\t".join(words) + "\n")
        self.process.stdin.flush()

    def answer(self) -> str:
        """The result of the oldest call without one."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, f"the process ended: {self.process.wait(10)}"
        result, tab, _ = line.rpartition("\t")
        assert tab, f"this is no answer: {line}"
        return result

    def call(self, *words: str) -> str:
        """Makes a call."""
        self.ask(*words)
        return self.answer()


@contextmanager
def callers(
    count: int, store: Store, folder: Path, settings: dict[str, str] | None = None
) -> Iterator[list[Caller]]:
    """Starts processes that use a store.

    Args:
        count: Of processes.
        store: Their settings point to it.
        folder: For their logs.
        settings: Hadoop's, over those.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        found = [stack.enter_context(_caller(store, folder / f"{n}.log")) for n in range(count)]
        for key, value in (store.settings() | (settings or {})).items():
            for caller in found:
                caller.ask("set", key, value)
        for caller in found:
            for _ in store.settings() | (settings or {}):
                caller.answer()
        yield found


def together(callers: Sequence[Caller], *words: str) -> list[str]:
    """Answers of all callers to one call, made at once; `{}` in a word is the number of the caller."""
    for number, caller in enumerate(callers):
        caller.ask(*(word.replace("{}", str(number)) for word in words))
    return [caller.answer() for caller in callers]


@contextmanager
def _caller(store: Store, log: Path) -> Iterator[Caller]:
    import pyspark

    spark = f"{Path(pyspark.__file__).parent / 'jars'}/*"
    path = os.pathsep.join([str(kept(SOURCES)), str(JAR), spark, *store.jars()])
    options = ["-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Duser.timezone=UTC"]
    with log.open("w") as errors:
        process = subprocess.Popen(
            ["java", *options, "-cp", path, MAIN],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        try:
            yield Caller(process, store)
        finally:
            process.kill()
            process.wait(10)
