import json
from pathlib import Path

import pytest

from oracle.record_key import generator, record_key

ROWS = json.loads((Path(__file__).parent / "stock_properties.json").read_text())
VALUES = {"id": "1", "name": "a"}


def test_key_text_and_generator_equal_stock() -> None:
    for row in ROWS:
        keys, partitions = row["keys"], row["partitions"]
        line = f"hoodie.table.keygenerator.type={generator(keys, partitions)}"
        assert line in row["text"].splitlines()
        if row["recordKey"]:
            assert record_key(keys, partitions, [VALUES[k] for k in keys]) == row["recordKey"]


def test_one_key_with_two_partition_columns_is_complex() -> None:
    assert record_key(["id"], ["p", "q"], ["1"]) == "id:1"
    assert record_key(["id"], ["p"], ["k:3,x"]) == "k:3,x"


def test_null_and_empty_are_placeholders() -> None:
    assert record_key(["id", "name"], [], [None, "x"]) == "id:__null__,name:x"
    assert record_key(["id", "name"], [], ["1", ""]) == "id:1,name:__empty__"


def test_key_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="neither null nor empty"):
        record_key(["id", "name"], [], [None, ""])
