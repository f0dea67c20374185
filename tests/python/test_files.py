"""hudilite.files over tables that were made by hand, beside the tests' own reader of the layout."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from harness import bootstrapped, layout
from hudilite import files, table_facts
from hudilite.errors import HudiliteError
from hudilite.format import folders
from python.hand_made_table import (
    add_commit,
    add_instant,
    add_number,
    group_of,
    make_bucketed,
    make_table,
)

FIRST, SECOND, THIRD = "20240101000000000", "20240102000000000", "20240103000000000"


def fault(path: Path, **arguments: object) -> HudiliteError:
    with pytest.raises(HudiliteError) as caught:
        files.read(path, **arguments)  # type: ignore[arg-type]
    return caught.value


def found(base: Path, at: str | None = None) -> set[tuple[str, str, str]]:
    """What the package finds, which is what the tests' reader finds."""
    mine = {(f.partition, f.group, f.instant) for f in files.read(base, at)}
    assert mine == {(s.partition, s.file_id, s.instant) for s in layout.latest_slices(base, at)}
    return mine


@pytest.fixture
def grown(tmp_path: Path) -> Path:
    """Two partitions; the second commit writes one group anew, the third replaces p=b."""
    base = make_bucketed(tmp_path / "t")
    add_commit(base, FIRST, {"p=a": {group_of(0): 3, group_of(1): 4}, "p=b": {group_of(2): 5}})
    add_commit(base, SECOND, {"p=a": {group_of(1): 6}})
    add_commit(base, THIRD, {"p=b": {group_of(2, 7): 1}}, replaced={"p=b": [group_of(2)]})
    return base


def test_the_newest_file_of_each_group(grown: Path) -> None:
    assert found(grown) == {
        ("p=a", group_of(0), FIRST),
        ("p=a", group_of(1), SECOND),
        ("p=b", group_of(2, 7), THIRD),
    }


def test_facts_of_a_base_file(grown: Path) -> None:
    file = files.read(grown)[1]
    path = grown / "p=a" / f"{group_of(1)}_0-1-0_{SECOND}.parquet"
    assert file == files.BaseFile(
        "p=a", group_of(1), 1, SECOND, str(path), path.stat().st_size, 6, None
    )


def test_as_of_an_instant(grown: Path) -> None:
    old = {("p=a", group_of(0), FIRST), ("p=a", group_of(1), FIRST), ("p=b", group_of(2), FIRST)}
    assert found(grown, FIRST) == old
    assert found(grown, "20240101120000000") == old
    assert found(grown, SECOND) == old - {("p=a", group_of(1), FIRST)} | {
        ("p=a", group_of(1), SECOND)
    }
    assert found(grown, "20231231235959999") == set()


def test_as_of_a_second_takes_the_whole_second(tmp_path: Path) -> None:
    base = make_bucketed(tmp_path / "t")
    add_commit(base, "20240101000000999", {"p=a": {group_of(0): 1}})
    assert len(files.read(base, "20240101000000")) == 1
    assert files.read(base, "20231231235959") == []


@pytest.mark.parametrize("at", ["", "2024", "2024-01-01", "yesterday", FIRST + "0", "\u0660" * 17])
def test_other_forms_of_an_instant_are_refused(grown: Path, at: str) -> None:
    error = fault(grown, at=at)
    assert (error.condition, error.parameters) == ("HUDILITE_INSTANT_INVALID", {"instant": at})


def test_one_partition(grown: Path) -> None:
    assert {f.partition for f in files.read(grown, partition="p=b")} == {"p=b"}
    assert files.read(grown, partition="p=none") == []
    assert files.read(grown, partition="") == []
    assert files.read(grown, partition="../t/p=a") == []


def test_files_of_uncompleted_commits_are_left_out(grown: Path) -> None:
    before = found(grown)
    pending = "20240104000000000"
    add_commit(grown, pending, {"p=a": {group_of(0): 9}, "p=c": {group_of(3): 9}}, completed=False)
    stray = grown / "p=a" / f"{group_of(0)}_0-1-0_20240101500000000.parquet"
    shutil.copy(grown / "p=a" / f"{group_of(0)}_0-1-0_{FIRST}.parquet", stray)
    assert found(grown) == before


def test_a_file_of_an_archived_commit_counts(grown: Path) -> None:
    for file in (grown / ".hoodie").glob(f"{FIRST}.*"):
        file.unlink()
    (grown / ".hoodie" / f"{FIRST}.inflight").unlink(missing_ok=True)
    assert {(f.group, f.instant, f.rows) for f in files.read(grown)} == {
        (group_of(0), FIRST, None),
        (group_of(1), SECOND, 6),
        (group_of(2, 7), THIRD, 1),
    }


@pytest.mark.parametrize("hint", [FIRST, None])
def test_a_file_of_an_aborted_commit_never_counts(grown: Path, hint: str | None) -> None:
    for file in (grown / ".hoodie").glob(f"{FIRST}.*"):
        file.unlink()
    (grown / ".hoodie" / f"{FIRST}.inflight").unlink(missing_ok=True)
    add_number(grown, 1, hint, kind="abort", instant=FIRST, action="commit")
    add_number(grown, 2, SECOND, kind="commit", instant=SECOND, action="commit")
    add_number(grown, 3, THIRD, kind="commit", instant=THIRD, action="replacecommit")
    assert {f.instant for f in files.read(grown)} == {SECOND, THIRD}


def test_a_number_of_an_archived_commit_takes_no_file_away(grown: Path) -> None:
    for file in (grown / ".hoodie").glob(f"{FIRST}.*"):
        file.unlink()
    (grown / ".hoodie" / f"{FIRST}.inflight").unlink(missing_ok=True)
    for number, time in ((1, FIRST), (2, SECOND), (3, THIRD)):
        add_number(grown, number, kind="commit", instant=time, action="commit")
    assert {f.instant for f in files.read(grown)} == {FIRST, SECOND, THIRD}


def test_a_savepoint_does_not_begin_the_timeline(tmp_path: Path) -> None:
    base = make_bucketed(tmp_path / "t")
    add_commit(base, FIRST, {"p=a": {group_of(0): 1}})
    (base / ".hoodie" / f"{FIRST}.savepoint").write_bytes(b"Obj\1")
    add_commit(base, SECOND, {"p=a": {group_of(1): 1}})
    add_commit(base, THIRD, {"p=a": {group_of(2): 1}})
    for file in (base / ".hoodie").glob(f"{SECOND}.*"):  # archived, the saved one is kept
        file.unlink()
    assert [f.instant for f in files.read(base)] == [FIRST, SECOND, THIRD]


def test_of_two_attempts_at_one_commit_the_one_that_it_names_counts(grown: Path) -> None:
    named = grown / "p=a" / f"{group_of(0)}_0-1-0_{FIRST}.parquet"
    shutil.copy(named, named.with_name(f"{group_of(0)}_9-9-9_{FIRST}.parquet"))
    assert str(named) in {f.path for f in files.read(grown)}


def test_a_file_that_is_gone_is_an_error(grown: Path) -> None:
    file = grown / "p=a" / f"{group_of(1)}_0-1-0_{SECOND}.parquet"
    file.unlink()
    error = fault(grown)
    assert error.condition == "HUDILITE_MISSING_DATA_FILE"
    assert error.parameters == {"path": str(file), "instant": SECOND}
    assert fault(grown, partition="p=a").condition == "HUDILITE_MISSING_DATA_FILE"
    assert len(files.read(grown, partition="p=b")) == 1
    assert len(files.read(grown, FIRST)) == 3


def test_a_partition_that_is_gone_is_an_error(grown: Path) -> None:
    shutil.rmtree(grown / "p=a")
    assert fault(grown).condition == "HUDILITE_MISSING_DATA_FILE"


def test_a_file_of_another_length_is_an_error(grown: Path) -> None:
    file = grown / "p=a" / f"{group_of(0)}_0-1-0_{FIRST}.parquet"
    file.write_bytes(file.read_bytes() + b"x")
    error = fault(grown)
    assert (error.condition, error.parameters["path"]) == ("HUDILITE_CORRUPT_DATA_FILE", str(file))


def test_rows_by_the_footers(tmp_path: Path) -> None:
    base = make_table(tmp_path / "t")
    writes = {"p=a": {"aaaaaaaa-0": 3}, "p=b": {"bbbbbbbb-0": 0}}
    made = add_commit(base, FIRST, writes)
    assert [f.rows for f in files.read(base, footers=True)] == [3, 0]
    file = made["aaaaaaaa-0"]
    size = file.stat().st_size
    for content in (b"x" * size, b"PAR1".ljust(size - 8, b"\xff") + b"\x40\0\0\0PAR1"):
        file.write_bytes(content)
        assert len(files.read(base)) == 2
        error = fault(base, footers=True)
        assert error.condition == "HUDILITE_CORRUPT_DATA_FILE"
        assert error.parameters["path"] == str(file)


def test_keys_by_the_footers(tmp_path: Path) -> None:
    base = make_table(tmp_path / "t")
    add_commit(base, FIRST, {"p=a": {"a-0": 2, "b-0": 0}}, keys={"a-0": ("a:1", "é你")})
    found = [(f.least_key, f.greatest_key) for f in files.read(base, footers=True)]
    assert found == [("a:1", "é你"), (None, None)]
    assert [(f.least_key, f.greatest_key) for f in files.read(base)] == [(None, None)] * 2


def test_row_counts_that_the_commit_has_or_lacks(tmp_path: Path) -> None:
    base = make_table(tmp_path / "t")
    add_commit(base, FIRST, {"p=a": {"empty-0": 0}})
    add_commit(base, SECOND, {"p=a": {"full-0": 7}})
    commit = base / ".hoodie" / f"{SECOND}.commit"
    commit.write_text(commit.read_text().replace("numWrites", "other"))
    assert {f.group: f.rows for f in files.read(base)} == {"empty-0": 0, "full-0": None}


def test_footers_without_pyarrow_name_the_package(
    grown: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("pyarrow", "pyarrow.fs"):
        monkeypatch.setitem(sys.modules, module, None)
    error = fault(grown, footers=True)
    assert error.condition == "HUDILITE_PACKAGE_MISSING"
    assert error.parameters["package"] == "pyarrow"
    with pytest.raises(HudiliteError) as caught:
        files.read("s3://bucket/table")
    assert caught.value.condition == "HUDILITE_PACKAGE_MISSING"


def test_buckets_of_tables_that_do_not_declare_them(tmp_path: Path) -> None:
    bucketed = make_table(tmp_path / "stock")
    add_commit(bucketed, FIRST, {"p=a": {group_of(3): 1, group_of(5): 1}})
    assert [f.bucket for f in files.read(bucketed)] == [3, 5]
    add_commit(bucketed, SECOND, {"p=a": {"1f345678-aaaa-4bbb-8ccc-000000000000-0": 1}})
    assert [f.bucket for f in files.read(bucketed)] == [None] * 3
    bloom = make_table(tmp_path / "bloom", hudilite__index="BLOOM")
    add_commit(bloom, FIRST, {"p=a": {group_of(3): 1}})
    assert [f.bucket for f in files.read(bloom)] == [None]


def test_a_table_without_partitions(tmp_path: Path) -> None:
    base = make_table(tmp_path / "t", hoodie__table__partition__fields="")
    add_commit(base, FIRST, {"": {group_of(0): 2}})
    assert found(base) == {("", group_of(0), FIRST)}
    assert len(files.read(base, partition="")) == 1


def test_partitions_of_two_levels_and_deeper_values(tmp_path: Path) -> None:
    base = make_table(tmp_path / "t", hoodie__table__partition__fields="y,m")
    add_commit(base, FIRST, {"y=1/m=2": {group_of(0): 1}, "y=1/m=2/3": {group_of(1): 1}})
    (base / "y=1" / "m=2" / ".hoodie_partition_metadata").unlink()
    shutil.rmtree(base / "y=1" / "m=2", ignore_errors=True)
    add_commit(base, SECOND, {"y=1/m=2/3": {group_of(1): 1}}, replaced={"y=1/m=2": [group_of(0)]})
    (base / "y=1" / "unknown").mkdir()
    assert found(base) == {("y=1/m=2/3", group_of(1), SECOND)}
    assert len(files.read(base, partition="y=1/m=2/3")) == 1


def test_folders_that_are_no_partitions(tmp_path: Path) -> None:
    base = make_table(tmp_path / "t", hoodie__table__partition__fields="y,m")
    add_commit(base, FIRST, {"y=1/m=2": {group_of(0): 1}})
    hidden = ".hoodie_old/m=2"
    add_commit(base, SECOND, {hidden: {group_of(1): 1}}, replaced={hidden: [group_of(1)]})
    add_commit(base, THIRD, {"y=1": {group_of(2): 1}}, replaced={"y=1": [group_of(2)]})
    (base / ".hoodie" / f"{SECOND}.replacecommit").write_text('{"partitionToWriteStats": {}}')
    (base / ".hoodie" / f"{THIRD}.replacecommit").write_text('{"partitionToWriteStats": {}}')
    assert [f.partition for f in files.read(base)] == ["y=1/m=2"]


def test_a_name_may_begin_with_a_dot(tmp_path: Path) -> None:
    base = make_table(tmp_path / "t", hoodie__datasource__write__hive_style_partitioning="false")
    add_commit(base, FIRST, {".csv": {group_of(0): 1}, "txt": {group_of(1): 1}})
    assert {partition for partition, _, _ in found(base)} == {".csv", "txt"}


def test_odd_names_of_partitions(tmp_path: Path) -> None:
    base = make_table(tmp_path / "t")
    names = ["p=p%2F1 x%3D%3A%25é", "p=__HIVE_DEFAULT_PARTITION__", "p=a\nb", "p=[*]"]
    add_commit(base, FIRST, {name: {group_of(i): 1} for i, name in enumerate(names)})
    assert {partition for partition, _, _ in found(base)} == set(names)
    assert [f.partition for f in files.read(base, partition="p=[*]")] == ["p=[*]"]


def test_merge_on_read_is_refused_by_name(tmp_path: Path) -> None:
    base = make_table(tmp_path / "t", hoodie__table__type="MERGE_ON_READ")
    error = fault(base)
    assert error.condition == "HUDILITE_UNSUPPORTED_TABLE"
    assert error.parameters["value"] == "MERGE_ON_READ"
    assert "hudilite.files.slices" in error.parameters["fix"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("hoodie__table__base__file__format", "LANCE"),
        ("hoodie__table__base__file__format", "orc"),
        ("hoodie__table__multiple__base__file__formats__enable", "true"),
        ("hoodie__table__format", "iceberg"),
    ],
)
def test_other_base_files_are_refused_by_name(tmp_path: Path, key: str, value: str) -> None:
    error = fault(make_table(tmp_path / "t", **{key: value}))
    assert error.condition == "HUDILITE_UNSUPPORTED_TABLE"
    assert error.parameters["fact"] == key.replace("__", ".")
    assert error.parameters["value"] == value


def test_a_table_whose_rules_of_writing_are_unknown_is_listed(tmp_path: Path) -> None:
    base = make_table(
        tmp_path / "t",
        hoodie__populate__meta__fields="false",
        hoodie__table__partition__fields="p:SIMPLE,ts:TIMESTAMP",
        hoodie__table__keygenerator__type="CUSTOM",
        hoodie__table__ordering__fields="a,b",
    )
    add_commit(base, FIRST, {"x/2024/01": {"f-0": 3}})
    assert [f.partition for f in files.read(base)] == ["x/2024/01"]
    facts = table_facts.read(base)
    assert (facts.partitioned_by, facts.ordering) == (("p", "ts"), "a,b")


def test_adopted_groups_have_their_source(tmp_path: Path) -> None:
    source = tmp_path / "raw" / "p=a" / "part-é.parquet"
    source.parent.mkdir(parents=True)
    base = make_table(tmp_path / "t", hoodie__bootstrap__base__path=str(tmp_path / "raw"))
    group, other = "92c41261-aaaa-4bbb-8ccc-000000000000", "82c41261-aaaa-4bbb-8ccc-000000000000"
    made = add_commit(
        base, bootstrapped.INSTANT, {"p=a": {group: 2, other: 1}}, operation="BOOTSTRAP"
    )
    shutil.copy(made[group], source)
    slices = dict.fromkeys(layout.latest_slices(base), source)
    bootstrapped.write_index(base, tmp_path / "raw", slices)
    assert [f.source for f in files.read(base)] == [f"file:{source}"] * 2
    add_commit(base, FIRST, {"p=a": {group: 2}})
    assert {f.group: f.source for f in files.read(base)} == {other: f"file:{source}", group: None}
    assert {f.source for f in files.read(base, bootstrapped.INSTANT)} == {f"file:{source}"}


def test_files_that_another_attempt_at_a_bootstrap_left_are_passed_over(tmp_path: Path) -> None:
    base = make_table(tmp_path / "t")
    full = "00000000000002"
    add_commit(base, full, {"p=a": {"g-0": 1}}, operation="BOOTSTRAP")
    stray = base / "p=a" / f"other-0_0-1-0_{full}.parquet"
    shutil.copy(base / "p=a" / f"g-0_0-1-0_{full}.parquet", stray)
    assert [f.group for f in files.read(base)] == ["g-0"]


def test_an_index_without_the_source_is_broken(tmp_path: Path) -> None:
    base = make_table(tmp_path / "t", hoodie__bootstrap__base__path=str(tmp_path))
    add_commit(base, bootstrapped.INSTANT, {"p=a": {"g": 2}}, operation="BOOTSTRAP")
    assert fault(base).condition == "HUDILITE_MISSING_FILE"
    bootstrapped.write_index(base, tmp_path, {})
    assert fault(base).condition == "HUDILITE_CORRUPT_TIMELINE"
    (index,) = (base / ".hoodie" / ".aux" / ".bootstrap" / ".partitions").iterdir()
    whole = index.read_bytes()
    for cut in (b"", whole[:100], whole[:-1], b"x" * len(whole), whole.replace(b"INDEX", b"INDEY")):
        index.write_bytes(cut)
        assert fault(base).condition == "HUDILITE_CORRUPT_TIMELINE"


def test_an_index_of_many_blocks(tmp_path: Path) -> None:
    base = make_table(tmp_path / "t", hoodie__bootstrap__base__path=str(tmp_path))
    source = tmp_path / "one.parquet"
    source.touch()
    writes = {f"p={i:03d}{'x' * 150}": {f"g{i}": 1} for i in range(60)}
    made = add_commit(base, bootstrapped.INSTANT, writes, operation="BOOTSTRAP")
    shutil.copy(made["g0"], source)
    bootstrapped.write_index(base, tmp_path, dict.fromkeys(layout.latest_slices(base), source))
    assert [f.source for f in files.read(base)] == [f"file:{source}"] * 60


def test_paths_in_all_spellings(grown: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(grown.parent)
    shutil.copytree(grown, grown.parent / "a b%20é")
    assert len(files.read((grown.parent / "a b%20é").as_uri())) == 3
    spelled = [grown, str(grown), f"{grown}/", "t", f"file:{grown}", grown.as_uri()]
    assert all(files.read(path) == files.read(grown) for path in spelled)


def test_a_uri_is_read_through_pyarrow(grown: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyarrow import fs

    def opened(uri: str) -> tuple[fs.FileSystem, str]:
        assert uri == "s3://bucket/t"
        return fs.SubTreeFileSystem(str(grown.parent), fs.LocalFileSystem()), "t"

    monkeypatch.setattr(folders, "filesystem_of", opened)
    by_uri = files.read("s3a://bucket/t", footers=True)
    local = files.read(grown, footers=True)
    assert [f.path for f in by_uri] == [f.path.replace(str(grown), "s3a://bucket/t") for f in local]
    assert [(f.group, f.instant, f.bytes, f.rows) for f in by_uri] == [
        (f.group, f.instant, f.bytes, f.rows) for f in local
    ]


def test_a_uri_that_nobody_serves_is_refused() -> None:
    with pytest.raises(HudiliteError) as caught:
        files.read("nosuch://bucket/t")
    assert caught.value.condition == "HUDILITE_PATH_INVALID"
    assert caught.value.parameters["path"] == "nosuch://bucket/t"


def test_a_commit_that_may_not_be_read_is_an_error(
    grown: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.scandir

    def denied(path: str) -> object:
        if path.endswith("p=b"):
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", denied)
    error = fault(grown)
    assert error.condition == "HUDILITE_PATH_INVALID"
    assert error.parameters["path"] == str(grown / "p=b")
    assert error.parameters["reason"] == "permission denied"


def test_a_table_that_is_only_instants(tmp_path: Path) -> None:
    base = make_table(tmp_path / "t")
    add_instant(base, FIRST, "clean", b"Obj\1")
    assert files.read(base) == []
