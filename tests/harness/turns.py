"""Steps of children that wait for each other: one makes a file, the other waits until it is there."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

SECONDS = 240
WAIT = f'for i in $(seq {SECONDS * 20}); do [ -e "$0" ] && exit 0; sleep 0.05; done; exit 1'


def tell(file: Path) -> dict[str, Any]:
    """The step that makes a file."""
    return {"label": f"tell {file.name}", "run": ["touch", str(file)]}


def await_told(file: Path) -> dict[str, Any]:
    """The step that waits for a file, and fails when it does not come."""
    return {"label": f"await {file.name}", "run": ["sh", "-c", WAIT, str(file)]}


def is_told(file: Path) -> bool:
    """Waits for a file in this process; false when it does not come."""
    ends = time.monotonic() + SECONDS
    while not file.exists():
        if time.monotonic() > ends:
            return False
        time.sleep(0.05)
    return True
