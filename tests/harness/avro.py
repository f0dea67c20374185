"""Avro container files, as the timeline of Hudi's versions 8 and 9 has them, written and read; no library."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable
from typing import Any

MAGIC = b"Obj\x01"
SYNC = b"made by the test"


def container(
    schema: dict[str, Any],
    record: dict[str, Any],
    codec: str = "null",
    entries: dict[str, bytes] | None = None,
) -> bytes:
    """The file of one record; a field that the record lacks is null.

    Args:
        codec: null or deflate.
        entries: More entries of the header.
    """
    block = encoded(schema, record)
    if codec == "deflate":
        packer = zlib.compressobj(wbits=-15)
        block = packer.compress(block) + packer.flush()
    head = {"avro.schema": json.dumps(schema).encode(), "avro.codec": codec.encode()}
    head |= entries or {}
    return b"".join(
        (
            MAGIC,
            encoded({"type": "map", "values": "bytes"}, head),
            SYNC,
            _long(1),
            encoded("bytes", block),
            SYNC,
        )
    )


def header(data: bytes) -> dict[str, bytes]:
    """The entries in the header of a file."""
    found: dict[str, bytes] = _Reader(data, len(MAGIC)).value({"type": "map", "values": "bytes"})
    return found


def records(data: bytes) -> list[dict[str, Any]]:
    """The records of a file that is not compressed."""
    assert data.startswith(MAGIC)
    reader = _Reader(data, len(MAGIC))
    head = reader.value({"type": "map", "values": "bytes"})
    assert head.get("avro.codec", b"null") == b"null"
    schema, sync = json.loads(head["avro.schema"]), reader.take(16)
    found: list[dict[str, Any]] = []
    while reader.at < len(data):
        count, length = reader.long(), reader.long()
        end = reader.at + length
        found += [reader.value(schema) for _ in range(count)]
        assert reader.at == end
        assert reader.take(16) == sync
    return found


def value(schema: Any, data: bytes) -> Any:
    """One value in Avro's binary form."""
    reader = _Reader(data, 0)
    found = reader.value(schema)
    assert reader.at == len(data)
    return found


class _Reader:
    """Reads one value after the other from a place on."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at

    def take(self, length: int) -> bytes:
        self.at += length
        return self.data[self.at - length : self.at]

    def long(self) -> int:
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return (value >> 1) ^ -(value & 1)

    def value(self, schema: Any) -> Any:
        if isinstance(schema, list):
            return self.value(schema[self.long()])
        kind = schema["type"] if isinstance(schema, dict) else schema
        match kind:
            case "record":
                return {field["name"]: self.value(field["type"]) for field in schema["fields"]}
            case "map":
                return dict(
                    self.blocks(lambda: (self.value("string"), self.value(schema["values"])))
                )
            case "array":
                return self.blocks(lambda: self.value(schema["items"]))
            case "string":
                return self.take(self.long()).decode()
            case "bytes":
                return self.take(self.long())
            case "int" | "long":
                return self.long()
            case "boolean":
                return self.take(1) != b"\0"
            case "null":
                return None
        raise ValueError(f"no Avro type: {kind}")

    def blocks(self, item: Callable[[], Any]) -> list[Any]:
        found: list[Any] = []
        while (count := self.long()) != 0:
            if count < 0:  # the length of the block in bytes follows
                self.long()
            found += [item() for _ in range(abs(count))]
        return found


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
