"""The places at which FaultGate stops a writer: its calls of Storage, one of each phase of a commit."""

from __future__ import annotations

INFLIGHT = "createNew:[.]inflight$"
NUMBER = "createNew:/commits/[0-9]{20}$"
ANY = "*:"
AFTER_NUMBER = f"{INFLIGHT} {NUMBER} {ANY}"
# What has been done where a writer stands; the next step is not.
PHASES = {
    "PLAN": "createNew:[.]requested$",  # it has read its snapshot
    "REQ": INFLIGHT,
    "INF": f"{INFLIGHT} {ANY}",
    "WRITE": f"{INFLIGHT} names:/commits$",  # its files are written, no later number is known
    "BEFORE_NUMBER": f"{INFLIGHT} {NUMBER}",  # it has seen no conflict
    "AFTER_NUMBER": AFTER_NUMBER,  # the commit point is behind it
    "AFTER_DONE": f"{INFLIGHT} {NUMBER} createNew:/commits/[0-9]{{20}}-",
}
# Steps of a rollback that has found its instant.
ROLLBACK_STEPS = (
    NUMBER,
    "createNew:[.]rollback[.]requested$",
    "createNew:[.]rollback[.]inflight$",
    "delete:[.]parquet$",
    "createNew:[0-9][.]rollback$",
    "delete:[0-9][.]inflight$",
    "delete:[.]commit[.]requested$",
)
# Steps of a clean that has found what is to go.
CLEAN_STEPS = (
    "createNew:[.]clean[.]requested$",
    "createNew:[.]clean[.]inflight$",
    "delete:[.]parquet$",
    "createNew:[0-9][.]clean$",
)
