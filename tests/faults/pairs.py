"""Two statements of one table that overlap, and what one after the other would give."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

State = Mapping[int, str]
Result = int | str  # rows affected, or the condition of the failure
CREATE = (
    "CREATE TABLE {name} (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 4 "
    "LOCATION '{place}'"
)
INSERT = "INSERT INTO {t} SELECT id, '' FROM range(8)"
ORIGINAL: State = dict.fromkeys(range(8), "")


@dataclass(frozen=True)
class Step:
    """A statement, and what it makes of a state."""

    sql: str
    apply: Callable[[State], tuple[State, Result]]


@dataclass(frozen=True)
class Pair:
    """Two statements that are run at the same time; `retries` that the later commit needs."""

    name: str
    a: Step
    b: Step
    retries: int

    def outcome(self, a_is_first: bool) -> tuple[State, State, Result, Result]:
        """What A;B or B;A gives: rows after the first and after both; what A and B are told."""
        first, second = (self.a, self.b) if a_is_first else (self.b, self.a)
        one, told = first.apply(ORIGINAL)
        both, told_too = second.apply(one)
        return (one, both, told, told_too) if a_is_first else (one, both, told_too, told)


def append(key: int, word: str) -> Step:
    def apply(state: State) -> tuple[State, Result]:
        return {k: v + word if k == key else v for k, v in state.items()}, int(key in state)

    return Step(f"UPDATE {{t}} SET v = concat(v, '{word}') WHERE id = {key}", apply)


def merge(key: int, word: str) -> Step:
    def apply(state: State) -> tuple[State, Result]:
        return {**state, key: state.get(key, "") + word}, 1

    return Step(
        f"MERGE INTO {{t}} t USING (SELECT {key} id, '{word}' v) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET v = concat(t.v, s.v) WHEN NOT MATCHED THEN INSERT *",
        apply,
    )


def insert(key: int, word: str) -> Step:
    def apply(state: State) -> tuple[State, Result]:
        if key in state:
            return state, "HUDILITE_DUPLICATE_KEY"
        return {**state, key: word}, 0  # INSERT gives no counts

    return Step(f"INSERT INTO {{t}} VALUES ({key}, '{word}')", apply)


def delete(key: int) -> Step:
    def apply(state: State) -> tuple[State, Result]:
        return {k: v for k, v in state.items() if k != key}, int(key in state)

    return Step(f"DELETE FROM {{t}} WHERE id = {key}", apply)


PAIRS = (
    Pair("same-bucket", merge(1, "a"), append(5, "b"), 1),
    Pair("disjoint-buckets", merge(1, "a"), merge(2, "b"), 0),
    Pair("insert-insert", insert(100, "a"), insert(100, "b"), 0),  # the later one has no commit
    Pair("delete-update", delete(1), append(1, "b"), 1),
)
FOLLOWING = merge(3, "next")
