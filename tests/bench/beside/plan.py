"""The cases by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bench.beside import mor_cases, other_cases, shape_cases, statement_cases, t1_cases, tpch
from bench.beside.scripts import SCRIPTS
from bench.beside.shapes import Case
from bench.beside.systems import BEFORE

CASES: dict[str, Callable[[int, int, int], Case]] = {
    "load": t1_cases.load,
    "1": t1_cases.small,
    "2": t1_cases.medium,
    "3": t1_cases.recent,
    "4": t1_cases.one_column,
    "5": t1_cases.heavy,
    "8": other_cases.growth,
    "tiny": other_cases.tiny,
    "predicate": statement_cases.predicate,
    "appends": statement_cases.appends,
    "skew": shape_cases.skew,
    "nested": shape_cases.nested,
    "wide": shape_cases.wide,
    "others": statement_cases.others,
    "logs": mor_cases.logs,
    "batches": mor_cases.batches,
    "grow": mor_cases.grow,
    "deep": mor_cases.deep,
    "reading": mor_cases.reading,
}
NAMES = (*CASES, "tpch", *SCRIPTS)


def case(name: str, rows: int, rounds: int, warm_ups: int, folder: Path) -> Case:
    """What a case does.

    Args:
        name: One of `NAMES` that no script measures.
        rows: Of the table T1; other tables are in proportion.
        rounds: That count, 1 or more.
        warm_ups: Rounds before them that do not.
        folder: For sources that Spark does not make.
    """
    if name == "tpch":
        return tpch.refresh(rows, rounds, warm_ups, folder)
    return CASES[name](rows, rounds, warm_ups)


def takes_part(case: Case, system: str) -> bool:
    """Whether a case measures a system where none is asked for by name."""
    return not case.beside or system in (case.ours, BEFORE, *case.beside)
