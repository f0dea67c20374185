"""Rule ``set-star-schema-gap``."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from hudilite.dialect import EvolvingMerge
from hudilite.lint.case import Case, Fault
from hudilite.script.merges import Merge, takes_all

_META = "_hoodie_"
_MARKER = "_hoodie_is_deleted"  # a column of the table: rows with the value true are deleted


def set_star_schema_gap(case: Case) -> Iterator[Fault]:
    """Finds UPDATE SET * or INSERT * where source and target have different columns."""
    merge = case.merge
    if merge is None or merge.target.columns is None or merge.source_columns is None:
        return
    missing = _without(merge.target.columns, (*merge.source_columns, *merge.target.generated))
    extra = _without(merge.source_columns, (*merge.target.columns, *_read(merge)))
    for clause in filter(takes_all, merge.clauses):
        place = case.statement.place(clause.args["then"].find(exp.Star))
        words = "INSERT *" if isinstance(clause.args["then"], exp.Insert) else "UPDATE SET *"
        if missing:
            yield Fault(
                place,
                f"{words} needs {missing} of {merge.target_name}, missing in the source",
                f"Add {missing} to the source, or list the columns instead of *",
            )
        if extra and not isinstance(merge.tree, EvolvingMerge):
            yield Fault(
                place,
                f"{words} ignores {extra} of the source, missing in {merge.target_name}",
                f"Remove {extra} from the source, or run ALTER TABLE ... ADD COLUMNS first",
            )


def is_meta(column: str) -> bool:
    """Returns whether a column has the name of Hudi's meta columns, which a table has by itself."""
    return column.lower().startswith(_META) and column != _MARKER


def _read(merge: Merge) -> Iterator[str]:
    """Yields the names that ON and the clauses use. Such a source column is not a gap."""
    for part in (merge.tree.args["on"], merge.tree.args["whens"]):
        for column in part.find_all(exp.Column):
            yield from (name.name for name in column.parts)


def _without(columns: tuple[str, ...], others: tuple[str, ...]) -> str:
    """Returns the columns that are not among the others, except Hudi's meta columns."""
    known = {name.lower() for name in others}
    return ", ".join(c for c in columns if c.lower() not in known and not is_meta(c))
