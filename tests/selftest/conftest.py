"""The tools of this tree are tested as the modules that they are."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tools"))
