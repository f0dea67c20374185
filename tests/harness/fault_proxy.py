"""A proxy in front of an object store that counts requests and breaks some of them.

A fault is what a network or a store does to one request:

| fault | the store gets the request | the client gets |
|---|---|---|
| drop_before | no | a closed connection |
| drop_after | yes | a closed connection |
| s500_before, s503, s409, s404 | no | that answer |
| s500_after | yes | 500 |
| late | later, when the client has given up | a closed connection |
| half | half of its body | a closed connection |
| hang_before | no | nothing, for a long time |
| hang_after | yes | nothing, for a long time |
| slow | later | its answer |
| again | as if there were no object yet | its answer, as of a store that ignores conditions |
| look | as if there were none, unless one was there a moment ago | its answer, as of a store that only looks |
"""

from __future__ import annotations

import asyncio
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

LATE = 2.0  # seconds after which a late request goes on
SLOW = 1.0  # seconds that a slow request takes
HANG = 120.0  # seconds without an answer
LOOKED = 0.5  # seconds between a look and the request
STATUS = {
    "s500_before": (500, "InternalError"),
    "s500_after": (500, "InternalError"),
    "s503": (503, "SlowDown"),
    "s409": (409, "ConditionalRequestConflict"),
    "s404": (404, "NoSuchKey"),
}
BEFORE = ("drop_before", "s500_before", "s503", "s409", "s404", "half", "hang_before")
AFTER = ("drop_after", "s500_after", "late", "hang_after")
FAULTS = BEFORE + AFTER
BODILESS = (204, 304)


@dataclass(frozen=True)
class Rule:
    """Which requests a fault strikes.

    Attributes:
        fault: One of FAULTS, or slow, again or look.
        method: Of the request; "" for any.
        key: Searched in the path, without the query.
        first: Number of the first matching request that it strikes, from 1.
        times: How many it strikes from there on.
    """

    fault: str
    method: str = "PUT"
    key: str = ""
    first: int = 1
    times: int = 1


@dataclass
class Seen:
    """A request as the proxy saw it.

    Attributes:
        fault: That struck it; "" for none.
        status: The store's answer; 0 while there is none, or never.
        began: When its head had been read, by the monotonic clock.
        ended: When the store had answered; 0 for never.
    """

    method: str
    path: str
    query: str
    is_conditional: bool
    fault: str
    began: float
    status: int = 0
    ended: float = 0.0


@dataclass
class FaultProxy:
    """Rules of the proxy, and the requests that it has seen; a test changes the rules while it runs.

    Attributes:
        place: Folder of the store's buckets, where it keeps each object as a file. What it knows of
            the objects lies in the folder `facts` beside it.
        chance: Gives the fault of a request that no rule strikes, "" for none.
    """

    target: int
    place: Path
    port: int = 0
    rules: list[Rule] = field(default_factory=list)
    chance: Callable[[Seen], str] = field(default=lambda seen: "")
    seen: list[Seen] = field(default_factory=list)
    _matched: dict[int, int] = field(default_factory=dict)
    _late: set[asyncio.Task[None]] = field(default_factory=set)
    _in_turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    def arm(self, *rules: Rule) -> None:
        """Replaces the rules and forgets what was seen."""
        self._matched.clear()
        self.seen.clear()
        self.rules[:] = rules

    def struck(self) -> list[str]:
        """The faults that struck, in order."""
        return [seen.fault for seen in self.seen if seen.fault]

    def _fault(self, seen: Seen) -> str:
        found = ""
        for number, rule in enumerate(self.rules):
            if rule.method in ("", seen.method) and re.search(rule.key, seen.path):
                count = self._matched[number] = self._matched.get(number, 0) + 1
                if not found and rule.first <= count < rule.first + rule.times:
                    found = rule.fault
        return found or self.chance(seen)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answers the requests of one client's connection."""
        # One of three ends first: the client, the store, or, while an answer hangs, the proxy.
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while await self._exchange(reader, writer):
                pass
        writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Handles one request; False ends the connection."""
        head = await _head(reader)
        if not head:
            return False
        method, target, _ = head[0].split(" ", 2)
        place = urlsplit(target)
        seen = Seen(
            method,
            unquote(place.path),
            place.query,
            _value(head, "if-none-match") == "*",
            "",
            time.monotonic(),
        )
        seen.fault = self._fault(seen)
        self.seen.append(seen)
        if _value(head, "expect"):
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = await reader.readexactly(int(_value(head, "content-length") or 0))
        answer = await self._answer(seen, head, body)
        if answer:
            writer.write(answer)
            await writer.drain()
        return bool(answer)

    async def _answer(self, seen: Seen, head: Sequence[str], body: bytes) -> bytes:
        """The bytes that the client gets; none closes the connection."""
        fault = seen.fault
        if fault == "late":
            task = asyncio.create_task(self._send_late(seen, head, body))
            self._late.add(task)
            task.add_done_callback(self._late.discard)
        elif fault == "half":
            await self._send(seen, head, body, len(body) // 2)
        elif fault not in BEFORE:
            await asyncio.sleep(SLOW if fault == "slow" else 0)
            if fault in ("again", "look"):
                return await self._overwrite(seen, head, body)
            answer = await self._send(seen, head, body)
            if fault in ("", "slow"):
                return answer
        if fault.startswith("hang"):
            await asyncio.sleep(HANG)
        return _error(*STATUS[fault], seen) if fault in STATUS else b""

    async def _overwrite(self, seen: Seen, head: Sequence[str], body: bytes) -> bytes:
        """Sends a request after it has removed the object that would refuse it."""
        key = seen.path.lstrip("/")
        file = self.place / key
        is_free = seen.fault == "again" or not file.exists()
        if seen.fault == "look":
            await asyncio.sleep(LOOKED)
        async with self._in_turn:
            if is_free:
                file.unlink(missing_ok=True)
                shutil.rmtree(self.place.parent / "facts" / key, ignore_errors=True)
            return await self._send(seen, head, body)

    async def _send_late(self, seen: Seen, head: Sequence[str], body: bytes) -> None:
        await asyncio.sleep(LATE)
        await self._send(seen, head, body)

    async def _send(
        self, seen: Seen, head: Sequence[str], body: bytes, length: int | None = None
    ) -> bytes:
        """Sends a request to the store and reads its answer; of a part of a body there is none."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.target, limit=1 << 20)
        try:
            lines = [line for line in head if line.split(":")[0].lower() not in ("expect",)]
            writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
            writer.write(body[:length])
            await writer.drain()
            if length is not None:
                return b""
            answer, seen.status = await _response(reader, seen.method)
            seen.ended = time.monotonic()
            return answer
        finally:
            writer.close()


@contextmanager
def fault_proxy(target: int, place: Path) -> Iterator[FaultProxy]:
    """Runs a proxy in front of a port of 127.0.0.1, and of a store's folder of buckets."""
    proxy = FaultProxy(target, place)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    serving = asyncio.start_server(proxy.serve, "127.0.0.1", 0, limit=1 << 20)
    server = asyncio.run_coroutine_threadsafe(serving, loop).result(10)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        asyncio.run_coroutine_threadsafe(_stop(server), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)


async def _stop(server: asyncio.Server) -> None:
    server.close()
    mine = asyncio.current_task()
    for task in asyncio.all_tasks():
        if task is not mine:
            task.cancel()


async def _head(reader: asyncio.StreamReader) -> list[str]:
    """The request or status line and the headers; nothing where the connection ends."""
    try:
        text = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return []
    return text.decode("latin-1").split("\r\n")[:-2]


def _value(head: Sequence[str], name: str) -> str:
    for line in head[1:]:
        key, _, value = line.partition(":")
        if key.strip().lower() == name:
            return value.strip()
    return ""


async def _response(reader: asyncio.StreamReader, method: str) -> tuple[bytes, int]:
    """An answer with its length in its head, and its status."""
    head = await _head(reader)
    if not head:
        raise ConnectionResetError("the store closed the connection")
    status = int(head[0].split(" ")[1])
    if status == 100:
        return await _response(reader, method)
    body = b""
    if method != "HEAD" and status not in BODILESS:
        body = await _body(reader, head)
    kept = [head[0]]
    for line in head[1:]:
        name = line.split(":")[0].lower()
        if name not in ("transfer-encoding", "connection") and (
            name != "content-length" or method == "HEAD"
        ):
            kept.append(line)
    if method != "HEAD" and status not in BODILESS:
        kept.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*kept, "", ""]).encode("latin-1") + body, status


async def _body(reader: asyncio.StreamReader, head: Sequence[str]) -> bytes:
    length = _value(head, "content-length")
    if length:
        return await reader.readexactly(int(length))
    if _value(head, "transfer-encoding").lower() != "chunked":
        return await reader.read()
    parts = []
    while size := int((await reader.readline()).split(b";")[0], 16):
        parts.append(await reader.readexactly(size))
        await reader.readexactly(2)
    await reader.readuntil(b"\r\n")
    return b"".join(parts)


def _error(status: int, code: str, seen: Seen) -> bytes:
    body = (
        '<?xml version="1.0" encoding="UTF-8"?>'
        f"<Error><Code>{code}</Code><Message>made by the test</Message>"
        "<RequestId>test</RequestId></Error>"
    ).encode()
    sent = b"" if seen.method == "HEAD" else body
    head = [
        f"HTTP/1.1 {status} {code}",
        "Content-Type: application/xml",
        f"Content-Length: {len(body) if seen.method != 'HEAD' else 0}",
        "x-amz-request-id: test",
    ]
    return "\r\n".join([*head, "", ""]).encode() + sent
