"""The harness by itself: no Spark. A comparison that cannot fail would prove nothing."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness import cells, golden, layout
from harness.canonical import RowsDiffer, assert_same_tables, canonical_rows
from harness.pages import rows_per_page

TEXT = """-- Config: spark.sql.ansi.enabled=true
-- MinSparkVersion: 4.0

statement
CREATE TABLE t (id INT)

-- Said in words.
query
SELECT *
FROM t ORDER BY id

query expect_error(SOME_CONDITION.SUB)
SELECT 1

query ignore(17)
SELECT 2
"""


def test_the_grammar_reads_settings_and_blocks() -> None:
    parsed = golden.parse_golden(TEXT)
    assert parsed.config == {"spark.sql.ansi.enabled": "true"}
    assert parsed.min_spark == (4, 0)
    assert [block.kind for block in parsed.blocks] == ["statement", "query", "query", "query"]
    assert parsed.blocks[1].text == "SELECT *\nFROM t ORDER BY id"
    assert parsed.blocks[1].ordered
    assert parsed.blocks[2].expected_error == "SOME_CONDITION.SUB"
    assert parsed.blocks[3].ignored_for == "17"


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1\n",
        "query\n",
        "querry\nSELECT 1\n",
        "-- Confg: a=b\n",
        "-- Faults: 76\n",
        "query ignore()\nSELECT 1\n",
    ],
)
def test_the_grammar_refuses_what_it_does_not_know(text: str) -> None:
    with pytest.raises(golden.GrammarError):
        golden.parse_golden(text)


def test_names_that_change_are_made_stable() -> None:
    normalise = golden.normaliser({"/tmp/x/db": "{database}", "/tmp/x": "{folder}"})
    name = "00000003-2b39-4e88-92e9-2aa42bf62b9c-0_1-22-333_20240102030405678.parquet"
    text = f"/tmp/x/db/t {name} 20240102030405678_1_0 20230102030405678 id#12L"
    assert normalise(text) == (
        "{database}/t 00000003-{id}_{token}_{T2}.parquet {T2}_{task}_{row} {T1} id#x"
    )


def test_cells_are_exact() -> None:
    table = pa.table(
        {
            "f": pa.array([0.1], pa.float32()),
            "d": [-0.0],
            "e": pa.array([Decimal("1E-8")], pa.decimal128(10, 8)),
            "x": [b"\x00\xff"],
            "s": ["a\tb\\"],
            "at": pa.array([-62135596800000000], pa.timestamp("us", tz="UTC")),
            "n": pa.nulls(1, pa.int32()),
        }
    )
    assert cells.row_texts(table) == [
        "0.1\t-0.0\t0.00000001\tX'00FF'\ta\\tb\\\\\t0001-01-01 00:00:00\tNULL"
    ]
    greatest = pa.array([3.4028235e38], pa.float32()).to_pylist()[0]
    assert cells.cell(greatest, pa.float32()) == "3.4028235e+38"
    assert "crc32" in cells.cell("k" * 300, pa.string())


@pytest.mark.parametrize(
    ("left", "right", "kind"),
    [
        (0.0, -0.0, pa.float64()),
        (1.0, 1.0000000000000002, pa.float64()),
        (float("nan"), 0.0, pa.float64()),
        (None, "", pa.string()),
        ("a", "a ", pa.string()),
        (Decimal("1.50"), Decimal("1.51"), pa.decimal128(10, 2)),
        (0, 1, pa.timestamp("us", tz="UTC")),
        (0, None, pa.date32()),
        ([1, None], [1], pa.list_(pa.int32())),
    ],
)
def test_two_values_that_differ_are_not_equal(
    left: object, right: object, kind: pa.DataType
) -> None:
    first, second = (
        pa.table({"v": pa.array([left], kind)}),
        pa.table({"v": pa.array([right], kind)}),
    )
    assert_same_tables(first, first)
    with pytest.raises(RowsDiffer):
        assert_same_tables(first, second)
    with pytest.raises(RowsDiffer):
        assert_same_tables(second, first)


def test_a_time_with_a_zone_is_not_one_without() -> None:
    zoned = pa.table({"v": pa.array([0], pa.timestamp("us", tz="UTC"))})
    plain = pa.table({"v": pa.array([0], pa.timestamp("us"))})
    with pytest.raises(RowsDiffer):
        assert_same_tables(zoned, plain)
    assert canonical_rows(zoned) == [(("utc", 0),)]


def test_the_latest_slice_is_the_highest_completed_instant(tmp_path: Path) -> None:
    timeline = tmp_path / ".hoodie"
    timeline.mkdir()
    (timeline / "1.commit").write_text("{}")
    (timeline / "2.commit").write_text("{}")
    (timeline / "3.inflight").write_text("")
    (timeline / "4.replacecommit").write_text('{"partitionToReplaceFileIds": {"": ["00000001-x"]}}')
    for file in (
        "00000000-x_0-0-0_1",
        "00000000-x_0-0-0_2",
        "00000000-x_0-0-0_3",
        "00000001-x_0-0-0_1",
    ):
        (tmp_path / f"{file}.parquet").write_text("")
    assert [found.path.stem for found in layout.latest_slices(tmp_path)] == ["00000000-x_0-0-0_2"]
    earlier = [found.path.stem for found in layout.latest_slices(tmp_path, as_of="1")]
    assert earlier == ["00000000-x_0-0-0_1", "00000001-x_0-0-0_1"]
    assert len(layout.base_files(tmp_path)) == 4


def test_pages_are_counted_by_their_rows(tmp_path: Path) -> None:
    table = pa.table({"v": list(range(20)), "s": [str(i) for i in range(20)]})
    pq.write_table(
        table,
        tmp_path / "f.parquet",
        row_group_size=10,
        max_rows_per_page=3,
        write_page_index=True,
        use_dictionary=False,
    )
    assert rows_per_page(tmp_path / "f.parquet") == [3, 3, 3, 1] * 4
