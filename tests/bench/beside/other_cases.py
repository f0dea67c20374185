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
    each, plan, number = max(rows // 3, 1000), [], 0
    for before, size in zip((0, *SIZES), SIZES, strict=False):
        steps = range(before, size, AT_ONCE) if before else ()
        loads = [_partitions(first, min(first + AT_ONCE, size), each) for first in steps]
        for turn in range(rounds + warm_ups):
            changed = _rows("part00", 0, each, f"xxhash64(id, 99, {number}) % 10 = 0", number)
            change = Change(Rows("n", changed, f"case_8_{each}_{number}"), UPSERT, "t.p = 'part00'")
            plan.append(
                Round(
                    f"{size} x",
                    [change],
                    [] if turn else loads,
                    counts=turn >= warm_ups,
                    reads=False,
                    within="part00",
                )
            )
            number += 1
    base = _partitions(0, 1, each)
    title = "growth: 10 % of one partition, SET *, while the table grows 64 x"
    return Case("8", title, [NARROW], [base], plan)


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


def _partitions(first: int, last: int, each: int) -> Rows:
    name = f"concat('part', lpad(CAST(id DIV {each} AS STRING), 2, '0'))"
    text = f"SELECT {KEY} k, id n, id % 7 x, {name} p FROM range({first * each}, {last * each})"
    return Rows("n", text, f"narrow_{each}_{first}_{last}")


def _rows(partition: str, first: int, last: int, condition: str, salt: int) -> str:
    return (
        f"SELECT {KEY} k, id + {salt} n, id % 11 x, '{partition}' p "
        f"FROM range({first}, {last}) WHERE {condition}"
    )
