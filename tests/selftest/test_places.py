"""The lint that keeps the names of metadata files in the layout."""

from __future__ import annotations

import places
import pytest


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
