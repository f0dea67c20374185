import json
from pathlib import Path

import pytest

from oracle.bucket import bucket_of, bucket_of_key, hash_values, java_hash

ROWS = json.loads((Path(__file__).parent / "stock_buckets.json").read_text())


@pytest.mark.fault("F52")
def test_bucket_of_key_equals_stock() -> None:
    for row in ROWS:
        got = bucket_of_key(row["key"], row["hashFields"], row["numBuckets"])
        assert got == row["bucket"], row


@pytest.mark.parametrize(
    ("values", "n", "bucket"),
    [
        (["1"], 256, 80),
        (["1"], 4, 0),
        (["0"], 16, 15),
        (["100"], 256, 16),
        (["abc"], 256, 129),
        (["-5"], 7, 2),
        (["id:1"], 256, 177),
        (["1", "a"], 256, 17),
        (["a"], 1000, 128),
        (["1", None], 3000, 2480),
        (["1", ""], 3000, 2480),
        (["a:b"], 16, 8),
        (["a,b"], 16, 6),
        (["x,y", "z"], 16, 6),
        (["2014-10-22 13:50:42", "z"], 16, 8),
        (["你好"], 16, 12),
        (["2024-01-02"], 16, 0),
        (["k1"], 8, 5),
    ],
)
def test_bucket_of_values_is_pinned(values: list[str | None], n: int, bucket: int) -> None:
    assert bucket_of(values, n) == bucket


def test_key_without_a_hash_field_is_hashed_whole() -> None:
    assert bucket_of_key("a:b,c", ["id"], 16) == 15
    assert bucket_of_key("id:1,name:a", ["nosuch"], 16) == 11


def test_values_are_taken_in_key_order() -> None:
    assert hash_values("id:1,name:k1", ["name", "id"]) == ["1", "k1"]
    assert hash_values("id:1,name:__null__", ["id", "name"]) == ["1", None]


def test_key_on_which_stock_never_returns_has_a_bucket() -> None:
    assert hash_values("id:a,name:b:c", ["id"]) == ["a"]


def test_java_hash_counts_utf16_units() -> None:
    assert java_hash("polygenelubricants") == 1 << 31
    assert java_hash("\U0001f600") == 0xD83D * 31 + 0xDE00
