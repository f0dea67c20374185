"""Rule ``non-deterministic-source``."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from hudilite.lint.case import Case, Fault

_UNLIKE = frozenset(
    {
        "current_timestamp",
        "localtimestamp",
        "monotonically_increasing_id",
        "now",
        "rand",
        "randn",
        "random",
        "shuffle",
        "uuid",
    }
)
_FIX = "Write the rows to a table first, and merge that table"


def non_deterministic_source(case: Case) -> Iterator[Fault]:
    """Finds a source of MERGE that can return other rows when it is read again."""
    if case.merge is None:
        return
    tree = case.merge.tree
    for part in (tree.args.get("with_"), tree.args["using"]):
        if part is not None:
            yield from _functions(case, part)
            yield from _limits(case, part)


def _functions(case: Case, part: exp.Expr) -> Iterator[Fault]:
    for function in part.find_all(exp.Func):
        name = function.name if isinstance(function, exp.Anonymous) else function.sql_name()
        if name.lower() in _UNLIKE and not isinstance(function.parent, exp.Dot):
            known = "start" in function.meta
            word = case.statement.word(name.upper())
            yield Fault(
                case.statement.place(function) if known else case.statement.place_of(word),
                f"The source calls {name.lower()}, which changes each time the source is read",
                _FIX,
            )


def _limits(case: Case, part: exp.Expr) -> Iterator[Fault]:
    for limit in part.find_all(exp.Limit):
        query = limit.parent
        if query and not query.args.get("order") and not _takes_any(limit, query):
            yield Fault(
                case.statement.place(limit),
                "The source has LIMIT without ORDER BY, so it can return other rows each time",
                "Add ORDER BY with columns that are unique together",
            )


def _takes_any(limit: exp.Expr, query: exp.Expr) -> bool:
    """Whether LIMIT does not select rows: ALL, 0, the one row of an aggregate, or in EXISTS."""
    aggregates = (one.unalias() for one in query.expressions)
    return (
        limit.expression.name.upper() in ("ALL", "0")
        or isinstance(query.parent, exp.Exists)
        or (
            isinstance(query, exp.Select)
            and not query.args.get("group")
            and all(isinstance(one, exp.AggFunc) for one in aggregates)
        )
    )
