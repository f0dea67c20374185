import hashlib
import itertools
import json
from pathlib import Path
from typing import Any

from oracle.bloom import might_contain, positions, serialize, shape

ROWS = json.loads((Path(__file__).parent / "stock_blooms.json").read_text())
QUICK = 4000


def keys(row: dict[str, Any]) -> list[bytes]:
    texts = row.get("keys")
    if texts is None:
        texts = [f"{row['prefix']}{i}" for i in range(row["count"])]
    return [text.encode() for text in texts]


def test_bytes_equal_stock() -> None:
    for row in ROWS:
        if row.get("count", 0) > QUICK:
            continue
        text = serialize(keys(row), row["entries"], row["fpp"], row["typeCode"])
        if "base64" in row:
            assert text == row["base64"]
        else:
            assert len(text) == row["length"]
            assert hashlib.sha256(text.encode()).hexdigest() == row["sha256"]


def test_shape_of_stock_default_is_pinned() -> None:
    assert shape(60000, 1e-9) == (30, 2587966)
    first = itertools.islice(positions(b"1", 30, 2587966), 6)
    assert list(first) == [1460963, 105785, 1189081, 2066078, 47219, 588992]


def test_stock_filter_holds_its_keys() -> None:
    for row in ROWS:
        if "base64" in row:
            assert all(might_contain(row["base64"], row["typeCode"], k) for k in keys(row))
            assert not might_contain(row["base64"], row["typeCode"], b"never added")
