"""A MERGE by its parts: relations, their columns and clauses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from hudilite.script.columns import output_columns
from hudilite.script.tables import Declared, Tables
from hudilite.sql.names import identifier


@dataclass(frozen=True)
class Merge:
    """The two relations of a MERGE.

    Attributes:
        tree: The statement.
        target: What is known of the table; no columns and no key where nothing is.
        source_columns: Columns of USING; None where they are not known.
    """

    tree: exp.Merge
    target: Declared
    source_columns: tuple[str, ...] | None

    @staticmethod
    def of(tree: exp.Merge, tables: Tables) -> Merge:
        """The parts of a statement, by what is known of tables."""
        query = exp.Select(expressions=[exp.Star()], from_=exp.From(this=tree.args["using"].copy()))
        if tree.args.get("with_"):
            query.set("with_", tree.args["with_"].copy())
        columns = output_columns(query, tables.columns)
        return Merge(tree, tables.of(tree.this) or Declared(), columns)

    @property
    def relations(self) -> dict[str, exp.Expr]:
        """Target and source, by those words."""
        return {"target": self.tree.this, "source": self.tree.args["using"]}

    @property
    def target_name(self) -> str:
        """What a message calls the target."""
        return str(self.tree.this.alias_or_name)

    @property
    def clauses(self) -> list[exp.When]:
        """The WHEN clauses in their order."""
        return list(self.tree.args["whens"].expressions)

    def side(self, column: exp.Column) -> str | None:
        """Whose column it is: ``"target"``, ``"source"``, or None when nothing tells.

        The name before the dot tells, or else what is known of their columns.
        """
        names = [part.name.lower() for part in column.parts]
        named = [side for side, one in self.relations.items() if leading(names, one)]
        if len(named) == 1:
            return named[0]
        name = names[0]  # a field of a struct begins with its column
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
    """The two sides of each equality that has to hold where a condition does."""
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
    """How many parts of a column's name, in lower case, stand for a relation: 0 for none.

    They are its alias, or without one the end of its name.
    """
    full = [name.lower() for name in _names(relation)]
    return next((n for n in range(1, len(full) + 1) if names[:-1][:n] == full[-n:]), 0)


def _has(columns: tuple[str, ...] | None, name: str) -> bool | None:
    return None if columns is None else name in (column.lower() for column in columns)


def qualified(relation: exp.Expr, column: str) -> str:
    """A column with the name of its relation before it, as SQL."""
    return ".".join(_quoted(name) for name in (*_names(relation), column))


def _names(relation: exp.Expr) -> list[str]:
    """What may stand before its columns; nothing for a sub-query without an alias."""
    if relation.alias:
        return [relation.alias]
    return [part.name for part in relation.parts] if isinstance(relation, exp.Table) else []


def _quoted(name: str) -> str:
    """A name of the text; also what a builder of statements refuses as one."""
    plain = "${" not in name and name.isprintable()
    return identifier(name, "name") if plain else "`" + name.replace("`", "``") + "`"
