"""Facts that stand in the footer of a Parquet file; they take pyarrow to read."""

from __future__ import annotations

from typing import Any

from hudilite.conditions import error_of, session_error


def row_count(path: str, file: str, filesystem: Any) -> int:
    """Rows of a Parquet file.

    Args:
        path: As errors name it.
        file: Path within the file system.
        filesystem: A ``pyarrow.fs.FileSystem``, None for the local one.

    Raises:
        HudiliteError: ``HUDILITE_PACKAGE_MISSING`` without pyarrow, ``HUDILITE_MISSING_FILE``,
            ``HUDILITE_CORRUPT_DATA_FILE`` where there is no footer to be read.
    """
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import read_metadata
    except ImportError as error:
        raise session_error(
            "HUDILITE_PACKAGE_MISSING", work="Reading footers", package="pyarrow"
        ) from error
    try:
        return int(read_metadata(file, filesystem=filesystem).num_rows)
    except FileNotFoundError as error:
        raise error_of("HUDILITE_MISSING_FILE", path=path) from error
    except (ArrowException, OSError) as error:
        reason = first_line(error)
        raise error_of("HUDILITE_CORRUPT_DATA_FILE", path=path, reason=reason) from error


def first_line(error: BaseException) -> str:
    """What an exception says in its first line."""
    return str(error).split("\n", 1)[0].strip() or type(error).__name__
