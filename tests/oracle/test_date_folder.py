import json
from pathlib import Path

import pytest

from oracle import date_folder

ROWS = json.loads((Path(__file__).parent / "stock_date_folders.json").read_text("utf-8"))
# Python has no years before 1 or after 9999.
FAR = (-62135596800001, 253402300800000, 9223372036854775807, "12024-01-15")


@pytest.mark.parametrize("row", ROWS, ids=range(len(ROWS)))
def test_folders_equal_stock(row: dict) -> None:
    near = [i for i, value in enumerate(row["values"]) if value not in FAR]
    found = [date_folder.path(row["properties"], row["values"][i]) for i in near]
    assert found == [row["paths"][i] for i in near]


def test_most_values_are_near() -> None:
    values = [value for row in ROWS for value in row["values"]]
    assert len([value for value in values if value not in FAR]) > 60
