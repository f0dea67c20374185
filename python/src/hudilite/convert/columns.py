"""Columns and constraints that the new declaration keeps."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from hudilite.convert.draft import Draft, as_read
from hudilite.dialect import source_text
from hudilite.lint.stars import is_meta
from hudilite.script.text import written
from hudilite.sql.expressions import one_line

_NAME = re.compile(r"[A-Za-z0-9_]+", re.ASCII)
_KEPT = (
    exp.CheckColumnConstraint,
    exp.CommentColumnConstraint,
    exp.ComputedColumnConstraint,
    exp.DefaultColumnConstraint,
    exp.NotNullColumnConstraint,
)
_NO_TYPE = {
    exp.DType.VARIANT,
    exp.DType.INTERVAL,
    exp.DType.TIME,
    exp.DType.NULL,
    exp.DType.UNKNOWN,
    exp.DType.USERDEFINED,
}


def carried(parts: list[exp.Expr], draft: Draft) -> Iterator[exp.Expr]:
    """Yields columns and CHECK constraints; reports the parts that hudilite does not have.

    PRIMARY KEY is skipped: the draft has its columns already.

    Args:
        parts: Entries in the parentheses of CREATE TABLE.
        draft: Receiver of the report and of the names of the columns.
    """
    absent = set()
    for part in parts:
        if isinstance(part, exp.ColumnDef):
            column = _column(part, draft)
            if column is not None:
                yield column
            else:
                absent.add(part.name.lower())
        elif part.find(exp.CheckColumnConstraint):
            if absent.isdisjoint(one.name.lower() for one in part.find_all(exp.Column)):
                yield as_read(part, written(part))
            else:
                draft.drop(written(part), "it uses a column that is left out")
        elif not part.find(exp.PrimaryKey):
            why = "a table can have no constraints except PRIMARY KEY and CHECK"
            draft.drop(written(part), why)


def _column(column: exp.ColumnDef, draft: Draft) -> exp.Expr | None:
    what = f"column {written(column)}"
    reason = _why_not(column)
    if reason:
        draft.drop(what, reason)
        return None
    kept = []
    for constraint in column.args.get("constraints") or []:
        if isinstance(constraint.args["kind"], _KEPT):
            kept.append(constraint)
        elif not isinstance(constraint.args["kind"], exp.PrimaryKeyColumnConstraint):
            filled = isinstance(constraint.args["kind"], exp.GeneratedAsIdentityColumnConstraint)
            why = (
                "every INSERT and MERGE must provide the value"
                if filled
                else "hudilite does not have this constraint"
            )
            draft.drop(f"{written(constraint)} of column {column.name}", why)
    draft.columns.append(column.name)
    return as_read(column, " ".join([_name_and_type(column), *map(written, kept)]))


def _name_and_type(column: exp.ColumnDef) -> str:
    constraints = column.args.get("constraints")
    text = source_text.before(column, constraints[0]) if constraints else source_text.of(column)
    if text is not None:
        return one_line(text)
    return f"{column.this.sql('hudilite')} {column.args['kind'].sql('hudilite')}"


def _why_not(column: exp.ColumnDef) -> str:
    if is_meta(column.name):
        return "hudilite adds Hudi's meta columns itself"
    if not _NAME.fullmatch(column.name):
        return "column names can contain only letters, digits and underscores"
    kind = column.args.get("kind")
    for part in kind.find_all(exp.DataType) if kind else []:
        keys = part.expressions[:1] if part.this == exp.DType.MAP else []
        absent = isinstance(part.this, exp.Interval) or part.this in _NO_TYPE
        if absent or any(key.this != exp.DType.TEXT for key in keys):
            return f"Hudi tables do not support the type {part.sql('hudilite')}"
    return "" if kind else "it has no type"
