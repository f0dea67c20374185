"""Bloom filters with Apache Hudi's bytes, bit by bit and slowly."""

from __future__ import annotations

import base64
import math
import struct
from collections.abc import Iterator, Sequence

M = 0x5BD1E995
MASK = 0xFFFFFFFF


def murmur2(key: bytes, seed: int) -> int:
    """Hadoop's MurmurHash2 as an unsigned number; the tail is big-endian and signed."""
    h = seed ^ len(key)
    whole = len(key) // 4 * 4
    for (block,) in struct.iter_unpack("<I", key[:whole]):
        k = block * M & MASK
        k ^= k >> 24
        h = (h * M & MASK) ^ (k * M & MASK)
    tail = [byte - 256 if byte > 127 else byte for byte in key[whole:]]
    for i, byte in enumerate(reversed(tail)):
        h ^= (byte << (8 * i)) & MASK
    if tail:
        h = h * M & MASK
    h ^= h >> 13
    h = h * M & MASK
    return h ^ (h >> 15)


def positions(key: bytes, hashes: int, bits: int) -> Iterator[int]:
    """Bits that a key sets: each hash seeds the next, and Java's remainder keeps the sign."""
    seed = 0
    for _ in range(hashes):
        seed = murmur2(key, seed)
        signed = seed - (1 << 32) if seed >> 31 else seed
        yield abs(signed) % bits


def shape(entries: int, fpp: float) -> tuple[int, int]:
    """Number of hashes and of bits for a number of keys and a rate of false positives."""
    bits = math.ceil(entries * (-math.log(fpp) / (math.log(2) * math.log(2))))
    return math.ceil(math.log(2) * bits / entries), bits


def head(hashes: int, bits: int) -> bytes:
    """Version -1, number of hashes, Murmur, number of bits."""
    return struct.pack(">iibi", -1, hashes, 1, bits)


def row(keys: Sequence[bytes], hashes: int, bits: int) -> bytes:
    """One SIMPLE block."""
    data = bytearray((bits + 7) // 8)
    for key in keys:
        for i in positions(key, hashes, bits):
            data[i // 8] |= 1 << (i % 8)
    return head(hashes, bits) + bytes(data)


def serialize(keys: Sequence[bytes], entries: int, fpp: float, type_code: str) -> str:
    """Footer text of a filter over the keys, below the 100000 keys where stock stops growing."""
    hashes, bits = shape(entries, fpp)
    if type_code == "SIMPLE":
        return base64.b64encode(row(keys, hashes, bits)).decode()
    parts = [keys[i : i + entries] for i in range(0, len(keys), entries)] or [[]]
    counts = struct.pack(">iii", entries, len(parts[-1]), len(parts))
    rows = b"".join(row(part, hashes, bits) for part in parts)
    return base64.b64encode(head(hashes, bits) + counts + rows).decode()


def might_contain(text: str, type_code: str, key: bytes) -> bool:
    """Whether a footer's filter may hold the key."""
    data = base64.b64decode(text)
    rows = 1
    if type_code == "DYNAMIC_V0":
        rows = struct.unpack_from(">i", data, 21)[0]
        data = data[25:]
    size = len(data) // rows
    return any(_row_has(data[i * size : (i + 1) * size], key) for i in range(rows))


def _row_has(block: bytes, key: bytes) -> bool:
    _, hashes, _, bits = struct.unpack_from(">iibi", block)
    return all(block[13 + i // 8] >> (i % 8) & 1 for i in positions(key, hashes, bits))
