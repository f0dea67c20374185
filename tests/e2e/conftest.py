"""What the end-to-end tests need besides a session: test functions in Java."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from harness.java import kept

SOURCES = Path(__file__).parent / "java"


@pytest.fixture(scope="session")
def java_functions(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A jar with compiled test functions, for `spark.jars`: a class path of its own would cost a
    process the archive of classes."""
    packed = Path(
        shutil.make_archive(f"{tmp_path_factory.mktemp('jar')}/functions", "zip", kept(SOURCES))
    )
    return str(packed.rename(packed.with_suffix(".jar")))
