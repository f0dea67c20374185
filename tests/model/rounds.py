"""Random statements on one table, each judged by the model; a list that fails is shrunk to a script."""

from __future__ import annotations

import os
import random
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.seeds import asked_seed
from harness.session import ROOT, ROW_GROUP_ROWS, SPLIT_ABOVE, geometry_conf, small_geometry
from model.duel import Disagreement, expected
from model.engine import Engine, Tally, Trials
from model.oracle import ModelTable, Shape
from model.relations import settings
from model.repro import write_repro
from model.shrinking import Script, Shrinker
from model.statements import Statements

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SEED = asked_seed()
STATEMENTS = int(os.environ.get("HUDILITE_MODEL_STATEMENTS", "12"))
SECONDS = float(os.environ.get("HUDILITE_MODEL_SECONDS", "180"))
SHRINKING = [float(os.environ.get("HUDILITE_SHRINK_SECONDS", "180"))]  # what the run has left of it


def cuts(rng: random.Random) -> dict[str, str]:
    """In the small geometry how many rows a row group has, and whether tasks share a base file."""
    if not small_geometry():
        return {}
    return {ROW_GROUP_ROWS: rng.choice(("2", "10")), SPLIT_ABOVE: rng.choice(("1", "1", "1g"))}


@dataclass(frozen=True)
class Rounds:
    """A table `t`, and the statements on it.

    Attributes:
        folder: That of the database; the table lies in its folder `t`.
        name: Of the script that a failure leaves.
        ordinal: Of the table: with the seed it repeats it.
        deadline: After which three statements are enough.
    """

    spark: SparkSession
    folder: Path
    shape: Shape
    stream: Statements
    name: str
    ordinal: int
    deadline: float

    def play(self) -> Tally:
        """Runs the statements; fails at the first that is not as the model says."""
        engine, model = Engine(self.spark, self.folder / "t", self.shape), ModelTable(self.shape)
        script: Script = ()
        cut = cuts(random.Random(SEED * 1000 + self.ordinal))
        with settings(self.spark, cut):
            for number in range(STATEMENTS):
                if number > 2 and time.monotonic() > self.deadline:
                    break
                script = (*script, self.stream.next(list(model.rows.values())))
                try:
                    engine.round(number, script[-1], expected(model, number, script[-1]), model)
                except Disagreement as found:
                    left = self._leave(script, found, cut)
                    told = f"HUDILITE_SEED={SEED} table {self.ordinal}: {found}\n{left}"
                    pytest.fail(told, pytrace=False)
        print(f"table {self.ordinal}: {engine.tally}")
        return engine.tally

    def _leave(self, script: Script, found: Disagreement, cut: dict[str, str]) -> str:
        """Shrinks, as far as the run's time for it allows, and writes the file; words on both."""
        started = time.monotonic()
        judge = Trials(self.spark, self.folder.parent, self.shape).judge
        least = Shrinker(judge, found.what, SHRINKING[0]).shrink(script)
        SHRINKING[0] -= time.monotonic() - started
        small = "_small" if small_geometry() else ""
        path = ROOT / ".build" / f"repro_{SEED}_{self.name}{self.ordinal}{small}.sql"
        told = [found.what, f"found by HUDILITE_SEED={SEED}"]
        set_for_all = geometry_conf() | cut
        conf = {k: v for k, v in set_for_all.items() if k.startswith(("spark.sql", "spark.hud"))}
        write_repro(path, self.shape, least, told, conf)
        return f"{len(script)} statements, {len(least)} of them left in {path.relative_to(ROOT)}"
