"""The proxy that breaks requests: what the server gets of a broken one, and what the client."""

from __future__ import annotations

import time
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread, Timer

import pytest

from harness import fault_proxy
from harness.fault_proxy import AFTER, BEFORE, FaultProxy, Rule

pytestmark = pytest.mark.rotated(third=2, when=("tests/harness/fault_proxy.py",))
SAID = {"s500_before": 500, "s500_after": 500, "s503": 503, "s409": 409, "s404": 404}


class Server(ThreadingHTTPServer):
    """Keeps the bodies of PUTs by their path."""

    kept: dict[str, bytes]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_PUT(self) -> None:
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length)
        if len(body) < length:
            return
        self.server.kept[self.path] = body
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.write(b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n")

    def log_message(self, *words: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server(("127.0.0.1", 0), Handler)
    found.kept = {}
    thread = Thread(target=found.serve_forever, daemon=True)
    thread.start()
    yield found
    found.shutdown()
    found.server_close()


@pytest.fixture
def proxy(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultProxy]:
    monkeypatch.setattr(fault_proxy, "LATE", 0.2)
    monkeypatch.setattr(fault_proxy, "HANG", 0.5)
    monkeypatch.setattr(fault_proxy, "LOOKED", 1.0)
    with fault_proxy.fault_proxy(server.server_address[1], tmp_path) as found:
        yield found


def put(client: HTTPConnection, path: str) -> int:
    """The status of a PUT; 0 where there is no answer."""
    try:
        client.request("PUT", path, b"whole", {"If-None-Match": "*"})
        answer = client.getresponse()
        answer.read()
    except (OSError, HTTPException):
        client.close()
        return 0
    return answer.status


@pytest.mark.parametrize("fault", [*BEFORE, *AFTER])
def test_a_fault_strikes_the_request_that_its_rule_names(
    server: Server, proxy: FaultProxy, fault: str
) -> None:
    client = HTTPConnection("127.0.0.1", proxy.port, timeout=5)
    proxy.arm(Rule(fault, key="/b", first=2))
    said = [put(client, path) for path in ("/a", "/b1", "/b2", "/b3")]
    assert said == [200, 200, SAID.get(fault, 0), 200]
    assert proxy.struck() == [fault]
    wanted = 200 if fault in AFTER else 0

    def statuses() -> list[int]:
        return [seen.status for seen in proxy.seen if seen.path == "/b2"]

    time.sleep(0.3)
    until = time.monotonic() + 10  # a late request may be later on a busy machine
    while statuses() != [wanted] and time.monotonic() < until:
        time.sleep(0.01)
    assert ("/b2" in server.kept) == (fault in AFTER)
    assert statuses() == [wanted]
    assert all(seen.is_conditional for seen in proxy.seen)


def test_a_slow_request_has_its_answer(
    server: Server, proxy: FaultProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fault_proxy, "SLOW", 0.2)
    client = HTTPConnection("127.0.0.1", proxy.port, timeout=5)
    proxy.arm(Rule("slow"))
    began = time.monotonic()
    assert put(client, "/a") == 200
    assert time.monotonic() - began >= 0.2
    assert proxy.struck() == ["slow"]


def test_an_object_is_overwritten_unless_one_was_there_at_the_look(
    proxy: FaultProxy, tmp_path: Path
) -> None:
    client = HTTPConnection("127.0.0.1", proxy.port, timeout=5)
    proxy.arm(Rule("again", key="/again"), Rule("look", times=3))
    for name in ("again", "look"):
        (tmp_path / name).touch()
        assert put(client, f"/{name}") == 200
    assert [path.name for path in tmp_path.iterdir()] == ["look"]
    late = Timer(0.3, (tmp_path / "late").touch)
    late.start()
    assert put(client, "/late") == 200
    late.join()
    assert not (tmp_path / "late").exists()
    assert proxy.struck() == ["again", "look", "look"]


def test_answers_in_chunks_pass(proxy: FaultProxy) -> None:
    client = HTTPConnection("127.0.0.1", proxy.port, timeout=5)
    for _ in range(2):
        client.request("GET", "/x?list-type=2")
        assert client.getresponse().read() == b"abcde"
    assert [(seen.method, seen.path, seen.query) for seen in proxy.seen] == [
        ("GET", "/x", "list-type=2")
    ] * 2


def test_chance_strikes_where_no_rule_does(server: Server, proxy: FaultProxy) -> None:
    client = HTTPConnection("127.0.0.1", proxy.port, timeout=5)
    proxy.chance = lambda seen: "s503" if seen.path == "/a" else ""
    assert [put(client, path) for path in ("/a", "/b")] == [503, 200]
    assert set(server.kept) == {"/b"}
