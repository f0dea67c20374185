"""The benchmarks: hudilite beside Delta, Iceberg and Hudi, and beside Spark's own read and write.

Usage: python tests/bench/run.py [--rows N] [--cases 1,2,..] [--systems a,b,..] [--rounds N]
                                 [--warm-ups N] [--before TREE] [--folder PATH] [--out FILE]
       python tests/bench/run.py --docs FILE.. [--page NAME]

Each system runs in a process of its own on the same sources; a round is done by all of them before
the next one begins. Without `--systems` a case measures those that it is for. `--before` is a checkout of another commit, built by `make build`: it becomes the
system `before`, which shows what a change costs. Prints tables and writes JSON, of each run a file of
its own; `--docs` makes docs/benchmarks.md, or another page, of such files, oldest first.

Fails when two systems' tables or look-ups differ, when a system's files have another codec, and when
the log files of `hudilite-mor`, or the files that its MERGE reads, are not those that a case asks
for. A run of full size also fails when a target of a case is missed, or absent because a peer did not
take part.
Seconds depend on the machine: quote ratios.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.beside import figures, page, page_tables, plan, scripts, validity
from bench.beside.machine import machine
from bench.beside.measure import Measured, disagreements
from bench.beside.systems import SYSTEMS, before
from harness.stock import stock_environment

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    asked = _arguments()
    if asked.docs:
        told = page.read([Path(path) for path in asked.docs])
        print(page.written(told, Path(asked.into), asked.page))
        return 0
    if asked.before:
        SYSTEMS["before"] = before(asked.before)
    folder = Path(asked.folder or tempfile.mkdtemp(prefix="bench_"))
    results: dict[str, Any] = {
        "at": f"{datetime.now(timezone.utc):%Y%m%dT%H%M%SZ}",
        "commit": _commit(),
        "rows": asked.rows,
        "command": _command(asked),
        "machine": machine(),
        "cases": {},
        "void": [],
    }
    out = Path(asked.out or ROOT / ".build" / "bench" / f"{results['at']}.json")
    out.parent.mkdir(parents=True, exist_ok=True)
    for name in asked.cases.split(","):
        results["cases"][name] = _case(name, asked, folder)
        results["void"] = _void(results)
        out.write_text(json.dumps(results, indent=1), encoding="utf-8")
    if not asked.folder:
        shutil.rmtree(folder)
    cases = results["cases"]
    if any("systems" in case for case in cases.values()):
        print("\n".join([*page_tables.of_settings(cases), *page_tables.of_targets(cases)]))
        print("\n".join(["", "Where hudilite does not win:", "", *page_tables.of_losses(cases)]))
    print(f"written to {out}")
    faults = [*results["void"], *(validity.missed(cases) if _is_full(results) else [])]
    print("\n".join(faults))
    return 1 if faults else 0


def _case(name: str, asked: argparse.Namespace, folder: Path) -> dict[str, Any]:
    systems = asked.systems.split(",") if asked.systems else _there()
    if name in scripts.SCRIPTS:
        print(f"case {name}: {scripts.SCRIPTS[name].title}", flush=True)
        results = scripts.run_script(name, asked.rows, systems)
        print("\n".join(results["printed"]), flush=True)
        return results
    sources = folder / f"sources_{asked.rows}"
    case = plan.case(name, asked.rows, asked.rounds, asked.warm_ups, sources)
    print(f"case {name}: {case.title}", flush=True)
    for system in sorted({*systems} & {*case.without}):
        print(f"  {system} does not take part: its rows are wrong after this case")
    part = [
        SYSTEMS[system]
        for system in systems
        if system not in case.without and (asked.systems or plan.takes_part(case, system))
    ]
    results = Measured(case, part, sources, folder).results()
    for system, found in results["systems"].items():
        if "about" in found:
            print(f"{system}: {page_tables.engine_of(found)}")
    print("\n".join(page_tables.of_case(results)), flush=True)
    return results


def _void(results: dict[str, Any]) -> list[str]:
    """What makes the figures of a run void, whether targets are met or not."""
    cases = results["cases"]
    faults = [
        f"case {name}: {system} has other rows than our table"
        for name, case in cases.items()
        if "systems" in case
        for system in disagreements(case)
    ]
    faults += [*validity.other_codecs(cases), *validity.void(cases)]
    return faults + (figures.misconfigured(cases) if _is_full(results) else [])


def _is_full(results: dict[str, Any]) -> bool:
    return int(results["rows"]) >= figures.FULL_SIZE


def _commit() -> str:
    """The commit that is measured, with a + if files differ from it."""
    words = ["git", "-C", str(ROOT), "describe", "--always", "--exclude=*", "--dirty=+"]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


def _command(asked: argparse.Namespace) -> str:
    """What repeats the run, wherever it is."""
    words = [f"--rows {asked.rows} --rounds {asked.rounds} --warm-ups {asked.warm_ups}"]
    words += [f"--cases {asked.cases}"]
    words += [f"--systems {asked.systems}"] if asked.systems else []
    return f'make bench BENCH="{" ".join(words)}"'


def _there() -> list[str]:
    """All systems, but stock Hudi where its environment cannot be."""
    there = stock_environment() is not None
    return [name for name, system in SYSTEMS.items() if there or not system.stock]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=3_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--warm-ups", type=int, default=2)
    parser.add_argument("--cases", default=",".join(plan.NAMES))
    parser.add_argument("--systems", help="by name; by default those that a case is for")
    parser.add_argument("--before", help="checkout of another commit, the system `before`")
    parser.add_argument("--folder")
    parser.add_argument("--out", help="of the JSON; by default a new file in .build/bench")
    parser.add_argument("--docs", nargs="+", help="make the page of these files of earlier runs")
    parser.add_argument("--page", default="benchmarks", choices=page.PAGES, help="of --docs")
    parser.add_argument("--into", default=str(ROOT / "docs"), help="folder of the page")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
