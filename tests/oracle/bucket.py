"""Bucket of a record key, from the rules of Apache Hudi's simple bucket index.

Shares no code with hudilite: the tests hold both against what stock Hudi printed.
"""

from __future__ import annotations

from collections.abc import Sequence

INT_MAX = 0x7FFFFFFF
PLACEHOLDERS = {"__null__": None, "__empty__": ""}


def java_hash(text: str) -> int:
    """java.lang.String.hashCode as an unsigned number: 31-fold over UTF-16 code units."""
    units = text.encode("utf-16-be", "surrogatepass")
    value = 0
    for i in range(0, len(units), 2):
        value = (31 * value + int.from_bytes(units[i : i + 2], "big")) & 0xFFFFFFFF
    return value


def bucket_of(values: Sequence[str | None], n: int) -> int:
    """Bucket in [0, n) of the hashed values, which java.util.List.hashCode folds from 1."""
    value = 1
    for text in values:
        value = (31 * value + (0 if text is None else java_hash(text))) & 0xFFFFFFFF
    return (value & INT_MAX) % n


def hash_values(record_key: str, hash_fields: Sequence[str]) -> list[str | None]:
    """Values that are hashed for a stored key, in the order of the key.

    A key without a comma or without a colon is hashed whole; so is one with none of the fields.
    A value ends at the last comma before a later colon.
    """
    if "," not in record_key or ":" not in record_key:
        return [record_key]
    pairs: list[tuple[str, str]] = []
    rest = record_key
    while rest:
        field, _, tail = rest.partition(":")
        commas = [tail[:i].rfind(",") for i, sign in enumerate(tail) if sign == ":"]
        end = next((comma for comma in commas if comma >= 0), len(tail))
        pairs.append((field, tail[:end]))
        rest = tail[end + 1 :]
    found = [PLACEHOLDERS.get(v, v) for f, v in pairs if f in hash_fields]
    return found or [record_key]


def bucket_of_key(record_key: str, hash_fields: Sequence[str], n: int) -> int:
    """Bucket in [0, n) of a stored `_hoodie_record_key`."""
    return bucket_of(hash_values(record_key, hash_fields), n)
