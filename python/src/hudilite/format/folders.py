"""Access to a table's folder: a local disk directly, an object store through pyarrow."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from hudilite.conditions import error_of, session_error
from hudilite.errors import HudiliteError
from hudilite.format.footers import Footer, first_line, footer

MAX_READ_BYTES = 64 << 20

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_HADOOPS_S3 = re.compile(r"s3[an]://")
_DENIED = (errno.EACCES, errno.EPERM, errno.EMFILE, errno.ENFILE)
_MEND_RIGHTS = (
    "It exists: check the permissions of this process and its limit of open files (ulimit -n)."
)
_MEND_STORAGE = "Check the path and the storage, and run the command again."
_MEND_PATH = "Write the folder of a table."


@dataclass(frozen=True)
class Entry:
    """Entry of a folder. For a sub-folder, ``bytes`` is 0."""

    name: str
    is_folder: bool
    bytes: int
    modified_seconds: float


@dataclass(frozen=True)
class LocalFolder:
    """Folder that the operating system opens."""

    root: str

    def path(self, below: str) -> str:
        """Returns the full path of a name below the folder; "" is the folder itself."""
        return os.path.join(self.root, *below.split("/")) if below else self.root

    def entries(self, below: str = "") -> list[Entry]:
        """Lists a folder, sorted by name. A folder that does not exist has no entries."""
        with _as_hudilite_errors(self.path(below)):
            try:
                with os.scandir(self.path(below)) as found:
                    entries = [entry for entry in map(_entry, found) if entry is not None]
                    return sorted(entries, key=lambda entry: entry.name)
            except FileNotFoundError:
                return []

    def read(self, below: str, most: int = MAX_READ_BYTES) -> bytes:
        """Reads a whole file of at most `most` bytes, 64 MiB by default.

        Raises:
            HudiliteError: ``HUDILITE_LIMIT_EXCEEDED`` for a longer file.
            HudiliteError: ``HUDILITE_MISSING_FILE`` when the file is gone.
            HudiliteError: ``HUDILITE_PATH_INVALID`` when it cannot be read.
        """
        with _as_hudilite_errors(self.path(below)), open(self.path(below), "rb") as file:
            _check_length(self.path(below), os.fstat(file.fileno()).st_size, most)
            return file.read()

    def footer(self, below: str) -> Footer:
        """Reads the footer of a Parquet file."""
        return footer(self.path(below), self.path(below), None)


@dataclass(frozen=True)
class ArrowFolder:
    """Folder that pyarrow opens.

    Args:
        root: Path as the user wrote it.
        filesystem: ``pyarrow.fs.FileSystem``.
        inner: Path of the folder within `filesystem`.
    """

    root: str
    filesystem: Any
    inner: str

    def path(self, below: str) -> str:
        """Returns the full path of a name below the folder; "" is the folder itself."""
        return f"{self.root.rstrip('/')}/{below}" if below else self.root

    def entries(self, below: str = "") -> list[Entry]:
        """Lists a folder, sorted by name. A folder that does not exist has no entries."""
        from pyarrow.fs import FileSelector, FileType

        with _as_hudilite_errors(self.path(below)):
            selector = FileSelector(self._inside(below), allow_not_found=True)
            found = self.filesystem.get_file_info(selector)
        entries = [
            Entry(i.base_name, i.type == FileType.Directory, i.size or 0, (i.mtime_ns or 0) / 1e9)
            for i in found
        ]
        return sorted(entries, key=lambda entry: entry.name)

    def read(self, below: str, most: int = MAX_READ_BYTES) -> bytes:
        """Reads a whole file of at most `most` bytes, 64 MiB by default.

        Raises:
            HudiliteError: ``HUDILITE_LIMIT_EXCEEDED`` for a longer file.
            HudiliteError: ``HUDILITE_MISSING_FILE`` when the file is gone.
            HudiliteError: ``HUDILITE_PATH_INVALID`` when it cannot be read.
        """
        with (
            _as_hudilite_errors(self.path(below)),
            self.filesystem.open_input_file(self._inside(below)) as file,
        ):
            _check_length(self.path(below), file.size(), most)
            return bytes(file.read())

    def footer(self, below: str) -> Footer:
        """Reads the footer of a Parquet file."""
        return footer(self.path(below), self._inside(below), self.filesystem)

    def _inside(self, below: str) -> str:
        return f"{self.inner.rstrip('/')}/{below}" if below else self.inner


Folder = LocalFolder | ArrowFolder


def open_folder(path: str | os.PathLike[str]) -> Folder:
    """Opens the folder of a table.

    Args:
        path: Path of a local folder, or a URI that ``pyarrow.fs.FileSystem.from_uri`` accepts.

    Raises:
        HudiliteError: ``HUDILITE_PATH_INVALID`` when a local path is not a folder, or the folder or
            URI cannot be opened.
        HudiliteError: ``HUDILITE_PACKAGE_MISSING`` for a URI when pyarrow is not installed.

    Examples:
        >>> open_folder("/").entries("no such folder")
        []
    """
    text = os.fspath(path)
    if text.startswith("file:"):
        text = unquote(urlsplit(text).path)
    if _SCHEME.match(text):
        with _as_hudilite_errors(text):
            return ArrowFolder(text, *filesystem_of(_HADOOPS_S3.sub("s3://", text)))
    with _as_hudilite_errors(text):
        try:
            mode = os.stat(text).st_mode
        except (FileNotFoundError, NotADirectoryError) as error:
            raise _invalid(text, "the folder does not exist", _MEND_PATH) from error
        if not stat.S_ISDIR(mode):
            raise _invalid(text, "it is not a folder", _MEND_PATH)
    return LocalFolder(os.path.abspath(text))


def no_table(folder: Folder) -> HudiliteError:
    """Returns ``HUDILITE_PATH_INVALID``, for a folder that contains no table of Hudi."""
    project = _project(folder)
    if project is None:
        return _invalid(folder.root, "the folder contains no Hudi table", _MEND_PATH)
    mend = f"Read it with spark.read.format('{project.lower()}').load('{folder.root}')."
    return _invalid(folder.root, f"it contains a table of {project}, not of Hudi", mend)


def _project(folder: Folder) -> str | None:
    """Returns the name of the other project whose table a folder contains."""
    if folder.entries("_delta_log"):
        return "Delta"
    metadata = folder.entries("metadata")
    return "Iceberg" if any(e.name.endswith(".metadata.json") for e in metadata) else None


def filesystem_of(uri: str) -> tuple[Any, str]:
    """Returns the pyarrow file system of a URI, and the path within it."""
    try:
        from pyarrow.fs import FileSystem
    except ImportError as error:
        raise session_error(
            "HUDILITE_PACKAGE_MISSING", work=f"Reading {uri}", package="pyarrow"
        ) from error
    filesystem, inner = FileSystem.from_uri(uri)
    return filesystem, inner


@contextmanager
def _as_hudilite_errors(path: str) -> Iterator[None]:
    """Raises an error of the file system as a `HudiliteError` for the path."""
    try:
        yield
    except FileNotFoundError as error:
        raise error_of("HUDILITE_MISSING_FILE", path=path) from error
    except OSError as error:
        reason = (error.strerror or first_line(error)).lower()
        fix = _MEND_RIGHTS if error.errno in _DENIED else _MEND_STORAGE
        raise _invalid(path, reason, fix) from error
    except ValueError as error:
        raise _invalid(path, first_line(error), _MEND_PATH) from error


def _entry(found: os.DirEntry[str]) -> Entry | None:
    """Returns an entry of a folder; None for one that is deleted while the folder is listed."""
    is_folder = found.is_dir()
    try:
        facts = found.stat()
    except FileNotFoundError:  # a link to nothing
        try:
            facts = found.stat(follow_symlinks=False)
        except FileNotFoundError:
            return None
    return Entry(found.name, is_folder, 0 if is_folder else facts.st_size, facts.st_mtime)


def _check_length(path: str, length: int, most: int) -> None:
    if length > most:
        raise error_of("HUDILITE_LIMIT_EXCEEDED", path=path, value=str(length), limit=str(most))


def _invalid(path: str, reason: str, fix: str) -> HudiliteError:
    return error_of("HUDILITE_PATH_INVALID", path=path, reason=reason, fix=fix)
