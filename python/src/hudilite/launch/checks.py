"""Checks of the environment: finds what prevents a session from starting, and says what to do."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from hudilite.errors import HudiliteError
from hudilite.launch import inherited_settings, installation, java, settings, versions
from hudilite.launch.installation import environment_error
from hudilite.launch.ports import HOST, check_answers
from hudilite.launch.sessions import check_local, check_running

_SHELL = "pyspark-shell"


@dataclass(frozen=True)
class Check:
    """Result of one check.

    Attributes:
        name: Subject of the check: ``java``, ``pyspark``, ``spark``, ``jar``, ``environment``,
            ``session`` or ``thrift``.
        text: What was found; for a failed check, what is wrong and what to do.
        error: Error of a failed check; None when the check passed.
    """

    name: str
    text: str
    error: HudiliteError | None = None

    @property
    def ok(self) -> bool:
        """Whether the check passed."""
        return self.error is None


@dataclass(frozen=True, repr=False)
class Report:
    """Results of `doctor`. Its text has one line per check.

    Attributes:
        checks: Results, in the order in which a session needs what they check.
    """

    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Whether all checks passed."""
        return all(check.ok for check in self.checks)

    @property
    def errors(self) -> tuple[HudiliteError, ...]:
        """Errors of the failed checks, each once. Fix the first one first."""
        return tuple({c.error.message: c.error for c in self.checks if c.error}.values())

    def __repr__(self) -> str:
        states = [("ok" if check.ok else "wrong", check) for check in self.checks]
        return "\n".join(f"{state:5}  {c.name:11}  {c.text}" for state, c in states)


def doctor(*, port: int | None = None) -> Report:
    """Checks whether hudilite can run in this environment.

    It starts no session. The only program that it runs is ``java -version``.

    Args:
        port: Port of a Thrift server on this machine that must answer, 1 to 65535. None checks no
            server.

    Returns:
        Report with a line each for Java, the jar, pyspark, Spark, the environment and the session
        of this process, and one for the Thrift server if `port` is given.

    Examples:
        >>> report = doctor()  # doctest: +SKIP
        >>> report.ok  # doctest: +SKIP
        True
    """
    checks = [
        _checked("java", _java),
        _checked("jar", _jar),
        _checked("pyspark", _pyspark),
        _checked("spark", _spark),
        *_environment(),
        _checked("session", _session),
    ]
    if port is not None:
        checks.append(_checked("thrift", lambda: _thrift(port)))
    return Report(tuple(_once(checks)))


def demand() -> None:
    """Checks Java, the jar, pyspark and Spark, and raises the first error.

    Raises:
        SessionError: Error of the line ``java``, ``jar``, ``pyspark`` or ``spark`` of `doctor`.
    """
    for look in (_java, _jar, _pyspark, _spark):
        look()


def _checked(name: str, action: Callable[[], str]) -> Check:
    try:
        return Check(name, action())
    except HudiliteError as error:
        return Check(name, error.message, error)


def _once(checks: Iterable[Check]) -> Iterator[Check]:
    """Yields the checks. An error that several checks meet is shown by the first one only.

    The others refer to that check by name.
    """
    seen: dict[str, str] = {}
    for check in checks:
        first = check.name if check.ok else seen.setdefault(check.text, check.name)
        waits = Check(check.name, f"same error as {first} above", check.error)
        yield check if first == check.name else waits


def _java() -> str:
    found = java.check(os.environ)
    return f"{found.version} at {found.path}"


def _jar() -> str:
    return f"for Spark {' and '.join(versions.supported_sparks())}"


def _pyspark() -> str:
    found = installation.pyspark_version()
    versions.jar_for(found)
    return found


def _spark() -> str:
    installation.pyspark_version()
    home = installation.spark_home()
    found = versions.versions_at(home)
    if found is None and os.environ.get("SPARK_HOME"):
        raise environment_error(
            "SPARK_HOME", "it does not contain Spark", installation.UNSET_SPARK_HOME
        )
    check_local({})
    installation.jar()
    version, scala = found or ("unknown version", "unknown")
    return f"{version} for Scala {scala} in {home}"


def _environment() -> Iterator[Check]:
    """Checks the environment variables that a session inherits.

    Yields one line if all is well, otherwise one line per error.
    """
    checks = [
        _checked("environment", _submit_arguments),
        _checked("environment", _catalogs),
    ]
    wrong = {check.text: check for check in checks if not check.ok}
    yield from wrong.values() or [Check("environment", "no variable prevents the start")]


def _submit_arguments() -> str:
    words = inherited_settings.submit_words(os.environ)
    if words and words[-1] != _SHELL:
        fix = f"Add {_SHELL} at its end, or unset {settings.SUBMIT}."
        raise environment_error(settings.SUBMIT, f"it does not end with {_SHELL}", fix)
    return "complete"


def _catalogs() -> str:
    """Checks that the inherited settings leave a free name for hudilite's catalog."""
    installation.pyspark_version()
    _submit_arguments()
    inherited = inherited_settings.of_session(os.environ, installation.spark_home())
    settings.to_add(inherited, versions.JAR_FOLDER / "any.jar")
    return "free"


def _session() -> str:
    installation.pyspark_version()
    return check_running() or "no session is running in this process"


def _thrift(port: int) -> str:
    check_answers(HOST, port)
    return f"{HOST}:{port} answers"
