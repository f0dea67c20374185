"""Reader of Avro: container files, by the schema that each contains, and single values."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable, Mapping
from typing import Any

_MAGIC = b"Obj\x01"
_SYNC_BYTES = 16
_MAX_DEPTH = 64

Named = dict[str, Any]


def records(data: bytes) -> list[Any]:
    r"""Decodes every record of a container file into dicts, lists and scalars.

    Args:
        data: Content of the whole file. Its blocks are uncompressed or compressed with deflate.

    Raises:
        ValueError: When the bytes are not an Avro container file, use another codec, are malformed
            or end too early.

    Examples:
        >>> schema = b'"long"'
        >>> file = b"Obj\x01" + b"\x02" + b"\x16avro.schema" + b"\x0c" + schema + b"\x00"
        >>> sync = bytes(16)
        >>> records(file + sync + b"\x04\x04\x02\x04" + sync)
        [1, 2]
    """
    try:
        return _records(_Cursor(data))
    except (AttributeError, LookupError, TypeError, zlib.error) as error:
        raise ValueError(f"it is malformed ({error!r})") from error


def value(schema: Any, data: bytes) -> Any:
    r"""Decodes one value in Avro's binary form.

    Args:
        schema: Schema of the value, as parsed JSON.
        data: All bytes of the value.

    Raises:
        ValueError: When the bytes are malformed, end too early or go on after the value.

    Examples:
        >>> value({"type": "array", "items": "string"}, b"\x02\x04hi\x00")
        ['hi']
    """
    cursor = _Cursor(data)
    try:
        found = cursor.read(schema, _declared(schema), 0)
    except (AttributeError, LookupError, TypeError) as error:
        raise ValueError(f"it is malformed ({error!r})") from error
    if cursor.left:
        raise ValueError(f"{cursor.left} bytes follow the value")
    return found


def _records(cursor: _Cursor) -> list[Any]:
    if cursor.take(len(_MAGIC)) != _MAGIC:
        raise ValueError("it is not an Avro file")
    facts = cursor.read({"type": "map", "values": "bytes"}, {}, 0)
    codec = facts.get("avro.codec", b"null").decode()
    if codec not in ("null", "deflate"):
        raise ValueError(f"its compression is {codec}")
    schema = json.loads(facts.get("avro.schema", b""))
    named, sync = _declared(schema), cursor.take(_SYNC_BYTES)
    found: list[Any] = []
    while cursor.left:
        count = cursor.long()
        block = cursor.take(cursor.long())
        inside = _Cursor(zlib.decompress(block, -15) if codec == "deflate" else block)
        if count < 0 or count > max(inside.left, 1):
            raise ValueError(f"a block declares {count} records")
        found += [inside.read(schema, named, 0) for _ in range(count)]
        if inside.left or cursor.take(_SYNC_BYTES) != sync:
            raise ValueError("a block does not end at its declared end")
    return found


def _declared(schema: Any, depth: int = 0) -> Named:
    """Returns the named types that a schema declares.

    A value may refer to a type that is declared in a branch of a union that the value does not
    take.
    """
    if depth > _MAX_DEPTH or not isinstance(schema, list | Mapping):
        return {}
    if isinstance(schema, list):
        inner = schema
    else:
        fields = schema.get("fields")
        of_fields = [f.get("type") for f in fields] if isinstance(fields, list) else []
        inner = [schema.get("type"), schema.get("items"), schema.get("values"), *of_fields]
    found: Named = {}
    for one in inner:
        found |= _declared(one, depth + 1)
    if isinstance(schema, Mapping) and isinstance(schema.get("name"), str):
        found[schema["name"].rsplit(".", 1)[-1]] = schema
    return found


class _Cursor:
    """Forward-only reader of bytes. Each length in the data is checked against the bytes left."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    @property
    def left(self) -> int:
        return len(self.data) - self.at

    def take(self, length: int) -> bytes:
        if length < 0 or length > self.left:
            raise ValueError(f"it declares {length} bytes, but only {self.left} are left")
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
            if shift > 63:
                raise ValueError("it contains an endless number")

    def read(self, schema: Any, named: Named, depth: int) -> Any:
        """Decodes one value of a type; `named` contains the named types."""
        if depth > _MAX_DEPTH:
            raise ValueError("its types are nested too deeply")
        if isinstance(schema, list):
            branch = self.long()
            if not 0 <= branch < len(schema):
                raise ValueError(f"a union has no branch {branch}")
            return self.read(schema[branch], named, depth + 1)
        if isinstance(schema, str):
            if schema in _SCALARS:
                return _SCALARS[schema](self)
            if schema.rsplit(".", 1)[-1] not in named:
                raise ValueError(f"it has no type {schema}")
            return self.read(named[schema.rsplit(".", 1)[-1]], named, depth + 1)
        if not isinstance(schema, Mapping):
            raise ValueError("its schema is malformed")
        return self._of_mapping(schema, named, depth)

    def _of_mapping(self, schema: Mapping[str, Any], named: Named, depth: int) -> Any:
        kind = schema.get("type")
        if kind == "record":
            fields = schema.get("fields", [])
            return {f["name"]: self.read(f["type"], named, depth + 1) for f in fields}
        if kind == "array":
            return self._blocks(lambda: self.read(schema["items"], named, depth + 1))
        if kind == "map":
            pairs = self._blocks(
                lambda: (_text(self), self.read(schema["values"], named, depth + 1))
            )
            return dict(pairs)
        if kind == "enum":
            return schema["symbols"][self.long()]
        if kind == "fixed":
            return self.take(schema["size"])
        return self.read(kind, named, depth + 1)

    def _blocks(self, item: Callable[[], Any]) -> list[Any]:
        found: list[Any] = []
        while (count := self.long()) != 0:
            if count < 0:
                self.long()  # a negative count is followed by the block's length in bytes
                count = -count
            if count > self.left:
                raise ValueError(
                    f"a block declares {count} items, but only {self.left} bytes are left"
                )
            found += [item() for _ in range(count)]
        return found


def _text(cursor: _Cursor) -> str:
    return cursor.take(cursor.long()).decode("utf-8")


_SCALARS: Mapping[str, Callable[[_Cursor], Any]] = {
    "null": lambda cursor: None,
    "boolean": lambda cursor: cursor.take(1) != b"\0",
    "int": _Cursor.long,
    "long": _Cursor.long,
    "float": lambda cursor: struct.unpack("<f", cursor.take(4))[0],
    "double": lambda cursor: struct.unpack("<d", cursor.take(8))[0],
    "bytes": lambda cursor: cursor.take(cursor.long()),
    "string": _text,
}
