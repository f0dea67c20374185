"""The rules for imports between the Scala packages, and the table that shows them."""

from __future__ import annotations

from pathlib import Path

import packages
import pytest
import rooms
from packages import Package, circles, closure

PLACE = "sql-extension/spark/src/main/scala/hudilite/spark/read/HudiliteScan.scala"


def test_a_package_may_import_what_its_imports_may_import() -> None:
    allowed = closure(
        (
            Package("io", (), ""),
            Package("spark.plan", (), ""),
            Package("spark.read", ("spark.plan",), ""),
            Package("spark.exec", ("spark.read",), ""),
        )
    )
    assert allowed["io"] == set()
    assert allowed["spark.exec"] == {"io", "spark.plan", "spark.read"}


def test_a_package_comes_after_those_that_it_may_import() -> None:
    with pytest.raises(ValueError, match=r"spark\.plan stands before spark\.read"):
        closure((Package("spark.plan", ("spark.read",), ""), Package("spark.read", (), "")))


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("import hudilite.spark.plan.MergeSpec", None),
        ("import hudilite.io.Storage", None),
        ("import hudilite.spark.read.ScanRequest", None),
        ("import hudilite.spark.exec.RunningWrite", "spark.read may not import spark.exec"),
        ("hudilite.spark.HudiliteCatalog.name", "spark.read may not import spark"),
        ("import hudilite.spark.{plan, read}", "import packages one by one"),
        ("import hudilite.{io, view}", "import packages one by one"),
    ],
)
def test_an_import_that_is_not_allowed_is_a_fault(code: str, told: str | None) -> None:
    text = f"package hudilite.spark.read\n\n{code}\n"
    assert list(rooms.import_faults(PLACE, text)) == ([f"{PLACE}:3: {told}"] if told else [])


def test_a_package_without_a_rule_is_a_fault() -> None:
    place = "sql-extension/spark/src/main/scala/hudilite/spark/other/A.scala"
    assert list(rooms.import_faults(place, "")) == [
        f"{place}: packages.py has no package spark.other"
    ]


def test_packages_that_import_each_other_are_named_and_no_others() -> None:
    straight = {"io": set[str](), "read": {"io"}, "exec": {"read", "io"}}
    assert circles(straight) == []
    assert circles(straight | {"read": {"io", "catalog"}, "catalog": {"read"}}) == [
        "catalog",
        "read",
    ]
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}, "e": set()}) == ["a", "b", "c"]


def test_a_circle_in_the_sources_is_a_fault(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for package, seen in (("read", "catalog"), ("catalog", "read"), ("meta", "catalog")):
        file = tmp_path / f"src/main/scala/hudilite/spark/{package}/A.scala"
        file.parent.mkdir(parents=True)
        file.write_text(f"package hudilite.spark.{package}\n\nimport hudilite.spark.{seen}.A\n")
    monkeypatch.setattr(rooms, "tracked", lambda *_: sorted(tmp_path.rglob("*.scala")))
    monkeypatch.setattr(rooms, "relative", lambda path: f"x/{path.relative_to(tmp_path)}")
    assert list(rooms.circle_faults()) == [
        "hudilite.spark.catalog is in a circle of packages: it imports spark.read",
        "hudilite.spark.read is in a circle of packages: it imports spark.catalog",
    ]


def test_a_stale_table_is_a_fault(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert list(packages.faults()) == []
    changed = tmp_path / "README.md"
    changed.write_text(packages.README.read_text("utf-8").replace("| error |", "| view |"))
    monkeypatch.setattr(packages, "README", changed)
    assert list(packages.faults()) == ["sql-extension/README.md is stale: run make fmt"]
    assert packages.main() == 0
    assert changed.read_text("utf-8").count(packages.BEGIN) == 1
    assert list(packages.faults()) == []
