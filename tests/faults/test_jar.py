"""What the jar is made of, and that no stored byte becomes an object."""

from __future__ import annotations

import base64
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from damaged import look, numbers
from runs import Enumeration

from harness import damage, layout
from harness.session import JAR

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OURS = re.compile(
    r"hudilite/([a-z]+/)*[A-Za-z0-9_$]+\.class"
    r"|org/apache/spark/(sql/hudilite/[A-Za-z0-9_$]+|ConditionException)\.class"
    r"|META-INF/MANIFEST\.MF|hudilite-(conditions|settings)\.json"
)
# Each does nothing before a user names it: a procedure of ours, and USING hudilite.
SERVICES = {
    "META-INF/services/hudilite.spark.catalog.ProcedureProvider",
    "META-INF/services/org.apache.spark.sql.sources.DataSourceRegister",
}
READERS = (b"java/io/ObjectInputStream", b"com/esotericsoftware/kryo", b"parquet/avro/Avro")
LARGEST = 2048 << 10
# Of a constant in a class file: its kind, and how many bytes each kind takes.
TEXT, CLASS, TWO_PLACES = 1, 7, {5, 6}
SIZES = {3: 5, 4: 5, 5: 9, 6: 9, 7: 3, 8: 3, 9: 5, 10: 5, 11: 5, 12: 5, 15: 4, 16: 3, 17: 5, 18: 5}


def entries() -> dict[str, bytes]:
    with zipfile.ZipFile(JAR) as jar:
        return {i.filename: jar.read(i) for i in jar.infolist() if not i.is_dir()}


@pytest.mark.fault("F98")
def test_the_jar_holds_our_classes_alone() -> None:
    """No class of others, no service that acts by itself, and always the same bytes."""
    names = set(entries())
    assert {name for name in names if not OURS.fullmatch(name)} == SERVICES
    assert len(names) > 100
    assert JAR.stat().st_size < LARGEST
    with zipfile.ZipFile(JAR) as jar:
        assert {info.date_time[:3] for info in jar.infolist()} == {(1980, 2, 1)}
        assert jar.namelist() == sorted(jar.namelist())


@pytest.mark.fault("F90")
def test_no_class_reads_objects() -> None:
    """Nor does one ask for Kryo, or for Parquet's Avro reader, which loads classes by name."""
    found = {
        f"{name}: {reader.decode()}"
        for name, code in entries().items()
        for reader in READERS
        if reader in code
    }
    assert found == set()


def named_classes(code: bytes) -> set[str]:
    """What a class file's constants name as classes, arrays as what they hold."""
    count, at, index = int.from_bytes(code[8:10], "big"), 10, 1
    texts: dict[int, str] = {}
    classes = []
    while index < count:
        tag, word = code[at], int.from_bytes(code[at + 1 : at + 3], "big")
        if tag == TEXT:
            texts[index] = code[at + 3 : at + 3 + word].decode("utf-8", "replace")
        if tag == CLASS:
            classes.append(word)
        at += word + 3 if tag == TEXT else SIZES[tag]
        index += 2 if tag in TWO_PLACES else 1
    return {texts[name].lstrip("[").removeprefix("L").removesuffix(";") for name in classes}


def test_no_class_names_one_that_was_left_out() -> None:
    """The jar leaves out classes that nothing reaches; what is kept finds all it asks for, and a
    stack trace finds files and lines.
    """
    classes = {n.removesuffix(".class"): c for n, c in entries().items() if n.endswith(".class")}
    missing = {
        f"{name}: {other}"
        for name, code in classes.items()
        for other in named_classes(code)
        if other.startswith(("hudilite/", "org/apache/spark/sql/hudilite/"))
        and other not in classes
    }
    assert missing == set()
    assert {name for name, code in classes.items() if b"SourceFile" not in code} == set()
    assert sum(b"LineNumberTable" in code for code in classes.values()) > len(classes) / 2


def places(bytes_: bytes) -> dict[str, Callable[[Path], None]]:
    """Where a serialized object is put in a table's files."""
    text = base64.b64encode(bytes_).decode()

    def latest(base: Path) -> Path:
        return max((base / ".hoodie").glob("*.commit"))

    def extra(base: Path) -> None:
        metadata = json.loads(latest(base).read_text(encoding="utf-8"))
        metadata["extraMetadata"] |= {"planted": text}
        latest(base).write_text(json.dumps(metadata), encoding="utf-8")

    def property_(base: Path) -> None:
        with (base / ".hoodie" / "hoodie.properties").open("a", encoding="utf-8") as file:
            file.write(f"\nhudilite.planted={text}\n")

    def footers(base: Path) -> None:
        for found in layout.latest_slices(base):
            damage.rewrite(base, found, footer={"planted": text, damage.BLOOM: text})

    return {
        "commit": lambda base: latest(base).write_bytes(bytes_) and None,
        "extra": extra,
        "number": lambda base: numbers(base)[-1].write_bytes(bytes_) and None,
        "property": property_,
        "footers": footers,
    }


@pytest.mark.fault("F90")
def test_no_stored_byte_becomes_an_object(enumeration: Enumeration, spark: SparkSession) -> None:
    """The files of a table hold an object that would note it: right rows, or an error by name."""
    jvm: Any = spark._jvm
    planted = jvm.hudilite.tests.Planted
    wrong = []
    for name, spoil in places(bytes(planted.bytes())).items():
        wrong += [f"{name}: {text}" for text in look(enumeration, spark, spoil)]
    assert wrong == []
    assert planted.read() == 0
