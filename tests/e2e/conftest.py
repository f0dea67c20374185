"""What the end-to-end tests need besides a session: test functions in Java."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

SOURCES = Path(__file__).parent / "java"


@pytest.fixture(scope="session")
def java_functions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of compiled test functions, for a class path."""
    import pyspark

    out = tmp_path_factory.mktemp("classes")
    jars = Path(pyspark.__file__).parent / "jars"
    compiler = shutil.which("javac")
    assert compiler is not None, "the JDK on the PATH has no javac"
    sources = [str(path) for path in SOURCES.rglob("*.java")]
    subprocess.run([compiler, "-cp", f"{jars}/*", "-d", str(out), *sources], check=True)
    return out
