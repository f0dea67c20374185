"""Declarations of other formats: what becomes of each part, and what the report says."""

from __future__ import annotations

import pytest
import sqlglot
from pyspark.sql import functions
from sqlglot import ParseError, exp

from hudilite import HudiliteError, convert
from hudilite.dialect import Buckets, Hudilite, key_columns


def made(text: str, source: str, **asked: object) -> tuple[str, list[str]]:
    """The new declaration, and what the report names."""
    found = convert.table(text, source=source, **asked)  # type: ignore[arg-type]
    tree = sqlglot.parse_one(found.sql, read="hudilite")
    assert tree.find(exp.FileFormatProperty).name == "hudilite"  # type: ignore[union-attr]
    for line in found.report:
        assert line.why and "\n" not in str(line)
    return found.sql, [line.what for line in found.report]


def test_a_table_of_hudi_keeps_its_facts() -> None:
    sql, report = made(
        """CREATE TABLE IF NOT EXISTS d.t (
          _hoodie_commit_time STRING, id INT NOT NULL COMMENT 'x', ts BIGINT DEFAULT 0, dt STRING,
          _hoodie_is_deleted BOOLEAN
        ) USING hudi PARTITIONED BY (dt) LOCATION '/x' COMMENT 'c'
        TBLPROPERTIES (type = 'mor', primaryKey = 'id, dt', preCombineField = 'ts', team = 'a',
          'hoodie.index.type' = 'BUCKET', 'hoodie.bucket.index.num.buckets' = 16,
          'hoodie.bucket.index.hash.field' = 'id', 'hoodie.metadata.enable' = false,
          'hoodie.parquet.max.file.size' = '64m')""",
        "hudi",
    )
    assert sql == (
        "CREATE TABLE IF NOT EXISTS d.t (id INT NOT NULL COMMENT 'x', ts BIGINT DEFAULT 0, "
        "dt STRING, _hoodie_is_deleted BOOLEAN, PRIMARY KEY (id, dt)) USING hudilite PARTITIONED BY (dt) "
        "WITH BUCKETS 16 ON (id) LOCATION '/x' COMMENT 'c' "
        "TBLPROPERTIES ('preCombineField'='ts', 'type'='mor', 'team'='a')"
    )
    assert report == [
        "hoodie.parquet.max.file.size = '64m'",
        "hoodie.metadata.enable = 'false'",
        "column _hoodie_commit_time STRING",
    ]


@pytest.mark.parametrize(
    ("properties", "clauses", "report"),
    [
        ("", "", []),
        ("'hoodie.index.type' = 'BLOOM'", "", []),
        ("hoodie.index.type = 'bucket'", " WITH BUCKETS 256", []),
        (
            "hoodie.datasource.write.table.type = 'COPY_ON_WRITE', orderingFields = 'v'",
            " TBLPROPERTIES ('preCombineField'='v')",
            [],
        ),
        (
            "'hoodie.parquet.small.file.limit' = '0'",
            " TBLPROPERTIES ('hoodie.parquet.small.file.limit'='0')",
            [],
        ),
        (
            "'hoodie.clean.automatic' = 'true', 'hoodie.cleaner.commits.retained' = '30'",
            " TBLPROPERTIES ('hoodie.clean.automatic'='true', "
            "'hoodie.clean.commits.retained'='30')",
            [],
        ),
        (
            "'hoodie.clean.hours.retained' = '24', 'hoodie.clean.policy' = 'KEEP_LATEST_COMMITS'",
            "",
            ["hoodie.clean.hours.retained = '24'", "hoodie.clean.policy = 'KEEP_LATEST_COMMITS'"],
        ),
        (
            "hoodie.index.type = 'bucket', hoodie.parquet.bloom.filter.enabled = 'false'",
            " WITH BUCKETS 256 TBLPROPERTIES ('hoodie.parquet.bloom.filter.enabled'='false')",
            [],
        ),
        (
            "'hoodie.parquet.bloom.filter.enabled' = 'false'",
            "",
            ["hoodie.parquet.bloom.filter.enabled = 'false'"],
        ),
        ("type = 'ro'", "", ["type = 'ro'"]),
        (
            "'hoodie.index.type' = 'SIMPLE', 'hoodie.bucket.index.num.buckets' = '4'",
            "",
            ["hoodie.bucket.index.num.buckets = '4'", "hoodie.index.type = 'SIMPLE'"],
        ),
        (
            "'hoodie.index.type' = 'BUCKET', 'hoodie.bucket.index.num.buckets' = 'many'",
            "",
            ["hoodie.bucket.index.num.buckets = 'many'"],
        ),
        (
            "'hoodie.index.type' = 'BUCKET', 'hoodie.index.bucket.engine' = 'CONSISTENT_HASHING'",
            " WITH BUCKETS 256",
            ["hoodie.index.bucket.engine = 'CONSISTENT_HASHING'"],
        ),
        ("orderingFields = 'v, id'", " TBLPROPERTIES ('preCombineField'='v,id')", []),
        ("'hoodie.index.class' = 'x.Y'", "", ["hoodie.index.class = 'x.Y'"]),
    ],
)
def test_properties_of_hudi(properties: str, clauses: str, report: list[str]) -> None:
    more = f", {properties}" if properties else ""
    text = f"CREATE TABLE t (id INT, v INT) USING hudi TBLPROPERTIES (primaryKey = 'id'{more})"
    sql = f"CREATE TABLE t (id INT, v INT, PRIMARY KEY (id)) USING hudilite{clauses}"
    assert made(text, "hudi") == (sql, report)


@pytest.mark.parametrize(
    ("index", "is_told"), [("GLOBAL_BLOOM", False), ("GLOBAL_SIMPLE", True), ("RECORD_INDEX", True)]
)
def test_a_global_index_of_hudi_stays_global(index: str, is_told: bool) -> None:
    text = (
        "CREATE TABLE t (id INT, p INT) USING hudi OPTIONS (primaryKey = 'id', "
        f"'hoodie.index.type' = '{index}') PARTITIONED BY (p)"
    )
    sql, report = made(text, "hudi")
    assert sql.endswith("PARTITIONED BY (p) TBLPROPERTIES ('hudilite.index.global'='true')")
    assert report == ([f"hoodie.index.type = '{index}'"] if is_told else [])


def test_a_table_of_hudi_that_is_there_is_adopted() -> None:
    assert made("CREATE TABLE t USING hudi LOCATION '/x'", "hudi") == (
        "CREATE TABLE t USING hudilite LOCATION '/x'",
        [],
    )


def test_buckets_of_iceberg_are_buckets() -> None:
    sql, report = made(
        """CREATE TABLE db.t (id BIGINT NOT NULL, d STRING, ts TIMESTAMP, m MAP<INT, STRING>)
        USING iceberg PARTITIONED BY (bucket(16, id), days(ts), truncate(4, d), d, bucket(4, d))
        LOCATION '/x' TBLPROPERTIES ('format-version' = '2', 'write.mode' = 'x', team = 'a')""",
        "iceberg",
        key=["id", "d"],
    )
    assert sql == (
        "CREATE TABLE db.t (id BIGINT NOT NULL, d STRING, ts TIMESTAMP, PRIMARY KEY (id, d)) "
        "USING hudilite PARTITIONED BY (d) WITH BUCKETS 16 ON (id) TBLPROPERTIES ('team'='a')"
    )
    assert report == [
        "PARTITIONED BY (days(ts))",
        "PARTITIONED BY (truncate(4, d))",
        "PARTITIONED BY (bucket(4, d))",
        "format-version = '2'",
        "write.mode = 'x'",
        "column m MAP<INT, STRING>",
        "LOCATION '/x'",
    ]


@pytest.mark.parametrize(
    ("clause", "written", "report"),
    [
        ("CLUSTERED BY (id) INTO 4 BUCKETS", " WITH BUCKETS 4", []),
        (
            "CLUSTERED BY (id) INTO 4 BUCKETS PARTITIONED BY (bucket(8, id))",
            " WITH BUCKETS 8",
            ["CLUSTERED BY (id) INTO 4 BUCKETS"],
        ),
        ("PARTITIONED BY (bucket(8, v))", " WITH BUCKETS 8", ["buckets by v"]),
        ("PARTITIONED BY (bucket(0, id))", "", ["bucket(0, id) = '0'"]),
    ],
)
def test_bucket_columns_are_key_columns(clause: str, written: str, report: list[str]) -> None:
    text = f"CREATE TABLE t (id INT, v INT) USING iceberg {clause}"
    sql = f"CREATE TABLE t (id INT, v INT, PRIMARY KEY (id)) USING hudilite{written}"
    assert made(text, "iceberg", key="id") == (sql, report)


@pytest.mark.parametrize(
    ("options", "written", "report"),
    [
        (
            "'primary-key' = 'dt,id', 'bucket' = '4', 'bucket-key' = 'id', 'sequence.field' = 'v'",
            "WITH BUCKETS 4 ON (id) TBLPROPERTIES ('preCombineField'='v')",
            [],
        ),
        (
            "'primary-key' = 'id', 'bucket' = '4', 'merge-engine' = 'deduplicate'",
            "WITH BUCKETS 4 TBLPROPERTIES ('hudilite.index.global'='true')",
            [],
        ),
        ("'primary-key' = 'dt,id', 'bucket' = '-1'", "", ["bucket = '-1'"]),
        ("'primary-key' = 'dt,id', 'bucket' = -2", "", ["bucket = '-2'"]),
        (
            "'primary-key' = 'dt,id', 'merge-engine' = 'first-row', 'write-only' = 'true'",
            "",
            ["merge-engine = 'first-row'", "write-only = 'true'"],
        ),
    ],
)
def test_options_of_paimon(options: str, written: str, report: list[str]) -> None:
    text = (
        f"CREATE TABLE t (id INT, dt STRING, v INT) PARTITIONED BY (dt) TBLPROPERTIES ({options})"
    )
    sql, told = made(text, "paimon")
    assert sql.partition(" USING hudilite PARTITIONED BY (dt)")[2].strip() == written
    assert told == report


def test_clauses_of_delta_that_have_no_like() -> None:
    sql, report = made(
        """CREATE OR REPLACE TABLE t (
          id BIGINT GENERATED ALWAYS AS IDENTITY, y INT GENERATED ALWAYS AS (year(dt)) COMMENT 'y',
          dt DATE, v VARIANT, i INTERVAL DAY, `odd name` INT, a ARRAY<MAP<STRING, INT>>,
          CONSTRAINT c CHECK (id > 0), CHECK (v IS NOT NULL), CONSTRAINT f FOREIGN KEY (y) REFERENCES u (y),
          CONSTRAINT pk PRIMARY KEY (id)
        ) USING delta CLUSTER BY (id) LOCATION '/d'
        TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true', team = 'a')""",
        "delta",
        buckets=8,
    )
    assert sql == (
        "CREATE TABLE t (id BIGINT, y INT GENERATED ALWAYS AS (year(dt)) COMMENT 'y', dt DATE, a ARRAY<MAP<STRING, INT>>, "
        "CONSTRAINT c CHECK (id > 0), PRIMARY KEY (id)) "
        "USING hudilite WITH BUCKETS 8 TBLPROPERTIES ('team'='a')"
    )
    assert report == [
        "OR REPLACE",
        "CLUSTER BY (id)",
        "delta.enableChangeDataFeed = 'true'",
        "GENERATED ALWAYS AS IDENTITY of column id",
        "column v VARIANT",
        "column i INTERVAL DAY",
        "column `odd name` INT",
        "CHECK (v IS NOT NULL)",
        "CONSTRAINT f FOREIGN KEY (y) REFERENCES u (y)",
        "LOCATION '/d'",
    ]


WRITTEN = [
    "current_timestamp() - INTERVAL 1 DAY 12 HOURS",
    "to_char(d, 'yyyy')",
    "to_date(a, 'yyyy-MM-dd')",
    "log10(a) + ln(a)",
    "get_json_object(a, '$..x')",
    "named_struct('a', 1)",
    "regexp_replace(a, 'b')",
    "a::int + 5L",
]


@pytest.mark.parametrize("value", WRITTEN)
def test_expressions_stay_as_they_are_written(value: str) -> None:
    columns = f"a VARCHAR(9) DEFAULT {value}, b REAL GENERATED ALWAYS AS ({value}), CHECK ({value})"
    text = f"CREATE TABLE t ({columns}) USING delta"
    assert made(text, "delta", key="a")[0] == (
        f"CREATE TABLE t ({columns}, PRIMARY KEY (a)) USING hudilite"
    )
    query = f"WITH x AS (\n  SELECT {value} -- why\n) SELECT /*+ BROADCAST(x) */ * FROM x"
    sql = made(f"CREATE TABLE t USING delta AS {query};", "delta", key="a")[0]
    assert sql.partition(" AS ")[2] == query


def test_every_function_stays_as_it_is_written() -> None:
    parser = Hudilite.parser_class
    names = {name.lower() for name in (*parser.FUNCTIONS, *parser.FUNCTION_PARSERS)}
    names |= {name for name in vars(functions) if name.islower() and not name.startswith("_")}
    kept = set()
    for name in sorted(names):
        for count in range(5):
            call = f"{name}({', '.join('abcd'[:count])})"
            try:
                sql = made(f"CREATE TABLE t (x INT DEFAULT {call}) USING delta", "delta", key="x")[
                    0
                ]
            except ParseError:
                continue  # the number of arguments is wrong
            assert f" DEFAULT {call}," in sql
            kept.add(name)
    assert len(kept) > 600


def test_comments_of_columns_stay_behind_them() -> None:
    text = "CREATE TABLE t (a INT, -- first\n b INT NOT NULL /* why */) USING delta"
    assert made(text, "delta", key="a")[0] == (
        "CREATE TABLE t (a INT /* first */, b INT NOT NULL /* why */, PRIMARY KEY (a)) USING hudilite"
    )


def test_a_comment_stays_also_if_its_words_are_in_the_text() -> None:
    text = "CREATE TABLE t (a INT /* INT */, b INT) USING delta"
    assert "(a INT /* INT */, b INT, PRIMARY KEY (a))" in made(text, "delta", key="a")[0]
    text = "CREATE TABLE t USING delta AS SELECT 1 AS a /* a */, 2 AS b -- SELECT"
    assert made(text, "delta", key="a")[0].endswith("AS SELECT 1 AS a /* a */, 2 AS b /* SELECT */")


def test_types_of_partition_columns_stay_as_they_are_written() -> None:
    text = "CREATE TABLE t (a INT) USING hudi PARTITIONED BY (p VARCHAR(9), q REAL COMMENT 'x')"
    assert made(text, "hudi")[0] == text.replace("USING hudi", "USING hudilite")


def test_as_select_takes_its_key_as_a_property() -> None:
    text = "CREATE TABLE t USING delta PARTITIONED BY (p) AS SELECT 1 AS id, 2 AS p"
    assert made(text, "delta", key="id", buckets=4)[0] == (
        "CREATE TABLE t USING hudilite PARTITIONED BY (p) WITH BUCKETS 4 "
        "TBLPROPERTIES ('primaryKey'='id') AS SELECT 1 AS id, 2 AS p"
    )


def test_what_is_asked_for_goes_before_the_text() -> None:
    text = (
        "CREATE TABLE t (id INT, k INT) USING hudi TBLPROPERTIES (primaryKey = 'id', "
        "hoodie.index.type = 'BUCKET', hoodie.bucket.index.num.buckets = '4')"
    )
    tree = sqlglot.parse_one(made(text, "hudi", key=["k"], buckets=9)[0], read="hudilite")
    assert [column.name for column in key_columns(tree)] == ["k"]
    assert tree.find(Buckets).args["buckets"].to_py() == 9  # type: ignore[union-attr]
    assert "primaryKey" not in tree.sql("hudilite")


@pytest.mark.parametrize(
    ("text", "asked", "condition", "parameters"),
    [
        (
            "CREATE TABLE d.t (id INT) USING delta",
            {},
            "HUDILITE_KEY_NOT_DECLARED",
            {"table": "d.t", "clause": "the conversion from delta"},
        ),
        ("CREATE TABLE t (id INT) USING iceberg", {"key": "id"}, "source", {}),
        ("CREATE TABLE t (id INT)", {"key": "id"}, "source", {}),
        ("CREATE TABLE t (id INT) USING delta", {"source": "orc"}, "source", {}),
        ("CREATE TABLE t (id INT) USING delta", {"key": "ids"}, "key", {}),
        ("CREATE TABLE t (id VARIANT) USING delta", {"key": "id"}, "key", {}),
        ("CREATE TABLE t (id INT) USING delta", {"key": "id", "buckets": 0}, "buckets", {}),
        ("CREATE TABLE t (id INT) USING delta", {"key": "id", "buckets": True}, "buckets", {}),
        ("CREATE TABLE delta.`/x` (id INT) USING delta", {"key": "id"}, "text", {}),
        ("CREATE TABLE t LIKE u USING delta", {"key": "id"}, "text", {}),
        ("CREATE VIEW t AS SELECT 1 id", {"key": "id"}, "text", {}),
        ("DROP TABLE t", {"key": "id"}, "text", {}),
    ],
)
def test_what_cannot_be_converted_is_refused(
    text: str, asked: dict[str, object], condition: str, parameters: dict[str, str]
) -> None:
    with pytest.raises(HudiliteError) as raised:
        convert.table(text, **{"source": "delta", **asked})  # type: ignore[arg-type]
    error = raised.value
    if parameters:
        assert (error.condition, error.parameters) == (condition, parameters)
    else:
        assert error.condition == "HUDILITE_BUILDER_ARGUMENT_INVALID"
        assert error.parameters["argument"] == condition


def test_a_block_is_refused() -> None:
    create = "CREATE TABLE {} (id INT PRIMARY KEY) USING hudi;"
    text = f"BEGIN\nIF x THEN {create.format('a')} ELSE {create.format('b')} END IF; END"
    for one in (text, f"{create.format('a')} {text}"):
        with pytest.raises(HudiliteError) as raised:
            convert.script(one, source="hudi")
        assert raised.value.condition == "HUDILITE_BUILDER_ARGUMENT_INVALID"
        assert raised.value.parameters["reason"] == (
            "a block of BEGIN and END is not a declaration (line 2)"
        )


def test_a_table_of_hudi_may_have_no_key() -> None:
    text = "CREATE TABLE t (id INT, p STRING) USING hudi PARTITIONED BY (p)"
    assert made(text, "hudi")[0] == (
        "CREATE TABLE t (id INT, p STRING) USING hudilite PARTITIONED BY (p)"
    )
    for more, clause in (
        ("hoodie.index.type = 'BUCKET', hoodie.bucket.index.num.buckets = '4'", "WITH BUCKETS 4"),
        ("hoodie.index.type = 'GLOBAL_BLOOM'", "'hudilite.index.global' = 'true'"),
    ):
        with pytest.raises(HudiliteError) as raised:
            convert.table(f"{text} TBLPROPERTIES ({more})", source="hudi")
        assert raised.value.condition == "HUDILITE_KEY_NOT_DECLARED"
        assert raised.value.parameters == {"table": "t", "clause": clause}


def test_malformed_text_keeps_its_place() -> None:
    with pytest.raises(ParseError) as raised:
        convert.table("CREATE TABLE t (\n  id INT)) USING delta", source="delta", key="id")
    assert raised.value.errors[0]["line"] == 2
