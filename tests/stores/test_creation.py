"""A file that is created only if its name is free: races of processes, and every fault of the way."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from uuid import uuid4

import pytest
from races import FEWER, ROUNDS, check_one_winner, race, rounds

from harness.fault_proxy import FAULTS, FaultProxy, Rule, Seen
from harness.rotation import ninth, product
from harness.store_calls import Caller, callers
from harness.stores import S3Store

IO = product("core/io/")
# Tests with four processes run at one rotation, so that the processes start at that one alone.
ROTATED = pytest.mark.rotated(third=0, when=IO)
STORMY = 80
SOME = ("drop_before", "drop_after", "s500_after", "s503", "s409", "half")


def overlap(seen: Sequence[Seen], name: str) -> bool:
    """Whether the store had two conditional requests for a file at once."""
    puts = sorted(
        (s.began, s.ended) for s in seen if s.is_conditional and s.path.endswith(f"/{name}")
    )
    return any(second[0] < first[1] for first, second in pairwise(puts))


@ninth(0, when=IO)
def test_of_four_processes_one_creates_a_file(racers: list[Caller], proxy: FaultProxy) -> None:
    folder = f"race-{uuid4()}"
    race(racers, f"{folder}/warm")
    proxy.arm()
    for number in range(rounds(ROUNDS)):
        name = f"{folder}/{number}"
        check_one_winner(racers, name, race(racers, name))
    together_ = sum(overlap(proxy.seen, f"{folder}/{n}") for n in range(rounds(ROUNDS)))
    assert together_ >= rounds(ROUNDS) * 3 // 4, f"{together_} rounds in which requests overlap"


@ninth(3, when=IO)
def test_hadoops_own_create_has_several_winners(racers: list[Caller]) -> None:
    """The race is one: without a condition it shows."""
    folder = f"plain-{uuid4()}"
    won = [race(racers, f"{folder}/{n}", "plain").count("true") for n in range(10)]
    assert max(won) > 1


@ninth(6, when=IO)
def test_of_four_processes_one_creates_a_file_through_faults(
    racers: list[Caller], proxy: FaultProxy
) -> None:
    folder, chance = f"storm-{uuid4()}", random.Random(5)
    race(racers, f"{folder}/warm")
    proxy.arm()
    proxy.chance = lambda seen: (
        chance.choice(SOME) if seen.is_conditional and chance.random() < 0.5 else ""
    )
    try:
        for number in range(rounds(STORMY)):
            name = f"{folder}/{number}"
            check_one_winner(racers, name, race(racers, name))
    finally:
        proxy.chance = lambda seen: ""
    assert len(proxy.struck()) >= rounds(STORMY) // 2


@ROTATED
@pytest.mark.parametrize("fault", FAULTS)
def test_one_fault_does_not_leave_it_in_doubt_who_created_a_file(
    caller: Caller, proxy: FaultProxy, fault: str
) -> None:
    for text in ("mine", ""):
        free = f"fault-{uuid4()}/f"
        proxy.arm(Rule(fault, key=free))
        assert caller.call("createNew", caller.url(free), text) == "true"
        assert proxy.struck() == [fault]
        assert caller.call("read", caller.url(free)) == text
        proxy.arm(Rule(fault, key=free))
        assert caller.call("createNew", caller.url(free), text) == "false"
        assert proxy.struck() == [fault]


@ROTATED
@pytest.mark.parametrize("fault", ["drop_after", "s500_after"])
def test_a_look_that_fails_is_made_again(caller: Caller, proxy: FaultProxy, fault: str) -> None:
    name = f"look-{uuid4()}/f"
    proxy.arm(Rule(fault, key=name), Rule("s503", "HEAD", key=name, times=2))
    assert caller.call("createNew", caller.url(name), "mine") == "true"
    assert proxy.struck() == [fault, "s503", "s503"]


@ROTATED
def test_three_refusals_of_a_busy_store(caller: Caller, proxy: FaultProxy) -> None:
    name = f"busy-{uuid4()}/f"
    proxy.arm(Rule("s503", key=name, times=3))
    assert caller.call("createNew", caller.url(name), "mine") == "true"
    assert proxy.struck() == ["s503"] * 3


@ROTATED
@pytest.mark.parametrize("fault", ["s503", "hang_before", "drop_before"])
def test_a_store_that_is_out_of_reach_leaves_it_unknown(
    caller: Caller, proxy: FaultProxy, fault: str
) -> None:
    name = f"away-{uuid4()}/f"
    proxy.arm(Rule(fault, "", key=name, times=10000))
    assert caller.call("createNew", caller.url(name), "mine") == "unknown"


@ROTATED
def test_an_interrupted_thread_creates_its_file(caller: Caller) -> None:
    name = f"interrupted-{uuid4()}/f"
    assert caller.call("interrupted", caller.url(name), "mine") == "true"
    assert caller.call("read", caller.url(name)) == "mine"


@ROTATED
def test_the_first_file_in_a_bucket_is_preceded_by_a_check(
    store: S3Store, proxy: FaultProxy, tmp_path: Path
) -> None:
    with callers(1, store.through(proxy.port), tmp_path) as (fresh,):
        folder = f"first-{uuid4()}"
        proxy.arm()
        assert fresh.call("createNew", fresh.url(f"{folder}/f"), "mine") == "true"
        mine = [s for s in proxy.seen if folder in s.path]  # others' late requests may still come
        assert [s.status for s in mine if s.is_conditional] == [200, 412, 200, 200]
        assert fresh.call("list", fresh.url(folder)) == "f"
        proxy.arm()
        assert fresh.call("createNew", fresh.url(f"{folder}/g"), "mine") == "true"
        mine = [s for s in proxy.seen if folder in s.path]
        assert [(s.method, s.status) for s in mine] == [("PUT", 200)]


@ninth(1, when=IO)
def test_the_second_store_has_one_winner_too(second_store: S3Store, tmp_path: Path) -> None:
    with callers(4, second_store, tmp_path) as found:
        folder = f"race-{uuid4()}"
        for number in range(rounds(FEWER, 25)):
            name = f"{folder}/{number}"
            check_one_winner(found, name, race(found, name))


@ninth(2, when=IO)
def test_a_store_without_conditional_writes_is_named(store: S3Store, tmp_path: Path) -> None:
    off = {"fs.s3a.create.conditional.enabled": "false"}
    with callers(1, store, tmp_path, off) as (caller,):
        told = caller.call("createNew", caller.url(f"off-{uuid4()}/f"), "mine")
    assert told == "HUDILITE_UNSAFE_STORAGE: fs.s3a.create.conditional.enabled is false"


@ninth(0, when=IO)
def test_wrong_keys_are_refused_and_not_told(store: S3Store, tmp_path: Path) -> None:
    wrong = f"wrong{uuid4()}"
    with callers(1, store, tmp_path, {"fs.s3a.secret.key": wrong}) as (caller,):
        told = caller.call("createNew", caller.url(f"wrong-{uuid4()}/f"), "mine")
    assert told.startswith("AccessDeniedException: ")
    assert not any(key in told for key in (wrong, store.secret, store.access))
