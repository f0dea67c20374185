"""Plans of pending actions, from their files: operation, writer, planned file groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hudilite.errors import HudiliteError
from hudilite.format import avro, commit_json
from hudilite.format.folders import Folder
from hudilite.format.layouts import Layout

_OPERATION = "hudilite.operation"
_APPLICATION = "hudilite.application"
_COMPACTIONS = ("compaction", "logcompaction")


@dataclass(frozen=True)
class Plan:
    """Facts about a pending action, from its files on the timeline.

    Attributes:
        operation: ``UPSERT``, ``COMPACT``, ``CLUSTER`` ...; "" if its files do not contain it.
        writer: Spark application, or id of the hudilite writer; "" if its files do not contain it.
        groups: Number of file groups that it is to write or read; None if its files name none.
        is_clustering: Whether it is a clustering that stock Hudi has planned.
    """

    operation: str = ""
    writer: str = ""
    groups: int | None = None
    is_clustering: bool = False


def read(folder: Folder, layout: Layout, action: str, names: Mapping[str, str]) -> Plan:
    """Reads the files of a pending action. A file that is gone, damaged or empty adds no facts.

    Args:
        folder: Folder of the table.
        layout: Form of its timeline.
        action: Action on the timeline.
        names: Names of its files, by state.
    """
    requested = _records(folder, layout, names.get("requested"))
    if action in _COMPACTIONS:
        operations = [_items(record.get("operations")) for record in requested]
        return Plan("LOG_COMPACT" if action == "logcompaction" else "COMPACT", "", _sum(operations))
    clustered = _clustered(requested)
    if clustered is not None:
        return Plan("CLUSTER", "", clustered, is_clustering=True)
    inflight = _fields(folder, layout, names.get("inflight"))
    extra = commit_json.mapping(inflight.get("extraMetadata"))
    operation = extra.get(_OPERATION) or inflight.get("operationType") or ""
    writer = extra.get(_APPLICATION) or extra.get(commit_json.WRITER) or ""
    return Plan(str(operation), str(writer), _updated(inflight))


def _clustered(requested: Iterable[Mapping[str, Any]]) -> int | None:
    """Returns the number of file groups that a planned clustering reads; None for another plan."""
    for record in requested:
        plan = commit_json.mapping(record.get("clusteringPlan"))
        if plan:
            groups = (commit_json.mapping(group) for group in _items(plan.get("inputGroups")))
            return sum(len(_items(group.get("slices"))) for group in groups)
    return None


def _updated(inflight: Mapping[str, Any]) -> int | None:
    """Returns the number of file groups to update that stock Hudi's inflight file names."""
    stats = commit_json.mapping(inflight.get("partitionToWriteStats"))
    named = [
        commit_json.mapping(stat).get("fileId") for of in stats.values() for stat in _items(of)
    ]
    return sum(bool(name) for name in named) or None


def _fields(folder: Folder, layout: Layout, name: str | None) -> Mapping[str, Any]:
    try:
        place = f"{layout.folder}/{name}"
        data = folder.read(place) if name else b""
        return layout.record(data, folder.path(place)) if data else {}
    except HudiliteError:
        return {}


def _records(folder: Folder, layout: Layout, name: str | None) -> list[Mapping[str, Any]]:
    try:
        data = folder.read(f"{layout.folder}/{name}") if name else b""
        return [r for r in avro.records(data) if isinstance(r, dict)] if data else []
    except (HudiliteError, ValueError):
        return []


def _sum(lists: list[list[Any]]) -> int | None:
    return sum(map(len, lists)) if lists else None


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
