"""A dbt project in a Spark session: docs/examples/dbt, as it is and with file_format hudi."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from expectations import CHECKS
from shop import Dbt
from shop_steps import Shop, ran

from harness.rotation import ninth

WHEN = ("docs/examples/dbt/", "python/src/hudilite/dbt_package/", "python/requirements-dbt.txt")


@pytest.fixture(
    scope="module",
    params=[
        pytest.param("hudilite", marks=ninth(3, when=WHEN)),
        pytest.param("hudi", marks=ninth(7, when=WHEN)),
    ],
)
def shop(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """The project after all steps, in one process of dbt."""
    return ran(Dbt(tmp_path_factory.mktemp("dbt"), request.param))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
def test_a_project_in_a_session(shop: Shop, check: Callable[[Shop], None]) -> None:
    check(shop)
