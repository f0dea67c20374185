"""Histories of concurrent statements, and what is wrong with them; without Spark.

A history is a list of operations, each with the time at which its client asked and the time at which
it was answered. `ok` took effect, `fail` did not, `info` may have: its client never heard. Held
against the rows that are found in the end, and against what was read on the way.

Three workloads: counters that are raised by one, keys that several insert, and lists that are appended to
(`harness.serial`, whose order of elements tells the order of the commits).
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

NEVER = 1 << 62


@dataclass(frozen=True)
class Op:
    """A statement of a history.

    `client` is the session that ran it, one statement after another; `start` and `end` are
    nanoseconds of a clock that all processes share; `seen` has what a read found for each key.
    """

    id: str
    table: str
    kind: str
    keys: tuple[int, ...]
    start: int
    end: int = NEVER
    outcome: str = "info"
    seen: Mapping[int, Any] = field(default_factory=dict)
    condition: str = ""

    @property
    def client(self) -> str:
        return self.id.rsplit(".", 1)[0]

    @property
    def writes(self) -> bool:
        return self.kind != "read"


def ops_of(lines: Iterable[str]) -> list[Op]:
    """The operations of journals: a line when a statement is asked, one when it is answered.

    What was asked and never answered stays `info`, and so does what was answered by the death of
    its process; neither has an end, since nothing can be said to come after it.
    """
    found: dict[str, Op] = {}
    for line in lines:
        told = json.loads(line)
        if told["event"] == "asked":
            keys = tuple(told["keys"])
            op = Op(told["id"], told["table"], told["kind"], keys, told["at"])
            assert op.id not in found, f"{op.id} was asked twice"
            found[op.id] = op
        elif told["event"] in ("ok", "fail"):
            seen = {int(key): value for key, value in told.get("seen", {}).items()}
            found[told["id"]] = replace(
                found[told["id"]],
                end=told["at"],
                outcome=told["event"],
                seen=seen,
                condition=told.get("condition", ""),
            )
        elif told["event"] == "info":
            found[told["id"]] = replace(found[told["id"]], condition=told["condition"])
    return list(found.values())


def counter_faults(ops: Sequence[Op], final: Mapping[int, int]) -> list[str]:
    """What is wrong with counters that start at 0: `add` raises each of its keys by one.

    An acknowledged one is counted, a failed one is not, an unknown one may be; a read lies between
    what had been answered before it was asked and what had been asked before it was answered.
    """
    wrong = []
    adds = [op for op in ops if op.kind == "add"]
    for key, value in sorted(final.items()):
        known = _count(adds, key, "ok")
        unknown = _count(adds, key, "info")
        if value < known:
            wrong.append(f"lost update: counter {key} is {value}, and {known} were acknowledged")
        if value > known + unknown:
            wrong.append(f"counter {key} is {value}, and no more than {known + unknown} can be")
    for read in (op for op in ops if op.kind == "read" and op.outcome == "ok"):
        for key, value in read.seen.items():
            wrong += _stale(read, adds, key, value)
    return [*wrong, *_backwards(ops)]


def _count(adds: Iterable[Op], key: int, outcome: str) -> int:
    return sum(op.outcome == outcome for op in adds if key in op.keys)


def _stale(read: Op, adds: Iterable[Op], key: int, value: int) -> Iterable[str]:
    possible = [op for op in adds if key in op.keys and op.outcome != "fail"]
    least = sum(op.end < read.start and op.outcome == "ok" for op in possible)
    most = sum(op.start < read.end for op in possible)
    if not least <= value <= most:
        yield f"read {read.id} saw {value} of counter {key}, not {least} to {most}"


def _backwards(ops: Iterable[Op]) -> Iterable[str]:
    """Reads of one session that went back."""
    newest: dict[tuple[str, int], int] = {}
    for read in sorted((op for op in ops if op.kind == "read"), key=lambda op: op.start):
        for key, value in read.seen.items():
            place = (read.client, key)
            if value < newest.get(place, 0):
                yield f"read {read.id} went back from {newest[place]} to {value} of counter {key}"
            newest[place] = max(value, newest.get(place, 0))


def unique_faults(ops: Sequence[Op], final: Iterable[tuple[int, str]]) -> list[str]:
    """What is wrong with keys that several insert: each is there once, and one has won it.

    Args:
        ops: Each `insert` of one key.
        final: The rows found: key and id of the operation that put it there.
    """
    rows = list(final)
    inserts = {op.id: op for op in ops if op.kind == "insert"}
    wrong = [
        f"key {key} comes {n} times" for key, n in Counter(k for k, _ in rows).items() if n > 1
    ]
    winners = dict(rows)
    for key, winner in rows:
        op = inserts.get(winner)
        if op is None or op.keys != (key,):
            wrong.append(f"key {key} is of {winner}, which never inserted it")
        elif op.outcome == "fail":
            wrong.append(f"key {key} is of {winner}, which failed")
    acknowledged = defaultdict(list)
    for op in inserts.values():
        (key,) = op.keys
        if op.outcome == "ok":
            acknowledged[key].append(op.id)
        elif op.condition == "HUDILITE_DUPLICATE_KEY":
            wrong += _refused(op, inserts.get(winners.get(key, "")))
    for key, ids in sorted(acknowledged.items()):
        if len(ids) > 1:
            wrong.append(f"duplicate ack: key {key} was acknowledged to {sorted(ids)}")
        if winners.get(key) not in ids:
            wrong.append(f"lost insert: key {key} of {ids} is {winners.get(key)}'s")
    return wrong


def _refused(loser: Op, winner: Op | None) -> Iterable[str]:
    """A duplicate needs somebody whose key was there before."""
    if winner is None:
        yield f"{loser.id} was refused as a duplicate of a key that is not there"
    elif winner.start > loser.end:
        yield f"{loser.id} was refused as a duplicate before {winner.id} was asked"
