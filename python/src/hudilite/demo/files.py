"""Base files of the demo's table, as they are on disk."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_NAME = re.compile(r"(?P<group>(?P<bucket>\d{8})-.+)_\d+-\d+-\d+_(?P<instant>\d+)\.parquet")


@dataclass(frozen=True)
class BaseFile:
    """One version of a file group.

    Attributes:
        partition: Folder below the table's base folder, such as ``month=2``.
        bucket: Bucket number, the first eight digits of the file name.
        instant: Instant of the commit that wrote the file.
        bytes: Length of the file.
    """

    partition: str
    bucket: int
    instant: str
    bytes: int


def base_files(table: Path) -> list[BaseFile]:
    """Returns all base files of a table, older versions included, sorted by path.

    Args:
        table: Base folder of the table.
    """
    found = []
    for path in sorted(table.rglob("*.parquet")):
        name = _NAME.fullmatch(path.name)
        partition = path.parent.relative_to(table).as_posix()
        if name and not partition.startswith(".hoodie"):
            bucket, size = int(name["bucket"]), path.stat().st_size
            found.append(BaseFile(partition, bucket, name["instant"], size))
    return found
