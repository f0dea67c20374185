"""Avro container files with one record, as the timeline of Hudi's versions 8 and 9 has them; no library."""

from __future__ import annotations

import json
import struct
import zlib
from typing import Any

SYNC = b"made by the test"


def container(schema: dict[str, Any], record: dict[str, Any], codec: str = "null") -> bytes:
    """The file of one record; a field that the record lacks is null.

    Args:
        codec: null or deflate.
    """
    block = encoded(schema, record)
    if codec == "deflate":
        packer = zlib.compressobj(wbits=-15)
        block = packer.compress(block) + packer.flush()
    head = {"avro.schema": json.dumps(schema).encode(), "avro.codec": codec.encode()}
    return b"".join(
        (
            b"Obj\x01",
            encoded({"type": "map", "values": "bytes"}, head),
            SYNC,
            _long(1),
            encoded("bytes", block),
            SYNC,
        )
    )


def encoded(schema: Any, value: Any) -> bytes:
    """Avro's binary form of a value."""
    if isinstance(schema, list):
        branch = next(i for i, kind in enumerate(schema) if _fits(kind, value))
        return _long(branch) + encoded(schema[branch], value)
    kind = schema["type"] if isinstance(schema, dict) else schema
    match kind:
        case "record":
            fields = schema["fields"]
            return b"".join(encoded(field["type"], value.get(field["name"])) for field in fields)
        case "map":
            items = [encoded("string", k) + encoded(schema["values"], v) for k, v in value.items()]
            return _blocks(items)
        case "array":
            return _blocks([encoded(schema["items"], item) for item in value])
        case "string" | "bytes":
            data = value.encode() if isinstance(value, str) else value
            return _long(len(data)) + data
        case "int" | "long":
            return _long(value)
        case "boolean":
            return struct.pack("?", value)
        case "null":
            return b""
    raise ValueError(f"no Avro type: {kind}")


def _fits(kind: Any, value: Any) -> bool:
    return bool(kind == "null") == (value is None)


def _blocks(items: list[bytes]) -> bytes:
    return (_long(len(items)) + b"".join(items) if items else b"") + _long(0)


def _long(value: int) -> bytes:
    """Zigzag, then seven bits a byte, the lowest first."""
    rest = (value << 1) ^ (value >> 63)
    out = bytearray()
    while rest > 0x7F:
        out.append(rest & 0x7F | 0x80)
        rest >>= 7
    out.append(rest)
    return bytes(out)
