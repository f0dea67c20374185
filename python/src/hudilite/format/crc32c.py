"""CRC-32C, the checksum of an HFile's blocks, which Python's standard library does not have."""

from __future__ import annotations

_POLYNOMIAL = 0x82F63B78


def crc32c(data: bytes) -> int:
    """Returns the CRC-32C of some bytes, as an unsigned 32-bit number.

    Examples:
        >>> hex(crc32c(b"123456789"))
        '0xe3069283'
    """
    value = 0xFFFFFFFF
    for byte in data:
        value = _TABLE[(value ^ byte) & 0xFF] ^ (value >> 8)
    return value ^ 0xFFFFFFFF


def _entry(value: int) -> int:
    for _ in range(8):
        value = (value >> 1) ^ (_POLYNOMIAL if value & 1 else 0)
    return value


_TABLE = tuple(_entry(value) for value in range(256))
