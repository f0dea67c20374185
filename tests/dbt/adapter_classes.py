"""The classes of dbt's adapter suite, one subclass for each, with the configuration of a file format.

dbt's own Python collects this module (`adapter.py` starts it). A subclass overrides fixtures that
configure: the project, types of columns, and SQL that dbt asks each adapter to state. Everything
else that is PostgreSQL's in the suite becomes Spark's here, in the same way for all formats.
"""

from __future__ import annotations

import getpass
import importlib
import json
import os
import pkgutil
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import ANY

import pytest
import yaml
from dbt.tests.adapter.basic import (  # type: ignore[import-not-found] # in dbt's environment
    expected_catalog as catalogs,
)
from dbt.tests.adapter.constraints import (  # type: ignore[import-not-found] # as above
    fixtures as constraints,
)
from dbt.tests.adapter.simple_seed import (  # type: ignore[import-not-found] # as above
    fixtures as seeds,
)
from dbt.tests.adapter.simple_snapshot import (  # type: ignore[import-not-found] # as above
    fixtures as snapshots,
)

ASKED = json.loads(Path(os.environ["HUDILITE_DBT_ASKED"]).read_text(encoding="utf-8"))
FORMAT = ASKED["file_format"]
OURS = FORMAT == "hudilite"
AREAS = ("basic", "constraints", "incremental", "simple_seed", "simple_snapshot")
# Words of PostgreSQL alone; the first three name a database, which dbt-spark has none of.
SPARK_WORDS = (
    (r"\{database\}\.|\{\{ ?target\.database ?\}\}\.|\bNone\.", ""),
    (r"\btimestamp without time zone\b", "timestamp"),
    (r"\btext\b", "string"),
    (r" default null\b", ""),
)
# Without a type, a text is no TIMESTAMP or DATE for Spark. A column of texts takes both as they are.
TYPED = (
    (r"(?<!timestamp )'(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)'", r"timestamp '\1'"),
    (r"(?<!date )'(\d{4}-\d\d-\d\d)'", r"date '\1'"),
)


def in_spark(text: str) -> str:
    """A text of SQL, Jinja or YAML in Spark's words."""
    for postgres, spark in SPARK_WORDS:
        text = re.sub(postgres, spark, text, flags=re.IGNORECASE)
    return text


def statements(text: str) -> Iterator[str]:
    """The statements of a text that the suite sends at once, in Spark's words."""
    typed = in_spark(text).replace('"', "`")
    for untyped, literal in TYPED:
        typed = re.sub(untyped, literal, typed, flags=re.IGNORECASE)
    for statement in re.split(r";\s*(?:\n|$)", typed):
        if re.sub(r"--.*", "", statement).strip():
            yield statement


@pytest.fixture(scope="class")
def dbt_profile_target() -> dict[str, Any]:
    """The way to Spark that the run was given."""
    return {"type": "spark", "threads": 2, "user": getpass.getuser()} | ASKED["profile"]


@pytest.fixture(scope="class")
def dbt_project_yml(dbt_project_yml: dict[str, Any], project_root: Any) -> dict[str, Any]:
    """The project of a class with the file format, and for hudilite with its package."""
    project, root = dbt_project_yml, Path(project_root)
    for kind in ("models", "seeds", "snapshots"):
        project[kind] = {"+file_format": FORMAT} | project.get(kind, {})
    if OURS:
        order = [project["name"], "hudilite", "dbt"]
        project["dispatch"] = [{"macro_namespace": "dbt", "search_order": order}]
        project["macro-paths"] = ["macros", "wrappers"]
        shutil.copytree(ASKED["wrappers"], root / "wrappers")
        shutil.copytree(ASKED["package"], root / "dbt_packages" / "hudilite")
        packages = {"packages": [{"local": ASKED["package"]}]}
        (root / "packages.yml").write_text(yaml.safe_dump(packages), encoding="utf-8")
    (root / "dbt_project.yml").write_text(yaml.safe_dump(project), encoding="utf-8")
    return project


@pytest.fixture(scope="class")
def project_files(project_files: None, project_root: Any) -> None:
    """The files of a class in Spark's words."""
    for folder in ("models", "macros", "snapshots", "tests"):
        for path in (Path(project_root) / folder).rglob("*"):
            if path.suffix in (".sql", ".yml"):
                path.write_text(in_spark(path.read_text(encoding="utf-8")), encoding="utf-8")


@pytest.fixture(scope="class")
def project(project: Any) -> Any:
    """The project, which runs the statements of the suite in Spark's words."""
    run = project.run_sql

    def run_sql(sql: str, fetch: str | None = None) -> Any:
        found = None
        for statement in statements(sql):
            found = run(statement, fetch)
        return found

    project.run_sql = run_sql
    return project


class Merging:
    """The strategy of the models is merge, which dbt-spark's default is not.

    The unique_key of these models is in several rows, is NULL or is no column: what a primary key
    cannot be.
    """

    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        return {"models": {"+incremental_strategy": "merge"} | self.predicates() | keyless()}

    @staticmethod
    def predicates() -> dict[str, Any]:
        """Config that says which rows of the table may match; none here."""
        return {}


def keyless() -> dict[str, Any]:
    """The config of models whose unique_key is only the condition of a MERGE."""
    return {"+tblproperties": {"primaryKey": ""}} if OURS else {}


class IncrementalPredicates(Merging):
    """Predicates of a MERGE; the row that they exclude comes a second time."""

    @staticmethod
    def predicates() -> dict[str, Any]:
        return {"+incremental_predicates": ["dbt_internal_dest.id != 2"]}


class Predicates(Merging):
    """Models with `predicates`, the other name of `incremental_predicates`."""

    @staticmethod
    def predicates() -> dict[str, Any]:
        return {"+predicates": ["dbt_internal_dest.id != 2"]}


class SchemaChange:
    """The strategy of the models is merge."""

    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        return {"models": {"+incremental_strategy": "merge"}}


class Microbatch:
    """dbt-spark overwrites partitions, so that the model has some."""

    @pytest.fixture(scope="class")
    def microbatch_model_sql(self) -> str:
        config = "materialized='incremental', incremental_strategy='microbatch', unique_key='id', "
        config += "event_time='event_time', batch_size='day', partition_by=['day'], "
        config += "begin=modules.datetime.datetime(2020, 1, 1, 0, 0, 0)"
        return (
            f"{{{{ config({config}) }}}} "
            "select *, cast(event_time as date) as day from {{ ref('input_model') }}"
        )


class Types:
    """Spark's names of types."""

    @pytest.fixture
    def string_type(self) -> str:
        return "string"

    @pytest.fixture
    def int_type(self) -> str:
        return "int"

    @pytest.fixture
    def data_types(self) -> list[list[str]]:
        """SQL of a value, its type in a contract, and how the type begins in the error."""
        values = {
            "1": "int",
            "'1'": "string",
            "true": "boolean",
            "1.5": "decimal(2,1)",
            "cast('2019-01-01' as date)": "date",
            "cast('2019-01-01' as timestamp)": "timestamp",
            "array('a', 'b')": "array<string>",
            "array(1, 2)": "array<int>",
        }
        return [[value, name, re.split("[(<]", name)[0]] for value, name in values.items()]


def created(columns: str, query: str, key: bool = True) -> str:
    """The statement that creates a table with a contract."""
    facts = "tblproperties ('primaryKey' = 'id') " if OURS and key else ""
    create = f"create or replace table <model_identifier> using {FORMAT} {facts}"
    return f"{create} as select {columns} from ({query}) as model_subq"


class Contract:
    """The statement of a contract: dbt-spark states columns by the query, and constraints later."""

    @pytest.fixture(scope="class")
    def expected_sql(self) -> str:
        query = "select 'blue' as color, 1 as id, '2019-01-01' as date_day"
        depends = "-- depends_on: <foreign_key_model_identifier> "
        return created("id, color, date_day", depends + query)


class QuotedColumn:
    """The same with a column that Spark quotes in its own way."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        contract = constraints.model_quoted_column_schema_yml.replace('"from"', "`from`")
        return {
            "my_model.sql": constraints.my_model_with_quoted_column_name_sql,
            "constraints_schema.yml": contract,
        }

    @pytest.fixture(scope="class")
    def expected_sql(self) -> str:
        query = "select 'blue' as `from`, 1 as id, '2019-01-01' as date_day"
        return created("id, `from`, date_day", query, key=False)


class Violation:
    """The error of a row that violates a contract, by a text of each format."""

    @pytest.fixture(scope="class")
    def expected_error_messages(self) -> list[str]:
        return [{"hudilite": "HUDILITE_", "delta": "DELTA_"}[FORMAT]]


class TableViolation(Violation):
    """The same for a table model, which dbt-spark replaces before it adds the constraints."""

    @pytest.fixture(scope="class")
    def expected_color(self) -> str:
        return "blue" if OURS else "red"


class OneOf:
    """Equals each of some texts."""

    def __init__(self, *texts: str) -> None:
        self.texts = texts

    def __eq__(self, other: object) -> bool:
        return other in self.texts

    def __hash__(self) -> int:
        return hash(self.texts)


class Catalog:
    """Types, owners and numbers of `dbt docs generate`, as dbt-spark finds them."""

    @pytest.fixture(scope="class")
    def expected_catalog(self, project: Any) -> dict[str, Any]:
        return self.of(catalogs.base_expected_catalog, project)

    @staticmethod
    def of(expected: Any, project: Any, **more: Any) -> dict[str, Any]:
        """A catalog with Spark's types, in which columns may have any number."""
        integer = OneOf("long", "bigint")
        words = {"view_type": "view", "table_type": "table", "model_stats": ANY, "role": ANY}
        types = {"id_type": integer, "text_type": "string", "time_type": "timestamp"}
        found: dict[str, Any] = expected(project, **words, **types, **more)
        for node in (*found["nodes"].values(), *found["sources"].values()):
            for column in node["columns"].values():
                column["index"] = ANY
        return found


class References(Catalog):
    """The same of models that refer to each other."""

    @pytest.fixture(scope="class")
    def expected_catalog(self, project: Any) -> dict[str, Any]:
        integer = OneOf("long", "bigint")
        return self.of(catalogs.expected_references_catalog, project, bigint_type=integer)


class SeedTypes:
    """Types of seeds in Spark's words."""

    @staticmethod
    def seed_enabled_types() -> dict[str, str]:
        return {"seed_id": "string", "birthday": "date"}

    @staticmethod
    def seed_tricky_types() -> dict[str, str]:
        names = ("seed_id_str", "looks_like_a_bool", "looks_like_a_date")
        return dict.fromkeys(names, "string")

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {"schema.yml": seeds.properties__schema_yml.replace("integer", "bigint")}


class ColumnNames:
    """The file format of a snapshot, in its own file: the test replaces that of the project."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        config = f"config:\n      file_format: {FORMAT}\n"
        return {
            "snapshots.yml": snapshots.snapshots_no_column_names_yml.replace("config:\n", config),
            "ref_snapshot.sql": snapshots.ref_snapshot_sql,
        }


class NewColumn:
    """A column that the source gets, in words that each format takes."""

    @pytest.fixture(scope="class")
    def source_alter_sql(self) -> str:
        return "alter table {database}.{schema}.src_customers add columns (dummy_column string);"


OWN: dict[str, type] = {
    "TestIncrementalUniqueKey": Merging,
    "TestIncrementalPredicatesDeleteInsert": IncrementalPredicates,
    "TestPredicatesDeleteInsert": Predicates,
    "TestIncrementalOnSchemaChange": SchemaChange,
    "TestMicrobatch": Microbatch,
    "TestTableConstraintsColumnsEqual": Types,
    "TestViewConstraintsColumnsEqual": Types,
    "TestIncrementalConstraintsColumnsEqual": Types,
    "TestTableConstraintsRuntimeDdlEnforcement": Contract,
    "TestIncrementalConstraintsRuntimeDdlEnforcement": Contract,
    "TestModelConstraintsRuntimeEnforcement": Contract,
    "TestConstraintQuotedColumn": QuotedColumn,
    "TestTableConstraintsRollback": TableViolation,
    "TestIncrementalConstraintsRollback": Violation,
    "TestDocsGenerate": Catalog,
    "TestDocsGenReferences": References,
    "TestSimpleSeedColumnOverride": SeedTypes,
    "TestSnapshotInvalidColumnNames": ColumnNames,
    "TestSnapshotEphemeralHardDeletes": NewColumn,
    "TestSnapshotNewColumnTimestampStrategy": NewColumn,
    "TestSnapshotNewColumnSpecificCheckCols": NewColumn,
    "TestSnapshotNewColumnWithDeletes": NewColumn,
}


def classes_of(module: ModuleType) -> Iterator[type]:
    """The classes with tests that no other class of the module extends."""
    own = [found for found in vars(module).values() if isinstance(found, type)]
    tested = [
        found
        for found in own
        if found.__module__ == module.__name__ and any(n.startswith("test_") for n in dir(found))
    ]
    for found in tested:
        if not any(other is not found and issubclass(other, found) for other in tested):
            yield found


def collected() -> dict[str, type]:
    """A subclass of each class of the suite, by its name."""
    by_name: dict[str, type] = {}
    for area in AREAS:
        package = importlib.import_module(f"dbt.tests.adapter.{area}")
        for found in pkgutil.iter_modules(package.__path__):
            module = importlib.import_module(f"{package.__name__}.{found.name}")
            for suite in classes_of(module):
                name = "Test" + re.sub("^(Base|Test)+", "", suite.__name__)
                assert name not in by_name, f"two classes are called {name}"
                bases = (OWN[name], suite) if name in OWN else (suite,)
                by_name[name] = type(name, bases, {"__module__": __name__})
    assert set(OWN) <= set(by_name), f"no such classes: {set(OWN) - set(by_name)}"
    return by_name


COLLECTED = collected()
globals().update(COLLECTED)


def main() -> None:
    """Prints the tests by module, as class and name."""
    by_module: dict[str, list[str]] = {}
    for name, found in COLLECTED.items():
        module = found.__bases__[-1].__module__.removeprefix("dbt.tests.adapter.")
        tests = [f"{name}::{test}" for test in dir(found) if test.startswith("test_")]
        by_module[module] = sorted([*by_module.get(module, []), *tests])
    print(json.dumps(by_module))
