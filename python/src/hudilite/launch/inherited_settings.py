"""Settings that Spark reads by itself: from the defaults file and from spark-submit arguments."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from hudilite import java_properties
from hudilite.conditions import error_of, session_error
from hudilite.launch.settings import OPTION_OF_FLAG, SUBMIT

_DEFAULTS = "spark-defaults.conf"
_OWN_FILE, _DEFAULTS_TOO = "--properties-file", "--load-spark-defaults"
_TRIMMED = "".join(map(chr, range(ord(" ") + 1))).replace("\n", "").replace("\r", "")


def of_session(environment: Mapping[str, str], spark_home: Path) -> dict[str, str]:
    """Returns the settings from Spark's defaults file and from its submit arguments.

    A setting of the session builder replaces such a value. A setting that is a list must be read
    first, so that entries can be added to it.

    Args:
        environment: Environment of the process; ``SPARK_CONF_DIR`` and ``PYSPARK_SUBMIT_ARGS`` are
            read.
        spark_home: Folder of the Spark installation.

    Raises:
        SessionError: The error of `submit_words`.
        HudiliteError: The error of `of_program`.
    """
    return of_program(submit_words(environment), environment, spark_home)


def submit_words(environment: Mapping[str, str]) -> list[str]:
    """Returns the words in ``PYSPARK_SUBMIT_ARGS``.

    Args:
        environment: Environment of the process.

    Raises:
        SessionError: ``HUDILITE_ENVIRONMENT_INVALID`` when its quotes are not closed.
    """
    text = environment.get(SUBMIT, "")
    try:
        return shlex.split(text)
    except ValueError as error:
        raise session_error(
            "HUDILITE_ENVIRONMENT_INVALID",
            name=SUBMIT,
            value=text,
            reason="its quotes are not closed",
            fix=f"Close the quotes, or unset {SUBMIT}.",
        ) from error


def of_program(
    words: Sequence[str], environment: Mapping[str, str], spark_home: Path
) -> dict[str, str]:
    """Returns the settings that spark-submit, spark-sql and the like read at their start.

    Args:
        words: Arguments of the program. A ``--properties-file`` replaces the defaults file, unless
            ``--load-spark-defaults`` is given, too.
        environment: Environment of the process; ``SPARK_CONF_DIR`` is read.
        spark_home: Folder of the Spark installation.

    Raises:
        HudiliteError: ``HUDILITE_PATH_INVALID`` when such a file has a malformed escape.
    """
    split = [part for word in words for part in _halves(word)]
    folder = Path(environment.get("SPARK_CONF_DIR", spark_home / "conf"))
    own = [Path(value) for flag, value in pairwise(split) if flag == _OWN_FILE]
    files = own[-1:] if own and _DEFAULTS_TOO not in words else [folder / _DEFAULTS, *own[-1:]]
    found: dict[str, str] = {}
    for file in files:
        found |= _properties(file) if file.is_file() else {}
    return found | _submit_arguments(split)


def _properties(file: Path) -> dict[str, str]:
    """Reads a defaults file as Spark does: properties of Java in UTF-8, with values trimmed."""
    try:
        found = java_properties.parse_text(file.read_bytes().decode("utf-8", "replace"))
    except ValueError as error:
        raise error_of(
            "HUDILITE_PATH_INVALID",
            path=str(file),
            reason="it contains \\u without four hexadecimal digits",
            fix="Correct this line of the file. Spark cannot read it either.",
        ) from error
    return {key: found[key].strip(_TRIMMED) for key in found if key.startswith("spark.")}


def _submit_arguments(words: Sequence[str]) -> dict[str, str]:
    confs: dict[str, str] = {}
    flags: dict[str, str] = {}
    for flag, value in pairwise(words):
        if flag in ("--conf", "-c") and "=" in value:
            key, _, setting = value.partition("=")
            confs[key] = setting
        elif flag in OPTION_OF_FLAG:
            flags[OPTION_OF_FLAG[flag]] = value
    return confs | flags


def _halves(word: str) -> list[str]:
    flag, equals, value = word.partition("=")
    return [flag, value] if word.startswith("--") and equals else [word]
