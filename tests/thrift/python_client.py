"""PyHive or SQLAlchemy as a program uses it: `python_client.py pyhive|sqlalchemy PORT [http]`.

Standard input has one request a line, as JSON, and standard output its answer (`programs.py`). It
runs by the Python of the clients' environment.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

from pyhive import hive
from pyhive.exc import OperationalError
from sqlalchemy import create_engine, event
from thrift.transport.TTransport import TTransportException

kind, port = sys.argv[1], int(sys.argv[2])
# TOperationState of HiveServer2: initialized, running, pending.
GOING_ON = (0, 1, 7)
CANCELED = 3


def by_pyhive() -> Callable[[], Any]:
    """A way to PyHive's connections."""
    scheme = {"scheme": "http"} if sys.argv[3:] == ["http"] else {}
    return lambda: hive.connect("127.0.0.1", port=port, **scheme)


def by_sqlalchemy() -> Callable[[], Any]:
    """A way to the connections of an engine, which takes a lost one out of its pool."""
    engine = create_engine(f"hive://127.0.0.1:{port}/default", pool_size=1)

    @event.listens_for(engine, "handle_error")
    def lost(context: Any) -> None:
        context.is_disconnect = isinstance(
            context.original_exception, TTransportException | OSError
        )

    return lambda: engine.connect()


class Program:
    """A connection, and the statement that runs on it."""

    def __init__(self, connect: Callable[[], Any]) -> None:
        self._connect = connect
        self._connection = connect()
        self._cursor: Any = None

    def run(self, sql: str) -> dict[str, Any]:
        """The answer of a statement."""
        if kind == "sqlalchemy":
            done = self._connection.exec_driver_sql(sql)
            return rows(done.cursor.description if done.returns_rows else None, done.fetchall)
        cursor = self._connection.cursor()
        cursor.execute(sql)
        return rows(cursor.description, cursor.fetchall)

    def start(self, sql: str) -> dict[str, Any]:
        """Sends a statement and does not wait for it."""
        raw = self._connection
        raw = raw.connection if kind == "sqlalchemy" else raw
        self._cursor = raw.cursor()
        self._cursor.execute(sql, async_=True)
        return {}

    def cancel(self, _: str) -> dict[str, Any]:
        """Cancels the statement that runs."""
        self._cursor.cancel()
        return {}

    def finish(self, _: str) -> dict[str, Any]:
        """The answer of the statement that was sent."""
        while (state := self._cursor.poll()).operationState in GOING_ON:
            time.sleep(0.05)
        if state.operationState == CANCELED:
            return {"error": "cancelled", "state": ""}
        if state.errorMessage:
            return {"error": state.errorMessage, "state": state.sqlState}
        return rows(self._cursor.description, self._cursor.fetchall)

    def reconnect(self, _: str) -> dict[str, Any]:
        """Takes another connection."""
        if kind == "sqlalchemy":
            self._connection.close()
        self._connection = self._connect()
        return {}


def rows(description: Any, fetch: Callable[[], Any]) -> dict[str, Any]:
    """Types and rows of a result."""
    if description is None:
        return {"types": [], "rows": []}
    found = [[plain(cell) for cell in row] for row in fetch()]
    return {"types": [column[1].removesuffix("_TYPE") for column in description], "rows": found}


def plain(cell: Any) -> Any:
    """A value that JSON can hold."""
    kept = cell is None or isinstance(cell, bool | int | str)
    return cell if kept else cell.hex() if isinstance(cell, bytes) else str(cell)


def failed(error: Exception) -> dict[str, Any]:
    """The server's message of a statement that failed, or what the client says."""
    of_pyhive = getattr(error, "orig", error)
    if isinstance(of_pyhive, OperationalError):
        status = of_pyhive.args[0].status
        return {"error": status.errorMessage, "state": status.sqlState}
    return {"error": f"{type(of_pyhive).__name__}: {of_pyhive}", "state": ""}


def main() -> None:
    """Answers the requests in their order."""
    program = Program(by_sqlalchemy() if kind == "sqlalchemy" else by_pyhive())
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            answer = getattr(program, asked["do"])(asked["sql"])
        except Exception as error:
            answer = failed(error)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
