"""Ids of hudilite's file groups: name-based uuids (version 3) over length-prefixed parts."""

from __future__ import annotations

import hashlib
import re
import uuid


def named(*parts: str) -> str:
    """Uuid over the parts, each as a four-byte length and its UTF-8 bytes."""
    data = b""
    for part in parts:
        text = part.encode()
        data += len(text).to_bytes(4, "big") + text
    return str(uuid.UUID(bytes=hashlib.md5(data, usedforsecurity=False).digest(), version=3))


def bucket(table_uuid: str, partition: str, number: int, epoch: str) -> str:
    """Id of a bucket's file group: the bucket in eight digits and the last 28 characters."""
    return f"{number:08d}{named('bucket', table_uuid, partition, str(number), epoch)[8:]}-0"


def counted(table_uuid: str, partition: str, number: int, count: int, epoch: str) -> str:
    """Id of a bucket's file group that tells the number of buckets, as a uuid of version 8."""
    end = named("counted", table_uuid, partition, str(number), str(count), epoch)[18:]
    return f"{number:08d}-{count // 1000:04d}-8{count % 1000:03d}{end}-0"


def file_group(table_uuid: str, partition: str, instant: str, ordinal: int) -> str:
    """Id of a new file group of a table without buckets."""
    return f"{named('fileGroup', table_uuid, partition, instant, str(ordinal))}-0"


def bucket_of(file_id: str) -> int | None:
    """Bucket that a file id names, or nothing."""
    match = re.match(r"(\d{8})-[0-9a-fA-F]{4}-", file_id)
    return int(match.group(1)) if match else None


def count_of(file_id: str) -> int | None:
    """Number of buckets that a file id tells, or nothing."""
    match = re.match(r"\d{8}-(\d{4})-8(\d{3})-", file_id)
    return (int(match.group(1) + match.group(2)) or None) if match else None
