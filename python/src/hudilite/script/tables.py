"""Facts of tables, from the caller or from earlier statements of a script."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from hudilite.dialect import Call, EvolvingMerge, SchemaEvolution, key_columns
from hudilite.script.columns import output_columns

Name = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Declared:
    """Columns and key of a table, as far as they are known.

    Attributes:
        columns: All columns in order, partition columns included; None if they are not known.
        key: Columns of the primary key; empty if the table has none or it is not known.
        generated: Generated columns. A star sets those that the source has.
    """

    columns: tuple[str, ...] | None = None
    key: tuple[str, ...] = ()
    generated: tuple[str, ...] = field(default=(), repr=False)


class Tables:
    """Facts of tables by name, and names of variables. Names are compared without case.

    Examples:
        >>> import sqlglot
        >>> tables = Tables({"db.orders": Declared(key=("id",))})
        >>> tables.of(sqlglot.exp.to_table("orders")).key
        ('id',)
    """

    def __init__(self, declared: Mapping[str, Declared] | None = None) -> None:
        """Starts with the facts from the caller."""
        self._facts: dict[Name, Declared] = {
            _name(exp.to_table(name, dialect="hudilite")): facts
            for name, facts in (declared or {}).items()
        }
        self._declared = frozenset(self._facts)
        self._namespace: Name = ()
        self._variables: frozenset[str] = frozenset()

    @property
    def variables(self) -> frozenset[str]:
        """Names of the variables that were declared, in lower case."""
        return self._variables

    def of(self, table: exp.Expr | None) -> Declared | None:
        """Returns the facts of a table, or None.

        Its name may have fewer or more parts than the known name.
        """
        if not isinstance(table, exp.Table) or isinstance(table.this, exp.Func):
            return None
        known = self._key(_name(table))
        return self._facts[known] if known else None

    def columns(self, table: exp.Table) -> tuple[str, ...] | None:
        """Returns all columns of a table; None if they are not known."""
        facts = self.of(table)
        return facts.columns if facts else None

    def named(self) -> dict[str, Declared]:
        """Returns all facts, by table name as SQL writes it."""
        return {
            ".".join(exp.to_identifier(part, quoted=True).sql("hudilite") for part in name): facts
            for name, facts in self._facts.items()
        }

    def learn(self, statement: exp.Expr | None, *, is_certain: bool = True) -> None:
        """Updates what is known after a statement, such as CREATE, ALTER, DROP, USE and DECLARE.

        Args:
            statement: Statement of a script.
            is_certain: Whether it runs. If not, the tables that it changes are unknown.
        """
        facts, namespace = dict(self._facts), self._namespace
        self._learn(statement)
        if is_certain:
            return
        names = facts.keys() | self._facts.keys()
        if namespace == self._namespace:
            names = {name for name in names if facts.get(name) != self._facts.get(name)}
        self._facts, self._namespace = facts | dict.fromkeys(names, Declared()), namespace

    def _learn(self, statement: exp.Expr | None) -> None:
        if isinstance(statement, exp.Create):
            self._learn_create(statement)
        elif isinstance(statement, exp.Cache) and statement.args.get("expression"):
            self._put(statement.this, Declared(columns=self._columns_of(statement.expression)))
        elif isinstance(statement, exp.Drop):
            for table in _dropped(statement):
                if isinstance(table, exp.Table):
                    self._forget(_name(table), statement.kind)
        elif isinstance(statement, exp.Insert | exp.Merge) and _evolves(statement):
            for table in statement.this.find_all(exp.Table):
                known = self._key(_name(table))
                if known:
                    self._facts[known] = replace(self._facts[known], columns=None)
        elif isinstance(statement, exp.Declare):
            named = [name for item in statement.expressions for name in item.this]
            self._variables |= {name.name.lower() for name in named}
        elif isinstance(statement, exp.Use) and isinstance(statement.this, exp.Table):
            self._enter(_name(statement.this))
        elif isinstance(statement, exp.Alter) and isinstance(statement.this, exp.Table):
            self._learn_alter(statement)
        elif isinstance(statement, Call) and statement.this.name.lower() == "bootstrap":
            self._learn_bootstrap(statement)

    def _forget(self, name: Name, kind: str | None) -> None:
        if kind in ("TABLE", "VIEW"):
            self._facts.pop(self._key(name) or (), None)
        else:
            self._facts = {k: v for k, v in self._facts.items() if not _ends(k[:-1], name)}

    def _enter(self, namespace: Name) -> None:
        """Changes the namespace, and forgets tables that the script named by one part.

        Their names belong to the previous namespace.
        """
        self._namespace = namespace
        self._facts = {k: v for k, v in self._facts.items() if k[1:] or k in self._declared}

    def _learn_create(self, create: exp.Create) -> None:
        schema = create.this
        table = schema.this if isinstance(schema, exp.Schema) else schema
        if not isinstance(table, exp.Table) or (create.args.get("exists") and self.of(table)):
            return
        like = create.find(exp.LikeProperty)
        if like:
            self._put(table, self.of(like.this) or Declared())
            return
        declared: tuple[str, ...] | None = _declared_columns(create) or None
        columns = declared or (self._columns_of(create.expression) if create.expression else None)
        key = tuple(column.name for column in key_columns(create)) if _is_ours(create) else ()
        self._put(table, Declared(columns=columns, key=key, generated=tuple(_generated(create))))

    def _learn_alter(self, alter: exp.Alter) -> None:
        known = self._key(_name(alter.this))
        if known is None:
            return
        for action in alter.actions:
            facts = self._facts[known]
            if isinstance(action, exp.Query):
                facts = self._facts[known] = Declared(columns=self._columns_of(action))
            if isinstance(action, exp.AlterRename) and isinstance(action.this, exp.Table):
                self._facts.pop(known)
                self._put(action.this, facts)
                return
            if facts.columns is not None:
                self._facts[known] = replace(facts, columns=_altered(facts.columns, action))

    def _learn_bootstrap(self, call: Call) -> None:
        arguments = {
            argument.this.name.lower(): argument.expression.name
            for argument in call.expressions
            if isinstance(argument, exp.Kwarg) and isinstance(argument.expression, exp.Literal)
        }
        if "table" in arguments and "key" in arguments:
            key = tuple(name.strip(" `") for name in arguments["key"].split(","))
            self._put(exp.to_table(arguments["table"], dialect="hudilite"), Declared(key=key))

    def _columns_of(self, query: exp.Expr) -> tuple[str, ...] | None:
        return output_columns(query, self.columns)

    def _put(self, table: exp.Table, facts: Declared) -> None:
        self._facts[self._whole(_name(table))] = facts

    def _key(self, name: Name) -> Name | None:
        """Returns the only known name that matches: one of the two names ends with the other."""
        if name in self._facts:
            return name
        found = [known for known in self._facts if _ends(known, self._whole(name))]
        return found[0] if len(found) == 1 else None

    def _whole(self, name: Name) -> Name:
        return self._namespace + name if len(name) == 1 else name


def _evolves(statement: exp.Insert | exp.Merge) -> bool:
    """Whether a statement adds columns of its source to the table."""
    return isinstance(statement, EvolvingMerge) or isinstance(
        statement.args.get("hint"), SchemaEvolution
    )


def _ends(one: Name, other: Name) -> bool:
    shared = min(len(one), len(other))
    return one[-shared:] == other[-shared:]


def _name(table: exp.Table) -> Name:
    return tuple(part.name.lower() for part in table.parts)


def _is_ours(create: exp.Create) -> bool:
    provider = create.find(exp.FileFormatProperty)
    return provider is not None and provider.name.lower() in ("hudilite", "hudi")


def _declared_columns(create: exp.Create) -> tuple[str, ...]:
    """Returns the columns in parentheses, then those that PARTITIONED BY declares with a type."""
    found = list(_names(create.this.expressions)) if isinstance(create.this, exp.Schema) else []
    for partitions in create.find_all(exp.PartitionedByProperty):
        typed = [part for part in partitions.this.expressions if isinstance(part, exp.ColumnDef)]
        found += _names(typed)
    return tuple(found)


def _generated(create: exp.Create) -> Iterable[str]:
    """Yields the columns that are declared with GENERATED ALWAYS AS (expression)."""
    for column in create.find_all(exp.ColumnDef):
        kinds = (constraint.args.get("kind") for constraint in column.args.get("constraints") or ())
        if any(isinstance(kind, exp.ComputedColumnConstraint) for kind in kinds):
            yield column.name


def _names(parts: Iterable[exp.Expr]) -> Iterable[str]:
    return (part.name for part in parts if isinstance(part, (exp.ColumnDef, exp.Identifier)))


def _altered(columns: tuple[str, ...], action: exp.Expr) -> tuple[str, ...]:
    if isinstance(action, exp.Schema):
        for part in action.expressions:
            columns = _altered(columns, part)
        return columns
    if isinstance(action, exp.ReplaceColumns):
        return tuple(_names(action.expressions))
    if isinstance(action, exp.ColumnDef):
        return columns if isinstance(action.this, exp.Dot) else (*columns, action.name)
    if isinstance(action, exp.RenameColumn) and len(action.this.parts) == 1:
        old = action.this.name.lower()
        return tuple(action.args["to"].name if c.lower() == old else c for c in columns)
    if isinstance(action, exp.Drop):
        gone = {name.lower() for part in _dropped(action) for name in _dropped_names(part)}
        return tuple(c for c in columns if c.lower() not in gone)
    return columns


def _dropped(drop: exp.Drop) -> list[exp.Expr]:
    return list(drop.args.get("tables") or [drop.this])


def _dropped_names(part: exp.Expr) -> Iterable[str]:
    if isinstance(part, exp.Schema):
        return _names(part.expressions)
    return [part.name] if isinstance(part, exp.Column) and len(part.parts) == 1 else []
