"""The builders: whatever the names and values, Spark reads them back as they were given."""

from __future__ import annotations

import datetime
import enum
import os
import random
import re
import string
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import ParseException

from hudilite import HudiliteError, sql
from hudilite.sql.literals import literal

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(by="test", when=("python/src/hudilite/",))
SEED = int(os.environ.get("HUDILITE_SEED", random.SystemRandom().randrange(2**32)))
UTC = datetime.timezone.utc

HOSTILE = [
    "`",
    "``",
    "'",
    "''",
    '"',
    "\\",
    "\\\\",
    "\\'",
    "'\\",
    "\\n",
    "\\u0041",
    "\\000",
    "\n",
    "\r\n",
    "\t",
    "\0",
    "--",
    "-- x\n",
    "/*",
    "*/",
    ";",
    ";\n",
    "$",
    "{x}",
    "%",
    "_",
    "\\%",
    ":x",
    "?",
    " ",
    "a b",
    "a.b",
    "é",
    "你好",
    "😀",
    "\u200b",
    "\u2028",
    "\x7f",
    "\ufeff",
    "r'",
    "X'00'",
    "DROP TABLE t",
    "' OR 1=1 --",
    "`; DROP TABLE t; --",
    "__SQLGLOT__LB__",
    "select",
    "NULL",
    "true",
    "1",
    "1e5",
    "Ab",
    "_x",
    "x" * 300,
]
REPLACED = [
    "${spark.app.name}",
    "${env:PATH}",
    "${system:user.dir}",
    "a${x",
    "$${y}",
    "\\${z}",
]  # in literals only

SETTINGS = [
    {},
    {"spark.sql.parser.escapedStringLiterals": "true"},
    {"spark.sql.legacy.consecutiveStringLiterals.enabled": "true"},
    {"spark.sql.ansi.enabled": "false", "spark.sql.timestampType": "TIMESTAMP_NTZ"},
    {
        "spark.sql.ansi.doubleQuotedIdentifiers": "true",
        "spark.sql.ansi.enforceReservedKeywords": "true",
    },
]


@pytest.fixture(autouse=True)
def seed() -> random.Random:
    print(f"HUDILITE_SEED={SEED}")
    return random.Random(SEED)


@pytest.fixture(
    params=SETTINGS, ids=lambda settings: ",".join(k.split(".")[-1] for k in settings) or "plain"
)
def session(spark: SparkSession, request: pytest.FixtureRequest) -> Iterator[SparkSession]:
    own = spark.newSession()
    for key, value in request.param.items():
        own.conf.set(key, value)
    sessions = spark._jvm.org.apache.spark.sql.classic.SparkSession
    sessions.setActiveSession(own._jsparkSession)  # the parser reads the settings of this one
    yield own
    sessions.setActiveSession(spark._jsparkSession)


def text(seed: random.Random, pool: list[str]) -> str:
    """One to four hostile pieces and letters."""
    pieces = [
        seed.choice([*pool, seed.choice(string.printable), "a"]) for _ in range(seed.randint(1, 4))
    ]
    return "".join(pieces)


def names(seed: random.Random, count: int) -> list[str]:
    """Different names, in any case."""
    found: dict[str, str] = {}
    while len(found) < count:
        name = text(seed, HOSTILE)
        if "${" not in name:
            found.setdefault(name.lower(), name)
    return list(found.values())


def scalar(seed: random.Random) -> object:
    """A value of any kind that is bound."""
    makers: list[Callable[[], object]] = [
        lambda: None,
        lambda: seed.choice([True, False]),
        lambda: seed.choice(
            [0, -1, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63), 2**63, 10**38 - 1, -(10**38 - 1)]
        ),
        lambda: seed.choice(
            [
                0.0,
                -0.0,
                1.5,
                -1e300,
                5e-324,
                1e16,
                float("inf"),
                float("-inf"),
                1.7976931348623157e308,
            ]
        ),
        lambda: Decimal(
            seed.choice(
                [
                    "0",
                    "-1.50",
                    "1E+5",
                    "1E-38",
                    "9" * 38,
                    "-0." + "9" * 38,
                    "12345678901234567890.5",
                ]
            )
        ),
        lambda: text(seed, HOSTILE + REPLACED),
        lambda: "",
        lambda: seed.randbytes(seed.randint(0, 9)),
        lambda: datetime.date(
            seed.choice([1, 1582, 1970, 9999]), seed.randint(1, 12), seed.randint(1, 28)
        ),
        lambda: datetime.datetime(
            seed.choice([1900, 1970, 9998]), 3, 4, 5, 6, 7, seed.choice([0, 1, 999999])
        ),
    ]
    return seed.choice(makers)()


def read_back(spark: SparkSession, values: list[object]) -> list[Any]:
    written = ", ".join(f"{literal(value, 'value')} AS c{i}" for i, value in enumerate(values))
    return list(spark.sql(f"SELECT {written}").collect()[0])


def same(found: object, given: object) -> bool:
    """Equal, of one kind, and of one sign where it is a zero."""
    if isinstance(given, float):
        return isinstance(found, float) and repr(found) == repr(given)
    if isinstance(given, bytes):
        return bytes(found) == given if isinstance(found, (bytes, bytearray)) else False
    return found == given and isinstance(found, bool) == isinstance(given, bool)


def test_the_parser_runs_under_the_settings(spark: SparkSession, session: SparkSession) -> None:
    (escaped,) = session.sql("SELECT length('\\n')").collect()[0]
    quoted = parsed(session, "SELECT '\\n' AS a").expressions().head().child().toString()
    assert (escaped, len(quoted)) == (
        (2, 2) if "escapedStringLiterals" in str(session.conf.getAll) else (1, 1)
    )


def test_literals_are_read_as_the_values(session: SparkSession, seed: random.Random) -> None:
    values = [scalar(seed) for _ in range(150)] + [*HOSTILE, *REPLACED]
    found = read_back(session, values)
    wrong = [
        (given, back) for given, back in zip(values, found, strict=True) if not same(back, given)
    ]
    assert wrong == []


def test_nested_literals_are_read_as_the_values(session: SparkSession) -> None:
    texts = ["it's", None, "\\", "${spark.app.name}"]
    values: list[object] = [
        texts,
        tuple(texts[:1]),
        [[1, None], []],
        {"a'b": [1.5]},
        [b"", b"\0'"],
        [True, None],
    ]
    assert read_back(session, values) == [
        texts,
        texts[:1],
        [[1, None], []],
        {"a'b": [1.5]},
        [b"", b"\0'"],
        [True, None],
    ]


def test_moments_keep_their_instant_under_any_time_zone(spark: SparkSession) -> None:
    zone = datetime.timezone(datetime.timedelta(hours=5, minutes=30))
    aware = datetime.datetime(2024, 3, 10, 2, 30, 0, 1, tzinfo=zone)
    naive = datetime.datetime(2024, 3, 10, 2, 30)
    own = spark.newSession()
    for name in ("UTC", "America/New_York"):
        own.conf.set("spark.sql.session.timeZone", name)
        row = own.sql(
            f"SELECT unix_micros({literal(aware, 'a')}) AS micros, typeof({literal(naive, 'n')}) AS kind, "
            f"CAST({literal(naive, 'n')} AS STRING) AS shown"
        ).collect()[0]
        micros = (aware - datetime.datetime(1970, 1, 1, tzinfo=UTC)) // datetime.timedelta(
            microseconds=1
        )
        assert tuple(row) == (micros, "timestamp_ntz", "2024-03-10 02:30:00")


def test_an_enum_is_its_value() -> None:
    class State(str, enum.Enum):
        OPEN = "open"

    assert literal(State.OPEN, "x") == "'open'"


def test_names_and_values_of_create_table_are_read_back(
    session: SparkSession, seed: random.Random
) -> None:
    for _ in range(25):
        columns, table = names(seed, 4), names(seed, 2)
        comment, place, key, value = (text(seed, HOSTILE + REPLACED) for _ in range(4))
        declared = {name: sql.Column(type="STRING", comment=comment) for name in columns}
        statement = sql.create_table(
            table, declared, key=columns[:2], buckets=3, bucket_columns=columns[1], partitioned_by=columns[2:],
            location=place, comment=comment, properties={key: value},
        )  # fmt: skip
        plan = parsed(session, statement)
        assert kind(plan) == "CreateTable", statement
        assert strings(plan.name().nameParts()) == table
        assert [column.name() for column in items(plan.columns())] == columns
        assert [column.comment().get() for column in items(plan.columns())] == [comment] * 4
        spec = plan.tableSpec()
        assert (spec.comment().get(), spec.location().get()) == (comment, place)
        assert spec.properties().apply(key) == value
        (constraint,) = items(spec.constraints())
        assert strings(constraint.columns()) == columns[:2]
        transforms = {
            t.name(): [strings_of(r.fieldNames()) for r in t.references()]
            for t in items(plan.partitioning())
        }
        assert [[name] for name in columns[2:]] == [
            strings_of(t.references()[0].fieldNames())
            for t in items(plan.partitioning())
            if t.name() == "identity"
        ]
        assert transforms["bucket"] == [[columns[1]]]


def test_buckets_need_a_key() -> None:
    assert sql.create_table("t", {"id": "INT"}) == "CREATE TABLE t (\n  id INT\n) USING hudilite"
    for asked in ({"buckets": 4}, {"bucket_columns": "id"}):
        with pytest.raises(HudiliteError) as raised:
            sql.create_table("t", {"id": "INT"}, **asked)  # type: ignore[arg-type]
        assert raised.value.parameters["argument"] == "key"


def test_names_and_values_of_update_and_delete_are_read_back(
    session: SparkSession, seed: random.Random
) -> None:
    for _ in range(25):
        table, columns, alias = names(seed, 3), names(seed, 3), names(seed, 1)[0]
        values = [text(seed, HOSTILE + REPLACED) for _ in columns]
        given = dict(zip(columns, values, strict=True))
        nested = {(alias, *columns): values[0]}
        plan = parsed(
            session, sql.update(table, given | nested, where=given | {"x": None}, alias=alias)
        )
        assert kind(plan) == "UpdateTable"
        assert strings(plan.table().child().multipartIdentifier()) == table
        assert plan.table().alias() == alias
        changed = [
            (strings(a.key().nameParts()), constant(a.value())) for a in items(plan.assignments())
        ]
        assert changed == [*(([n], v) for n, v in given.items()), ([alias, *columns], values[0])]
        assert conjuncts(plan.condition().get()) == [
            *(([alias, n], v) for n, v in given.items()),
            ([alias, "x"], None),
        ]

        plan = parsed(session, sql.delete(table, where=given))
        assert kind(plan) == "DeleteFromTable"
        assert strings(plan.table().multipartIdentifier()) == table
        assert conjuncts(plan.condition()) == [([n], v) for n, v in given.items()]


def test_names_and_values_of_merge_are_read_back(
    session: SparkSession, seed: random.Random
) -> None:
    for _ in range(25):
        table, source, columns, aliases = (
            names(seed, 2),
            names(seed, 1),
            names(seed, 3),
            names(seed, 2),
        )
        values = [text(seed, HOSTILE + REPLACED) for _ in columns]
        given = dict(zip(columns, values, strict=True))
        statement = sql.merge_into(
            table, source,
            sql.matched(sql.expression("x = :value", value=values[0])).delete(),
            sql.matched().update(given | {"copied": sql.column(aliases[1], columns[0])}),
            sql.not_matched().insert(given),
            sql.not_matched_by_source({columns[0]: values[0]}).update(given),
            on=columns, alias=aliases[0], source_alias=aliases[1],
        )  # fmt: skip
        plan = parsed(session, statement)
        assert kind(plan) == "MergeIntoTable", statement
        sides = [plan.targetTable(), plan.sourceTable()]
        assert [side.alias() for side in sides] == aliases
        assert [strings(side.child().multipartIdentifier()) for side in sides] == [table, source]
        pinned = [
            tuple(strings(side.nameParts()) for side in sides)
            for sides in equalities(plan.mergeCondition())
        ]
        assert pinned == [([aliases[0], name], [aliases[1], name]) for name in columns]
        delete, update = items(plan.matchedActions())
        (insert,) = items(plan.notMatchedActions())
        (orphan,) = items(plan.notMatchedBySourceActions())
        assert conjuncts(delete.condition().get()) == [(["x"], values[0])]
        *changed, copied = items(update.assignments())
        assert strings(copied.value().nameParts()) == [aliases[1], columns[0]]
        expected = [([name], value) for name, value in given.items()]
        for assigned in (changed, items(insert.assignments()), items(orphan.assignments())):
            assert [
                (strings(a.key().nameParts()), constant(a.value())) for a in assigned
            ] == expected
        assert conjuncts(orphan.condition().get()) == expected[:1]


def test_arguments_of_bootstrap_are_read_back(session: SparkSession, seed: random.Random) -> None:
    for _ in range(25):
        source, filters, place = (text(seed, HOSTILE + REPLACED) for _ in range(3))
        catalog, table, column = names(seed, 3)
        statement = sql.bootstrap(
            ("db", table), source, key=[column, "id"], partitions=filters, location=place, buckets=4, dry_run=False,
            mode="full", parallelism=2, full_partitions="p = 'x'", partitioned_by="p", catalog=catalog,
            skip_corrupt=True, table_type="mor", ordering_field=["ts", "n"], bloom_filters=True,
        )  # fmt: skip
        plan = parsed(session, statement)
        assert kind(plan) == "Call"
        assert strings(plan.procedure().nameParts()) == [catalog, "system", "bootstrap"]
        found = {argument.key(): constant(argument.value()) for argument in items(plan.args())}
        parser = session._jsparkSession.sessionState().sqlParser()
        assert strings(parser.parseMultipartIdentifier(found.pop("table"))) == ["db", table]
        key = found.pop("key").removesuffix(", id")
        assert strings(parser.parseMultipartIdentifier(key)) == [column]
        assert found == {
            "source": source, "partitions": filters, "location": place, "buckets": 4, "dry_run": False,
            "mode": "full", "parallelism": 2, "full_partitions": "p = 'x'", "partitioned_by": "p",
            "skip_corrupt": True, "type": "mor", "ordering_field": "ts, n", "bloom_filters": True,
        }  # fmt: skip


@pytest.mark.rotated(third=2, when=("python/src/hudilite/sql/",))
@pytest.mark.parametrize(
    "session", [SETTINGS[0], SETTINGS[-1]], ids=["names", "enforced"], indirect=True
)
def test_every_keyword_of_spark_can_be_a_name(session: SparkSession) -> None:
    words = [
        str(row[0]).lower() for row in session.sql("SELECT keyword FROM sql_keywords()").collect()
    ]
    assert len(words) > 300
    parser = session._jsparkSession.sessionState().sqlParser()
    assert [word for word in words if misread(parser, word)] == []


def misread(parser: Any, word: str) -> bool:
    """Whether Spark reads a statement otherwise than with the word in backticks all over."""
    field = sql.column(word, word)
    whens = [sql.matched().update({word: field}), sql.not_matched().insert({word: 1})]
    for statement in (
        sql.create_table((word, word), {word: "INT"}, key=word, buckets=2, partitioned_by=word),
        sql.create_table(word, {word: "INT"}, key=word, buckets=2, bucket_columns=word),
        sql.create_table(word, {word: "INT"}, key=word),
        sql.merge_into(word, word, *whens, on=[word], alias=word, source_alias=word),
        sql.update(word, {word: field, (word, word): 1}, where={word: 1, (word, word): None}),
        sql.delete(word, where={word: 1}, alias=word),
    ):
        bare = re.sub(f"`{word}`", word, statement)  # the words of the grammar are in capitals
        quoted = re.sub(rf"\b{word}\b", f"`{word}`", bare)
        try:
            read = parser.parsePlan(statement).toString()
            if statement != quoted and read != parser.parsePlan(quoted).toString():
                return True
        except ParseException:
            return True
    return False


EXPRESSIONS: list[tuple[str, dict[str, object], str]] = [
    ("amount * :rate", {"rate": 2}, "amount * 2"),
    ("s.v = :v OR s.v IN (:v, :w)", {"v": "a'b", "w": None}, "s.v = CAST(X'612762' AS STRING) OR s.v IN (CAST(X'612762' AS STRING), NULL)"),
    (":v", {"v": -1}, "-1"),
    ("a - :v", {"v": -1}, "a - -1"),
    ("-:v", {"v": -1}, "- -1"),
    ("a -- comment", {}, "a"),
    ("a /* ; */ + 1", {}, "a + 1"),
    ("id IN (SELECT id FROM s WHERE v = :v)", {"v": 1}, "id IN (SELECT id FROM s WHERE v = 1)"),
    ("':v' = :v", {"v": 1}, "':v' = 1"),
    ("a[:i] = :i::int", {"i": 0}, "a[0] = 0::int"),
    ("a AND:v", {"v": True}, "a AND TRUE"),
    ("ts < now() - INTERVAL :n DAY", {"n": 3}, "ts < now() - INTERVAL 3 DAY"),
    # sqlglot reads these as expressions with other values, or with none that it can write.
    ("ts < now() - INTERVAL 1 DAY 12 HOURS", {}, "ts < now() - INTERVAL 1 DAY 12 HOURS"),
    ("to_char(d, 'yyyy') <> '2024'", {}, "to_char(d, 'yyyy') <> '2024'"),
    ("floor(log10(a)) = 3", {}, "floor(log10(a)) = 3"),
    ("date_format(ts, \"'day='yyyy\") = p", {}, "date_format(ts, \"'day='yyyy\") = p"),
    ("to_date(a, 'yyyy-MM-dd') = d", {}, "to_date(a, 'yyyy-MM-dd') = d"),
    ("regexp_like(a, 'x') = true", {}, "regexp_like(a, 'x') = true"),
    ("get_json_object(a, '$..x') = :v", {"v": "x"}, "get_json_object(a, '$..x') = 'x'"),
    ("a\n  = `b ``c`.r -- d\n  AND e = r'\\d';", {}, "a = `b ``c`.r AND e = r'\\d'"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "values", "written"), EXPRESSIONS)
def test_values_are_bound_into_expressions(
    given: str, values: dict[str, object], written: str
) -> None:
    assert sql.expression(given, **values).text == written


class NoTime(datetime.datetime):
    """A value like pandas' NaT: a datetime that is not equal to itself."""

    def __ne__(self, other: object) -> bool:
        return True

    __hash__ = datetime.datetime.__hash__


COLUMNS = {"id": "INT"}
REFUSED: list[tuple[str, Callable[[], object]]] = [
    ("table", lambda: sql.delete("", where="true")),
    ("table", lambda: sql.delete("a..b", where="true")),
    ("table", lambda: sql.delete([], where="true")),
    ("table", lambda: sql.delete(b"t", where="true")),  # type: ignore[arg-type]
    ("table", lambda: sql.delete(3, where="true")),  # type: ignore[arg-type]
    ("table", lambda: sql.delete("${spark.app.name}", where="true")),
    ("table", lambda: sql.delete("\ud800", where="true")),
    ("where", lambda: sql.delete("t", where="")),
    ("where", lambda: sql.delete("t", where="a = 1; DROP TABLE t")),
    ("where", lambda: sql.delete("t", where="a = 1) OR (b = 2")),
    ("where", lambda: sql.delete("t", where="a = 'x")),
    ("where", lambda: sql.delete("t", where="/* a")),
    ("where", lambda: sql.delete("t", where="SELECT 1")),
    ("where", lambda: sql.delete("t", where="DROP TABLE t")),
    ("where", lambda: sql.delete("t", where="a AS b")),
    ("where", lambda: sql.delete("t", where="a = :x")),
    ("where", lambda: sql.delete("t", where="a = '${x}'")),
    ("where", lambda: sql.delete("t", where={})),
    ("where", lambda: sql.delete("t", where=None)),  # type: ignore[arg-type]
    ("where", lambda: sql.delete("t", where={"a": object()})),
    ("x", lambda: sql.expression("a = :x", x=object())),
    ("text", lambda: sql.expression("a = :x")),
    ("y", lambda: sql.expression("a = :x", x=1, y=2)),
    ("values", lambda: sql.update("t", {}, where="true")),
    ("values", lambda: sql.update("t", [("a", 1)], where="true")),  # type: ignore[arg-type]
    ("values['a']", lambda: sql.update("t", {"a": object()}, where="true")),
    ("values['a']", lambda: sql.update("t", {"a": datetime.timedelta(1)}, where="true")),
    ("values['a']", lambda: sql.update("t", {"a": 10**38}, where="true")),
    ("values['a']", lambda: sql.update("t", {"a": Decimal("NaN")}, where="true")),
    ("values['a']", lambda: sql.update("t", {"a": Decimal("1E-39")}, where="true")),
    ("values['a']", lambda: sql.update("t", {"a": Decimal("1E+38")}, where="true")),
    ("values['a']", lambda: sql.update("t", {"a": [1, {2}]}, where="true")),
    ("values['a']", lambda: sql.update("t", {"a": "\udc00"}, where="true")),
    ("values['a']", lambda: sql.update("t", {"a": NoTime(1, 1, 1)}, where="true")),
    ("text", lambda: sql.expression("a = map('x', 1) AND b:x = :x", x=1)),
    ("alias", lambda: sql.update("t", {"a": 1}, where="true", alias="${x}")),
    ("clauses", lambda: sql.merge_into("t", "s", on=["id"])),
    ("clauses", lambda: sql.not_matched().update_all()),
    ("clauses", lambda: sql.not_matched().delete()),
    ("clauses", lambda: sql.not_matched().update({"a": 1})),
    ("clauses", lambda: sql.matched().insert_all()),
    ("clauses", lambda: sql.matched().insert({"a": 1})),
    ("clauses", lambda: sql.not_matched_by_source().update_all()),
    ("clauses", lambda: sql.not_matched_by_source().insert_all()),
    ("when", lambda: sql.matched("a = 1 THEN DELETE")),
    ("on", lambda: sql.merge_into("t", "s", sql.matched().delete(), on=[])),
    ("on", lambda: sql.merge_into("t", "s", sql.matched().delete(), on="a = 1 WHEN MATCHED THEN DELETE")),
    ("columns", lambda: sql.create_table("t", {}, key="id", buckets=1)),
    ("columns", lambda: sql.create_table("t", ["id"], key="id", buckets=1)),  # type: ignore[arg-type]
    ("columns['id']", lambda: sql.create_table("t", {"id": "INT) USING parquet --"}, key="id", buckets=1)),
    ("columns['id']", lambda: sql.create_table("t", {"id": "INT, b INT"}, key="id", buckets=1)),
    ("columns['id']", lambda: sql.create_table("t", {"id": "INT -- x"}, key="id", buckets=1)),
    ("columns['id']", lambda: sql.create_table("t", {"id": "STRUCT<a: INT"}, key="id", buckets=1)),
    ("columns['id']", lambda: sql.create_table("t", {"id": "INT COMMENT 'x"}, key="id", buckets=1)),
    ("columns['id']", lambda: sql.create_table("t", {"id": "INT /* x"}, key="id", buckets=1)),
    ("columns['id']", lambda: sql.create_table("t", {"id": ""}, key="id", buckets=1)),
    ("columns['id']", lambda: sql.create_table("t", {"id": None}, key="id", buckets=1)),  # type: ignore[dict-item]
    ("key", lambda: sql.create_table("t", COLUMNS, key=[], buckets=1)),
    ("buckets", lambda: sql.create_table("t", COLUMNS, key="id", buckets="1")),  # type: ignore[arg-type]
    ("buckets", lambda: sql.create_table("t", COLUMNS, key="id", buckets=True)),
    ("buckets", lambda: sql.create_table("t", COLUMNS, key="id", bucket_columns="id")),
    ("comment", lambda: sql.create_table("t", COLUMNS, key="id", buckets=1, comment=3)),  # type: ignore[arg-type]
    ("location", lambda: sql.create_table("t", COLUMNS, key="id", buckets=1, location="\ud800")),
    ("properties['a']", lambda: sql.create_table("t", COLUMNS, key="id", buckets=1, properties={"a": 1})),  # type: ignore[dict-item]
    ("mode", lambda: sql.bootstrap("t", "/x", key="id", mode="fast")),
    ("table_type", lambda: sql.bootstrap("t", "/x", key="id", table_type="mer")),
    ("catalog", lambda: sql.bootstrap("t", "/x", key="id", catalog="")),
    ("parts", lambda: sql.column("s", "")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("argument", "made"), REFUSED, ids=[f"{i}-{name}" for i, (name, _) in enumerate(REFUSED)]
)
def test_what_cannot_be_bound_is_an_error_that_names_the_argument(
    argument: str, made: Callable[[], object]
) -> None:
    with pytest.raises(HudiliteError) as caught:
        made()
    assert caught.value.condition == "HUDILITE_BUILDER_ARGUMENT_INVALID"
    assert caught.value.parameters["argument"] == argument
    assert str(caught.value).startswith(
        f"[HUDILITE_BUILDER_ARGUMENT_INVALID] Argument {argument} cannot be written as SQL: "
    )


TYPES = [
    "INT", "STRING", "DECIMAL(10, 2)", "TIMESTAMP_NTZ", "ARRAY<INT>", "MAP<STRING, ARRAY<DATE>>", "BINARY", "TINYINT",
    "STRUCT<a: INT, `b c`: STRUCT<d: TIMESTAMP>>", "BOOLEAN", "SMALLINT", "BIGINT", "FLOAT", "DOUBLE", "VARCHAR(5)", "CHAR(3)",
    "STRUCT<`a``b`: INT COMMENT 'it\\'s; --', c: MAP<INT,ARRAY<STRUCT<d:INT>>>>", "INTERVAL DAY TO SECOND", "TIME(3)",
]  # fmt: skip


@pytest.mark.parametrize("type_", TYPES)
def test_types_are_read_back(spark: SparkSession, type_: str) -> None:
    parser = spark._jsparkSession.sessionState().sqlParser()
    plan = parsed(spark, sql.create_table("t", {"id": "INT", "v": type_}, key="id", buckets=1))
    assert str(items(plan.columns())[1].dataType().sql()) == str(parser.parseDataType(type_).sql())


def test_builders_make_a_table_and_change_it(spark: SparkSession, database: Any) -> None:
    columns = {"id": "INT", "v": sql.Column(type="STRING", default="it's"), "p": "STRING"}
    spark.sql(sql.create_table("t", columns, key="id", buckets=2, partitioned_by="p"))
    spark.sql("INSERT INTO t (id, p) VALUES (1, 'x'), (2, 'x'), (3, 'y')")
    spark.sql(
        "CREATE OR REPLACE TEMPORARY VIEW changes AS SELECT 2 id, 'two' v, 'x' p UNION ALL SELECT 4, 'four', 'y'"
    )
    clauses = [
        sql.matched({("t", "id"): 9}).delete(),
        sql.matched().update_all(),
        sql.not_matched().insert_all(),
    ]
    spark.sql(sql.merge_into("t", "changes", *clauses, on=["id", "p"]))
    found = [tuple(row) for row in spark.sql("SELECT * FROM t ORDER BY id").collect()]
    assert found == [(1, "it's", "x"), (2, "two", "x"), (3, "it's", "y"), (4, "four", "y")]


def parsed(spark: SparkSession, statement: str) -> Any:
    return spark._jsparkSession.sessionState().sqlParser().parsePlan(statement)


def kind(node: Any) -> str:
    return str(node.getClass().getSimpleName())


def items(seq: Any) -> list[Any]:
    return [seq.apply(i) for i in range(seq.size())]


def strings(seq: Any) -> list[str]:
    return [str(item) for item in items(seq)]


def strings_of(array: Any) -> list[str]:
    return [str(item) for item in array]


def constant(node: Any) -> object:
    """The value of a literal, as Spark works it out."""
    value = node.eval(None)
    return str(value) if hasattr(value, "numChars") else value


def equalities(condition: Any) -> list[tuple[Any, Any]]:
    """Both sides of each of the conjuncts; None stands for the other side of IS NULL."""
    if kind(condition) == "And":
        return [*equalities(condition.left()), *equalities(condition.right())]
    if kind(condition) == "IsNull":
        return [(condition.child(), None)]
    assert kind(condition) == "EqualTo", condition.toString()
    return [(condition.left(), condition.right())]


def conjuncts(condition: Any) -> list[tuple[list[str], object]]:
    return [
        (strings(a.nameParts()), None if b is None else constant(b))
        for a, b in equalities(condition)
    ]
