"""What the random tests share: the geometry, settings of the bloom index, the database of runs that are compared."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.geometry import assert_small
from harness.session import small_geometry
from model.relations import DATABASE, SEED

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def folder(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the tables of that database lie."""
    made = tmp_path_factory.mktemp(DATABASE)
    spark.sql(f"CREATE DATABASE {DATABASE} LOCATION '{made}'")
    print(f"HUDILITE_SEED={SEED}")
    return made


@pytest.fixture(scope="module")
def asked_geometry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The tables of this module must have the small geometry when the run asks for it."""
    yield
    if small_geometry():
        assert_small([tmp_path_factory.getbasetemp()], row_groups=1)  # its tables are small


@pytest.fixture
def bloom_settings(spark: SparkSession) -> Iterator[Callable[[random.Random], None]]:
    """Sets how a table without buckets is cut into files and looked up, at random."""
    choices = {
        "hoodie.parquet.max.file.size": ("1k", "3k", "120m"),
        "hoodie.parquet.small.file.limit": ("0", "2k", "100m"),
        "hoodie.bloom.index.prune.by.ranges": ("auto", "true", "false"),
        "hoodie.bloom.index.use.treebased.filter": ("auto", "true", "false"),
        "hoodie.bloom.index.filter.type": ("DYNAMIC_V0", "SIMPLE"),
    }

    def choose(rng: random.Random) -> None:
        for key, values in choices.items():
            spark.conf.set(key, rng.choice(values))

    yield choose
    for key in choices:
        spark.conf.unset(key)
