"""Java that Spark would start: its path and version."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hudilite.conditions import session_error
from hudilite.errors import SessionError

SUPPORTED = (17, 21)

_VERSION = re.compile(r'version "((\d+)[^"]*)"')
_SECONDS = 30


@dataclass(frozen=True)
class Java:
    """Java program that reported its version.

    Attributes:
        path: Path of the program.
        version: Version as the program reports it, such as ``17.0.2``.
        major: First number of the version, such as 17.
    """

    path: str
    version: str
    major: int


def check(environment: Mapping[str, str]) -> Java:
    """Returns the Java that Spark uses: that of ``JAVA_HOME`` if set, else the one on ``PATH``.

    Args:
        environment: Environment of the process.

    Raises:
        SessionError: ``HUDILITE_JAVA_MISSING`` when there is no Java, or it does not report a
            version within 30 seconds.
        SessionError: ``HUDILITE_JAVA_VERSION_UNSUPPORTED`` when it is not Java 17 or 21.
    """
    java = _asked(_program(environment), environment)
    if java.major not in SUPPORTED:
        raise session_error(
            "HUDILITE_JAVA_VERSION_UNSUPPORTED",
            path=java.path,
            found=java.version,
            supported=" or ".join(map(str, SUPPORTED)),
        )
    return java


def _program(environment: Mapping[str, str]) -> str:
    home = environment.get("JAVA_HOME")
    if home:
        program = str(Path(home, "bin", "java"))
        if shutil.which(program) is None:
            raise _missing(f"JAVA_HOME is {home}, but {program} is not a program")
        return program
    found = shutil.which("java", path=environment.get("PATH", ""))
    if found is None:
        raise _missing("JAVA_HOME is not set, and no java is on PATH")
    return found


def _asked(program: str, environment: Mapping[str, str]) -> Java:
    try:
        done = subprocess.run(
            [program, "-version"],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _missing(f"{program} does not run ({error})") from error
    said = _VERSION.search(done.stdout.decode("utf-8", "replace"))
    if said is None:
        raise _missing(f"{program} -version printed no version")
    return Java(program, said[1], int(said[2]))


def _missing(reason: str) -> SessionError:
    return session_error("HUDILITE_JAVA_MISSING", reason=reason)
