"""`Table` under the names of Delta's class: the statements that it runs, without a session of Spark."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hudilite import HudiliteError, MergeCounts, Table, sql
from python.fake_session import FakeSession

S = sql.expression


@pytest.fixture
def session() -> FakeSession:
    session = FakeSession()
    session.rows = [(1, 1, 0, 0)]
    return session


@pytest.fixture
def table(session: FakeSession) -> Table:
    spark: Any = session
    return Table.forName(spark, "db.t")


CALLS: dict[str, tuple[Callable[[Table], object], str]] = {
    "to df": (lambda t: t.toDF(), "SELECT * FROM db.t"),
    "detail": (lambda t: t.detail(), "DESCRIBE DETAIL db.t"),
    "history": (lambda t: t.history(), "DESCRIBE HISTORY db.t"),
    "history of": (lambda t: t.history(2), "DESCRIBE HISTORY db.t LIMIT 2"),
    "vacuum": (lambda t: t.vacuum(), "VACUUM db.t"),
    "vacuum of": (lambda t: t.vacuum(200.0), "VACUUM db.t RETAIN 200 HOURS"),
    "version": (lambda t: t.restoreToVersion(3), "RESTORE TABLE db.t TO VERSION AS OF 3"),
    "time": (
        lambda t: t.restoreToTimestamp("2026-01-01"),
        "RESTORE TABLE db.t TO TIMESTAMP AS OF '2026-01-01'",
    ),
    "optimize": (lambda t: t.optimize().executeCompaction(), "OPTIMIZE db.t"),
    "optimize where": (
        lambda t: t.optimize().where("day = '2026-01-01'").executeCompaction(),
        "OPTIMIZE db.t WHERE day = '2026-01-01'",
    ),
    "zorder": (
        lambda t: t.optimize().executeZOrderBy(["a", "b"]),
        "OPTIMIZE db.t ZORDER BY (a, b)",
    ),
    "delete": (lambda t: t.delete("id > 3"), "DELETE FROM db.t WHERE id > 3"),
    "delete where": (lambda t: t.delete(where={"id": 3}), "DELETE FROM db.t WHERE id = 3"),
    "delete all": (lambda t: t.delete(), "DELETE FROM db.t WHERE true"),
    "delete alias": (
        lambda t: t.alias("x").delete("x.id > 3"),
        "DELETE FROM db.t AS x WHERE x.id > 3",
    ),
    "update": (
        lambda t: t.update("id = 1", {"v": S("v || 'x'"), "n": 5}),
        "UPDATE db.t SET v = v || 'x', n = 5\nWHERE id = 1",
    ),
    "update all": (lambda t: t.update(set={"n": 5}), "UPDATE db.t SET n = 5\nWHERE true"),
    "update of ours": (
        lambda t: t.update({"v": "s.v"}, where="id = 1"),
        "UPDATE db.t SET v = 's.v'\nWHERE id = 1",
    ),
    "update by names": (
        lambda t: t.update(values={"v": "s.v"}, where="id = 1"),
        "UPDATE db.t SET v = 's.v'\nWHERE id = 1",
    ),
    "update by condition": (
        lambda t: t.update(condition="id = 1", set={"size.w": None}),
        "UPDATE db.t SET size.w = NULL\nWHERE id = 1",
    ),
    "generate": (
        lambda t: t.generate("symlink_format_manifest"),
        "GENERATE symlink_format_manifest FOR TABLE db.t",
    ),
    "clone": (lambda t: t.clone("u", True), "CREATE TABLE u SHALLOW CLONE db.t"),
    "clone to a path": (
        lambda t: t.clone("/lake/u", replace=True),
        "CREATE OR REPLACE TABLE hudilite.`/lake/u` DEEP CLONE db.t",
    ),
    "clone of a version": (
        lambda t: t.cloneAtVersion(1, "u"),
        "CREATE TABLE u DEEP CLONE db.t VERSION AS OF 1",
    ),
    "clone of a time": (
        lambda t: t.cloneAtTimestamp("2026-01-01", "u"),
        "CREATE TABLE u DEEP CLONE db.t TIMESTAMP AS OF '2026-01-01'",
    ),
    "convert": (
        lambda t: Table.convertToDelta(t.spark, "parquet.`/a`"),
        "CONVERT TO DELTA parquet.`/a`",
    ),
    "feature": (
        lambda t: t.dropFeatureSupport("deletionVectors"),
        "ALTER TABLE db.t DROP FEATURE deletionVectors",
    ),
    "merge": (
        lambda t: (
            t.alias("old")
            .merge("changes", "old.id = s.id")
            .whenNotMatchedInsert(values={"id": sql.column("s", "id"), "n": 0})
            .whenMatchedDelete("s.n < 0")
            .whenMatchedUpdate(set={"n": S("s.n + old.n")})
            .whenNotMatchedBySourceUpdate("old.n > 9", {"n": 9})
            .whenNotMatchedBySourceDelete()
            .execute()
        ),
        "MERGE INTO db.t AS old USING changes AS s\nON old.id = s.id\n"
        "WHEN MATCHED AND s.n < 0 THEN DELETE\n"
        "WHEN MATCHED THEN UPDATE SET n = s.n + old.n\n"
        "WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, 0)\n"
        "WHEN NOT MATCHED BY SOURCE AND old.n > 9 THEN UPDATE SET n = 9\n"
        "WHEN NOT MATCHED BY SOURCE THEN DELETE",
    ),
    "merge all": (
        lambda t: (
            t.merge(source="changes", condition="t.id = s.id")
            .withSchemaEvolution()
            .whenMatchedUpdateAll("s.n > 0")
            .whenNotMatchedInsertAll()
            .execute()
        ),
        "MERGE WITH SCHEMA EVOLUTION INTO db.t AS t USING changes AS s\nON t.id = s.id\n"
        "WHEN MATCHED AND s.n > 0 THEN UPDATE SET *\nWHEN NOT MATCHED THEN INSERT *",
    ),
    "merge of ours": (
        lambda t: t.merge("changes", sql.matched().update_all(), on=["id"]),
        "MERGE INTO db.t AS t USING changes AS s\nON t.id = s.id\nWHEN MATCHED THEN UPDATE SET *",
    ),
    "create": (
        lambda t: Table.create(t.spark, "u", {"id": "INT"}, key="id", buckets=2),
        "CREATE TABLE u (\n  id INT,\n  PRIMARY KEY (id)\n) USING hudilite\nWITH BUCKETS 2",
    ),
    "builder": (
        lambda t: (
            Table.create(t.spark)
            .tableName("db.u")
            .addColumn("id", "INT", nullable=False, comment="key")
            .addColumn("day", dataType="DATE", generatedAlwaysAs="CAST(at AS DATE)")
            .partitionedBy("day")
            .primaryKey("id")
            .buckets(4)
            .location("/lake/u")
            .comment("c")
            .property("team", "north")
            .execute()
        ),
        "CREATE TABLE db.u (\n  id INT NOT NULL COMMENT 'key',\n  "
        "day DATE GENERATED ALWAYS AS (CAST(at AS DATE)),\n  PRIMARY KEY (id)\n"
        ") USING hudilite\nPARTITIONED BY (day)\nWITH BUCKETS 4\nLOCATION '/lake/u'\nCOMMENT 'c'\n"
        "TBLPROPERTIES ('team' = 'north')",
    ),
}
VERBS = {
    "CREATE TABLE IF NOT EXISTS": Table.createIfNotExists,
    "REPLACE TABLE": Table.replace,
    "CREATE OR REPLACE TABLE": Table.createOrReplace,
}


@pytest.mark.parametrize("name", CALLS)
def test_a_method_runs_one_statement(name: str, table: Table, session: FakeSession) -> None:
    call, text = CALLS[name]
    call(table)
    assert session.asked == [text]


@pytest.mark.parametrize("verb", VERBS)
def test_the_builder_of_each_verb(verb: str, session: FakeSession) -> None:
    spark: Any = session
    builder = VERBS[verb](spark).location("/a").addColumn("id", "INT").primaryKey(["id"])
    assert builder.execute().parts == ("hudilite", "/a")
    assert session.asked[0].splitlines()[0] == f"{verb} hudilite.`/a` ("


def test_a_table_may_have_no_key(session: FakeSession) -> None:
    spark: Any = session
    Table.create(spark).tableName("u").addColumn("id", "INT").partitionedBy("id").execute()
    assert session.asked == ["CREATE TABLE u (\n  id INT\n) USING hudilite\nPARTITIONED BY (id)"]


def test_columns_of_a_schema(session: FakeSession) -> None:
    from pyspark.sql.types import ArrayType, DecimalType, LongType, StructField, StructType

    spark: Any = session
    schema = StructType(
        [
            StructField("id", LongType(), False, {"comment": "key"}),
            StructField("n", ArrayType(DecimalType(10, 2))),
        ]
    )
    Table.create(spark).tableName("u").addColumns(schema).primaryKey("id").execute()
    assert "  id bigint NOT NULL COMMENT 'key',\n  n array<decimal(10,2)>,\n" in session.asked[0]


def test_a_builder_is_not_changed_by_its_methods(table: Table) -> None:
    first = table.merge("changes", "t.id = s.id")
    first.whenMatchedDelete()
    assert "clause" in _message(first.execute)


def test_a_count_that_a_blind_merge_does_not_know_is_none(
    table: Table, session: FakeSession
) -> None:
    session.rows = [(2, None, 0, None)]
    counts = table.merge("changes", sql.matched().update_all(), on=["id"])
    assert counts == MergeCounts(affected=2, updated=None, deleted=0, inserted=None)


WRONG: dict[str, tuple[Callable[[Table], object], str]] = {
    "buckets without a key": (
        lambda t: Table.create(t.spark).tableName("u").addColumn("id", "INT").buckets(4).execute(),
        "call .primaryKey('id')",
    ),
    "no name": (lambda t: Table.create(t.spark).primaryKey("id").execute(), ".tableName('t')"),
    "no name of ours": (lambda t: Table.create(t.spark, key="id"), "a name"),  # type: ignore[call-overload]
    "a column twice": (
        lambda t: Table.create(t.spark).addColumn("id", "INT").addColumn("id", "INT"),
        "added before",
    ),
    "generated identity": (
        lambda t: Table.create(t.spark).addColumn("d", "INT", generatedAlwaysAs=1),
        "Write the values of d",
    ),
    "identity": (
        lambda t: Table.create(t.spark).addColumn("d", "INT", generatedByDefaultAs=1),
        "Write the values of d",
    ),
    "clustered": (
        lambda t: Table.create(t.spark).tableName("u").clusterBy("id"),
        ".buckets(16, 'id')",
    ),
    "str in set": (lambda t: t.update(set={"v": "s.v"}), "lit('s.v')"),
    "str in a clause": (
        lambda t: t.merge("c", "t.id = s.id").whenMatchedUpdate(set={"v": "s.v"}),
        "sql.expression('s.v')",
    ),
    "str in values": (
        lambda t: t.merge("c", "t.id = s.id").whenNotMatchedInsert(values={"v": "'a'"}),
        "type lit(",
    ),
    "no set": (lambda t: t.update("id = 1"), "set"),  # type: ignore[call-overload]
    "both forms": (lambda t: t.update("a", {"v": 1}, where="b"), "condition and set"),  # type: ignore[call-overload]
    "given twice": (lambda t: t.update("a", condition="b", set={"v": 1}), "condition and set"),  # type: ignore[call-overload]
    "set and where": (lambda t: t.update(set={"v": 1}, where="b"), "condition and set"),  # type: ignore[call-overload]
    "values alone": (lambda t: t.update(values={"v": 1}), "where"),  # type: ignore[call-overload]
    "two conditions": (lambda t: t.delete("a", where="b"), "condition"),
    "no on": (lambda t: t.merge("c", sql.matched().update_all()), "on=[...]"),  # type: ignore[call-overload]
    "on and condition": (lambda t: t.merge("c", "a", on=["id"]), "on="),  # type: ignore[call-overload]
    "field in insert": (
        lambda t: t.merge("c", "a").whenNotMatchedInsert(values={"a.b": 1}),
        "one column",
    ),
    "hours": (lambda t: t.vacuum(1.5), "whole number"),
    "limit": (lambda t: t.history(0), "1 or more"),
    "hadoop": (
        lambda t: Table.forPath(t.spark, "/a", {"fs.s3a.access.key": "x"}),
        "spark.hadoop.fs.s3a.access.key",
    ),
    "feature": (lambda t: t.addFeatureSupport("x"), "write: DESCRIBE DETAIL db.t"),
    "protocol": (
        lambda t: t.upgradeTableProtocol(1, 3),
        "write: CALL upgrade_table(`table` => 'db.t')",
    ),
    "is delta": (lambda t: Table.isDeltaTable(t.spark, "/a"), "DESCRIBE DETAIL hudilite.`/a`"),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_error_says_what_to_type(name: str, table: Table, session: FakeSession) -> None:
    call, text = WRONG[name]
    assert text in _message(lambda: call(table))
    assert session.asked == []


def test_an_alias_is_of_the_table_alone(table: Table) -> None:
    assert table.alias("x").called == "x"
    assert table.called is None


def _message(call: Callable[[], object]) -> str:
    with pytest.raises(HudiliteError) as caught:
        call()
    return str(caught.value)
