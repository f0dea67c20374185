"""The bootstrap index's container formats, read without a JVM: HFile and Avro."""

from __future__ import annotations

import gzip
import json
import struct
import zlib

import pytest

from hudilite.format import avro, hfile
from oracle import hfile as oracle
from oracle.hfile import avro_file, avro_text, varint

PLAIN_BLOCK = oracle.block
ENTRIES = [(f"key{i:04d}".encode(), bytes([i % 256]) * 500) for i in range(300)]


def avro_long(number: int) -> bytes:
    """A number as Avro has it, negative ones too."""
    return varint((number << 1 ^ number >> 63) & 0xFFFFFFFFFFFFFFFF)


def with_sums(file: bytes, kind: int) -> bytes:
    """The same file, its blocks' zeros replaced by checksums; all offsets stay."""
    out = bytearray(file)
    at = 0
    while bytes(out[at : at + 8]) in (b"DATABLK*", b"IDXROOT2", b"FILEINF2"):
        on_disk, _, _, _, chunk, checked = struct.unpack_from(">iiqbii", out, at + 8)
        out[at + 24] = kind
        end = at + oracle.HEAD_BYTES + on_disk
        whole = bytes(out[at : at + checked])
        parts = [whole[i : i + chunk] for i in range(0, len(whole), chunk)]
        sums = [zlib.crc32(part) if kind == 1 else bitwise(part) for part in parts]
        out[at + checked : end] = struct.pack(f">{len(sums)}I", *sums)
        at = end
    return bytes(out)


def bitwise(data: bytes) -> int:
    """CRC-32C one bit at a time, as its definition has it."""
    value = 0xFFFFFFFF
    for byte in data:
        for i in range(8):
            bit = (value ^ byte >> i) & 1
            value = value >> 1 ^ (0x82F63B78 if bit else 0)
    return value ^ 0xFFFFFFFF


def test_entries_of_many_blocks() -> None:
    data = oracle.write(ENTRIES, {b"INDEX_INFO": b"x"})
    assert data.count(b"DATABLK*") > 1
    assert hfile.entries(data) == {key.decode(): value for key, value in ENTRIES}


def test_an_empty_file() -> None:
    assert hfile.entries(oracle.write([], {})) == {}


def test_long_keys() -> None:
    entries = [((f"{i:03d}" * 300).encode(), b"v") for i in range(200)]
    assert len(hfile.entries(oracle.write(entries, {}))) == 200


@pytest.mark.parametrize("kind", [1, 2])
def test_checksums_guard_every_block(kind: int) -> None:
    data = with_sums(oracle.write(ENTRIES[:20], {b"INDEX_INFO": b"x"}), kind)
    assert len(hfile.entries(data)) == 20
    place = data.index(b"key0007") + 100
    assert place < data.index(b"IDXROOT2")
    broken = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
    with pytest.raises(ValueError, match="checksum"):
        hfile.entries(broken)


def test_checksums_of_an_unknown_kind() -> None:
    data = bytearray(oracle.write(ENTRIES[:1], {}))
    data[24] = 9
    with pytest.raises(ValueError, match="checksum type is 9"):
        hfile.entries(bytes(data))


def packed_block(magic: bytes, body: bytes) -> bytes:
    """A block as HBase packs it by GZ."""
    made = bytearray(PLAIN_BLOCK(magic, gzip.compress(body)))
    struct.pack_into(">i", made, 12, len(body))
    return bytes(made)


def test_blocks_that_are_packed_by_gz(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oracle, "block", packed_block)
    data = oracle.write(ENTRIES, {b"INDEX_INFO": b"x"})
    codec = data.rindex(oracle.COMPARATOR) + len(oracle.COMPARATOR)
    assert data[codec : codec + 2] == b"\x60\x02"
    packed = data[: codec + 1] + b"\x01" + data[codec + 2 :]
    assert hfile.entries(packed) == {key.decode(): value for key, value in ENTRIES}
    with pytest.raises(ValueError, match="compression"):
        hfile.entries(data[: codec + 1] + b"\x03" + data[codec + 2 :])


def test_a_trailer_that_counts_other_entries() -> None:
    data = oracle.write(ENTRIES[:1], {})
    place = data.index(b"\x38\x01", data.index(b'TRABLK"$'))
    with pytest.raises(ValueError, match="counts 2"):
        hfile.entries(data[: place + 1] + b"\x02" + data[place + 2 :])


def test_other_versions_and_compressions_are_errors() -> None:
    data = oracle.write(ENTRIES[:1], {})
    with pytest.raises(ValueError, match="version 2"):
        hfile.entries(data[:-1] + b"\x02")
    with pytest.raises(ValueError, match="not that of an HFile"):
        hfile.entries(gzip.compress(data))


def container(schema: object, *values: bytes, codec: str | None = None) -> bytes:
    facts = {"avro.schema": json.dumps(schema)} | ({"avro.codec": codec} if codec else {})
    head = b"Obj\1" + avro_long(len(facts))
    head += b"".join(avro_text(k) + avro_text(v) for k, v in facts.items()) + avro_long(0)
    body = b"".join(values)
    if codec == "deflate":
        body = zlib.compress(body)[2:-4]
    return head + bytes(16) + avro_long(len(values)) + avro_long(len(body)) + body + bytes(16)


@pytest.mark.parametrize(
    ("schema", "value", "found"),
    [
        ("null", b"", None),
        ("boolean", b"\1", True),
        ("int", avro_long(-7), -7),
        ("long", avro_long(2**62), 2**62),
        ("float", struct.pack("<f", 1.5), 1.5),
        ("double", struct.pack("<d", -2.5), -2.5),
        ("bytes", avro_text("ab"), b"ab"),
        ("string", avro_text("é"), "é"),
        (["null", "string"], avro_long(1) + avro_text("x"), "x"),
        ({"type": "array", "items": "int"}, avro_long(2) + avro_long(5) * 2 + b"\0", [5, 5]),
        (
            {"type": "array", "items": "int"},
            avro_long(-2) + avro_long(2) + avro_long(5) * 2 + b"\0",
            [5, 5],
        ),
        (
            {"type": "map", "values": "long"},
            avro_long(1) + avro_text("k") + avro_long(3) + b"\0",
            {"k": 3},
        ),
        ({"type": "enum", "name": "E", "symbols": ["A", "B"]}, avro_long(1), "B"),
        ({"type": "fixed", "name": "F", "size": 3}, b"abc", b"abc"),
        ({"type": "string", "avro.java.string": "String"}, avro_text("s"), "s"),
        (
            {
                "type": "record",
                "name": "a.b.R",
                "fields": [
                    {"name": "v", "type": "int"},
                    {"name": "next", "type": ["null", "a.b.R"]},
                ],
            },
            avro_long(1) + avro_long(1) + avro_long(2) + avro_long(0),
            {"v": 1, "next": {"v": 2, "next": None}},
        ),
    ],
)
def test_values_of_every_avro_type(schema: object, value: bytes, found: object) -> None:
    assert avro.records(container(schema, value)) == [found]
    assert avro.records(container(schema, value, codec="deflate")) == [found]


def test_the_oracles_own_file() -> None:
    assert avro.records(avro_file('"string"', avro_text("x"))) == ["x"]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"Obj\2",
        b"Obj\1",
        container("int", avro_long(1))[:-1],
        container("int", avro_long(1)) + b"x",
        container("int", avro_long(1))[:-16] + b"y" * 16,
        container("int", avro_long(1), codec="snappy"),
        container("nosuch", b""),
        container({"type": "array"}, avro_long(1)),
        container({"type": "array", "items": "null"}, avro_long(2**40) + b"\0"),
        container(["null"], avro_long(1)),
        container("string", avro_long(-5)),
        container("string", avro_long(2) + b"\xff\xff"),
        container("long", b"\xff" * 11),
        container({"type": "record", "name": "R", "fields": [{"name": "r", "type": "R"}]}, b"\0"),
        container(5, b""),
    ],
)
def test_a_file_that_is_not_avro_is_an_error(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        avro.records(data)
