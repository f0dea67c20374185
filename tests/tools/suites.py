"""The suites and what runs of each in which tier; a folder of tests/ that none runs is an error.

| tier | what runs |
|---|---|
| quick | the `quick` command of the suites that have one |
| test | every suite but those of `test-all` alone; of an axis, and of what is marked `rotated`, a third |
| all | everything |
| soak | forms that take ten minutes and more: `SOAKS` |
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

PYTEST = (
    *(".venv/bin/python", "-m", "pytest", "-c", "tests/pytest.ini", "--rootdir=tests"),
    *("-p", "deselected", "-p", "rotation"),
    *("-p", "no:hypothesispytest"),  # it would import Hypothesis at each start; two suites use it
)
PLUGINS = {"PYTHONPATH": "tests/tools/plugins"}
SBT = ("sh", "tests/tools/sbt.sh")
UNIT_REPORTS = (
    "sql-extension/core/target/test-reports/*.xml",
    "sql-extension/spark/target/test-reports/*.xml",
    "procedures/target/test-reports/*.xml",
    ".build/reports/scala-lint.xml",
)
# A Java 21 without a compiler, of a package; the Java of the build may be 17 or 21.
JAVA_21 = ".build/jdk-21/home"
# Tests of what reads and writes SQL by sqlglot, and needs no Spark.
OF_SQLGLOT = (
    *("sqlglot_builds", "dialect", "dialect_statements"),
    *("lint", "lineage", "convert", "script", "command_line_scripts", "doc_examples"),
)
STORES = (
    *("creation", "doctor", "statements", "requests", "long_history"),
    *("clouds", "versioned_buckets", "stock_lock"),
)


@dataclass(frozen=True)
class Suite:
    """One row of the table that `make test` prints.

    Attributes:
        command: Run from the root of the tree.
        reports: JUnit XML that the command leaves, as patterns; old ones are removed before.
        quick: Command of `make quick`; None leaves the suite out there.
        environment: Added for the command.
        of_all: Added for the command in `make test-all`.
        minutes: After which the suite counts as hung.
        compiles: Runs sbt, of which there is one at a time.
        axis: Repeats files of another suite under other settings: a third of them in `make test`.
        rare: An axis of which `make test` runs a ninth.
        only_all: Runs in `make test-all` alone.
        behind: The suite that it follows in one process and one JVM; both are of pytest.
        on_disk: Its files lie on the disk, where others have theirs in memory if there is room.
    """

    name: str
    command: tuple[str, ...]
    reports: tuple[str, ...]
    quick: tuple[str, ...] | None = None
    environment: dict[str, str] = field(default_factory=dict)
    of_all: dict[str, str] = field(default_factory=dict)
    minutes: float = 30
    compiles: bool = False
    axis: bool = False
    rare: bool = False
    only_all: bool = False
    behind: str = ""
    on_disk: bool = False

    @property
    def axis_variable(self) -> dict[str, str]:
        """The environment variable by which the plugin of the rotation knows an axis; none for another suite."""
        return {"HUDILITE_AXIS": "rare" if self.rare else "1"} if self.axis else {}


def pytest(name: str, *places: str, quick: tuple[str, ...] = (), **environment: str) -> Suite:
    """A pytest suite over some folders; `quick` names what `make quick` runs of it."""
    report = f".build/reports/{name}.xml"
    base = (*PYTEST, f"--junit-xml={report}")
    shorter = (*base, *quick) if quick else None
    return Suite(name, (*base, *places), (report,), shorter, PLUGINS | environment)


def axis(name: str, *places: str, **environment: str) -> Suite:
    """A pytest suite that repeats files of another one."""
    return replace(pytest(name, *places), axis=True, environment=PLUGINS | environment)


def behind(first: str, suite: Suite) -> Suite:
    """A suite that runs in the process of another one, after it."""
    return replace(suite, behind=first)


def on_disk(name: str, *places: str, quick: tuple[str, ...] = ()) -> Suite:
    """A pytest suite whose tables lie on the disk, as those of users do, or in servers of storages."""
    return replace(pytest(name, *places, quick=quick), on_disk=True)


# Without generated code the statements of an axis take a sixth less time, and this way of Spark is tested.
INTERPRETED = {"HUDILITE_EXPRESSIONS": "interpreted"}
COMPILED = {"HUDILITE_EXPRESSIONS": ""}  # as a session without settings

SUITES = (
    pytest("e2e", "tests/e2e"),
    Suite(
        "lint",
        (".venv/bin/python", "tests/tools/lint.py"),
        (".build/reports/lint.xml",),
        quick=(".venv/bin/python", "tests/tools/lint.py"),
    ),
    Suite(
        "unit",
        (".venv/bin/python", "tests/tools/scala.py"),
        UNIT_REPORTS,
        quick=(*SBT, "core/test"),
        compiles=True,
    ),
    pytest("selftest", "tests/selftest", quick=("tests/selftest",)),
    pytest("model", "tests/model", quick=("tests/model",)),
    on_disk(
        "python",
        "tests/python",
        quick=tuple(f"tests/python/test_{name}.py" for name in ("conditions", "errors", "launch")),
    ),
    axis(
        "compiled-sqlglot",
        *(f"tests/python/test_{name}.py" for name in OF_SQLGLOT),
        HUDILITE_SQLGLOT="compiled",
        PYTHONPATH=os.pathsep.join([".build/sqlglot-c", PLUGINS["PYTHONPATH"]]),
    ),
    behind("e2e", pytest("services", "tests/services")),
    behind("e2e", pytest("compat", "tests/compat/test_everyday_statements.py")),
    on_disk("docs", "tests/docs"),
    replace(on_disk("install", "tests/install"), compiles=True),  # the wheel of the sdist
    pytest("oracle", "tests/oracle", quick=("tests/oracle",)),
    pytest("sql", "tests/sql"),
    behind("sql", axis("sql-small", "tests/sql", HUDILITE_GEOMETRY="small", **INTERPRETED)),
    behind(
        "sql",
        axis(
            "sql-hive",
            "tests/sql",
            "tests/e2e/test_dataframe_columns.py",
            HUDILITE_CATALOG="hive",
            **INTERPRETED,
        ),
    ),
    behind(
        "sql",
        axis("sql-named", "tests/sql", "tests/catalogs", HUDILITE_CATALOG="named", **INTERPRETED),
    ),
    behind(
        "sql",
        pytest("compat-peers", "tests/compat/test_peers_rows.py", HUDILITE_CATALOG="named"),
    ),
    axis(
        "spark-4.2",
        *(
            f"tests/sql/{kind}"
            for kind in ("call", "commands", "ctas", "insert", "merge", "overwrite")
        ),
        *(f"tests/sql/{kind}" for kind in ("select", "update")),
        *(f"tests/e2e/test_{name}.py" for name in ("bucketed_joins", "bucketed_merges")),
        "tests/e2e/test_dataframes.py",
        PYTHONPATH=os.pathsep.join([".build/spark-4.2", PLUGINS["PYTHONPATH"]]),
    ),
    behind(
        "sql",
        axis(
            "sql-bloom",
            *(f"tests/sql/{kind}" for kind in ("merge", "update")),
            HUDILITE_INDEX="bloom",
            **INTERPRETED,
        ),
    ),
    replace(
        axis("sql-layout", "tests/sql", HUDILITE_LAYOUT="second", **INTERPRETED),
        rare=True,
        of_all={"JAVA_HOME": JAVA_21, **COMPILED},
    ),
    behind(
        "sql",
        replace(
            axis("sql-nine", "tests/sql", HUDILITE_TABLE_VERSION="9", **INTERPRETED), rare=True
        ),
    ),
    pytest("faults", "tests/faults"),
    pytest("thrift", "tests/thrift"),
    pytest(
        "dbt", *(f"tests/dbt/test_dbt_{name}.py" for name in ("session", "commands", "adapter"))
    ),
    replace(
        pytest(
            "dbt-server", "tests/dbt/test_dbt_thrift.py", "tests/dbt/test_dbt_adapter_thrift.py"
        ),
        only_all=True,
        minutes=60,
    ),
    on_disk(
        "stores",
        *(f"tests/stores/test_{name}.py" for name in STORES),
        "tests/hdfs",
        *("tests/clusters/test_lost_executors.py", "tests/clusters/test_stopped_processes.py"),
    ),
    behind(
        "stores",
        on_disk(
            "stores-faults",
            *("tests/stores/test_broken_requests.py", "tests/stores/test_broken_locks.py"),
        ),
    ),
    replace(on_disk("stores-writers", "tests/stores/test_store_histories.py"), only_all=True),
    replace(
        on_disk(
            "clusters",
            *(
                f"tests/clusters/test_{name}.py"
                for name in ("yarn", "metastore_server", "as_local")
            ),
        ),
        only_all=True,
    ),
    pytest("interop", "tests/interop"),
    behind(
        "interop", axis("interop-small", "tests/interop/test_readers.py", HUDILITE_GEOMETRY="small")
    ),
    behind("e2e", pytest("random", "tests/random")),
    behind(
        "e2e",
        pytest(
            "random-small",
            "tests/random/test_random_statements.py",
            "tests/random/test_random_log_files.py",
            HUDILITE_GEOMETRY="small",
        ),
    ),
)

# Tests of some suites in a form that takes ten minutes and more, each under the name of its suite.
SOAKS = tuple(
    replace(suite, command=(*suite.command, "-o", "timeout=7200"), minutes=180)
    for suite in (
        pytest("faults", "tests/faults", HUDILITE_FAULT_PROFILE="long"),
        pytest(
            "services",
            "tests/services/test_clean_at_work.py",
            "tests/services/test_upsert_stream.py",
            HUDILITE_CLEAN_SECONDS="600",
            HUDILITE_STREAM_SECONDS="600",
        ),
        pytest(
            "interop",
            "tests/interop/test_many_turns.py",
            "tests/interop/test_stock_reads_at_work.py",
            "tests/interop/test_rescale_at_work.py",
            HUDILITE_READ_SECONDS="600",
            HUDILITE_RESCALE_SECONDS="600",
        ),
        pytest(
            "random",
            "tests/random/test_random_statements.py",
            "tests/random/test_random_log_files.py",
            HUDILITE_MODEL_TABLES="200",
            HUDILITE_MODEL_STATEMENTS="30",
            HUDILITE_MODEL_SECONDS="1800",
        ),
        pytest(
            "random",
            "tests/random/test_random_previews.py",
            HUDILITE_PREVIEW_TABLES="40",
            HUDILITE_PREVIEW_STATEMENTS="30",
        ),
        pytest("e2e", "tests/e2e/test_adopted_reads.py", HUDILITE_FILTERS="1200"),
        pytest("e2e", "tests/e2e/test_table_size.py", HUDILITE_TABLE_FILES="1000000"),
        pytest("e2e", "tests/e2e/test_task_memory.py", HUDILITE_TASK_HEAP="2048"),
        pytest("clusters", "tests/clusters/test_as_local.py", HUDILITE_CLUSTER_ROWS="30000000"),
        pytest("dbt-server", "tests/dbt/test_dbt_adapter_thrift.py", HUDILITE_DBT_CLASSES="all"),
        pytest("stores", "tests/stores/test_stock_lock.py", HUDILITE_LOCK_STATEMENTS="1000"),
        pytest(
            "stores",
            *("tests/stores/test_creation.py", "tests/stores/test_clouds.py"),
            HUDILITE_RACE_ROUNDS="2000",
        ),
        pytest(
            "stores-writers",
            "tests/stores/test_store_histories.py",
            HUDILITE_STORE_STATEMENTS="2000",
        ),
        pytest("stores-faults", "tests/stores/test_broken_requests.py", HUDILITE_STORE_EACH="1000"),
        pytest("stores-faults", "tests/stores/test_broken_locks.py", HUDILITE_LOCK_EACH="1000"),
    )
)


def of_tier(tier: str, asked: Sequence[str] = ()) -> list[Suite]:
    """The suites of a tier (quick, test, all or soak); of those that are asked for, where any are."""
    every = SOAKS if tier == "soak" else SUITES
    chosen = [suite for suite in every if not asked or suite.name in asked]
    if tier == "quick":
        return [replace(suite, command=suite.quick, behind="") for suite in chosen if suite.quick]
    if tier == "all":
        return [replace(suite, environment=suite.environment | suite.of_all) for suite in chosen]
    return [suite for suite in chosen if asked or not suite.only_all]


def in_turn(chosen: Sequence[Suite]) -> list[list[Suite]]:
    """The suites by process, in which they run one after the other."""
    processes: dict[str, list[Suite]] = {}
    for suite in chosen:
        processes.setdefault(suite.behind or suite.name, []).append(suite)
    return list(processes.values())


BROWSERS = ("chromium", "chromium-browser", "google-chrome")  # as tests/harness/browser.py
# Folders of tests/ that hold none.
NO_SUITES = {"bench", "bytes", "harness", "mutants", "tables", "tools"}


@dataclass(frozen=True)
class AllowedSkip:
    """A reason that a test may give for not running, and whether it can hold on this machine."""

    reason: str
    why: str
    holds: bool


def allowed_skips() -> tuple[AllowedSkip, ...]:
    """The whole list; `make test` prints it."""
    return (
        AllowedSkip(
            "stock Hudi needs pyspark 3.5, which is not installed here",
            "pyspark 3.5 runs on JDK 17, not on 21",
            holds=java_version() > 17,
        ),
        AllowedSkip(
            "a namespace without a network needs rights that this machine does not give",
            "unshare --net is refused there, or is not installed",
            holds=not may_leave_the_network(),
        ),
        AllowedSkip(
            "versitygw is built by Go, which is not installed here",
            "there is no go on PATH",
            holds=shutil.which("go") is None,
        ),
        AllowedSkip(
            "fake-gcs-server is built by Go, which is not installed here",
            "there is no go on PATH",
            holds=shutil.which("go") is None,
        ),
        AllowedSkip(
            "Azurite is a program of Node, which is not installed here",
            "there is no npm on PATH",
            holds=shutil.which("npm") is None,
        ),
        AllowedSkip(
            "there is no Chromium here",
            "none of chromium, chromium-browser and google-chrome is on PATH",
            holds=not any(shutil.which(name) for name in BROWSERS),
        ),
    )


def may_leave_the_network() -> bool:
    """Whether a process may have a network of its own, with nobody in it."""
    words = ["unshare", "--map-root-user", "--net", "true"]
    try:
        return subprocess.run(words, capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


def java_version() -> int:
    """Major version of the Java that the build runs on."""
    java = os.path.join(os.environ["JAVA_HOME"], "bin", "java")
    done = subprocess.run([java, "-version"], check=True, capture_output=True, text=True)
    return int(done.stderr.split('"')[1].split(".")[0])
