"""The lint that keeps the names of metadata files in the layout."""

from __future__ import annotations

import places
import pytest
from files import ROOT


@pytest.mark.parametrize(
    "scala",
    [
        'new Path(base, ".hoodie")',
        's".hoodie/$name"',
        'Storage.resolve(base, ".temp")',
        'files.at(s"${files.layout.metadata}/.hudilite/commits")',
        's"$base/hoodie.properties"',
        's"$time.$action.requested"',
        's"$instant.commit"',
        's"${i.time}.${i.action}"',
        "storage.read(files.path(instant))",
        "storage\n  .delete(timeline.path(requested))",
    ],
)
def test_a_name_that_is_spelled_by_hand_is_a_fault(scala: str) -> None:
    assert list(places.faults_in(scala)) != []


@pytest.mark.parametrize(
    "scala",
    [
        "// the folder .hoodie",
        "/** Reads `.hoodie/hoodie.properties`. */",
        'val fileName = ".hoodie_partition_metadata"',
        'val oldBloom = "com.uber.hoodie.bloomfilter"',
        'Fact("hoodie.table.metadata.partitions.inflight", "")',
        'val temporaryEnd = ".hudilite-new"',
        's"no committed instant up to $instant."',
        "files.read(instant)",
        "throw Timeline.corrupt(files.path(instant), reason)",
    ],
)
def test_other_texts_are_none(scala: str) -> None:
    assert list(places.faults_in(scala)) == []


def test_a_reserved_text_is_allowed_alone() -> None:
    reserved = frozenset({".hoodie"})
    assert list(places.faults_in('val reserved = ".hoodie"', reserved)) == []
    assert list(places.faults_in('val other = ".hoodie/x"', reserved)) != []


@pytest.mark.parametrize(
    ("scala", "form"),
    [
        ("AvroFile.bytes(record)", ["AvroFile"]),
        ("AvroFile.records(storage.read(file), file)", ["AvroFile"]),
        ("CommitJson.parse(bytes, path)", ["CommitJson"]),
        ("Version6Layout.codec.decode(bytes, path)", ["Version6Layout"]),
        ("AvroFile.record(schema)", []),
        ("files.codec.encode(record)", []),
    ],
)
def test_a_use_of_a_form_is_found(scala: str, form: list[str]) -> None:
    assert [found for _, found in places.forms_in(scala)] == form


def test_each_user_of_a_form_that_is_allowed_uses_it() -> None:
    for form, users in places.MAY_USE.items():
        for user in users:
            text = (ROOT / user).read_text(encoding="utf-8")
            assert form in text, f"{user} does not use {form}: it needs no leave"
