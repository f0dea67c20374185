"""Relative path of a partition, from the rules of Apache Hudi's key generators."""

from __future__ import annotations

import re
from collections.abc import Sequence

DEFAULT = "__HIVE_DEFAULT_PARTITION__"
SPECIAL = {chr(c) for c in range(0x20)} | set("\"#%'*/:=?\\{[]^\x7f")


def escape(text: str) -> str:
    """Each of Hive's special characters as % and two upper-case hex digits."""
    return "".join(f"%{ord(c):02X}" if c in SPECIAL else c for c in text)


def unescape(text: str) -> str:
    """What escape was given; a % without two hex digits stands for itself."""
    return re.sub("%([0-9A-Fa-f]{2})", lambda m: chr(int(m.group(1), 16)), text)


def encode(
    fields: Sequence[str], values: Sequence[str | None], *, hive_style: bool, url_encode: bool
) -> str:
    """Path of the partition that holds the values; null and empty share the default folder."""
    levels = []
    for field, value in zip(fields, values, strict=True):
        text = (escape(value) if url_encode else value) if value else DEFAULT
        levels.append(f"{field}={text}" if hive_style else text)
    return "/".join(levels)
