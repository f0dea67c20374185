"""The base files of the demo's table, as they lie on disk."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_NAME = re.compile(r"(?P<group>(?P<bucket>\d{8})-.+)_\d+-\d+-\d+_(?P<instant>\d+)\.parquet")


@dataclass(frozen=True)
class BaseFile:
    """One version of one file group.

    Attributes:
        partition: Folder under the base folder, as in ``month=2``.
        bucket: Number of the bucket, the first eight digits of the name.
        instant: Time of the commit that wrote it.
        bytes: Its size.
    """

    partition: str
    bucket: int
    instant: str
    bytes: int


def base_files(table: Path) -> list[BaseFile]:
    """All base files of a table, older versions included, in the order of their paths.

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
