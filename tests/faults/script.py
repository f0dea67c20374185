"""The statements that are broken, and what each must leave, in Python alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Row = tuple[int, str, str]
Rows = frozenset[Row]

CREATE = (
    "CREATE TABLE {name} (id INT, p STRING, v STRING, PRIMARY KEY (id)) "
    "USING hudilite PARTITIONED BY (p) WITH BUCKETS 4 LOCATION '{place}'"
)
COMMITS = (
    "INSERT INTO {t} SELECT id, IF(id % 2 = 0, 'a', 'b'), 'old' FROM range(40)",
    "UPDATE {t} SET v = 'two' WHERE id < 10",
)
BLOOM_CREATE = CREATE.replace(" WITH BUCKETS 4", "")
LOG_CREATE = CREATE.replace(
    " LOCATION",
    " TBLPROPERTIES (type = 'mor', hoodie.table.version = 'VERSION') LOCATION",
)
VERSIONS = ("6", "9")  # of merge-on-read tables
RESCALE = "CALL rescale(table => '{t}', buckets => 8, max_bytes => 1)"  # one of eight steps
EMPTY: Rows = frozenset()
LOST = "20240102030405678"
STRANGE = "20300101000000000"  # an instant that no timeline has


@dataclass(frozen=True)
class Statement:
    """A statement over the original table, `{t}` in its text, or one that makes a table.

    `{first}` stands for the instant of the first of COMMITS, `{last}` for that of the last.

    Attributes:
        creates: It makes a table of its own, `{name}` at `{place}`.
        files: Of the source that it makes it of, how many it adopts and how many it rewrites.
        of_dead: A dead writer has left its pending instant LOST there.
        of_orphans: Files that no commit wrote lie in the partitions, for long.
        given: What is done to the original table before; `{name}` may become its name.
        upgraded: The table has got version 9 and a metadata table.
        kept: The upgraded table keeps the list of files in its metadata table.
        moves: The version that the table gets, with the timeline in another layout.
        logs: The version of the original table, a merge-on-read one.
        typed: The type that the table gets.
        adopted: A bootstrap has made the original table, whose first rows are in files of its source.
        bloom: The original table has no buckets.
    """

    name: str
    sql: str
    after: Callable[[Rows], Rows]
    creates: bool = False
    files: tuple[int, int] | None = None
    of_dead: bool = False
    of_orphans: bool = False
    given: tuple[str, ...] = ()
    upgraded: bool = False
    kept: bool = False
    moves: str = ""
    logs: str = ""
    typed: str = ""
    adopted: bool = False
    bloom: bool = False


def filled(rows: Rows) -> Rows:
    """What the first of COMMITS makes of a table without its keys."""
    return rows | {(i, "ab"[i % 2], "old") for i in range(40)}


def twos(rows: Rows) -> Rows:
    """What the second of COMMITS makes of any state."""
    return frozenset((i, p, "two" if i < 10 else v) for i, p, v in rows)


ORIGINAL: Rows = twos(filled(EMPTY))  # 2 partitions of 4 buckets, each with rows


def _insert(rows: Rows) -> Rows:
    return rows | {(i, "abc"[i % 3], "ins") for i in range(100, 116)}


def _merge(rows: Rows) -> Rows:
    source = {(i, "ab"[i % 2]) for i in range(5, 30)} | {(i, "c") for i in range(200, 204)}
    deleted = {(i, p) for i, p, _ in rows if i < 8}
    unseen = {row for row in rows if row[:2] not in source}
    kept = {(i, p, "far" if i == 39 else v) for i, p, v in unseen}
    return frozenset(kept | {(i, p, "mrg") for i, p in source - deleted})


def _overwrite(rows: Rows) -> Rows:
    kept = {row for row in rows if row[1] != "a"}
    return frozenset(kept | {(i, "a", "ovr") for i in range(6, 20)})


def _merge_logs(rows: Rows) -> Rows:
    source = {(i, "ab"[i % 2]) for i in range(5, 30)} | {(i, "c") for i in range(200, 204)}
    kept = {row for row in rows if row[:2] not in source}
    return frozenset(kept | {(i, p, "mrg") for i, p in source if i >= 8})


def _of_log_files(version: str) -> tuple[Statement, ...]:
    """Statements on a merge-on-read table, whose buckets have a base file and some a log file.

    With seven more, those of the first bucket get a base file, and those of others the next log file.
    """
    merge = (
        "MERGE INTO {t} t USING (SELECT id, IF(id % 2 = 0, 'a', 'b') p, 'mrg' v FROM range(5, 30) "
        "UNION ALL SELECT id, 'c', 'mrg' FROM range(200, 204)) s ON t.id = s.id AND t.p = s.p "
        "WHEN MATCHED AND s.id < 8 THEN DELETE WHEN MATCHED THEN UPDATE SET * "
        "WHEN NOT MATCHED AND s.id >= 8 THEN INSERT *"
    )
    return (
        Statement(f"merge_logs_{version}", merge, _merge_logs, logs=version),
        Statement(
            f"delete_logs_{version}",
            "DELETE FROM {t} WHERE id % 3 = 0",
            lambda rows: frozenset(row for row in rows if row[0] % 3),
            logs=version,
        ),
        Statement(
            f"promote_{version}",
            merge,
            _merge_logs,
            given=(COMMITS[1],) * 7,
            logs=version,
        ),
        Statement(
            f"compact_{version}", "CALL compact(table => '{t}')", lambda rows: rows, logs=version
        ),
        Statement(
            f"to_cow_{version}",
            "CALL set_table_type(table => '{t}', type => 'cow')",
            lambda rows: rows,
            logs=version,
            typed="COPY_ON_WRITE",
        ),
        Statement(f"merge_adopted_{version}", merge, _merge_logs, logs=version, adopted=True),
    )


def following(rows: Rows) -> Rows:
    """What FOLLOWING makes of any state."""
    source = {i: "ab"[i % 2] for i in range(0, 40, 7)} | {300: "c"}
    old = {row for row in rows if source.get(row[0]) != row[1]}
    return frozenset(old | {(i, p, "nxt") for i, p in source.items()})


FOLLOWING = (
    "MERGE INTO {t} t USING (SELECT id, IF(id % 2 = 0, 'a', 'b') p, 'nxt' v FROM range(0, 40, 7) "
    "UNION ALL SELECT 300, 'c', 'nxt') s ON t.id = s.id AND t.p = s.p "
    "WHEN MATCHED THEN UPDATE SET v = s.v "
    "WHEN NOT MATCHED THEN INSERT (id, p, v) VALUES (s.id, s.p, s.v)"
)

BOOTSTRAP = "CALL bootstrap(table => '{name}', source => '{source}', key => 'id', "
SOURCE: Rows = frozenset((i, "ab"[i % 2], "src") for i in range(40))  # a: two files, b: one

STATEMENTS = (
    Statement("create", CREATE, lambda rows: EMPTY, creates=True),
    Statement(
        "insert",
        "INSERT INTO {t} SELECT id, element_at(array('a', 'b', 'c'), CAST(id % 3 AS INT) + 1), "
        "'ins' FROM range(100, 116)",
        _insert,
    ),
    Statement(
        "merge",
        "MERGE INTO {t} t USING (SELECT id, IF(id % 2 = 0, 'a', 'b') p, 'mrg' v FROM range(5, 30) "
        "UNION ALL SELECT id, 'c', 'mrg' FROM range(200, 204)) s ON t.id = s.id AND t.p = s.p "
        "WHEN MATCHED AND s.id < 8 THEN DELETE WHEN MATCHED THEN UPDATE SET * "
        "WHEN NOT MATCHED THEN INSERT * "
        "WHEN NOT MATCHED BY SOURCE AND t.id = 39 THEN UPDATE SET v = 'far'",
        _merge,
    ),
    Statement(
        "delete",
        "DELETE FROM {t} WHERE id % 3 = 0",
        lambda rows: frozenset(row for row in rows if row[0] % 3),
    ),
    Statement(
        "update",
        "UPDATE {t} SET v = 'upd' WHERE id % 3 = 1",
        lambda rows: frozenset((i, p, "upd" if i % 3 == 1 else v) for i, p, v in rows),
    ),
    Statement(
        "overwrite",
        "INSERT OVERWRITE {t} PARTITION (p = 'a') SELECT id, 'ovr' FROM range(6, 20)",
        _overwrite,
    ),
    Statement(
        "rollback",
        f"CALL rollback(table => '{{t}}', instant => '{LOST}')",
        lambda rows: rows,
        of_dead=True,
    ),
    Statement("savepoint", "CALL savepoint(table => '{t}')", lambda rows: rows),
    Statement(
        "delete_savepoint",
        "CALL delete_savepoint(table => '{t}', instant => '{last}')",
        lambda rows: rows,
        given=("CALL savepoint(table => '{t}')",),
    ),
    Statement(
        "clean",
        "CALL clean(table => '{t}', retain_commits => 1, retain_hours => 0, "
        "allow_short_retention => true)",
        lambda rows: rows,
    ),
    Statement(
        "archive",
        "CALL archive(table => '{t}', keep_min => 1, keep_max => 2)",
        lambda rows: rows,
        given=("UPDATE {t} SET v = v WHERE id = 1",),
    ),
    Statement(
        "restore",
        "CALL restore(table => '{t}', instant => '{first}')",
        lambda rows: filled(EMPTY),
    ),
    Statement(
        "remove_orphans",
        "CALL remove_orphans(table => '{t}', dry_run => false)",
        lambda rows: rows,
        of_orphans=True,
    ),
    Statement(
        "drop_column",
        "ALTER TABLE {name} DROP COLUMN w",
        lambda rows: rows,
        given=(
            "CREATE TABLE {name} USING hudilite LOCATION '{place}'",
            "ALTER TABLE {name} ADD COLUMN w INT",
        ),
    ),
    Statement(
        "bootstrap",
        BOOTSTRAP + "location => '{place}')",
        lambda rows: SOURCE,
        creates=True,
        files=(3, 0),
    ),
    Statement(
        "bootstrap-both",
        BOOTSTRAP + "location => '{place}', full_partitions => 'p = \"b\"')",
        lambda rows: SOURCE,
        creates=True,
        files=(2, 1),
    ),
    Statement(
        "bootstrap-logs",
        BOOTSTRAP + "location => '{place}', full_partitions => 'p = \"b\"', type => 'mor')",
        lambda rows: SOURCE,
        creates=True,
        files=(2, 1),
    ),
    Statement(
        "update_nine",
        "UPDATE {t} SET v = 'upd' WHERE id % 3 = 1",
        lambda rows: frozenset((i, p, "upd" if i % 3 == 1 else v) for i, p, v in rows),
        upgraded=True,
    ),
    Statement(
        "upgrade",
        "CALL upgrade_table(table => '{t}', version => 9)",
        lambda rows: rows,
        given=("CALL savepoint(table => '{t}')",),
        moves="9",
    ),
    Statement(
        "downgrade",
        "CALL downgrade_table(table => '{t}', version => 6)",
        lambda rows: rows,
        given=("CALL savepoint(table => '{t}')",),
        upgraded=True,
        moves="6",
    ),
    Statement(
        "to_mor",
        "CALL set_table_type(table => '{t}', type => 'mor')",
        lambda rows: rows,
        typed="MERGE_ON_READ",
    ),
    Statement(
        "to_mor_nine",
        "CALL set_table_type(table => '{t}', type => 'mor')",
        lambda rows: rows,
        upgraded=True,
        typed="MERGE_ON_READ",
    ),
    Statement(
        "update_kept",
        "UPDATE {t} SET v = 'upd' WHERE id % 3 = 1",
        lambda rows: frozenset((i, p, "upd" if i % 3 == 1 else v) for i, p, v in rows),
        upgraded=True,
        kept=True,
    ),
    Statement(
        "clean_kept",
        "CALL clean(table => '{t}', retain_commits => 1, retain_hours => 0, "
        "allow_short_retention => true)",
        lambda rows: rows,
        upgraded=True,
        kept=True,
    ),
    *(statement for version in VERSIONS for statement in _of_log_files(version)),
    Statement("rescale", RESCALE, lambda rows: rows),
    Statement("rescale_end", RESCALE, lambda rows: rows, given=(RESCALE,) * 7),
    Statement(
        "cluster",
        "CALL cluster(table => '{t}', zorder => 'v, id', target_file_size => '3k')",
        lambda rows: rows,
        bloom=True,
    ),
    Statement(
        "replace",
        "CREATE OR REPLACE TABLE {t} USING hudilite PARTITIONED BY (p) WITH BUCKETS 4 "
        "TBLPROPERTIES (primaryKey = 'id') AS SELECT CAST(id AS INT) AS id, "
        "IF(id % 2 = 0, 'a', 'b') AS p, 'rep' AS v FROM range(3, 25)",
        lambda rows: frozenset((i, "ab"[i % 2], "rep") for i in range(3, 25)),
    ),
)
BY_NAME = {statement.name: statement for statement in STATEMENTS}
