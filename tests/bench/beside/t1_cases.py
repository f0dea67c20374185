"""Cases 1 to 5 of the benchmarks, on the table T1, and its load."""

from __future__ import annotations

from dataclasses import replace

from bench.beside.shapes import UPSERT, Case, Change, Round, Rows, Table
from tables import t1

BUCKETS = 16
LOOKED_INTO = Table("t", t1.SCHEMA, ("k",), BUCKETS, ("k",), "l1")
BATCHES = 30  # of case 3
DATES, BUCKETS_OF_A_DATE = 64, 4  # of case 5
TO_READ = 3
FIRST, BETWEEN, LAST = "first", "between", "last"
ALIKE = "100 %, source bucketed like the target"
ONE_COLUMN = "WHEN MATCHED THEN UPDATE SET flag = s.flag"
HEAVY = (  # disjoint conditions: Hudi takes an UPDATE before a DELETE that stands above it
    "WHEN MATCHED AND s.flag = 'gone' THEN DELETE WHEN MATCHED AND s.flag <> 'gone' "
    "THEN UPDATE SET * WHEN NOT MATCHED AND s.flag <> 'gone' THEN INSERT *"
)


def load(rows: int, rounds: int, warm_ups: int) -> Case:
    """The load alone; the fresh table is read."""
    base = Rows("t", t1.rows_sql(0, rows), f"t1_{rows}")
    one = Round("load", loads=[base], fresh=True, limits=False)
    plan = counted([one] * (rounds + warm_ups), warm_ups)
    return Case("load", "load of T1", [LOOKED_INTO], [], plan, beside=("iceberg", "delta", "hudi"))


def small(rows: int, rounds: int, warm_ups: int) -> Case:
    """Case 1: one row in ten thousand, uniform; a fifth of the source is new."""
    changed, new = max(rows * 8 // 100_000, 8), max(rows * 2 // 100_000, 2)

    def source(number: int) -> str:
        first = rows + number * new
        picked = f"xxhash64(id, 99, {number}) % {rows // changed} = 0"
        return (
            f"{t1.rows_sql(0, rows, number + 1)} WHERE {picked} "
            f"UNION ALL {t1.rows_sql(first, first + new, number + 1)}"
        )

    changes = [_change("1", number, source(number)) for number in range(rounds + warm_ups)]
    return _case("1", "small uniform: 0.01 %, SET *, a fifth new", rows, changes, warm_ups)


def medium(rows: int, rounds: int, warm_ups: int) -> Case:
    """Case 2: one row in a hundred, uniform, every column."""
    changes = [
        _change("2", number, changed_rows(rows, number, 100)) for number in range(rounds + warm_ups)
    ]
    return _case("2", "medium uniform: 1 %, SET *", rows, changes, warm_ups)


def recent(rows: int, rounds: int, warm_ups: int) -> Case:
    """Case 3: batches in a row, all in the newest twentieth of keys that grow with time."""
    batches = BATCHES if rounds > 1 else 2
    plan = []
    for number in range(batches + warm_ups):
        there = rows + number * rows // 200
        picked = f"id >= {there * 19 // 20} AND xxhash64(id, 99, {number}) % 5 = 0"
        query = (
            f"{t1.rows_sql(0, there, number + 1)} WHERE {picked} "
            f"UNION ALL {t1.rows_sql(there, there + rows // 200, number + 1)}"
        )
        change = _change("3", number, _ordered(query))
        batch = number - warm_ups + 1
        label = FIRST if batch <= TO_READ else LAST if batch > batches - TO_READ else BETWEEN
        aside = label != BETWEEN
        plan.append(Round(label, [change], counts=batch > 0, limits=aside, reads=aside))
    base = Rows("t", _ordered(t1.rows_sql(0, rows)), f"t1_ordered_{rows}")
    title = f"recent: 1 % of the rows in the newest 5 %, 0.5 % new, {batches} batches"
    return Case("3", title, [LOOKED_INTO], [base], plan, beside=("iceberg", "delta"))


def one_column(rows: int, rounds: int, warm_ups: int) -> Case:
    """Case 4: one column, of one row in a hundred and of one in four."""
    plan = []
    for label, every in (("1 %", 100), ("25 %", 4)):
        changes = [
            _change(f"4_{every}", number, changed_rows(rows, number, every), ONE_COLUMN)
            for number in range(rounds + warm_ups)
        ]
        plan += counted([Round(label, [change]) for change in changes], warm_ups)
    return Case(
        *("4", "one column: SET flag", [LOOKED_INTO], [base_rows(rows)], plan),
        beside=("iceberg", "delta"),
    )


def heavy(rows: int, rounds: int, warm_ups: int) -> Case:
    """Case 5: a quarter of the rows and all of them, a twentieth deleted, over uneven dates."""
    large, least = rows * 4, min(rounds, 3)
    schema = f"{t1.SCHEMA}, p DATE"
    table = Table("t", schema, ("k",), BUCKETS_OF_A_DATE, ("p", "flag"), "l1", "p")
    plan = []
    for label, every, first, alike in (
        ("25 %", 4, 0, False),
        ("100 %", 1, 0, False),
        (ALIKE, 1, 10, True),
    ):
        changes = [
            _change(f"5_{every}", number, _dated(_leaving(large, number, every)), HEAVY)
            for number in range(first, first + least + 1)
        ]
        changes = [replace(change, alike=alike) for change in changes]
        plan += counted([Round(label, [change]) for change in changes], 1)
    base = Rows("t", _dated(t1.rows_sql(0, large)), f"t1_dated_{large}")
    title = f"heavy: SET *, 5 % deleted, {DATES} uneven dates, 4 x the rows"
    return Case("5", title, [table], [base], plan, beside=("iceberg",))


def counted(rounds: list[Round], warm_ups: int) -> list[Round]:
    """The same rounds, the first of them warm-ups."""
    return [replace(one, counts=number >= warm_ups) for number, one in enumerate(rounds)]


def _case(name: str, title: str, rows: int, changes: list[Change], warm_ups: int) -> Case:
    plan = counted([Round("MERGE", [change]) for change in changes], warm_ups)
    return Case(name, title, [LOOKED_INTO], [base_rows(rows)], plan)


def base_rows(rows: int) -> Rows:
    """The rows of T1 before any change."""
    return Rows("t", t1.rows_sql(0, rows), f"t1_{rows}")


def _change(case: str, number: int, query: str, clauses: str = UPSERT) -> Change:
    return Change(Rows("t", query, f"case_{case}_{number}"), clauses)


def changed_rows(rows: int, number: int, every: int) -> str:
    """Other values for one row in so many, other rows for each number."""
    return f"{t1.rows_sql(0, rows, number + 1)} WHERE xxhash64(id, 99, {number}) % {every} = 0"


def _leaving(rows: int, number: int, every: int) -> str:
    """As `_picked`, but a twentieth of all rows is told to go."""
    names = ", ".join(name for name in LOOKED_INTO.names() if name != "flag")
    gone = f"xxhash64(l1, 98, {number}) % 20 = 0"
    picked = f"xxhash64(l1, 99, {number}) % {every} = 0"
    return (
        f"SELECT {names}, IF({gone}, 'gone', flag) flag "
        f"FROM ({t1.rows_sql(0, rows, number + 1)}) WHERE {picked} OR {gone}"
    )


def _ordered(query: str) -> str:
    """The same rows under keys in the order of time."""
    names = ", ".join(name for name in LOOKED_INTO.names() if name != "k")
    return f"SELECT lpad(CAST(l1 AS STRING), 16, '0') k, {names} FROM ({query})"


def _dated(query: str) -> str:
    """The same rows over dates of which each has fewer than the one before, by Zipf's law of 1.1."""
    even = "(xxhash64(l1, 77) & 1048575) / 1048576.0D"
    rank = f"CAST(floor(pow(1 - {even} * (1 - pow({DATES + 1}, -0.1D)), -10)) AS INT)"
    return f"SELECT *, date_add(DATE'2026-01-01', {rank} - 1) p FROM ({query})"
