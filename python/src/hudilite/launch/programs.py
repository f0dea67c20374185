"""Spark's own programs, prepared to start with hudilite: spark-sql, the Thrift server, Beeline."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from hudilite.launch import inherited_settings, installation, java, settings
from hudilite.launch.checks import demand
from hudilite.launch.sessions import check_local

SERVER_CLASS = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"

# As environment variables these override the server's arguments.
_SERVERS_OWN = ("HIVE_SERVER2_THRIFT_BIND_HOST", "HIVE_SERVER2_THRIFT_PORT")


@dataclass(frozen=True)
class Program:
    """Program that is ready to start.

    Attributes:
        words: Path of the program, then its arguments.
        environment: Complete environment of the program.
    """

    words: tuple[str, ...]
    environment: Mapping[str, str] = field(repr=False)

    def take_over(self) -> NoReturn:
        """Runs the program in place of this process (``execve``); does not return.

        Raises:
            OSError: When the program cannot be executed.
        """
        sys.stdout.flush()
        sys.stderr.flush()
        # Python ignores SIGPIPE, and a shell cannot reset a signal that it inherits as ignored.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.execve(self.words[0], self.words, dict(self.environment))


def spark_sql(arguments: Sequence[str]) -> Program:
    """Prepares the shell spark-sql.

    Args:
        arguments: User's arguments for spark-sql and spark-submit. Their settings, jars and
            extensions are kept, and so are those of ``spark-defaults.conf``.

    Raises:
        SessionError: The errors of `checks.demand` and `settings.to_add`.
        SessionError: ``HUDILITE_SESSION_REMOTE`` for ``--remote``.
    """
    return _ready("spark-sql", [*arguments, *_flags(arguments)])


def thrift_server(arguments: Sequence[str], *, host: str, port: int) -> Program:
    """Prepares Spark's Thrift server.

    Args:
        arguments: User's arguments for spark-submit and the server, as for `spark_sql`.
        host: Address to bind.
        port: Port to bind, 1 to 65535.

    Raises:
        SessionError: The errors of `spark_sql`.
    """
    place = {"hive.server2.thrift.bind.host": host, "hive.server2.thrift.port": str(port)}
    words = ["--class", SERVER_CLASS, *arguments, *_flags(arguments), "spark-internal"]
    words += [word for key, value in place.items() for word in ("--hiveconf", f"{key}={value}")]
    program = _ready("spark-submit", words)
    kept = {k: v for k, v in program.environment.items() if k not in _SERVERS_OWN}
    return Program(program.words, kept)


def beeline(arguments: Sequence[str], *, url: str | None = None) -> Program:
    """Prepares Beeline, Spark's JDBC client.

    Args:
        arguments: User's arguments for Beeline.
        url: JDBC URL of the server; None when the arguments contain it.

    Raises:
        SessionError: ``HUDILITE_JAVA_MISSING``, ``HUDILITE_JAVA_VERSION_UNSUPPORTED``, as
            `java.check`.
        SessionError: ``HUDILITE_PACKAGE_MISSING``, ``HUDILITE_ENVIRONMENT_INVALID``, as
            `installation.script`.
    """
    java.check(os.environ)
    return _ready("beeline", [*(["-u", url] if url else []), *arguments])


def _flags(arguments: Sequence[str]) -> list[str]:
    demand()
    found = inherited_settings.of_program(arguments, os.environ, installation.spark_home())
    check_local(found)
    return settings.submit_flags(found, installation.jar())


def _ready(name: str, words: Sequence[str]) -> Program:
    path = installation.script(name)
    # Without SPARK_HOME the script uses the Spark of the python3 that is first on PATH.
    home = {"SPARK_HOME": str(installation.spark_home())}
    return Program((str(path), *words), os.environ | home)
