"""Parts of a MERGE: its relations, their columns, its clauses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from hudilite.script.columns import output_columns
from hudilite.script.tables import Declared, Tables
from hudilite.sql.names import identifier


@dataclass(frozen=True)
class Merge:
    """MERGE with what is known of its two relations.

    Attributes:
        tree: The statement.
        target: Known facts of the target table; without columns and key if nothing is known.
        source_columns: Columns of the source (USING); None if they are not known.
        variables: Names of the variables that it can use, in lower case.
    """

    tree: exp.Merge
    target: Declared
    source_columns: tuple[str, ...] | None
    variables: frozenset[str] = frozenset()

    @staticmethod
    def of(tree: exp.Merge, tables: Tables) -> Merge:
        """Returns the parts of a statement, with what is known of its tables."""
        query = exp.Select(expressions=[exp.Star()], from_=exp.From(this=tree.args["using"].copy()))
        if tree.args.get("with_"):
            query.set("with_", tree.args["with_"].copy())
        columns = output_columns(query, tables.columns)
        return Merge(tree, tables.of(tree.this) or Declared(), columns, tables.variables)

    @property
    def relations(self) -> dict[str, exp.Expr]:
        """Relations by side, ``"target"`` and ``"source"``."""
        return {"target": self.tree.this, "source": self.tree.args["using"]}

    @property
    def target_name(self) -> str:
        """Name of the target in messages."""
        return str(self.tree.this.alias_or_name)

    @property
    def clauses(self) -> list[exp.When]:
        """WHEN clauses, in order."""
        return list(self.tree.args["whens"].expressions)

    def side(self, column: exp.Column) -> str | None:
        """Returns the side of a column: ``"target"``, ``"source"``, or None if it is not known.

        The qualifier of the column decides, or else the known columns of both sides.
        """
        names = [part.name.lower() for part in column.parts]
        named = [side for side, one in self.relations.items() if leading(names, one)]
        if len(named) == 1:
            return named[0]
        name = names[0]  # of a struct field, the first part is the column
        in_target, in_source = (_has(c, name) for c in (self.target.columns, self.source_columns))
        if in_target is not in_source and None not in (in_target, in_source):
            return "target" if in_target else "source"
        return None


def takes_all(clause: exp.When) -> bool:
    """Whether a clause is UPDATE SET * or INSERT *."""
    then = clause.args["then"]
    if isinstance(then, exp.Insert):
        return isinstance(then.this, exp.Star)
    return isinstance(then, exp.Update) and any(isinstance(e, exp.Star) for e in then.expressions)


def equalities(on: exp.Expr | None) -> Iterator[tuple[exp.Expr, exp.Expr]]:
    """Yields the two sides of each equality that must be true for a condition to be true."""
    if isinstance(on, exp.Paren):
        yield from equalities(on.this)
    elif isinstance(on, exp.And):
        yield from equalities(on.left)
        yield from equalities(on.right)
    elif isinstance(on, (exp.EQ, exp.NullSafeEQ)):
        left, right = on.left.unnest(), on.right.unnest()
        if isinstance(left, exp.Tuple) and isinstance(right, exp.Tuple):
            yield from zip(left.expressions, right.expressions, strict=False)
        else:
            yield left, right


def leading(names: list[str], relation: exp.Expr) -> int:
    """Returns how many leading parts of a column's name are its relation's name; 0 for none.

    The relation's name is its alias, or without one the end of its table name. `names` are in lower
    case.
    """
    full = [name.lower() for name in _names(relation)]
    return next((n for n in range(1, len(full) + 1) if names[:-1][:n] == full[-n:]), 0)


def _has(columns: tuple[str, ...] | None, name: str) -> bool | None:
    return None if columns is None else name in (column.lower() for column in columns)


def qualified(relation: exp.Expr, column: str) -> str:
    """Returns a column with the name of its relation before it, as SQL."""
    return ".".join(_quoted(name) for name in (*_names(relation), column))


def _names(relation: exp.Expr) -> list[str]:
    """Returns the qualifier of a relation's columns; empty for a sub-query without an alias."""
    if relation.alias:
        return [relation.alias]
    return [part.name for part in relation.parts] if isinstance(relation, exp.Table) else []


def _quoted(name: str) -> str:
    """Quotes a name from the text, also one that the statement builders reject."""
    plain = "${" not in name and name.isprintable()
    return identifier(name, "name") if plain else "`" + name.replace("`", "``") + "`"
