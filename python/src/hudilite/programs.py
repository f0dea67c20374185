"""Spark's own programs, started with hudilite: spark-sql, the Thrift server, Beeline."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from hudilite import given, installation, java, launch
from hudilite.doctor import demand
from hudilite.session import check_local

SERVER_CLASS = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"

# In the environment they go before what the server's arguments say.
_SERVERS_OWN = ("HIVE_SERVER2_THRIFT_BIND_HOST", "HIVE_SERVER2_THRIFT_PORT")


@dataclass(frozen=True)
class Program:
    """A program that can be started.

    Attributes:
        words: Its path and its arguments.
        environment: All variables that it gets.
    """

    words: tuple[str, ...]
    environment: Mapping[str, str] = field(repr=False)

    def take_over(self) -> NoReturn:
        """Run it in the place of this process, which ends here.

        Raises:
            OSError: If it may not be run.
        """
        sys.stdout.flush()
        sys.stderr.flush()
        # What Python ignores, a shell would ignore for good.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.execve(self.words[0], self.words, dict(self.environment))


def spark_sql(arguments: Sequence[str]) -> Program:
    """The shell spark-sql.

    Args:
        arguments: Of spark-sql and spark-submit, from the user. Settings, jars and extensions
            among them stay, and those of ``spark-defaults.conf`` too.

    Raises:
        SessionError: As `hudilite.doctor.demand` and `launch.settings`;
            ``HUDILITE_SESSION_REMOTE`` for ``--remote``.
    """
    return _ready("spark-sql", [*arguments, *_flags(arguments)])


def thrift_server(arguments: Sequence[str], *, host: str, port: int) -> Program:
    """Spark's Thrift server.

    Args:
        arguments: Of spark-submit and the server, as of `spark_sql`.
        host: Address to bind.
        port: Port to bind, 1 to 65535.

    Raises:
        SessionError: As `spark_sql`.
    """
    place = {"hive.server2.thrift.bind.host": host, "hive.server2.thrift.port": str(port)}
    words = ["--class", SERVER_CLASS, *arguments, *_flags(arguments), "spark-internal"]
    words += [word for key, value in place.items() for word in ("--hiveconf", f"{key}={value}")]
    program = _ready("spark-submit", words)
    kept = {k: v for k, v in program.environment.items() if k not in _SERVERS_OWN}
    return Program(program.words, kept)


def beeline(arguments: Sequence[str], *, url: str | None = None) -> Program:
    """Spark's JDBC client.

    Args:
        arguments: Of Beeline, from the user.
        url: Of the server; None where the arguments name it.

    Raises:
        SessionError: ``HUDILITE_JAVA_MISSING``, ``HUDILITE_JAVA_VERSION_UNSUPPORTED``,
            ``HUDILITE_PACKAGE_MISSING`` or ``HUDILITE_ENVIRONMENT_INVALID``.
    """
    java.check(os.environ)
    return _ready("beeline", [*(["-u", url] if url else []), *arguments])


def _flags(arguments: Sequence[str]) -> list[str]:
    demand()
    settings = given.of_program(arguments, os.environ, installation.spark_home())
    check_local(settings)
    return launch.submit_flags(settings, installation.jar())


def _ready(name: str, words: Sequence[str]) -> Program:
    path = installation.script(name)
    # The script would ask whichever python3 is on PATH for its Spark.
    home = {"SPARK_HOME": str(installation.spark_home())}
    return Program((str(path), *words), os.environ | home)
