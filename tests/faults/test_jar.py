"""Contents of the jar, and that no stored byte becomes an object."""

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
    r"|org/apache/spark/(sql/(execution/)?hudilite/[A-Za-z0-9_$]+|ConditionException)\.class"
    r"|hudi/DefaultSource\.class"  # the name under which Spark looks for `hudi`
    r"|META-INF/MANIFEST\.MF|hudilite-(conditions|settings)\.json"
)
# Each does nothing before a user names it: a procedure of ours, and USING hudilite.
SERVICES = {
    "META-INF/services/hudilite.spark.catalog.ProcedureProvider",
    "META-INF/services/org.apache.spark.sql.sources.DataSourceRegister",
}
READERS = (b"java/io/ObjectInputStream", b"com/esotericsoftware/kryo", b"parquet/avro/Avro")
LARGEST = 8 << 20


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
        assert len({info.date_time for info in jar.infolist()}) == 1
        _, *others = [info.filename for info in jar.infolist() if not info.is_dir()]
        assert others == sorted(others), "the manifest is the first, the others are sorted"


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


def test_classes_keep_what_stack_traces_and_compilers_read() -> None:
    classes = {name: code for name, code in entries().items() if name.endswith(".class")}
    assert {name for name, code in classes.items() if b"SourceFile" not in code} == set()
    assert sum(b"LineNumberTable" in code for code in classes.values()) > len(classes) / 2
    public = "hudilite/spark/catalog/HudiliteTable.class"
    assert b"Signature" in classes[public]
    assert b"ScalaSignature" in classes[public]


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
