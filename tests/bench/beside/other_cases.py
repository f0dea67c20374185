"""Case 8 of the benchmarks, which is growth, and the MERGE of one row into a tiny table."""

from __future__ import annotations

from bench.beside.shapes import UPSERT, Case, Change, Round, Rows, Table
from bench.beside.t1_cases import counted
from tables import t1

NARROW = Table("n", "k STRING, n BIGINT, x BIGINT, p STRING", ("k",), 16, ("p", "k"), "n", "p")
SIZES = (1, 8, 64)  # partitions
AT_ONCE = 8  # a writer that has every file open at once does not fit into the heap
KEY = "lpad(conv(xxhash64(id) & 9223372036854775807L, 10, 16), 16, '0')"
TINY = Table("tiny", t1.SCHEMA, ("k",), 16, ("k",), "l1")
TINY_ROWS, TINY_ROUNDS = 100, 20


def growth(rows: int, rounds: int, warm_ups: int) -> Case:
    """Case 8: the same MERGE into one partition while others are added."""
    each, plan, number = _rows_of_each(rows), [], 0
    for before, size in zip((0, *SIZES), SIZES, strict=False):
        loads = _steps(before, size, each) if before else []
        for turn in range(rounds + warm_ups):
            change = _of_one(each, number, "t.p = 'part00'")
            plan.append(
                Round(
                    f"{size} x",
                    [change],
                    [] if turn else loads,
                    counts=turn >= warm_ups,
                    reads=False,
                    plain=False,
                    within="part00",
                )
            )
            number += 1
    base = _partitions(0, 1, each)
    title = "growth: 10 % of one partition, SET *, while the table grows 64 x"
    return Case("8", title, [NARROW], [base], plan, beside=("iceberg",))


def growth_afresh(rows: int, rounds: int, warm_ups: int, ours: str) -> Case:
    """Case 8 with fresh tables, so that none has log files, and without a condition on the table."""
    each, plan, number = _rows_of_each(rows), [], 0
    for size in SIZES:
        loads = [_partitions(0, 1, each), *_steps(1, size, each)]
        for turn in range(rounds + warm_ups):
            plan.append(
                Round(
                    f"{size} x",
                    [_of_one(each, number, "")],
                    [] if turn else loads,
                    counts=turn >= warm_ups,
                    limits=False,
                    reads=False,
                    fresh=not turn,
                )
            )
            number += 1
    title = "growth of a fresh table: 10 % of one partition, SET *, of 64 x as many"
    return Case("grow", title, [NARROW], [], plan, ours=ours, beside=("iceberg-mor",))


def tiny(rows: int, rounds: int, warm_ups: int) -> Case:
    """One row into a table of a hundred; as many warm-ups as rounds."""
    times = TINY_ROUNDS if rounds > 1 else 1
    changes = [
        Change(Rows("tiny", t1.rows_sql(number, number + 1, number + 1), f"case_tiny_{number}"))
        for number in range(2 * times)
    ]
    plan = [Round("MERGE", [change], limits=False, reads=False) for change in changes]
    base = Rows("tiny", t1.rows_sql(0, TINY_ROWS), f"t1_{TINY_ROWS}")
    return Case("tiny", "one row into a table of 100", [TINY], [base], counted(plan, times))


def _rows_of_each(rows: int) -> int:
    return max(rows // 3, 1000)


def _of_one(each: int, number: int, also: str) -> Change:
    changed = _rows("part00", 0, each, f"xxhash64(id, 99, {number}) % 10 = 0", number)
    return Change(Rows("n", changed, f"case_8_{each}_{number}"), UPSERT, also)


def _steps(first: int, last: int, each: int) -> list[Rows]:
    """Partitions [first, last), some at once."""
    steps = range(first, last, AT_ONCE)
    return [_partitions(step, min(step + AT_ONCE, last), each) for step in steps]


def _partitions(first: int, last: int, each: int) -> Rows:
    name = f"concat('part', lpad(CAST(id DIV {each} AS STRING), 2, '0'))"
    text = f"SELECT {KEY} k, id n, id % 7 x, {name} p FROM range({first * each}, {last * each})"
    return Rows("n", text, f"narrow_{each}_{first}_{last}")


def _rows(partition: str, first: int, last: int, condition: str, salt: int) -> str:
    return (
        f"SELECT {KEY} k, id + {salt} n, id % 11 x, '{partition}' p "
        f"FROM range({first}, {last}) WHERE {condition}"
    )
