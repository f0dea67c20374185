"""Sections of a table's page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone

from hudilite.files import BaseFile, FileSlice
from hudilite.format.instant_times import clock_time
from hudilite.show.charts import Bar, bars
from hudilite.show.markup import Markup, table, tag
from hudilite.show.overlap import overlaps
from hudilite.show.summary import Heap, log_ages, log_heaps, skew
from hudilite.show.summary import ages as by_age
from hudilite.table_facts import TableFacts
from hudilite.timeline import Instant

MAX_INSTANTS, MAX_GROUPS = 200, 1000


def facts(facts: TableFacts, found: Sequence[BaseFile], instants: Sequence[Instant]) -> Markup:
    """Returns the key figures of the table."""
    commits = [instant.time for instant in instants if instant.completion]
    index = "index not declared" if facts.index is None else facts.index.lower()
    figures = {
        "rows": _row_count(found),
        "file groups": f"{len(found):,}",
        "bytes": f"{sum(file.bytes for file in found):,}",
        "partitions": f"{len({file.partition for file in found}):,}",
        "key": ", ".join(facts.key) or "none",
        "partitioned by": ", ".join(facts.partitioned_by) or "nothing",
        "index": index if facts.buckets is None else _buckets(facts.buckets, found),
        "last commit": _moment(commits[-1]) if commits else "none",
    }
    return tag("dl", *(tag("div", tag("dt", k), tag("dd", v)) for k, v in figures.items()))


def _buckets(own: int, found: Sequence[BaseFile]) -> str:
    """Returns the numbers of buckets: a table that is rescaled has two."""
    numbers = sorted({own, *(file.buckets or own for file in found)})
    return " and ".join(f"{number:,}" for number in numbers) + " buckets"


def rows(found: Sequence[Heap]) -> Markup:
    """Returns the chart of rows per bucket, and the ratio of the fullest bucket to the mean."""
    counts = [heap.rows for heap in found]
    ratio = skew(counts)
    unit = "bucket" if all(heap.bucket is not None for heap in found) else "file group"
    mean = sum(counts) / len(counts) if counts else 0.0
    says = (
        f"The fullest {unit} has {ratio:.2f} times the mean of {mean:,.1f}." if ratio else "None."
    )
    text = tag("p", says, id="skew", data_skew=None if ratio is None else round(ratio, 4))
    drawn = [_of_heap(heap, unit) for heap in found]
    chart = bars(drawn, title=f"Rows of each {unit}", name="rows", line=mean if ratio else None)
    return tag("section", tag("h2", f"Rows of each {unit}"), text, chart)


def _of_heap(heap: Heap, unit: str) -> Bar:
    figures = f"{heap.rows:,} rows, {heap.bytes:,} bytes, {heap.files:,} files"
    return Bar(
        heap.label[:8],
        {"rows": heap.rows},
        f"{unit} {heap.label}: {figures}",
        {
            "bucket": heap.bucket,
            "group": heap.label if heap.bucket is None else None,
            "rows": heap.rows,
        },
    )


def key_ranges(found: Sequence[BaseFile]) -> Markup:
    """Returns the chart of overlapping key ranges: how many file groups a lookup by key meets.

    It is for tables without buckets.
    """
    counts = overlaps(found)
    met = sum(counts.values()) / len(counts) + 1 if counts else 0.0
    says = f"A key range overlaps {met:,.1f} key ranges of its partition on average, with itself."
    drawn = [
        Bar(
            group[:8],
            {"files": count},
            f"{partition} {group}: {count:,} others",
            {"partition": partition, "group": group, "overlaps": count},
        )
        for (partition, group), count in counts.items()
    ]
    chart = bars(drawn, title="File groups with overlapping key ranges", name="overlaps")
    heading = tag("h2", "File groups with overlapping key ranges")
    return tag("section", heading, tag("p", says, id="overlap", data_mean=round(met, 4)), chart)


def timeline(instants: Sequence[Instant]) -> Markup:
    """Returns the chart of rows that each commit changed; other instants are small marks."""
    last = instants[-MAX_INSTANTS:]
    left_out = len(instants) - len(last)
    says = f"The last {len(last):,} of {len(instants):,} instants. " if left_out else ""
    legend = [
        tag("span", kind, class_=f"key {kind}") for kind in ("inserted", "updated", "deleted")
    ]
    drawn = [_of_instant(instant, _labels(last)) for instant in last]
    chart = bars(drawn, title="Rows changed by each instant", name="timeline")
    return tag("section", tag("h2", "Timeline"), tag("p", says, *legend), chart)


def _of_instant(instant: Instant, form: str) -> Bar:
    done = instant.completion
    parts = {"pending" if instant.state != "completed" else "other": 0}
    says = f"{instant.time} {instant.action} {instant.state}"
    if done:
        parts = {
            "inserted": done.rows_inserted,
            "updated": done.rows_updated,
            "deleted": done.rows_deleted,
        }
        changes = ", ".join(f"{value:,} {kind}" for kind, value in parts.items())
        says += f": {done.operation}, {changes}, {done.files_written:,} files"
    data = {"instant": instant.time, "action": instant.action, "state": instant.state}
    return Bar(_moment(instant.time, form), parts, says, data, is_mark=len(parts) == 1)


def ages(found: Sequence[BaseFile], now: datetime, zone: timezone | None) -> Markup:
    """Returns the chart of base files by age."""
    drawn = [
        Bar(name, {"files": count}, f"{count:,} files {name}", {"age": name, "files": count})
        for name, count in by_age(found, now, zone).items()
    ]
    chart = bars(drawn, title="Base files by age", name="ages")
    return tag("section", tag("h2", "Base files by age"), chart)


def logs(slices: Sequence[FileSlice], now: datetime, zone: timezone | None) -> Markup:
    """Returns the charts of the log files of each bucket and of their ages."""
    found = log_heaps(slices)
    unit = "bucket" if all(heap.bucket is not None for heap in found) else "file group"
    count = sum(heap.files for heap in found)
    only = sum(1 for of in slices if not of.base)
    says = (
        f"{count:,} log files in {sum(1 for of in slices if of.logs):,} of {len(slices):,} file "
        f"groups, {sum(heap.bytes for heap in found):,} bytes. A reader of the latest rows merges "
        "them with the base files; the row counts of this page are those of the base files."
    )
    says += f" {only:,} file groups have no base file." if only else ""
    drawn = [
        Bar(
            heap.label[:8],
            {"logs": heap.files},
            f"{unit} {heap.label}: {heap.files:,} log files, {heap.bytes:,} bytes",
            {
                "bucket": heap.bucket,
                "group": heap.label if heap.bucket is None else None,
                "logs": heap.files,
                "bytes": heap.bytes,
            },
        )
        for heap in found
    ]
    ages = [
        Bar(name, {"logs": count}, f"{count:,} log files {name}", {"age": name, "logs": count})
        for name, count in log_ages(slices, now, zone).items()
    ]
    return tag(
        "section",
        tag("h2", f"Log files of each {unit}"),
        tag("p", says, id="needs", data_logs=count),
        bars(drawn, title=f"Log files of each {unit}", name="logs"),
        bars(ages, title="Log files by age", name="log-ages"),
    )


def groups(found: Sequence[BaseFile]) -> Markup:
    """Returns the table of file groups, up to `MAX_GROUPS` of them."""
    heads = ["partition", "bucket", "rows", "bytes", "written", "file group", "source"]
    shown = found[:MAX_GROUPS]
    says = f"The first {len(shown):,} of {len(found):,}." if len(shown) < len(found) else ""
    rows: list[list[object]] = [
        [f.partition, f.bucket, f.rows, f.bytes, _moment(f.instant), f.group, f.source]
        for f in shown
    ]
    inner = tag("div", table(heads, rows), class_="wide")
    return tag("section", tag("h2", "File groups"), tag("p", says), inner, id="groups")


def _row_count(found: Sequence[BaseFile]) -> str:
    """Returns the known number of rows, and of how many file groups if some have no count."""
    known = [file.rows for file in found if file.rows is not None]
    text = f"{sum(known):,}"
    return text if len(known) == len(found) else f"{text} in {len(known):,} of the file groups"


def _labels(instants: Sequence[Instant]) -> str:
    """Returns the date format of labels: the day, or for instants of one day the minute."""
    days = {instant.time[:8] for instant in instants}
    return "%m-%d" if len(days) > 1 else "%H:%M"


def _moment(instant: str, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    shown = clock_time(instant)
    return instant if shown is None else f"{shown:{form}}"
