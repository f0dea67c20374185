"""One table on a storage that several processes reach, whichever it is."""

from __future__ import annotations

import fnmatch
import glob
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from harness.hdfs import Hdfs
from harness.stores import BUCKET, S3Store, Store


@dataclass(frozen=True)
class Place:
    """Where a table is to lie.

    Attributes:
        location: That statements name.
        conf: Spark's settings of a session that reaches it.
        count: Number of the files below it that match a pattern.
        fetched: Copies it to a folder of the local disk, which does not exist yet.
    """

    location: str
    conf: dict[str, str]
    count: Callable[[str], int] = field(repr=False)
    fetched: Callable[[Path], Path] = field(repr=False)


def on_disk(folder: Path) -> Place:
    """A folder of the local disk."""
    return Place(str(folder), {}, lambda pattern: matches(folder, pattern), lambda copy: folder)


def on_hdfs(hdfs: Hdfs) -> Place:
    """A new folder of an HDFS."""
    path = f"/tables/{uuid4()}"
    return Place(
        hdfs.uri + path,
        {},
        lambda pattern: int(hdfs.ask("count", f"{path}/{pattern}")),
        lambda copy: hdfs.fetched(path, copy),
    )


def on_s3(store: S3Store) -> Place:
    """A new folder of a bucket."""
    name = f"{uuid4()}/t"
    folder = store.folder / name
    return Place(
        f"s3a://{BUCKET}/{name}",
        store.conf(),
        lambda pattern: matches(folder, pattern),
        lambda copy: Path(shutil.copytree(folder, copy)),
    )


def on_cloud(store: Store) -> Place:
    """A new folder of a bucket or container whose files this machine does not see."""
    name = f"{uuid4()}/t"
    return Place(
        store.url(name),
        store.conf(),
        lambda pattern: _matching(store, name, pattern),
        lambda copy: store.fetched(name, copy),
    )


def _matching(store: Store, name: str, pattern: str) -> int:
    from pyarrow.fs import FileSelector

    root = f"{BUCKET}/{name}/"
    folder = (root + pattern).rpartition("/")[0]
    found = store.files().get_file_info(FileSelector(folder, allow_not_found=True))
    return len(fnmatch.filter([one.path for one in found], glob.escape(root) + pattern))


def matches(folder: Path, pattern: str) -> int:
    """Number of files; unlike Path.glob, it takes no notice of a folder that vanishes meanwhile."""
    return len(glob.glob(f"{glob.escape(str(folder))}/{pattern}"))
