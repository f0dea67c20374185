"""Intermediate state of a declaration that is being converted."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from hudilite.dialect import Hudilite


@dataclass(frozen=True)
class Dropped:
    """Part that the new declaration leaves out.

    Attributes:
        what: The property or clause, as it is written.
        why: Reason, as a clause without a full stop, perhaps with what to do instead.
    """

    what: str
    why: str

    def __str__(self) -> str:
        """Returns one line of a report."""
        return f"{self.what}: {self.why}"


@dataclass
class Draft:
    """Parts of a declaration: read from the old one, and set for the new one.

    Attributes:
        options: Properties of the old declaration that are not handled yet, by name.
        partitions: Entries of PARTITIONED BY: columns, declared columns and transforms.
        clustered: The CLUSTERED BY clause.
        key: Columns of the primary key.
        columns: Names of the columns of the new declaration.
        buckets: Number of buckets in each partition; None for a bloom index.
        hashed: Columns that are hashed into the bucket; empty for the whole key.
        is_global: Whether a key is unique over all partitions.
        properties: Properties of the new declaration.
        report: Parts that the new declaration leaves out.
    """

    options: dict[str, str] = field(default_factory=dict)
    partitions: list[exp.Expr] = field(default_factory=list)
    clustered: exp.ClusteredByProperty | None = None
    key: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    buckets: int | None = None
    hashed: list[str] = field(default_factory=list)
    is_global: bool = False
    properties: dict[str, str] = field(default_factory=dict)
    report: list[Dropped] = field(default_factory=list)

    def drop(self, what: str, why: str) -> None:
        """Leaves a part out and reports it."""
        self.report.append(Dropped(what, why))

    def drop_option(self, name: str, value: str, why: str) -> None:
        """Leaves a property out and reports it."""
        self.drop(f"{name} = '{value}'", why)

    def take(self, *names: str) -> str | None:
        """Removes all of these properties and returns the first one's value; None without any."""
        lowered = [name.lower() for name in names]
        found = [name for name in self.options if name.lower() in lowered]
        values = [self.options.pop(name).strip() for name in found]
        return values[0] if values else None

    def count(self, name: str, value: str) -> int | None:
        """Parses a number of buckets; anything else is left out and reported."""
        if value.isascii() and value.isdigit() and 1 <= int(value) <= 100_000:
            return int(value)
        self.drop_option(name, value, "the number of buckets must be from 1 to 100000")
        return None


def listed(value: str | None) -> list[str]:
    """Splits comma-separated names."""
    return [name.strip(" `") for name in (value or "").split(",") if name.strip(" `")]


def as_read(part: exp.Expr, text: str) -> exp.Expr:
    """Returns a node that is written as this text of a part, with its other comments behind it."""
    made = exp.var(text)
    comments = [comment for node in part.walk() for comment in node.comments or ()]
    inside = {comment for token in Hudilite().tokenize(text) for comment in token.comments}
    made.add_comments([comment for comment in comments if comment not in inside])
    return made
