"""hoodie.properties as Java reads it, and what of it is refused: no JVM starts here."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from harness import layout
from hudilite import java_properties, table_facts
from hudilite.errors import HudiliteError
from python.hand_made_table import make_bucketed, make_table


def fault(path: Path) -> HudiliteError:
    with pytest.raises(HudiliteError) as caught:
        table_facts.read(path)
    return caught.value


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (b"a=b", {"a": "b"}),
        (b"a : b", {"a": "b"}),
        (b"a b=c", {"a": "b=c"}),
        (b"a\\ b=c", {"a b": "c"}),
        (b"a\\:b\\=c=d", {"a:b=c": "d"}),
        (b"a=", {"a": ""}),
        (b"a", {"a": ""}),
        (b"=b", {"": "b"}),
        (b"  a = b ", {"a": "b "}),
        (b"# a=b\n ! c=d\n\n", {}),
        (b"a=1\na=2", {"a": "2"}),
        (b"a=1\\\n   2\\\n3\nb=4", {"a": "123", "b": "4"}),
        (b"a=1\\\\\nb=2", {"a": "1\\", "b": "2"}),
        (b"a=1\\", {"a": "1"}),
        (b"a=1\r\nb=2\rc=3", {"a": "1", "b": "2", "c": "3"}),
        (b"a=\\t\\n\\r\\f\\q\\\\", {"a": "\t\n\r\fq\\"}),
        (b"a=\\u00e9\\u20AC", {"a": "é€"}),
        (b"a=\\uD83D\\uDE00", {"a": "😀"}),
        (b"a=\xe9", {"a": "é"}),
        (b"a=#b!c", {"a": "#b!c"}),
    ],
)
def test_properties_are_read_as_java_reads_them(text: bytes, found: dict[str, str]) -> None:
    assert java_properties.parse(text) == found


def test_half_a_unicode_escape_is_malformed() -> None:
    with pytest.raises(ValueError, match="malformed"):
        java_properties.parse(b"a=\\u12")


def test_facts_of_a_bucketed_table(tmp_path: Path) -> None:
    facts = table_facts.read(make_bucketed(tmp_path / "t", buckets=16))
    assert (facts.name, facts.database, facts.version, facts.layout) == ("t", None, 6, 1)
    assert (facts.key, facts.partitioned_by) == (("id",), ("p",))
    assert (facts.index, facts.buckets, facts.bucketed_by) == ("BUCKET", 16, ("id",))
    assert facts.properties == layout.properties(tmp_path / "t")


def test_facts_of_a_stock_table(tmp_path: Path) -> None:
    base = make_table(
        tmp_path / "t",
        hoodie__database__name="default",
        hoodie__table__version="9",
        hoodie__timeline__layout__version="2",
        hoodie__table__recordkey__fields="a, b",
        hoodie__table__partition__fields="",
        hoodie__table__precombine__field="ts",
        hoodie__bootstrap__base__path="/lake/raw",
        hoodie__table__create__schema=r'{"type"\:"record"}',
    )
    facts = table_facts.read(base)
    assert (facts.database, facts.version, facts.layout) == ("default", 9, 2)
    assert (facts.key, facts.partitioned_by, facts.ordering) == (("a", "b"), (), "ts")
    assert (facts.index, facts.buckets, facts.bootstrap) == (None, None, "/lake/raw")
    assert facts.properties["hoodie.table.create.schema"] == '{"type":"record"}'


@pytest.mark.parametrize(
    ("version", "asked", "found"),
    [
        ("9", "Keep-Files", "keep-files"),
        ("9", "detach", "detach"),
        ("9", "", "detach"),
        ("6", "keep-files", "detach"),
    ],
)
def test_what_a_write_does_to_the_metadata_table(
    tmp_path: Path, version: str, asked: str, found: str
) -> None:
    base = make_table(
        tmp_path / "t",
        hoodie__table__version=version,
        hoodie__table__metadata__partitions="column_stats,files",
        **({"hudilite__metadata": asked} if asked else {}),
    )
    facts = table_facts.read(base)
    assert facts.metadata == found
    assert facts.metadata_partitions == ("column_stats", "files")


@pytest.mark.parametrize(
    ("facts", "ordering"),
    [
        ({"hoodie__record__merge__mode": "EVENT_TIME_ORDERING"}, "ts"),
        ({"hoodie__record__merge__mode": "COMMIT_TIME_ORDERING"}, None),
        ({"hoodie__compaction__payload__class": "org.x.OverwriteWithLatestAvroPayload"}, None),
        ({"hoodie__compaction__payload__class": "org.x.DefaultHoodieRecordPayload"}, "ts"),
    ],
)
def test_the_merge_mode_or_the_payload_class_decides_whether_the_ordering_field_counts(
    tmp_path: Path, facts: dict[str, str], ordering: str | None
) -> None:
    base = make_table(tmp_path / "t", hoodie__table__ordering__fields="ts", **facts)
    assert table_facts.read(base).ordering == ordering


def test_a_name_that_was_altered_is_a_broken_table(tmp_path: Path) -> None:
    base = make_table(tmp_path / "t")
    file = base / ".hoodie" / "hoodie.properties"
    file.write_text(file.read_text().replace("table.name=t", "table.name=u"))
    error = fault(base)
    assert error.condition == "HUDILITE_CORRUPT_TIMELINE"
    assert error.parameters["path"] == str(file)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("bucket.count=4", "bucket.count=5"),
        ("recordkey.fields=id", "recordkey.fields=p"),
        ("hudilite.table.checksum", "hudilite.table.other"),
    ],
)
def test_a_fact_that_was_altered_is_a_broken_table(tmp_path: Path, old: str, new: str) -> None:
    base = make_bucketed(tmp_path / "t")
    file = base / ".hoodie" / "hoodie.properties"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    assert fault(base).condition == "HUDILITE_CORRUPT_TIMELINE"


def test_a_checksum_of_facts_that_are_gone_is_a_broken_table(tmp_path: Path) -> None:
    error = fault(make_table(tmp_path / "t", hudilite__table__checksum="1"))
    assert error.condition == "HUDILITE_CORRUPT_TIMELINE"
    assert "hudilite.table.checksum" in error.parameters["reason"]


@pytest.mark.parametrize("text", ["", "# nothing\n", "a=\\u1\n", "hoodie.table.version=6\n"])
def test_what_is_no_properties_file_is_a_broken_table(tmp_path: Path, text: str) -> None:
    base = make_table(tmp_path / "t")
    (base / ".hoodie" / "hoodie.properties").write_text(text)
    assert fault(base).condition == "HUDILITE_CORRUPT_TIMELINE"


def test_a_version_that_is_no_number_is_a_broken_table(tmp_path: Path) -> None:
    error = fault(make_table(tmp_path / "t", hoodie__table__version="six"))
    assert error.condition == "HUDILITE_CORRUPT_TIMELINE"
    assert "six" in error.parameters["reason"]


def test_a_table_without_its_properties_names_the_file(tmp_path: Path) -> None:
    (tmp_path / ".hoodie").mkdir()
    error = fault(tmp_path)
    assert error.condition == "HUDILITE_MISSING_FILE"
    assert error.parameters == {"path": str(tmp_path / ".hoodie" / "hoodie.properties")}


def test_paths_without_a_table_are_errors(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "empty").mkdir()
    told = {
        name: fault(tmp_path / name) for name in ("nowhere", "file", "empty", "file/below", "a\0b")
    }
    assert {error.condition for error in told.values()} == {"HUDILITE_PATH_INVALID"}
    assert [e.parameters["path"] for e in told.values()] == [str(tmp_path / n) for n in told]
    assert len({error.parameters["reason"] for error in told.values()}) == 4


@pytest.mark.parametrize(
    ("file", "project"),
    [("_delta_log/00000000000000000000.json", "Delta"), ("metadata/v1.metadata.json", "Iceberg")],
)
def test_a_table_of_another_project_is_named(tmp_path: Path, file: str, project: str) -> None:
    (tmp_path / file).parent.mkdir()
    (tmp_path / file).touch()
    told = fault(tmp_path).parameters
    assert told["reason"] == f"it contains a table of {project}, not of Hudi"
    assert f"format('{project.lower()}').load('{tmp_path}')" in told["fix"]
    (tmp_path / file).unlink()
    assert "no Hudi table" in fault(tmp_path).parameters["reason"]


def test_a_folder_behind_another_that_may_not_be_entered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = make_table(tmp_path / "t")
    real = os.stat

    def denied(path: Any, *arguments: Any, **options: Any) -> os.stat_result:
        if path == str(base):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return real(path, *arguments, **options)

    monkeypatch.setattr(os, "stat", denied)
    error = fault(base)
    assert error.condition == "HUDILITE_PATH_INVALID"
    assert error.parameters["reason"] == "permission denied"
    assert "permissions" in error.parameters["fix"]


def test_a_path_that_is_too_long(tmp_path: Path) -> None:
    error = fault(tmp_path / ("x" * 5000))
    assert error.condition == "HUDILITE_PATH_INVALID"
    assert "permissions" not in error.parameters["fix"]


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    base = make_table(tmp_path / "t")
    with (base / ".hoodie" / "hoodie.properties").open("ab") as file:
        file.truncate((64 << 20) + 1)
    error = fault(base)
    assert error.condition == "HUDILITE_LIMIT_EXCEEDED"
    assert error.parameters["value"] == str((64 << 20) + 1)
