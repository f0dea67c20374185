"""Rule ``unconditional-not-matched-by-source``."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from hudilite.lint.case import Case, Fault


def unconditional_not_matched_by_source(case: Case) -> Iterator[Fault]:
    """Finds WHEN NOT MATCHED BY SOURCE without a condition.

    It applies to every row of the target that is not in the source.
    """
    merge = case.merge
    if merge is None:
        return
    for clause in merge.clauses:
        if clause.args.get("source") and not clause.args.get("condition"):
            done = "updated" if isinstance(clause.args["then"], exp.Update) else "deleted"
            yield Fault(
                case.statement.place(clause),
                f"Every row of {merge.target_name} that is not in the source is {done}",
                "Write WHEN NOT MATCHED BY SOURCE AND <condition> THEN ...",
            )
