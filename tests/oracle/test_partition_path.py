import json
from pathlib import Path

from oracle.partition_path import encode, unescape

ROWS = json.loads((Path(__file__).parent / "stock_partition_paths.json").read_text())


def test_escape_and_unescape_equal_stock() -> None:
    for row in ROWS:
        assert encode(["p"], [row["text"]], hive_style=False, url_encode=True) == row["escaped"]
        assert unescape(row["text"]) == row["unescaped"]


def test_levels_in_hive_style() -> None:
    path = encode(["a", "b"], ["p/1 x=:%é", None], hive_style=True, url_encode=True)
    assert path == "a=p%2F1 x%3D%3A%25é/b=__HIVE_DEFAULT_PARTITION__"


def test_levels_bare_and_not_escaped() -> None:
    assert encode(["a", "b"], ["1:2", ""], hive_style=False, url_encode=False) == (
        "1:2/__HIVE_DEFAULT_PARTITION__"
    )
    assert encode([], [], hive_style=True, url_encode=True) == ""
