"""Output columns of a query, as far as its text determines them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp

from hudilite.script.text import written

# Expressions that can return other than one column. Spark has more such functions than sqlglot has
# classes for, so every function that sqlglot does not know (exp.Anonymous) is one.
_GENERATORS = (
    exp.Aliases,
    exp.Anonymous,
    exp.Inline,
    exp.QueryTransform,
    exp.Stack,
    exp.UDTF,
)

Columns = tuple[str, ...]
Known = Callable[[exp.Table], Columns | None]


def output_columns(relation: exp.Expr, known: Known) -> Columns | None:
    """Returns the column names of a query, a table, VALUES or a sub-query, in order.

    Args:
        relation: Expression from FROM, USING or AS.
        known: Function that returns the columns of a table; None if they are not known.

    Returns:
        Names as they are written; None when the text does not determine all of them.

    Examples:
        >>> import sqlglot
        >>> query = sqlglot.parse_one("SELECT a.*, 1 AS n FROM a", read="hudilite")
        >>> output_columns(query, lambda table: ("id", "v"))
        ('id', 'v', 'n')
        >>> output_columns(query, lambda table: None) is None
        True
    """
    return _relation(relation, known, {})


def _relation(
    relation: exp.Expr, known: Known, named: Mapping[str, Columns | None]
) -> Columns | None:
    if relation.args.get("pivots") or relation.args.get("sample_columns"):
        return None
    aliases = tuple(column.name for column in _alias_columns(relation))
    if aliases:
        return aliases
    if isinstance(relation, exp.Subquery):
        named = _with(relation, known, named)
        return _relation(relation.this, known, named)
    if isinstance(relation, exp.SetOperation):
        return _relation(relation.left, known, _with(relation, known, named))
    if isinstance(relation, exp.Select):
        return _selected(relation, known, _with(relation, known, named))
    if isinstance(relation, exp.Values):
        first = relation.expressions[0] if relation.expressions else None
        width = len(first.expressions) if isinstance(first, exp.Tuple) else 1
        return tuple(f"col{number}" for number in range(1, width + 1))
    if isinstance(relation, exp.Table) and isinstance(relation.this, exp.Identifier):
        if not relation.db and relation.name.lower() in named:
            return named[relation.name.lower()]
        return known(relation)
    return None


def _alias_columns(relation: exp.Expr) -> list[exp.Expr]:
    alias = relation.args.get("alias")
    return alias.args.get("columns") or [] if isinstance(alias, exp.TableAlias) else []


def _with(
    query: exp.Expr, known: Known, outer: Mapping[str, Columns | None]
) -> Mapping[str, Columns | None]:
    """Returns the columns of the CTEs of a query, by name, and of the CTEs around it."""
    clause = query.args.get("with_")
    named = dict(outer)
    for cte in clause.expressions if isinstance(clause, exp.With) else []:
        aliases = tuple(column.name for column in _alias_columns(cte))
        named[cte.alias.lower()] = aliases or _relation(cte.this, known, named)
    return named


def _selected(
    select: exp.Select, known: Known, named: Mapping[str, Columns | None]
) -> Columns | None:
    found: list[str] = []
    for projection in select.expressions:
        star = projection.this if isinstance(projection, exp.Column) else projection
        if isinstance(star, exp.Star):
            expanded = _expanded(select, projection, known, named)
            if expanded is None:
                return None
            found += expanded
        elif isinstance(projection, _GENERATORS) or _opens(projection):
            return None
        else:
            found.append(_named(projection))
    return tuple(found)


def _named(projection: exp.Expr) -> str:
    """Returns Spark's name of a projection: alias, column, cast column, or else its text."""
    inner = projection.unnest()
    inner = inner.this if isinstance(inner, exp.Cast) else inner
    if projection.alias or isinstance(inner, (exp.Column, exp.Dot)):
        return projection.alias or inner.name
    return projection.name if isinstance(projection, exp.Literal) else written(projection)


def _opens(projection: exp.Expr) -> bool:
    """Whether a projection returns a column for each field of a struct."""
    return isinstance(projection, exp.Dot) and isinstance(projection.expression, exp.Star)


def _expanded(
    select: exp.Select, star: exp.Expr, known: Known, named: Mapping[str, Columns | None]
) -> Columns | None:
    """Returns the columns of ``*`` or ``x.*``; None if they are not known.

    A join with USING has fewer columns than its two sides, so its star is not expanded.
    """
    first = select.args.get("from_")
    joins = select.args.get("joins") or []
    if not first or select.args.get("laterals"):
        return None
    sources = [first.this, *(join.this for join in joins)]
    if isinstance(star, exp.Column):
        sources = [one for one in sources if one.alias_or_name.lower() == star.table.lower()]
        star = star.this
    elif any(_shares_columns(join) for join in joins):
        return None
    if not sources or star.args.get("rename") or star.args.get("replace"):
        return None
    parts = [_relation(source, known, named) for source in sources]
    without = {column.name.lower() for column in star.args.get("except_") or []}
    if any(part is None for part in parts):
        return None
    return tuple(c for part in parts if part for c in part if c.lower() not in without)


def _shares_columns(join: exp.Expr) -> bool:
    kinds = {join.text("kind").upper(), join.text("side").upper(), join.text("method").upper()}
    return bool(join.args.get("using") or kinds & {"NATURAL", "SEMI", "ANTI"})
