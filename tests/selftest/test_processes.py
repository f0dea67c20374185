"""A run of the suites leaves nothing behind, is alone in its tree, and sees each JVM that starts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from jvms import JvmCounter
from processes import Sessions, lock, members

from harness.waiting import await_true

pytestmark = pytest.mark.rotated(by="test", when=("tests/tools/", "tests/harness/clients.py"))
TOOLS = Path(__file__).parents[1] / "tools"
# A command whose child makes a process group of its own, and says who it is.
NESTED = "import os, time; print(os.getpid(), flush=True); os.setpgid(0, 0); time.sleep(600)"
RUN = """
import os, sys
from pathlib import Path
from processes import Sessions, lock
held = lock(Path(sys.argv[1]) / "run.lock")
command = ["sh", "-c", f"{sys.executable} -c '{sys.argv[2]}' & wait"]
memory = Path(sys.argv[1]) / "memory"
(memory / "suite").mkdir(parents=True)
Sessions(memory).run("x", command, Path(sys.argv[1]) / "log", dict(os.environ), 600)
"""


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.fixture
def running(tmp_path: Path) -> tuple[subprocess.Popen[bytes], int]:
    """A run in a process of its own, and the process that its command started."""
    run = subprocess.Popen([sys.executable, "-c", RUN, str(tmp_path), NESTED], cwd=TOOLS)
    log = tmp_path / "log"
    await_true(lambda: log.exists() and log.read_text().strip())
    return run, int(log.read_text())


@pytest.mark.parametrize("name", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_run_leaves_no_process_and_no_folder_in_memory(
    running: tuple[subprocess.Popen[bytes], int], name: signal.Signals, tmp_path: Path
) -> None:
    run, child = running
    memory = tmp_path / "memory"
    assert is_alive(child)
    assert memory.exists()
    run.send_signal(name)
    run.wait(timeout=30)
    await_true(lambda: not is_alive(child) and not memory.exists())


def test_a_run_that_ends_leaves_what_failed_in_its_folder(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path)
    assert sessions.run("x", ["false"], tmp_path / "log", dict(os.environ), 60) == 1
    sessions._guard.communicate(timeout=30)
    assert tmp_path.exists()


def test_a_second_run_in_one_tree_is_an_error(
    running: tuple[subprocess.Popen[bytes], int], tmp_path: Path
) -> None:
    run, child = running
    with pytest.raises(SystemExit, match=f"process {run.pid}"):
        lock(tmp_path / "run.lock")
    run.kill()
    run.wait(timeout=30)
    lock(tmp_path / "run.lock").close()
    await_true(lambda: not is_alive(child))


def test_a_command_that_hangs_is_ended_with_all_its_children(tmp_path: Path) -> None:
    sessions = Sessions()
    command = ["sh", "-c", f"{sys.executable} -c '{NESTED}' & wait"]
    log = tmp_path / "log"
    assert sessions.run("x", command, log, dict(os.environ), 3) is None
    child = int(log.read_text())
    assert not is_alive(child)
    assert [members(session) for session in sessions.names] == [[]]
    assert sessions.run("y", ["sh", "-c", "exit 3"], log, dict(os.environ), 60) == 3


def test_a_program_of_spark_starts_two_jvms(tmp_path: Path) -> None:
    sessions = Sessions()
    counter = JvmCounter(sessions.name_of)
    if counter.total is None:
        assert sys.platform != "linux"  # JVMs are counted there alone
        return
    script = str(Path(sys.executable).parent / "spark-submit")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("SPARK_", "PYSPARK_"))}
    environment |= {"PYSPARK_PYTHON": sys.executable}
    command = [script, "--version"]
    assert sessions.run("counted", command, tmp_path / "log", environment, 120) == 0
    await_true(lambda: counter.counts["counted"] >= 2)
    assert counter.counts["counted"] == 2
