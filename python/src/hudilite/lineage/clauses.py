"""Columns that each clause of a MERGE writes."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from hudilite.conditions import error_of
from hudilite.dialect import EvolvingMerge
from hudilite.lineage.model import Assigned, Clause, Origin
from hudilite.lineage.origins import origins, path, when
from hudilite.script.merges import Merge, qualified, takes_all
from hudilite.script.text import written


def traced(number: int, clause: exp.When, parts: Merge) -> Clause:
    """Returns a clause with the origins of each column that it writes.

    Raises:
        HudiliteError: ``HUDILITE_LINEAGE_UNKNOWN`` when the text does not determine them.
    """
    then = clause.args["then"]
    action = then.name if isinstance(then, exp.Var) else type(then).__name__
    condition = clause.args.get("condition")
    return Clause(
        number,
        when(clause),
        action.upper(),
        origins(condition, clause, parts) if condition else (),
        tuple(_stars(clause, parts) if takes_all(clause) else _assigned(clause, parts)),
    )


def _stars(clause: exp.When, parts: Merge) -> Iterator[Assigned]:
    """Yields the columns of a star: a target column comes from the source column of its name.

    A generated column that the source does not have is not set.
    """
    words = "INSERT *" if isinstance(clause.args["then"], exp.Insert) else "UPDATE SET *"
    target, source = parts.target.columns, parts.source_columns
    evolving = isinstance(parts.tree, EvolvingMerge)
    if target is None or (evolving and source is None):
        relation = parts.target_name if target is None else "the source"
        reason = f"the columns of {relation} are not known"
        fix = "Pass the declaration of the table in tables=... (--tables)."
        raise error_of("HUDILITE_LINEAGE_UNKNOWN", clause=words, reason=reason, fix=fix)
    sources = {name.lower(): name for name in source or target}
    computed = {name.lower() for name in parts.target.generated} - sources.keys()
    target = tuple(name for name in target if name.lower() not in computed)
    gap = [name for name in target if name.lower() not in sources]
    if gap:
        reason = f"the source does not have {', '.join(gap)}"
        raise error_of(
            "HUDILITE_LINEAGE_UNKNOWN",
            clause=words,
            reason=reason,
            fix="List the columns instead of *.",
        )
    known = {name.lower() for name in target}
    more = [n for n in sources.values() if n.lower() not in known]
    for column in (*target, *(more if evolving else ())):
        name = sources[column.lower()]
        value = qualified(parts.relations["source"], name)
        yield Assigned(column, (Origin("source", name),), value)


def _assigned(clause: exp.When, parts: Merge) -> Iterator[Assigned]:
    then = clause.args["then"]
    if isinstance(then, exp.Insert):
        names, values = then.this.expressions, then.expression.expressions
        if len(names) != len(values):
            reason = f"it has {len(names)} columns but {len(values)} values"
            raise error_of(
                "HUDILITE_LINEAGE_UNKNOWN",
                clause="INSERT",
                reason=reason,
                fix="Write a value for each column.",
            )
        pairs = list(zip(names, values, strict=True))
    else:
        pairs = [(one.this, one.expression) for one in then.expressions]
    for column, value in pairs:
        made_of = origins(value, clause, parts)
        yield Assigned(path(column, parts.relations["target"]), made_of, written(value))
