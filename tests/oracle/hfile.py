"""Hudi's bootstrap index as HFiles of version 3, uncompressed: hudi-format.md 8.4, 8.5."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

BLOCK_BYTES = 64 * 1024
CHECKSUM_BYTES = 16 * 1024
HEAD_BYTES = 33
LATEST = 0x7FFFFFFFFFFFFFFF
PUT = 4
TRAILER_BYTES = 4096
COMPARATOR = b"org.apache.hudi.io.storage.HoodieHBaseKVComparator"

Entry = tuple[bytes, bytes]


def vint(number: int) -> bytes:
    """Hadoop's number of variable length, from 0 on."""
    if number <= 127:
        return bytes([number])
    payload = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return bytes([256 - 112 - len(payload)]) + payload


def varint(number: int) -> bytes:
    """Protobuf's."""
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes([number])


def block(magic: bytes, body: bytes) -> bytes:
    """A block with its head, and zeros where checksums stand."""
    zeros = bytes(4 * -(-(HEAD_BYTES + len(body)) // CHECKSUM_BYTES))
    head = struct.pack(
        ">8siiqbii",
        magic,
        len(body) + len(zeros),
        len(body),
        -1,
        0,
        CHECKSUM_BYTES,
        HEAD_BYTES + len(body),
    )
    return head + body + zeros


def full_key(key: bytes) -> bytes:
    """A row's key as a cell has it."""
    return struct.pack(">h", len(key)) + key + struct.pack(">bqb", 0, LATEST, PUT)


def cell(entry: Entry) -> bytes:
    """One entry of a data block."""
    key, value = full_key(entry[0]), entry[1]
    return struct.pack(">ii", len(key), len(value)) + key + value + b"\0"


def data_blocks(entries: Sequence[Entry]) -> list[list[Entry]]:
    """Entries block by block; one that would make a block too large begins the next."""
    blocks: list[list[Entry]] = []
    size = 0
    for entry in entries:
        length = len(cell(entry))
        if not blocks or size + length > BLOCK_BYTES:
            blocks.append([])
            size = 0
        blocks[-1].append(entry)
        size += length
    return blocks


def _message(*fields: tuple[int, int | bytes]) -> bytes:
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
        else:
            out += varint(number << 3 | 2) + varint(len(value)) + value
    return out


def write(entries: Sequence[Entry], info: Mapping[bytes, bytes]) -> bytes:
    """The file of entries, which are in the order of their keys' bytes."""
    out, index, places = b"", b"", []
    for some in data_blocks(entries):
        made = block(b"DATABLK*", b"".join(map(cell, some)))
        key = struct.pack(">h", len(some[0][0])) + some[0][0]
        index += struct.pack(">qi", len(out), len(made)) + vint(len(key)) + key
        places.append(len(out))
        out += made
    load = len(out)
    out += block(b"IDXROOT2", index) + block(b"IDXROOT2", b"")
    facts = {b"KEY_VALUE_VERSION": struct.pack(">i", 1), b"MAX_MEMSTORE_TS_KEY": bytes(8), **info}
    if entries:
        facts[b"hfile.LASTKEY"] = full_key(entries[-1][0])
    pairs = _message(*((1, _message((1, k), (2, v))) for k, v in sorted(facts.items())))
    info_at = len(out)
    out += block(b"FILEINF2", b"PBUF" + varint(len(pairs)) + pairs)
    trailer = _message(
        (1, info_at),
        (2, load),
        (3, len(index)),
        (4, len(out)),
        (5, len(places)),
        (6, 0),
        (7, len(entries)),
        (8, 1),
        (9, places[0] if places else 0),
        (10, places[-1] if places else 0),
        (11, COMPARATOR),
        (12, 2),
    )
    said = b'TRABLK"$' + varint(len(trailer)) + trailer
    return out + said.ljust(TRAILER_BYTES - 4, b"\0") + struct.pack(">i", 3)


def avro_text(text: str) -> bytes:
    """A string or bytes as Avro has it."""
    data = text.encode()
    return avro_long(len(data)) + data


def avro_long(number: int) -> bytes:
    """A whole number as Avro has it."""
    return varint((number << 1) ^ (number >> 63) & (1 << 64) - 1)


def avro_file(schema: str, record: bytes) -> bytes:
    """A container of one record."""
    sync = b"hudilite oracle!"
    pairs = avro_text("avro.schema") + avro_text(schema)
    body = avro_long(1) + avro_long(len(record)) + record
    return b"Obj\1" + avro_long(1) + pairs + avro_long(0) + sync + body + sync
