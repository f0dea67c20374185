"""The runner of the benchmarks runs, as small as can be."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.rotated(third=1, when=("tests/bench/",))
SCRIPT = Path(__file__).resolve().parents[1] / "bench" / "run.py"


def test_a_tiny_run_measures_a_merge_its_limits_and_reads(tmp_path: Path) -> None:
    out = tmp_path / "bench.json"
    words = ["--rows", "20000", "--cases", "1", "--systems", "hudilite", "--rounds", "1"]
    words += ["--warm-ups", "0", "--folder", str(tmp_path / "work"), "--out", str(out)]
    measured = ("merge", "L0", "L1", "L2", "plain L2", "scan", "plain scan", "plain", "look-ups")
    done = subprocess.run([sys.executable, str(SCRIPT), *words], check=True, capture_output=True)
    (ours,) = json.loads(out.read_text(encoding="utf-8"))["cases"]["1"]["systems"].values()
    (one,) = ours["rounds"]
    assert one["counts"] is True
    assert all(one[name] > 0 for name in (*measured, "bytes", "resident"))
    assert one["gc"] >= 0
    assert ours["written as"] | {"bytes": 0} == {"files": 16, "bytes": 0, "codec": "snappy"}
    assert one["written"] > 0
    assert int(ours["checksums"]["t"][0]) > 20000
    assert b"| hudilite |" in done.stdout
