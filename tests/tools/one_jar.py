"""Makes the Spark in one jar of an installed pyspark: one_jar.py <environment or folder of pip> <stamp>."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness import one_jar


def main(root: Path, stamp: Path) -> None:
    """Make it, and leave a file as a sign."""
    (package,) = (*root.glob("pyspark"), *root.glob("lib/python*/site-packages/pyspark"))
    one_jar.make(package.absolute())
    stamp.touch()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
