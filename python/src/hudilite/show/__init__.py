"""HTML page about a table: commits, file groups, distribution of rows over buckets."""

from __future__ import annotations

import os
from datetime import datetime, timezone

from hudilite import files, timeline
from hudilite.format import history
from hudilite.format.file_slices import Snapshot
from hudilite.format.folders import open_folder
from hudilite.show import sections
from hudilite.show.markup import Markup, joined, tag
from hudilite.show.style import STYLE
from hudilite.show.summary import heaps
from hudilite.table_facts import facts_of


def page(
    path: str | os.PathLike[str], *, footers: bool = False, now: datetime | None = None
) -> str:
    """Returns the page of a table: one HTML document, which loads nothing and runs nothing.

    A merge-on-read table also has charts of the log files of each bucket, ``logs``, and of their
    ages, ``log-ages``.

    Each bar of the chart ``rows`` has the attributes ``data-bucket`` (``data-group`` in a table
    without buckets) and ``data-rows``.

    Args:
        path: Folder of the table, or its URI if pyarrow can open it.
        footers: Whether to count rows by the files' footers and, in a table without buckets, to
            show which file groups have overlapping key ranges. Needs pyarrow.
        now: Time from which the ages of files are counted, with a time zone; None for the current
            time.

    Raises:
        HudiliteError: The errors of `hudilite.files.slices`.

    Examples:
        >>> "<svg" in page("/lake/orders")  # doctest: +SKIP
        True
    """
    folder = open_folder(path)
    facts = facts_of(folder)
    layout = files.readable_layout(facts, folder)
    loaded = history.load(folder, facts.properties, layout)
    slices = files.newest_slices(folder, facts, layout, Snapshot(loaded, None), footers=footers)
    found = [of.base for of in slices if of.base]
    has_logs = facts.type != "COPY_ON_WRITE"
    instants = timeline.shown(folder, loaded).instants
    moment = now or datetime.now(timezone.utc)
    body = joined(
        tag("h1", f"{facts.database}.{facts.name}" if facts.database else facts.name),
        tag("p", os.fspath(path), class_="path"),
        sections.facts(facts, found, instants),
        sections.rows(heaps(facts, found)),
        sections.key_ranges(found) if footers and facts.buckets is None else "",
        sections.timeline(instants),
        sections.ages(found, moment, facts.zone),
        sections.logs(slices, moment, facts.zone) if has_logs else "",
        sections.groups(found),
        tag("footer", f"hudilite, {moment:%Y-%m-%d %H:%M} UTC"),
    )
    head = joined(
        Markup('<meta charset="utf-8">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        tag("title", f"{facts.name} - hudilite"),
        tag("style", Markup(STYLE)),
    )
    html = tag("html", tag("head", head), tag("body", tag("main", body)), lang="en")
    return f"<!doctype html>\n{html}\n"
