"""sqlglot as it is installed: in Python, or compiled, which the suite of that name asks for."""

from __future__ import annotations

import os

import sqlglot
from sqlglot import exp, parser

from hudilite import sql
from hudilite.dialect import Hudilite, generator, interpreted, writers

COMPILED = os.environ.get("HUDILITE_SQLGLOT") == "compiled"


def test_the_build_is_the_one_that_is_asked_for() -> None:
    assert str(parser.__file__).endswith(".py") is not COMPILED


def test_builders_read_conditions() -> None:
    assert sql.delete("t", where="a = 1 AND (b OR c)") == "DELETE FROM t WHERE a = 1 AND (b OR c)"
    rate = sql.expression("amount * :rate", rate=2)
    assert sql.update("t", {"amount": rate}, where={"id": 7}) == (
        "UPDATE t SET amount = amount * 2\nWHERE id = 7"
    )


def test_trees_are_of_sqlglots_own_nodes() -> None:
    tree = sqlglot.parse_one("CREATE TABLE t (id INT PRIMARY KEY) USING hudilite", read="hudilite")
    assert isinstance(tree, exp.Create)
    assert type(tree.find(exp.ColumnDef)).__module__.startswith("sqlglot.")


def test_classes_that_the_dialect_derives_from_are_sqlglots_where_it_is_not_compiled() -> None:
    for name in ("sqlglot.parsers.spark", "sqlglot.generators.postgres"):
        found = interpreted.module(name)
        assert found is interpreted.module(name)
        assert (found.__name__ == name) is not COMPILED
    base = interpreted.python_class(sqlglot.Dialect.get_or_raise("duckdb").generator_class)
    assert issubclass(base, interpreted.module("sqlglot.generator").Generator)


def test_a_class_of_python_stays_itself() -> None:
    assert interpreted.python_class(Hudilite.Generator) is Hudilite.Generator
    assert Hudilite.Generator is generator.HudiliteGenerator
    assert issubclass(generator.HudiliteGenerator, writers.Spark2Generator)
