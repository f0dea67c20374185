"""Files that were made to do harm, at 1 GB of heap: sizes that lie, deep JSON, paths that lead out."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from asked import LONG, SEED, rng_of
from damaged import Spoil, look, newest_base_file, numbers, untouched
from runs import Enumeration

from harness import damage, layout
from oracle.bloom import serialize

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SOME = 2  # in the short profile, by the seed
MIB = 1 << 20
LIES = (2**31 - 9, 2**31 - 1, -1, -(2**31), 0)
PLACES = (1, 5, 9, 13, 17, 21, 25, 29, 33)  # of whole numbers in a DYNAMIC_V0 filter
CODE = "hoodie_bloom_filter_type_code"
# A filter of no key, as another writer may leave it in the files of a table with buckets.
FILTER = {damage.BLOOM: serialize([], 100, 1e-9, "DYNAMIC_V0"), CODE: "DYNAMIC_V0"}
OUTSIDE = ("../../../outside/x.parquet", "/outside/x.parquet", "file:/outside/x.parquet", "", "p=a")


def footer(pairs: dict[str, str | None]) -> Spoil:
    """Other pairs in the footers of all latest base files."""

    def spoil(base: Path) -> None:
        for found in layout.latest_slices(base):
            damage.rewrite(base, found, footer=pairs)

    return spoil


def bloom(place: int, value: int) -> Spoil:
    """A filter that says another size of itself."""

    def lie(pairs: damage.Footer) -> damage.Footer:
        data = bytearray(base64.b64decode(FILTER[damage.BLOOM]))
        data[place : place + 4] = (value & 0xFFFFFFFF).to_bytes(4, "big")
        return {**pairs, **FILTER, damage.BLOOM: base64.b64encode(bytes(data)).decode()}

    def spoil(base: Path) -> None:
        for found in layout.latest_slices(base):
            damage.rewrite(base, found, footer=lie)

    return spoil


def completed(base: Path) -> Path:
    return max((base / ".hoodie").glob("*.commit"))


def text_of(file: Callable[[Path], Path], text: str) -> Spoil:
    def spoil(base: Path) -> None:
        file(base).write_text(text, encoding="utf-8")

    return spoil


def long_file(file: Callable[[Path], Path]) -> Spoil:
    """A file above every limit, which takes no room on the disk."""

    def spoil(base: Path) -> None:
        os.truncate(file(base), 200 * MIB)

    return spoil


def stats_changed(change: Callable[[dict[str, Any]], None], unpublished: bool) -> Spoil:
    """Other facts of the base files in the latest commit; unpublished, its number alone has them."""

    def spoil(base: Path) -> None:
        metadata = json.loads(completed(base).read_text(encoding="utf-8"))
        for stats in metadata["partitionToWriteStats"].values():
            for stat in stats:
                change(stat)
        text = layout.with_checksum(json.dumps(metadata))
        if unpublished:
            record = json.loads(numbers(base)[-1].read_text(encoding="utf-8"))
            numbers(base)[-1].write_text(json.dumps(record | {"metadata": text}))
            completed(base).unlink()
        else:
            completed(base).write_text(text, encoding="utf-8")

    return spoil


def path_is(path: str) -> Callable[[dict[str, Any]], None]:
    return lambda stat: stat.update(path=path)


DEEP = '{"partitionToWriteStats":' * 100_000
HUGE = '{"operationType": %s, "partitionToWriteStats": {}}'
HOSTILE: dict[str, Spoil] = {
    **{f"{value} at {at} of a filter": bloom(at, value) for at in PLACES for value in LIES},
    "a filter that is no base64": footer({damage.BLOOM: "!!!! \u00e9"}),
    "an empty filter": footer({damage.BLOOM: ""}),
    "a filter of 40 MB": footer({damage.BLOOM: "A" * 40_000_000}),
    "a filter of another kind": footer({**FILTER, CODE: "java.lang.Runtime"}),
    "a filter without a key range": footer({**FILTER, damage.MIN_KEY: None, damage.MAX_KEY: None}),
    "a footer of 120 MB": lambda base: damage.rewrite(
        base, layout.latest_slices(base)[-1], footer={"x": "A" * 120_000_000}
    ),
    "a greatest key of 40 MB": footer({damage.MAX_KEY: "A" * 40_000_000}),
    "a deep completed file": text_of(completed, DEEP),
    "a deep number": text_of(lambda base: numbers(base)[-1], DEEP),
    "a number of a million digits": text_of(completed, HUGE % ("9" * 1_000_000)),
    "a number with a huge exponent": text_of(completed, HUGE % "1e999999999"),
    "a completed file of 200 MB": long_file(completed),
    "a number of 200 MB": long_file(lambda base: numbers(base)[-1]),
    "properties of 200 MB": long_file(lambda base: base / ".hoodie" / "hoodie.properties"),
    "a metafile of 200 MB": long_file(lambda base: base / "p=a" / layout.PARTITION_METAFILE),
    "a base file of 200 MB": long_file(newest_base_file),
    **{
        f"path {path!r}{', unpublished' if hidden else ''}": stats_changed(path_is(path), hidden)
        for path in OUTSIDE
        for hidden in (False, True)
    },
    "lengths below 0": stats_changed(lambda s: s.update(fileSizeInBytes=-1), unpublished=False),
}


@pytest.mark.fault("F35", "F47", "F48", "F91")
@pytest.mark.timeout(3600 if LONG else 600)
@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(k, marks=pytest.mark.rotated(third=n))
        for n, k in enumerate(["filter", "path", ""])
    ],
)
def test_hostile_files_do_no_harm(
    enumeration: Enumeration, spark: SparkSession, kind: str, victims: Path
) -> None:
    print(f"HUDILITE_SEED={SEED}")
    kinds = ("filter", "path", "")
    names = [n for n in HOSTILE if next(k for k in kinds if k in n) == kind]
    chosen = names if LONG else rng_of("hostile", kind).sample(names, SOME)
    wrong = []
    for name in chosen:
        told = look(enumeration, spark, HOSTILE[name])
        print(name, told)
        wrong += [f"{name}: {text}" for text in told]
    assert wrong == []
    assert untouched(victims)
