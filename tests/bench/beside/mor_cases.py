"""The cases of merge-on-read tables: logs that pile up, batches in a row, growth, and a MERGE that reads."""

from __future__ import annotations

from bench.beside.other_cases import SIZES, growth_afresh
from bench.beside.shapes import UPSERT, Case, Change, Round, Rows
from bench.beside.systems import OUR_LOGS
from bench.beside.t1_cases import BATCHES, LOOKED_INTO, base_rows, changed_rows, counted

UPSERTS = 8
BEFORE, AFTER_ONE, AFTER_ALL = "before", "after 1 upsert", f"after {UPSERTS} upserts"
BETWEEN, BATCH, LOADED = "upserts between", "batch", "loaded"
READING = "WHEN MATCHED AND t.l2 < s.l2 THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
IN_THE_SMALLEST = 10  # one row of so many is changed, and as many rows in the larger tables


def logs(rows: int, rounds: int, warm_ups: int) -> Case:
    """Eight upserts of a fresh table, which is read before, after the first and after the last."""
    changes = [_upsert("logs", rows, number) for number in range(UPSERTS)]
    steps = [
        Round(BEFORE, loads=[base_rows(rows)], limits=False, plain=False, fresh=True),
        Round(AFTER_ONE, changes[:1], limits=False, plain=False),
        *(Round(BETWEEN, [change], limits=False, reads=False) for change in changes[1:-1]),
        Round(AFTER_ALL, changes[-1:], limits=False, plain=False),
    ]
    plan = [
        one
        for turn in range(rounds + warm_ups)
        for one in counted(steps, 0 if turn >= warm_ups else len(steps))
    ]
    title = f"log files: {UPSERTS} upserts of 1 %, SET *, and what is read between them"
    return Case(
        *("logs", title, [LOOKED_INTO], [], plan), ours=OUR_LOGS.name, beside=("iceberg-mor",)
    )


def batches(rows: int, _rounds: int, warm_ups: int) -> Case:
    """Thirty upserts in a row, each followed by a scan and look-ups; the warm-ups are in another table."""
    changes = [_upsert("batches", rows, number) for number in range(BATCHES)]
    loaded = Round(
        LOADED, loads=[base_rows(rows)], counts=False, limits=False, reads=False, fresh=True
    )
    plan = [Round(BATCH, [change], limits=False, plain=False) for change in changes]
    before = counted(plan[:warm_ups], warm_ups)
    title = f"batches: {BATCHES} upserts of 1 %, SET *, each followed by a scan and 20 look-ups"
    return Case(
        *("batches", title, [LOOKED_INTO], [], [loaded, *before, loaded, *plan]),
        ours=OUR_LOGS.name,
        course=True,
    )


def reading(rows: int, rounds: int, warm_ups: int) -> Case:
    """A MERGE that compares values of the table with those of the source."""
    changes = [
        Change(Rows("t", changed_rows(rows, number, 100), f"case_reading_{number}"), READING)
        for number in range(rounds + warm_ups)
    ]
    steps = [Round("MERGE", [change], limits=False, plain=False) for change in changes]
    plan = counted(steps, warm_ups)
    title = "reading: 1 %, SET * of rows whose l2 is smaller than the source's"
    return Case(
        *("reading", title, [LOOKED_INTO], [base_rows(rows)], plan),
        ours=OUR_LOGS.name,
        without=("hudi-mor",),  # issue 12180 of Hudi
    )


def grow(rows: int, rounds: int, warm_ups: int) -> Case:
    """The same upsert of one partition in tables with more and more others."""
    return growth_afresh(rows, rounds, warm_ups, OUR_LOGS.name)


def deep(rows: int, rounds: int, warm_ups: int) -> Case:
    """The same number of rows into tables whose buckets hold more and more."""
    plan, number = [], 0
    for size in SIZES:
        there = rows * size // SIZES[-1]
        every = IN_THE_SMALLEST * size
        for turn in range(rounds + warm_ups):
            query = changed_rows(there, number, every)
            plan.append(
                Round(
                    f"{size} x",
                    [Change(Rows("t", query, f"case_deep_{number}"), UPSERT)],
                    [] if turn else [base_rows(there)],
                    counts=turn >= warm_ups,
                    limits=False,
                    reads=False,
                    fresh=not turn,
                )
            )
            number += 1
    title = f"deep: the same number of rows, SET *, while the buckets grow {SIZES[-1]} x"
    return Case(
        *("deep", title, [LOOKED_INTO], [], plan), ours=OUR_LOGS.name, beside=("iceberg-mor",)
    )


def _upsert(case: str, rows: int, number: int) -> Change:
    return Change(Rows("t", changed_rows(rows, number, 100), f"case_{case}_{number}"))
