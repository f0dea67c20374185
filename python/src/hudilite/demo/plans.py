"""Spark's plans, in a form that fits a terminal."""

from __future__ import annotations

import re

_ATTRIBUTES = re.compile(r"\[[^\[\]]*#[^\[\]]*\]")
_IDENTITY = re.compile(r"#\d+L?")
_PRUNED = re.compile(r"\[(partitions \d+ of \d+[^\]]*)\]")


def outline(plan: str) -> list[str]:
    r"""Returns the operators of a plan, one per line, without the columns that each outputs.

    Args:
        plan: Text that EXPLAIN returns.

    Examples:
        >>> outline("== Physical Plan ==\n*(1) Project [v#133]\n+- Filter (id#132L = 2)\n")
        ['*(1) Project [..]', '+- Filter (id = 2)']
    """
    lines = [line.rstrip() for line in plan.splitlines() if line.strip(" =")]
    shown = [_IDENTITY.sub("", _ATTRIBUTES.sub("[..]", line)) for line in lines]
    return [line for line in shown if not line.startswith("==")]


def pruning(plan: str) -> str | None:
    """Returns what is left to read after pruning, as EXPLAIN shows it; None if it shows nothing.

    Examples:
        >>> pruning("BatchScan t hudilite t [partitions 1 of 12, buckets 1 of 4, files 1 of 48]")
        'partitions 1 of 12, buckets 1 of 4, files 1 of 48'
    """
    found = _PRUNED.search(plan)
    return found[1] if found else None
