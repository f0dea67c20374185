"""Text of `_hoodie_record_key`, from the rules of Apache Hudi's key generators."""

from __future__ import annotations

from collections.abc import Sequence


def is_complex(key_fields: Sequence[str], partition_fields: Sequence[str]) -> bool:
    """Whether stock Hudi 1.2 writes `f:v,..` for a table, by the generator that it infers."""
    return len(key_fields) > 1 or len(partition_fields) > 1


def generator(key_fields: Sequence[str], partition_fields: Sequence[str]) -> str:
    """The hoodie.table.keygenerator.type that stock Hudi 1.2 infers."""
    if not partition_fields:
        return "NON_PARTITION"
    return "SIMPLE" if len(key_fields) == 1 and len(partition_fields) == 1 else "COMPLEX"


def record_key(
    key_fields: Sequence[str], partition_fields: Sequence[str], values: Sequence[str | None]
) -> str:
    """Key text of one row; values are the texts of the key columns in key order.

    Raises:
        ValueError: when every value is null or empty, which Hudi does not store.
    """
    if not any(values):
        raise ValueError("a key needs a value that is neither null nor empty")
    if not is_complex(key_fields, partition_fields):
        return str(values[0])
    texts = ["__null__" if v is None else v or "__empty__" for v in values]
    return ",".join(f"{f}:{t}" for f, t in zip(key_fields, texts, strict=True))
