"""Facts from the footer of a Parquet file. Reading them needs pyarrow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hudilite.conditions import error_of, session_error

_LEAST, _GREATEST = b"hoodie_min_record_key", b"hoodie_max_record_key"


@dataclass(frozen=True)
class Footer:
    """Facts from the footer of a base file.

    Attributes:
        rows: Number of rows; None when it is not known.
        least_key: Least record key; None when Hudi wrote none, as in a file without rows.
        greatest_key: Greatest record key; None in the cases in which `least_key` is None.
    """

    rows: int | None
    least_key: str | None = None
    greatest_key: str | None = None


def footer(path: str, file: str, filesystem: Any) -> Footer:
    """Reads the footer of a Parquet file.

    Args:
        path: Path for error messages.
        file: Path within `filesystem`.
        filesystem: ``pyarrow.fs.FileSystem``; None for the local one.

    Raises:
        HudiliteError: ``HUDILITE_PACKAGE_MISSING`` when pyarrow is not installed.
        HudiliteError: ``HUDILITE_MISSING_FILE`` when the file is gone.
        HudiliteError: ``HUDILITE_CORRUPT_DATA_FILE`` when the footer cannot be read.
    """
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import read_metadata
    except ImportError as error:
        raise session_error(
            "HUDILITE_PACKAGE_MISSING", work="Reading footers", package="pyarrow"
        ) from error
    try:
        found = read_metadata(file, filesystem=filesystem)
    except FileNotFoundError as error:
        raise error_of("HUDILITE_MISSING_FILE", path=path) from error
    except (ArrowException, OSError) as error:
        reason = first_line(error)
        raise error_of("HUDILITE_CORRUPT_DATA_FILE", path=path, reason=reason) from error

    pairs = found.metadata or {}
    return Footer(int(found.num_rows), _text(pairs.get(_LEAST)), _text(pairs.get(_GREATEST)))


def first_line(error: BaseException) -> str:
    """Returns the first line of an exception's text, or its class name if that line is empty."""
    return str(error).split("\n", 1)[0].strip() or type(error).__name__


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode("utf-8", "replace")
