"""The comparison of two folders of tables sees each byte, each file and each folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import byte_differences
import compare_bytes
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

DATA, COMMIT = "t/p=a/one.parquet", "t/.hoodie/1.commit"
CHECKPOINT = f"t/.hoodie/{10:020d}.checkpoint"
STATE = "states/000"


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Path, Path]:
    """Two equal folders, as two runs of the statements leave them."""
    base, head = tmp_path / "base" / STATE, tmp_path / "head" / STATE
    for name in (DATA, COMMIT):
        (base / name).parent.mkdir(parents=True)
    rows = pa.table({"id": pa.array(range(20), pa.int32()), "v": [f"v{i}" for i in range(20)]})
    pq.write_table(rows, base / DATA, row_group_size=10)
    (base / COMMIT).write_text('{\n  "partitionToWriteStats" : { },\n  "x" : 1\n}\n')
    (base / CHECKPOINT).write_text('{"hudilite.checksum": "1", "stamps": "2", "latest": {}}')
    (tmp_path / "base" / "states.json").write_text(json.dumps({"insert": STATE}))
    shutil.copytree(tmp_path / "base", tmp_path / "head")
    return base, head


def faults(base: Path, head: Path) -> list[str]:
    return list(byte_differences.compared(base, head).faults)


def runs(sides: tuple[Path, Path]) -> tuple[Path, Path]:
    """The folders of the two runs."""
    return sides[0].parents[1], sides[1].parents[1]


def test_equal_folders_are_equal(sides: tuple[Path, Path]) -> None:
    _, head = sides
    found = byte_differences.by_statement(*runs(sides))
    sizes = [(head / name).stat().st_size for name in (DATA, COMMIT, CHECKPOINT)]
    assert found == {"insert": byte_differences.Comparison(3, sum(sizes), ())}
    assert list(byte_differences.differences(found)) == []
    assert compare_bytes.main(["--folders", *map(str, runs(sides))]) == 0


@pytest.mark.parametrize("name", [DATA, COMMIT])
def test_a_flipped_byte_is_a_difference(sides: tuple[Path, Path], name: str) -> None:
    base, head = sides
    data = (head / name).read_bytes()
    for at in (*range(0, len(data), 29), len(data) - 1):
        flipped = bytearray(data)
        flipped[at] ^= 1
        (head / name).write_bytes(bytes(flipped))
        (fault,) = faults(base, head)
        assert fault.startswith(f"{name}: byte {at} of {len(data)} and {len(data)}, ")


def test_a_flipped_byte_makes_the_comparison_fail(
    sides: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    _, head = sides
    data = bytearray((head / DATA).read_bytes())
    data[6] ^= 1
    (head / DATA).write_bytes(bytes(data))
    assert compare_bytes.main(["--folders", *map(str, runs(sides))]) == 1
    told = capsys.readouterr().out
    assert "1 DIFFERENT" in told
    assert f"insert: {DATA}: byte 6 of" in told


def test_the_place_of_a_difference_has_a_name(sides: tuple[Path, Path]) -> None:
    base, _ = sides
    data = (base / DATA).read_bytes()
    second = pq.ParquetFile(base / DATA).metadata.row_group(1).column(1)
    begin = second.dictionary_page_offset
    assert byte_differences.place_of(base / DATA, data, begin) == "row group 1, column v"
    assert byte_differences.place_of(base / DATA, data, 4) == "row group 0, column id"
    assert byte_differences.place_of(base / DATA, data, len(data) - 9) == "the footer"
    text = (base / COMMIT).read_bytes()
    assert byte_differences.place_of(base / COMMIT, text, text.index(b"x")) == "line 3"


def test_a_file_that_is_longer_is_a_difference(sides: tuple[Path, Path]) -> None:
    base, head = sides
    with (head / COMMIT).open("a") as file:
        file.write(" ")
    length = (base / COMMIT).stat().st_size
    (fault,) = faults(base, head)
    assert fault.startswith(f"{COMMIT}: byte {length} of {length} and {length + 1}, ")


def test_what_is_on_one_side_only_is_a_difference(sides: tuple[Path, Path]) -> None:
    base, head = sides
    (head / "t/more").write_bytes(b"")
    (head / "t/p=b").mkdir()
    (head / COMMIT).unlink()
    assert faults(base, head) == [
        f"{COMMIT}: it is only in base",
        "t/more: it is only in head",
        "t/p=b/: it is only in head",
    ]


def test_a_statement_of_one_side_only_is_a_difference(sides: tuple[Path, Path]) -> None:
    base, head = runs(sides)
    (base / "states.json").write_text("{}")
    (found,) = byte_differences.by_statement(base, head).values()
    assert found.faults == (f"{COMMIT}: it is only in head", f"{DATA}: it is only in head")
    (head / "states.json").write_text("{}")
    assert compare_bytes.main(["--folders", str(base), str(head)]) == 1


def test_a_checkpoint_may_be_missing_but_not_say_something_else(sides: tuple[Path, Path]) -> None:
    base, head = sides
    (base / CHECKPOINT).write_text('{"hudilite.checksum": "7", "stamps": "8", "latest": {}}')
    assert faults(base, head) == []
    (base / CHECKPOINT).write_text('{"hudilite.checksum": "7", "stamps": "8", "latest": {"a": 1}}')
    assert len(faults(base, head)) == 1
    (base / CHECKPOINT).write_text("{")
    assert len(faults(base, head)) == 1
    (base / CHECKPOINT).unlink()
    assert faults(base, head) == []


def test_golden_results_that_differ_are_listed(tmp_path: Path) -> None:
    for tree, result in (("base", "1\n2"), ("head", "1\n3")):
        folder = tmp_path / tree / "tests/sql/merge"
        folder.mkdir(parents=True)
        (folder / "a.out").write_text(result)
        (folder / "b.out").write_text("equal")
        (folder / "b.sql").write_text(tree)
    assert list(byte_differences.golden_results(tmp_path / "base", tmp_path / "head")) == [
        "merge/a.out: byte 2 of 3 and 3, line 2: b'1\\n2' became b'1\\n3'",
        "2 golden results, of which 1 differ",
    ]


@pytest.mark.parametrize(
    ("base", "fault"),
    [("no-such-commit", "no commit and no folder"), (str(Path(__file__).parent), "is not built")],
)
def test_a_base_that_cannot_run_is_named(base: str, fault: str) -> None:
    with pytest.raises(SystemExit, match=fault):
        compare_bytes.main([base])
