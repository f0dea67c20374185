"""Cases on the table T1 beside its MERGE: statements with a predicate, small appends, and systems without Spark."""

from __future__ import annotations

from datetime import date, timedelta

from bench.beside.shapes import Case, Change, Round, Rows
from bench.beside.systems import OUR_LOGS, OURS
from bench.beside.t1_cases import LOOKED_INTO, base_rows, changed_rows, counted
from tables import t1

UPDATE, DELETE = "UPDATE", "DELETE"
STATEMENTS = {
    UPDATE: "UPDATE {{t}} SET d1 = d1 + 1, s1 = 'changed' WHERE {where}",
    DELETE: "DELETE FROM {{t}} WHERE {where}",
}
FIRST_DAY, DAYS = date(2020, 1, 1), 15  # of the 1500 days of T1, a hundredth
APPENDS, SHARE = 100, 1000  # refreshes, each of one row in so many
FRESH, REFRESH, REFRESHED = "fresh load", "refresh", f"after {APPENDS} refreshes"
OTHERS = ("duckdb", "delta-rs")


def predicate(rows: int, rounds: int, warm_ups: int) -> Case:
    """UPDATE and DELETE of one row in a hundred, chosen by a column that is no key."""
    times, plan = rounds + warm_ups, []
    for place, (label, form) in enumerate(STATEMENTS.items()):
        texts = [form.format(where=_days(place * times + number)) for number in range(times)]
        plan += counted([Round(label, statements=[text]) for text in texts], warm_ups)
    title = "UPDATE and DELETE of 1 %, by a predicate on a column that is no key"
    return Case(
        *("predicate", title, [LOOKED_INTO], [base_rows(rows)], plan),
        beside=("iceberg", "delta"),
    )


def appends(rows: int, rounds: int, warm_ups: int) -> Case:
    """A hundred MERGEs of new rows alone; the table is read after them, and a fresh one with the same rows."""
    there = rows // 3  # each refresh leaves another version of the table on the disk
    times, each = APPENDS if rounds > 1 else 2, max(there // SHARE, 1)
    changes = [_append(there, each, number) for number in range(times + warm_ups)]
    every = Rows("t", t1.rows_sql(0, there + times * each), f"t1_{there}_{times}_{each}")
    fresh = Round(FRESH, loads=[every], limits=False, fresh=True)
    begin = Round(
        "before", loads=[base_rows(there)], counts=False, limits=False, reads=False, fresh=True
    )
    refreshes = [Round(REFRESH, [change], limits=False, reads=False) for change in changes]
    after = Round(REFRESHED, limits=False)
    plan = [
        *counted([fresh] * (rounds + warm_ups), warm_ups),
        *counted(refreshes[times:], warm_ups),
        begin,
        *refreshes[:times],
        *counted([after] * (rounds + warm_ups), warm_ups),
    ]
    title = (
        f"appends: {times} refreshes of 0.1 % new rows, against a fresh load, a third of the rows"
    )
    return Case("appends", title, [LOOKED_INTO], [], plan, beside=("iceberg", "delta"))


def others(rows: int, rounds: int, warm_ups: int) -> Case:
    """The load and a MERGE of one row in a hundred, beside systems without Spark."""
    load = Round("load", loads=[base_rows(rows)], limits=False, plain=False, fresh=True)
    times = rounds + warm_ups
    changes = [
        Change(Rows("t", changed_rows(rows, number, 100), f"case_2_{number}"))
        for number in range(times)
    ]
    merges = [Round("MERGE", [change], limits=False, plain=False) for change in changes]
    plan = [*counted([load] * times, warm_ups), *counted(merges, warm_ups)]
    title = "others: load, and 1 %, SET *, beside systems without Spark"
    return Case(
        *("others", title, [LOOKED_INTO], [], plan),
        ours=OUR_LOGS.name,
        beside=(OURS.name, *OTHERS),
    )


def _days(number: int) -> str:
    first = FIRST_DAY + timedelta(days=number * DAYS)
    return f"day >= DATE'{first}' AND day < DATE'{first + timedelta(days=DAYS)}'"


def _append(rows: int, each: int, number: int) -> Change:
    first = rows + number * each
    name = f"case_appends_{number}"
    return Change(Rows("t", t1.rows_sql(first, first + each), name))
