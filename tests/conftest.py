"""Sessions and folders shared by the suites that need Spark."""

from __future__ import annotations

import itertools
import logging
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from harness import names, one_jar, stores
from harness.hdfs import Hdfs, mini_dfs
from harness.java import FAULTS, functions_jar, kept, layout_conf, short_lived
from harness.session import JAR, geometry_conf, open_session
from harness.setups import asked_setup, setup_conf
from harness.stores import S3Store

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

os.environ["TZ"] = "UTC"
time.tzset()
os.environ["SPARK_SUBMIT_OPTS"] = short_lived()
os.environ[one_jar.ASKED] = "1"
logging.getLogger("SQLQueryContextLogger").disabled = True  # expected errors are no news


DATABASES = itertools.count()


@pytest.fixture(scope="session")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder under which every table of this process lies."""
    return tmp_path_factory.mktemp("warehouse")


@pytest.fixture(scope="session")
def spark(warehouse: Path) -> Iterator[SparkSession]:
    """The one Spark session of this process."""
    conf = geometry_conf() | setup_conf(asked_setup(), warehouse) | layout_conf()
    conf |= names.version_conf()
    session = open_session("hudilite tests", warehouse, conf)
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def fault_classes() -> str:
    """The class path of a process that is broken as a plan says.

    A JVM that starts from now on has the classes behind all others, where the class archive lets them be.
    """
    classes = kept(FAULTS)
    os.environ["SPARK_DIST_CLASSPATH"] = str(classes)
    return f"{classes}:{JAR}"


@pytest.fixture(scope="session")
def java_functions(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A jar with compiled test functions, for `spark.jars`."""
    return functions_jar(tmp_path_factory.mktemp("jar"))


@pytest.fixture(scope="session")
def hdfs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hdfs]:
    """One name node, two data nodes."""
    with mini_dfs(tmp_path_factory.mktemp("hdfs")) as found:
        yield found


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Store]:
    """The server that speaks S3."""
    if not stores.has_go():
        pytest.skip("versitygw is built by Go, which is not installed here")
    with stores.versitygw(tmp_path_factory.mktemp("versitygw")) as found:
        yield found


@pytest.fixture
def database(spark: SparkSession, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A database of the test's own, made current; gives the folder its tables lie in.

    Its temporary views, which lie in no database, go with it.
    """
    words = "".join(c if c.isalnum() else "_" for c in request.node.name.lower())
    name = f"t{next(DATABASES)}_{words[:50]}"
    folder = tmp_path / "db"
    spark.sql(f"CREATE DATABASE {name} LOCATION '{folder}'")
    spark.sql(f"USE {name}")
    before = temporary_views(spark)
    yield folder
    for view in temporary_views(spark) - before:
        spark.catalog.dropTempView(view)
    spark.sql("USE default")


def temporary_views(spark: SparkSession) -> set[str]:
    """The names of the session's temporary views."""
    views = spark._jsparkSession.sessionState().catalog().listLocalTempViews("*")
    return {views.apply(i).table() for i in range(views.size())}
