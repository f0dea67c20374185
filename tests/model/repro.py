"""A list of statements as a golden file, with the rows that the model expects at its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from model.duel import Told, expected
from model.expressions import literal_sql
from model.oracle import Counts, ModelTable, Shape
from model.texts import Statement, create_sql


def write_repro(
    path: Path,
    shape: Shape,
    script: Sequence[Statement],
    head: Sequence[str],
    config: Mapping[str, str],
) -> None:
    """Writes the file.

    Args:
        head: Lines of words at its top: what broke, and how to run it again.
        config: Session settings under which it broke.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(repro_text(shape, script, head, config), encoding="utf-8")


def repro_text(
    shape: Shape, script: Sequence[Statement], head: Sequence[str], config: Mapping[str, str]
) -> str:
    """The text: each statement with what the model answers, then the rows as comments."""
    model = ModelTable(shape)
    settings = [f"-- Config: {key}={value}" for key, value in config.items()]
    paragraphs = ["\n".join([*map(_note, head), *settings])]
    paragraphs.append("statement\n" + create_sql(_table(script), shape))
    for number, statement in enumerate(script):
        paragraphs.append(_block(statement, expected(model, number, statement)))
    names = [column.name for column in shape.columns]
    paragraphs.append(f"query\nSELECT {', '.join(names)} FROM {_table(script)}")
    rows = [
        ", ".join(literal_sql(row[c.name], c.kind) for c in shape.columns)
        for row in model.rows.values()
    ]
    paragraphs.append("\n".join(map(_note, [f"{len(rows)} rows expected", *sorted(rows)])))
    return "\n\n".join(paragraphs) + "\n"


def _block(statement: Statement, told: Told) -> str:
    if isinstance(told, Counts):
        if statement.kind in ("insert", "overwrite", "replace", "compact"):
            return f"statement\n{statement.sql}"
        row = told.row if statement.kind == "merge" else told.row[:1]
        return f"{_note(f'{row} expected')}\nquery\n{statement.sql}"
    condition, *others = sorted(told)
    noted = f"{_note('or ' + ', '.join(others))}\n" if others else ""
    return f"{noted}statement expect_error({condition})\n{statement.sql}"


def _table(script: Sequence[Statement]) -> str:
    return script[0].table if script else "t"


def _note(line: str) -> str:
    """A comment that is no directive of a golden file, whatever its words."""
    return "-- | " + line.replace("\n", "\\n")
