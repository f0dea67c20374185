"""The database of the tests that compare runs of the engine with each other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

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
