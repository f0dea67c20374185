"""The rules of who imports whom in the Python package find what breaks them."""

from __future__ import annotations

import ast

import pytest
import python_imports

NAMES = {"hudilite", "hudilite.files", "hudilite.format.avro", "hudilite.launch.java"}


def test_the_package_keeps_the_rules() -> None:
    assert list(python_imports.faults()) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import hudilite.files", ["hudilite.files"]),
        ("from hudilite import files", ["hudilite.files"]),
        ("from hudilite.files import read, BaseFile", ["hudilite.files", "hudilite.files"]),
        ("from hudilite.launch.java import Java", ["hudilite.launch.java"]),
        ("import json", []),
    ],
)
def test_what_a_statement_imports(text: str, found: list[str]) -> None:
    assert list(python_imports.imported(ast.parse(text).body[0], NAMES)) == found


def test_format_and_launch_do_not_know_each_other() -> None:
    for room, other in (("format", "launch"), ("launch", "format")):
        assert other not in python_imports.MAY_IMPORT[room]
        node = ast.parse(f"from hudilite.{other} import x").body[0]
        faults = python_imports.faults_of(f"hudilite.{room}.a", node, {f"hudilite.{other}"})
        assert list(faults) == [f"1: {room} may not import {other}"]


def test_modules_that_need_no_spark() -> None:
    node = ast.parse("from pyspark.sql import SparkSession").body[0]
    assert list(python_imports.faults_of("hudilite.launch.java", node, NAMES)) == []
    assert list(python_imports.faults_of("hudilite.files", node, NAMES)) == [
        "1: files needs no pyspark"
    ]


def test_a_circle_is_reported() -> None:
    assert list(python_imports.circle_faults({"a": {"b"}, "b": {"c"}, "c": set()})) == []
    (told,) = python_imports.circle_faults({"a": {"b"}, "b": {"a"}})
    assert told.startswith("a circle of imports: ")
