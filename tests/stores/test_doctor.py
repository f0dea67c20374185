"""`CALL check_storage` and `hudilite doctor --location`: good stores, and stores that are wrong."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest

from harness.fault_proxy import FaultProxy, Rule, Seen
from harness.rotation import ninth, product
from harness.store_calls import Caller, callers
from harness.stores import BUCKET, S3Store

IN_TURN = ("create", "create_twice", "read", "list", "create_again")
STEPS = ("storage", "reach", *IN_TURN, "race", "delete")
CONDITIONAL = "fs.s3a.create.conditional.enabled"
DOCTOR = product("core/io/", "procedures/CheckStorage.scala")
ROTATED = pytest.mark.rotated(
    third=0, when=DOCTOR
)  # as test_creation.py, which uses these processes


def checked(caller: Caller, location: str) -> dict[str, tuple[str, str]]:
    """Outcome and detail of each step."""
    told = [line.split(" ", 2) for line in caller.call("check", location).split("\t")]
    assert tuple(step for step, _, _ in told) == STEPS
    return {step: (outcome, detail) for step, outcome, detail in told}


def steps(found: dict[str, tuple[str, str]], outcome: str) -> list[str]:
    return [step for step, (state, _) in found.items() if state == outcome]


@contextmanager
def broken(proxy: FaultProxy, name: str, fault: str) -> Iterator[None]:
    """Each conditional request for an object of a folder is struck."""

    def chance(seen: Seen) -> str:
        return fault if seen.is_conditional and f"/{name}/" in seen.path else ""

    proxy.arm()
    proxy.chance = chance
    try:
        yield
    finally:
        proxy.chance = lambda seen: ""


@ROTATED
def test_a_good_store_passes_and_nothing_is_left(
    racers: list[Caller], store: S3Store, proxy: FaultProxy
) -> None:
    name = f"good-{uuid4()}"
    proxy.arm()
    found = checked(racers[0], store.url(f"{name}/lake/t"))
    assert steps(found, "ok") == list(STEPS), found
    assert "conditional PUT" in found["storage"][1]
    puts = [seen.status for seen in proxy.seen if seen.is_conditional and name in seen.path]
    assert puts.count(200) == 2 + 10
    assert puts.count(412) >= 1 + 30  # the connector sends a request again whose answer it lost
    assert not (store.folder / name).exists()
    bucket = checked(racers[0], f"s3a://{BUCKET}")
    assert steps(bucket, "ok") == list(STEPS), bucket


@ROTATED
def test_a_store_that_ignores_the_condition_is_named(
    racers: list[Caller], store: S3Store, proxy: FaultProxy
) -> None:
    name = f"ignores-{uuid4()}"
    with broken(proxy, name, "again"):
        found = checked(racers[0], store.url(name))
    assert steps(found, "failed") == ["create_twice"], found
    assert steps(found, "skipped") == [*IN_TURN[2:], "race"]
    assert "existed already" in found["create_twice"][1]
    assert f"spark.hadoop.{CONDITIONAL} = false" in found["create_twice"][1]
    assert not (store.folder / name).exists()


@ROTATED
def test_a_store_that_is_wrong_only_under_contention_is_named(
    racers: list[Caller], store: S3Store, proxy: FaultProxy
) -> None:
    name = f"looks-{uuid4()}"
    with broken(proxy, name, "look"):
        found = checked(racers[0], store.url(name))
    assert steps(found, "failed") == ["race"], found
    assert steps(found, "skipped") == []
    assert "4 threads created 10 files at the same time" in found["race"][1]
    assert not (store.folder / name).exists()


@ROTATED
def test_a_store_that_does_not_answer_is_left_in_time(
    caller: Caller, store: S3Store, proxy: FaultProxy
) -> None:
    name = f"away-{uuid4()}"
    proxy.arm(Rule("s503", "", key=name, times=10000))
    found = checked(caller, store.url(name))
    assert steps(found, "failed") == ["reach"], found
    assert steps(found, "skipped") == [*IN_TURN, "race", "delete"]


@ninth(1, when=DOCTOR)
def test_the_second_store_passes(second_store: S3Store, tmp_path: Path) -> None:
    with callers(1, second_store, tmp_path) as (caller,):
        found = checked(caller, second_store.url(f"second-{uuid4()}"))
    assert steps(found, "ok") == list(STEPS), found


@ninth(2, when=DOCTOR)
def test_a_connector_without_conditional_writes_is_named(store: S3Store, tmp_path: Path) -> None:
    with callers(1, store, tmp_path, {CONDITIONAL: "false"}) as (caller,):
        found = checked(caller, store.url(f"off-{uuid4()}"))
    assert steps(found, "failed") == ["storage"]
    assert f"{CONDITIONAL} is false" in found["storage"][1]


@ninth(6, when=DOCTOR)
def test_the_command_ends_with_0_or_1_and_tells_no_key(store: S3Store, tmp_path: Path) -> None:
    name, wrong = f"cli-{uuid4()}", f"wrong{uuid4()}"
    location = store.url(f"{name}/t")
    code, text = doctor(store, tmp_path, location)
    assert code == 0, text
    assert text.count(" ok ") == len(STEPS)
    assert not (store.folder / name).exists()
    code, text = doctor(store, tmp_path, location, f"spark.hadoop.fs.s3a.secret.key={wrong}")
    assert code == 1, text
    assert "has no right" in text
    assert wrong not in text


def doctor(store: S3Store, folder: Path, location: str, *settings: str) -> tuple[int, str]:
    """Exit code of the command, and all that it tells; the store's keys are not part of it."""
    words = ["doctor", "--location", location, "--log", "spark.log"]
    for setting in (*(f"{key}={value}" for key, value in store.conf().items()), *settings):
        words += ["--conf", setting]
    done = subprocess.run(
        [sys.executable, "-m", "hudilite", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        cwd=folder,
    )
    log = (folder / "spark.log").read_text("utf-8", "replace")
    assert not any(key in text for key in store.keys for text in (done.stdout, log))
    return done.returncode, done.stdout
