"""Lists that statements append to: is there one order of the statements that explains it all?

The final list of a key is the order of the writes to it, since each adds an element of its own. A
`read` sees lists of several keys; a `cross` reads the length of one list and appends it, as
`id/length`, to another. From these come the dependencies of one statement on another: `ww`, who
wrote next; `wr`, who read what one wrote; `rw`, who wrote what one had not seen yet; `rt`, who was
asked when the other had been answered. A cycle means that no order explains the history: it is not
strictly serializable.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from harness.histories import Op

Lists = Mapping[int, Sequence[str]]
Edges = dict[str, dict[str, str]]
OTHER = {1: 2, 2: 1}  # the list that a `cross` on a key reads


def list_faults(ops: Sequence[Op], final: Lists) -> list[str]:
    """What is wrong with lists that begin empty."""
    writes = {op.id: op for op in ops if op.writes}
    there = {key: [_id(element) for element in elements] for key, elements in final.items()}
    wrong = [*_elements(writes, there)]
    reads = [op for op in ops if op.kind == "read" and op.outcome == "ok"]
    for read in reads:
        for key, seen in read.seen.items():
            if list(seen) != list(final[key][: len(seen)]):
                wrong.append(f"read {read.id} of list {key} is no beginning of it: {seen[-3:]}")
        wrong += _fractured(read, writes, final, there)
    if wrong:
        return wrong
    took_effect = {id_ for ids in there.values() for id_ in ids}
    counted = [*reads, *(op for op in writes.values() if op.id in took_effect)]
    cycle = find_cycle(edges_of(counted, final, there))
    return [f"cycle: {cycle}"] if cycle else []


def edges_of(ops: Sequence[Op], final: Lists, there: Lists) -> Edges:
    """Who comes before whom, and why."""
    edges: Edges = {op.id: {} for op in ops}
    for op in ops:
        for later in ops:
            if op.end < later.start:
                edges[op.id][later.id] = "rt"
    for key, ids in there.items():
        for one, other in pairwise(ids):
            edges[one][other] = "ww"
        for reader, length in _lengths(ops, key, final):
            if length > 0 and ids[length - 1] != reader:
                edges[ids[length - 1]][reader] = "wr"
            if length < len(ids) and ids[length] != reader:
                edges[reader][ids[length]] = "rw"
    return edges


def find_cycle(edges: Edges) -> str:
    """A shortest cycle, as `a -ww-> b -rw-> a`; "" when there is none."""
    left = _in_cycles(edges)
    found = [path for start in sorted(left) if (path := _way_back(edges, start, left))]
    if not found:
        return ""
    path = min(found, key=len)
    return path[0] + "".join(f" -{edges[one][other]}-> {other}" for one, other in pairwise(path))


def _elements(writes: Mapping[str, Op], there: Lists) -> Iterable[str]:
    for key, ids in there.items():
        yield from (f"list {key} has {id_} {n} times" for id_, n in Counter(ids).items() if n > 1)
        for id_ in ids:
            if id_ not in writes or key not in writes[id_].keys:
                yield f"list {key} has {id_}, which nobody appended to it"
    for op in writes.values():
        has = [key for key in op.keys if op.id in there[key]]
        if op.outcome == "ok" and len(has) < len(op.keys):
            yield f"lost update: {op.id} was acknowledged, and of {op.keys} only {has} have it"
        elif op.outcome == "fail" and has:
            yield f"{op.id} failed, and {has} have it"
        elif op.outcome == "info" and has and len(has) < len(op.keys):
            yield f"half a write: of {op.keys} only {has} have {op.id}"


def _fractured(read: Op, writes: Mapping[str, Op], final: Lists, there: Lists) -> Iterable[str]:
    """A read that saw one half of a write to two lists."""
    for key, seen in read.seen.items():
        for id_ in map(_id, seen):
            for other in writes[id_].keys if id_ in writes else ():
                if other in read.seen and id_ not in map(_id, read.seen[other]):
                    yield f"fractured read: {read.id} saw {id_} in list {key}, not in {other}"


def _lengths(ops: Iterable[Op], key: int, final: Lists) -> Iterable[tuple[str, int]]:
    """Who read a list, and how much of it."""
    lengths = {_id(e): int(e.split("/")[1]) for es in final.values() for e in es if "/" in e}
    for op in ops:
        if op.kind == "read" and key in op.seen:
            yield op.id, len(op.seen[key])
        elif op.kind == "cross" and key == OTHER[op.keys[0]]:
            yield op.id, lengths[op.id]


def _id(element: str) -> str:
    return element.split("/")[0]


def _in_cycles(edges: Edges) -> set[str]:
    """What is left when all that nothing points to has gone, again and again."""
    pointed = Counter(other for others in edges.values() for other in others)
    free = deque(node for node in edges if not pointed[node])
    left = set(edges)
    while free:
        node = free.popleft()
        left.discard(node)
        for other in edges[node]:
            pointed[other] -= 1
            if not pointed[other]:
                free.append(other)
    return left


def _way_back(edges: Edges, start: str, within: set[str]) -> list[str]:
    """A shortest path from a node to itself; empty when there is none."""
    before: dict[str, str] = {}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for other in edges[node]:
            if other == start:
                path = [start, node]
                while path[-1] != start:
                    path.append(before[path[-1]])
                return path[::-1] if len(path) > 2 else [start, start]
            if other in within and other not in before:
                before[other] = node
                queue.append(other)
    return []
