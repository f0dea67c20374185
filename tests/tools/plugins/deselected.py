"""pytest plugin: a deselected test is a failure, whatever deselected it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    """End the run, naming what an option, a setting or a plugin dropped."""
    raise pytest.UsageError(f"deselected: {', '.join(item.nodeid for item in items)}")
