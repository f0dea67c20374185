"""Pages of benchmarks in docs, from the JSON of runs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.beside import figures, page_tables, plots, summary
from bench.beside.systems import OUR_LOGS, OURS, TITLES


@dataclass(frozen=True)
class Page:
    """A page of docs.

    Attributes:
        title: Its first line.
        systems: Of its first table, ours first.
        ours: The only system of ours whose targets count, and with which the others are compared
            in every case; None for that of each case.
    """

    title: str
    systems: tuple[str, ...]
    ours: str | None = None


PAGES = {
    "benchmarks": Page("Benchmarks", (OURS.name, "iceberg", "delta", "hudi")),
    "merge-on-read-benchmarks": Page(
        "Benchmarks of merge-on-read tables",
        (OUR_LOGS.name, "iceberg-mor", "delta-dv", "hudi-mor", "duckdb", "delta-rs"),
        OUR_LOGS.name,
    ),
}
NOT_KEPT = {"at": "undated", "commit": "unknown", "void": []}  # facts that old files do not have
HOW = """Each system runs in a Spark of its own, on the same source files and on the same machine. The systems
take turns: every system does a round before the next round begins, and the first rounds are not
counted. In a round, a system writes, reads the whole table, and looks up 20 keys, each by a query of
its own. Every round has other source rows. A figure is the median of the last three rounds that count;
in case `batches` it is the median of all of them. If a case ran several times, a figure is the median
of the last three runs. `x ours` is the time of a system divided by hudilite's time: above 1, hudilite
is faster.

- **L0** is an empty Spark job and one with a tiny shuffle, **L1** a plain copy of the files that the
  MERGE replaces. **L2** is Spark's own read and write of plain Parquet: of files that Spark wrote from the
  same rows, with the same codec. **L2, own files** is Spark's own read and write of the files that the
  MERGE replaces. All of these are measured in the same process and round.
- **R2** = MERGE / L2; **R2, own files** = MERGE / L2, own files, which is what R2 meant before;
  **R1** = MERGE / (L0 + L1).
- **scan / same files** compares the scan with Spark's own reader on the same files, and **scan / plain**
  compares it with Spark's own reader on the plain Parquet of L2.
- **x first** is the time of a MERGE divided by that of the MERGE in the first part of the case; a load, a
  scan and look-ups are compared in the same way. The most memory is resident memory, heap included: of the
  whole process, or of the process during the write. **GC CPU** is the CPU time that the threads of the
  garbage collector used during the write.
- **Log files** are counted in each bucket after each round. Files opened and bytes read are those of the
  table, by the metrics of a MERGE that need not read it.
- All Parquet files are compressed with Snappy. hudilite has the defaults of `hudilite.session()`, which
  force files to disk.
- After each case, the tables and all look-ups were equal in all systems that finished the case.
- Case `others` shows what one machine does without Spark: with DuckDB and a table in its own file, and with
  delta-rs. `make bench BENCH="--cases others"` repeats it."""


def written(told: dict[str, Any], docs: Path, name: str = "benchmarks") -> Path:
    """Writes a page and its plots.

    Args:
        told: What `read` returned.
        docs: Folder of the page; the plots lie in a folder beside it with the page's name.
        name: One of `PAGES`.

    Returns:
        The page.
    """
    page = docs / f"{name}.md"
    ours = PAGES[name].ours
    if ours:
        cases = {case: found | {"ours": ours} for case, found in told["cases"].items()}
        told = told | {"cases": cases}
    plots.draw(told["cases"], docs / name)
    page.write_text("\n".join(_lines(told, docs / name)) + "\n", encoding="utf-8")
    return page


def read(paths: Sequence[Path]) -> dict[str, Any]:
    """What runs wrote, as if it were one.

    Args:
        paths: Files of the runs, oldest first.

    Returns:
        As a run, with the cases of all that are not void; a case with which several have measured
        the same systems has them as `runs`. The facts of all runs are the `log`.

    Raises:
        ValueError: where the runs had different processors or numbers of rows.
    """
    runs = [NOT_KEPT | json.loads(path.read_text(encoding="utf-8")) for path in paths]
    for fact, found in (
        ("rows", {run["rows"] for run in runs}),
        ("processors", {run["machine"]["processor"] for run in runs}),
    ):
        if len(found) > 1:
            shown = ", ".join(map(str, sorted(found)))
            raise ValueError(f"the runs of a page had different {fact}: {shown}")
    sound = [run["cases"] for run in runs if not run["void"]]
    cases = {name: _joined([one[name] for one in sound if name in one]) for name in _names(sound)}
    told: dict[str, Any] = runs[-1] | {"cases": cases, "log": [_entry(run) for run in runs]}
    return told


def _names(runs: Sequence[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for cases in runs for name in cases))


def _joined(runs: list[dict[str, Any]]) -> dict[str, Any]:
    newest = runs[-1]
    alike = [
        one for one in runs if one.get("systems", {}).keys() == newest.get("systems", {}).keys()
    ]
    return newest | ({"runs": alike} if len(alike) > 1 else {})


def _entry(run: dict[str, Any]) -> str:
    known = [met for _, value, met in figures.judged(run["cases"]) if value is not None]
    result = (
        "; ".join(run["void"]) or f"{sum(known)} of {len(known)} targets that it measured are met"
    )
    return f"- {run['at']}, commit {run['commit']}: `{run['command']}`: {result}"


def _lines(told: dict[str, Any], pictures: Path) -> Iterator[str]:
    cases, page = told["cases"], PAGES[pictures.name]
    yield from [f"# {page.title}", ""]
    yield from summary.lines(told, page.systems, pictures)
    yield from ["## Where hudilite does not win", "", *page_tables.of_losses(cases), ""]
    yield from ["## Appendix", "", "`make bench` writes this page's figures.", "", HOW, ""]
    yield from [f"- {name}: {value}" for name, value in told["machine"].items()]
    yield from ["", "### Runs", "", *told["log"]]
    yield from ["", "### Targets", "", *page_tables.of_targets(cases, page.ours)]
    for name, case in cases.items():
        yield from ["", f"### Case {name}: {case['title']}", ""]
        if "printed" in case:
            yield from ["```", *case["printed"], "```"]
            continue
        yield from page_tables.of_case(case)
        yield f"![Case {name}]({pictures.name}/case-{name}.png)"
        if case.get("course"):
            yield f"![Course of case {name}]({pictures.name}/course-{name}.png)"
        yield from _failures(case)
    yield from ["", "### Settings", "", *page_tables.of_settings(cases)]


def _failures(case: dict[str, Any]) -> Iterator[str]:
    for name, system in case["systems"].items():
        if "failed" in system:
            yield f"\n{TITLES[name]} failed: `{system['failed'].splitlines()[0][:200]}`"
