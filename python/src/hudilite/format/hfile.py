"""Reader of HFiles of version 3, the sorted maps of Hudi's bootstrap index and metadata table."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator, Mapping

from hudilite.format.crc32c import crc32c

_TRAILER_BYTES = 4096
_HEAD = struct.Struct(">8siiqbii")
_TRAILER_MAGIC = b'TRABLK"$'
_PROTOCOL = b"PBUF"
_DATA, _INDEX, _INFO = b"DATABLK*", b"IDXROOT2", b"FILEINF2"
_NONE, _GZIP = 2, 1
_UNCHECKED = 0
_SUMS: Mapping[int, Callable[[bytes], int]] = {1: zlib.crc32, 2: crc32c}
_OPEN, _BLOCKS, _ENTRIES, _LEVELS, _CODEC = 2, 5, 7, 8, 12

Fields = dict[int, int | bytes]


def entries(data: bytes) -> dict[str, bytes]:
    """Returns the value of every key in an HFile.

    Args:
        data: Content of the whole file. Its blocks are uncompressed or compressed with GZ.

    Raises:
        ValueError: When the bytes are not an HFile of version 3, end too early, or do not match
            their lengths, counts or checksums.
    """
    try:
        return dict(_entries(data))
    except (struct.error, zlib.error, LookupError) as error:
        raise ValueError(f"it ends too early ({error})") from error


def info(data: bytes) -> dict[bytes, bytes]:
    """Returns the facts that an HFile stores about itself.

    Args:
        data: Content of the whole file.

    Raises:
        ValueError: The errors of `entries`.
    """
    try:
        _, body = _index_and_info(data, _trailer(data))
        if not body.startswith(_PROTOCOL):
            raise ValueError("its facts are not a protocol buffer")
        size, at = _varint(body, len(_PROTOCOL))
        pairs = (dict(_fields(_bytes(pair))) for _, pair in _fields(body[at : at + size]))
        return {_bytes(pair[1]): _bytes(pair.get(2, b"")) for pair in pairs}
    except (struct.error, zlib.error, LookupError) as error:
        raise ValueError(f"it ends too early ({error})") from error


def _index_and_info(data: bytes, trailer: Fields) -> tuple[bytes, bytes]:
    """Returns the bodies of the index of the data blocks, and of the facts about the file."""
    codec = trailer.get(_CODEC, _NONE)
    index, after = _block(data, _number(trailer, _OPEN), _INDEX, codec)
    _, after = _block(data, after, _INDEX, codec)
    return index, _block(data, after, _INFO, codec)[0]


def _entries(data: bytes) -> Iterator[tuple[str, bytes]]:
    trailer = _trailer(data)
    codec = trailer.get(_CODEC, _NONE)
    open_at = _number(trailer, _OPEN)
    index, facts = _index_and_info(data, trailer)
    has_versions = b"KEY_VALUE_VERSION" in facts
    before = data[:open_at]
    count = 0
    for offset in _offsets(index, _number(trailer, _BLOCKS)):
        body, _ = _block(before, offset, _DATA, codec)
        for entry in _cells(body, has_versions):
            count += 1
            yield entry
    if count != trailer.get(_ENTRIES):
        raise ValueError(
            f"it has {count} entries, but its trailer counts {trailer.get(_ENTRIES)!r}"
        )


def _trailer(data: bytes) -> Fields:
    end = data[-_TRAILER_BYTES:]
    if len(end) < _TRAILER_BYTES or not end.startswith(_TRAILER_MAGIC):
        raise ValueError("its end is not that of an HFile")
    major = int.from_bytes(end[-3:], "big")
    if major != 3:
        raise ValueError(f"it is an HFile of version {major}")
    size, at = _varint(end, len(_TRAILER_MAGIC))
    fields = dict(_fields(end[at : at + size]))
    if fields.get(_LEVELS) != 1:
        raise ValueError(f"its data index has {fields.get(_LEVELS)!r} levels")
    return fields


def _block(data: bytes, at: int, magic: bytes, codec: int | bytes) -> tuple[bytes, int]:
    """Returns the uncompressed body of a block, and the offset of the next block."""
    found, on_disk, unpacked, _, kind, chunk, checked = _HEAD.unpack_from(data, at)
    packed = checked - _HEAD.size
    end = at + _HEAD.size + on_disk
    if found != magic or not 0 <= packed <= on_disk or end > len(data):
        raise ValueError(f"it has no block {magic.decode()} at {at}")
    _check_sums(data[at : at + checked], data[at + checked : end], kind, chunk)
    body = data[at + _HEAD.size : at + checked]
    if codec == _GZIP:
        body = zlib.decompress(body, wbits=31)
    elif codec != _NONE:
        raise ValueError(f"its compression has the number {codec!r}")
    if len(body) != unpacked:
        raise ValueError(f"a block of {len(body)} bytes declares {unpacked}")
    return body, end


def _check_sums(checked: bytes, sums: bytes, kind: int, chunk: int) -> None:
    """Checks a block against the checksum of each of its chunks.

    A block of checksum type 0 is not checked: stock Hudi leaves the checksums zero.
    """
    if kind == _UNCHECKED:
        return
    if kind not in _SUMS or chunk <= 0:
        raise ValueError(f"its checksum type is {kind}")
    expected = [_SUMS[kind](checked[i : i + chunk]) for i in range(0, len(checked), chunk)]
    if struct.pack(f">{len(expected)}I", *expected) != sums:
        raise ValueError("the checksum of a block does not match its bytes")


def _offsets(index: bytes, blocks: int) -> Iterator[int]:
    at = 0
    for _ in range(blocks):
        (offset,) = struct.unpack_from(">q", index, at)
        length, at = _hadoop_number(index, at + 12)
        at += length
        yield offset


def _cells(body: bytes, has_versions: bool) -> Iterator[tuple[str, bytes]]:
    at = 0
    while at < len(body):
        key_bytes, value_bytes, row_bytes = struct.unpack_from(">iih", body, at)
        key = body[at + 10 :][:row_bytes]
        value_at = at + 8 + key_bytes
        at = value_at + value_bytes
        if min(key_bytes, value_bytes, row_bytes) < 0 or at > len(body):
            raise ValueError("an entry is longer than its block")
        yield key.decode("utf-8"), body[value_at:at]
        if has_versions:
            _, at = _hadoop_number(body, at)


def _hadoop_number(data: bytes, at: int) -> tuple[int, int]:
    """Decodes a number in Hadoop's variable-length form; returns it and the next offset.

    The number is 0 or more: one byte, or a byte that gives the count of bytes that follow.
    """
    first = struct.unpack_from(">b", data, at)[0]
    if first >= -112:
        return first, at + 1
    size = -112 - first
    return int.from_bytes(data[at + 1 : at + 1 + size], "big"), at + 1 + size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while data[at] & 0x80:
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
    return value | data[at] << shift, at + 1


def _fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yields the fields of a protocol buffer: number, and varint or length-delimited bytes."""
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        value, at = _varint(message, at)
        if tag & 7 == 2:
            yield tag >> 3, message[at : at + value]
            at += value
        elif tag & 7 == 0:
            yield tag >> 3, value
        else:
            raise ValueError(f"it contains a field of the unknown type {tag & 7}")


def _number(fields: Fields, field: int) -> int:
    value = fields.get(field)
    if not isinstance(value, int):
        raise ValueError(f"its trailer lacks field {field}")
    return value


def _bytes(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise ValueError("a fact about the file is a number")
    return value
