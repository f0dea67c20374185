"""Reader of a table's bootstrap index: the source file of each adopted file group."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hudilite.format import avro, hfile, instant_files
from hudilite.format.commit_json import corrupt
from hudilite.format.folders import Folder

INDEX = (
    ".hoodie/.aux/.bootstrap/.partitions/"
    f"00000000-0000-0000-0000-000000000000-0_1-0-1_{instant_files.BOOTSTRAP}.hfile"
)

_RESTORE = "Restore the file from a copy: bootstrapped rows cannot be read without it."


def sources(folder: Folder) -> Mapping[tuple[str, str], str]:
    """Reads the whole bootstrap index.

    Returns:
        URI of the bootstrap source file, by partition path and file group id.

    Raises:
        HudiliteError: ``HUDILITE_MISSING_FILE`` when the table has no index file.
        HudiliteError: ``HUDILITE_CORRUPT_TIMELINE`` when the index cannot be parsed.
    """
    data = folder.read(INDEX)
    try:
        found: dict[tuple[str, str], str] = {}
        for key, value in hfile.entries(data).items():
            partition = key.removeprefix("part=")
            for group, uri in _of_partition(value).items():
                found[partition, group] = uri
        return found
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise corrupt(folder.path(INDEX), f"it is malformed ({error})", _RESTORE) from error


def source_of(known: Mapping[tuple[str, str], str], folder: Folder, group: tuple[str, str]) -> str:
    """Returns the source URI of one adopted file group.

    Raises:
        HudiliteError: ``HUDILITE_CORRUPT_TIMELINE`` when the index has no entry for the file group.
    """
    if group not in known:
        reason = f"it has no source file for file group {group[1]}"
        raise corrupt(folder.path(INDEX), reason, _RESTORE)
    return known[group]


def _of_partition(value: bytes) -> Mapping[str, str]:
    (record,) = avro.records(value)
    files: Mapping[str, Any] = record["fileIdToBootstrapFile"]
    return {group: status["path"]["uri"] for group, status in files.items()}
