"""What is made of a declaration while it is converted."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp


@dataclass(frozen=True)
class Dropped:
    """What the new declaration does not say.

    Attributes:
        what: The property or clause, as it is written.
        why: Half a sentence, perhaps with what to do instead.
    """

    what: str
    why: str

    def __str__(self) -> str:
        """One line of a report."""
        return f"{self.what}: {self.why}"


@dataclass
class Draft:
    """The parts of a declaration: what is read of the old one, and what the new one will say.

    Attributes:
        options: Properties of the old one that nobody has taken yet, by name.
        partitions: What PARTITIONED BY has: columns, declared columns and transforms.
        clustered: CLUSTERED BY.
        key: Columns of the primary key.
        buckets: Their number; None for a bloom index.
        hashed: Columns that buckets are told by; all of the key without them.
        is_global: Whether a key is unique over all partitions.
        properties: Those of the new one.
        report: What it will not say.
    """

    options: dict[str, str] = field(default_factory=dict)
    partitions: list[exp.Expr] = field(default_factory=list)
    clustered: exp.ClusteredByProperty | None = None
    key: list[str] = field(default_factory=list)
    buckets: int | None = None
    hashed: list[str] = field(default_factory=list)
    is_global: bool = False
    properties: dict[str, str] = field(default_factory=dict)
    report: list[Dropped] = field(default_factory=list)

    def drop(self, what: str, why: str) -> None:
        """Leave something out, and say so."""
        self.report.append(Dropped(what, why))

    def drop_option(self, name: str, value: str, why: str) -> None:
        """Leave a property out, and say so."""
        self.drop(f"{name} = '{value}'", why)

    def take(self, *names: str) -> str | None:
        """The value of the first of these properties that is there; none of them is left."""
        lowered = [name.lower() for name in names]
        found = [name for name in self.options if name.lower() in lowered]
        values = [self.options.pop(name).strip() for name in found]
        return values[0] if values else None

    def count(self, name: str, value: str) -> int | None:
        """A number of buckets; anything else is left out."""
        if value.isascii() and value.isdigit() and 1 <= int(value) <= 100_000:
            return int(value)
        self.drop_option(name, value, "a number of buckets is from 1 to 100000")
        return None


def listed(value: str | None) -> list[str]:
    """The names in a text with commas."""
    return [name.strip(" `") for name in (value or "").split(",") if name.strip(" `")]
