"""Rule ``key-not-pinned``."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from hudilite.lint.case import Case, Fault
from hudilite.script.merges import Merge, equalities, qualified


def key_not_pinned(case: Case) -> Iterator[Fault]:
    """Finds a MERGE whose ON does not equate every key column of the target with the source.

    A key column may equal a constant instead, if another one equals the source.
    """
    merge = case.merge
    if merge is None or not merge.target.key:
        return
    on = merge.tree.args.get("on")
    pinned = dict(pin for sides in equalities(on) for pin in _pins(*sides, merge))
    if not any(pinned.get(column.lower()) for column in merge.target.key):
        pinned = {}
    missing = [column for column in merge.target.key if column.lower() not in pinned]
    if missing:
        named = ", ".join(missing)
        yield Fault(
            case.statement.place(on),
            f"ON does not equate {named} of the primary key of {merge.target_name} with the source",
            "Add " + " ".join(f"AND {_equality(column, merge)}" for column in missing),
        )


def _pins(left: exp.Expr, right: exp.Expr, merge: Merge) -> Iterator[tuple[str, bool]]:
    """Yields the target column that an equality fixes, and whether the source fixes it.

    If it is unknown to which side a column belongs, the rule assumes the side for which it reports
    nothing.
    """
    for one, other in ((left, right), (right, left)):
        if not isinstance(one, exp.Column):
            continue
        side, others = merge.side(one), {merge.side(c) for c in other.find_all(exp.Column)}
        if side != "source" and "target" not in others:
            yield one.name.lower(), bool(others)


def _equality(column: str, merge: Merge) -> str:
    has = merge.source_columns
    known = has is None or column.lower() in (name.lower() for name in has)
    value = qualified(merge.relations["source"], column) if known else "<its value in the source>"
    return f"{qualified(merge.relations['target'], column)} = {value}"
