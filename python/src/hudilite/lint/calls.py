"""Rules ``unknown-procedure`` and ``unknown-argument``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches

from sqlglot import exp

from hudilite.dialect import Call
from hudilite.lint.case import Case, Fault


def unknown_procedure(case: Case) -> Iterator[Fault]:
    """Finds a CALL of a procedure that does not exist.

    A name with a namespace may be a procedure of another format. It is reported only if the
    namespace is ``system`` and the name differs from a known one by a letter or two.
    """
    call = case.statement.tree
    if not isinstance(call, Call) or _arguments(call, case) is not None:
        return
    parts = _parts(call)
    known = case.procedures if _may_be_ours(parts) else ()
    near = _near(parts[-1], known, 0.6 if len(parts) == 1 else 0.85)
    if near or len(parts) == 1:
        yield Fault(
            case.statement.place(call.this),
            f"Procedure {parts[-1]} does not exist",
            f"Write {near}" if near else f"Call one of {', '.join(sorted(case.procedures))}",
        )


def unknown_argument(case: Case) -> Iterator[Fault]:
    """Finds a CALL with an argument that the procedure does not have."""
    call = case.statement.tree
    if not isinstance(call, Call):
        return
    known = _arguments(call, case)
    if known is None:
        return
    for position, argument in enumerate(call.expressions):
        if isinstance(argument, exp.Kwarg):
            name = argument.this.name
            if name.lower() in {one.lower() for one in known}:
                continue
            message = f"Procedure {_parts(call)[-1]} has no argument {name}"
        elif position < len(known):
            continue
        else:
            name, message = "", f"Procedure {_parts(call)[-1]} has only {len(known)} arguments"
        near = _near(name, known)
        fix = f"Write {near}" if near else f"The arguments are {', '.join(known)}"
        yield Fault(case.statement.place(argument), message, fix)


def _parts(call: Call) -> list[str]:
    return [part.name.lower() for part in call.this.find_all(exp.Identifier, bfs=False)]


def _arguments(call: Call, case: Case) -> Sequence[str] | None:
    """Returns the argument names of the procedure that a CALL names; None if it is not known."""
    parts = _parts(call)
    whole = case.procedures.get(".".join(parts))
    return whole or (case.procedures.get(parts[-1]) if _may_be_ours(parts) else None)


def _may_be_ours(parts: list[str]) -> bool:
    return parts[-2:-1] in ([], ["system"])


def _near(name: str, known: Iterable[str], likeness: float = 0.6) -> str:
    return next(iter(get_close_matches(name.lower(), list(known), 1, likeness)), "")
