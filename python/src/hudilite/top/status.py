"""Whether the writer of a pending action is alive, as far as its files show, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal["alive", "silent", "dead", "planned"]

STALE_SECONDS = 120.0  # age at which Hudi takes a heartbeat for stale
PLANS = frozenset({"compaction", "logcompaction", "clustering", "indexing"})

_WRITES = frozenset({"commit", "deltacommit", "replacecommit"})
_DISREGARDED = (
    "The next write of hudilite rolls it back, although its heartbeat goes on: hudilite looks at "
    "heartbeats in tables with hudilite.stock.lock. Set spark.hudilite.write.rollbackAfter of its "
    "writers above the duration of this write."
)
_UNLESS_SHARED = " If its log files have blocks of other commits, stock Hudi must roll it back."


@dataclass(frozen=True)
class Signs:
    """Signs of life of a pending action.

    Attributes:
        action: Action on the timeline; ``clustering`` also in table version 6.
        is_begun: Whether it has an inflight file.
        state_seconds: Seconds since its newest file on the timeline was written.
        silent_seconds: Seconds since its last sign: a file on the timeline, a heartbeat, a marker.
        heartbeat_seconds: Seconds since its heartbeat; None without a heartbeat.
        is_heeded: Whether hudilite's writers look at heartbeats, as they do in a table with
            ``hudilite.stock.lock``.
    """

    action: str
    is_begun: bool
    state_seconds: float
    silent_seconds: float
    heartbeat_seconds: float | None
    is_heeded: bool = True


def status_of(signs: Signs, rollback_after: float) -> Status:
    """Returns whether a writer is alive.

    If there is a heartbeat, it decides. Otherwise, a writer without a sign of life for two minutes
    is ``silent``: it may be dead, or its tasks may take that long to write a file.

    Args:
        signs: Signs of life.
        rollback_after: Age in seconds at which hudilite's next write rolls a pending write back.

    Examples:
        >>> status_of(Signs("commit", True, 900.0, 4.0, None), 86400.0)
        'alive'
        >>> status_of(Signs("commit", True, 900.0, 130.0, 130.0), 86400.0)
        'dead'
    """
    if signs.action in PLANS and not signs.is_begun:
        return "planned"
    if signs.heartbeat_seconds is not None:
        return "alive" if signs.heartbeat_seconds <= STALE_SECONDS else "dead"
    if signs.silent_seconds <= STALE_SECONDS:
        return "alive"
    return "dead" if _is_write(signs) and signs.state_seconds >= rollback_after else "silent"


def advice(signs: Signs, status: Status, rollback_after: float, call: str) -> str:
    """Returns what to do about an action; "" for nothing.

    Args:
        signs: Signs of life.
        status: What `status_of` returned.
        rollback_after: Argument of `status_of`.
        call: The CALL that rolls the action back, if it is a write.
    """
    is_old = _is_write(signs) and signs.state_seconds >= rollback_after
    if status == "alive":
        beats = signs.heartbeat_seconds is not None
        return _DISREGARDED if beats and is_old and not signs.is_heeded else ""
    if signs.action in PLANS:
        how = "executes it" if status == "planned" else "finishes it, or rolls it back"
        return f"Stock Hudi {how} when its table service runs next."
    if not _is_write(signs):
        return "The next clean, rollback or restore of the table finishes it."
    if status == "dead" and signs.heartbeat_seconds is None:
        unless = "" if signs.action != "deltacommit" else _UNLESS_SHARED
        return f"The next write of hudilite rolls it back, and so does {call}.{unless}"
    if status == "dead":
        return f"Its heartbeat has stopped. Roll it back with {call}."
    return f"If its writer has ended, roll it back with {call}."


def _is_write(signs: Signs) -> bool:
    return signs.action in _WRITES
