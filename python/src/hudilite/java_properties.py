"""Parser of Java properties files, by the rules of ``java.util.Properties``."""

from __future__ import annotations

import re

_CONTINUED = re.compile(r"(?:^|[^\\])(?:\\\\)*\\$")
_PAIR = re.compile(r"((?:\\.|[^\\:= \t\f])*)[ \t\f]*[:=]?[ \t\f]*(.*)", re.DOTALL)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|u|.)", re.DOTALL)
_LETTERS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def parse(data: bytes) -> dict[str, str]:
    r"""Parses keys and values and resolves escapes. The last value of a repeated key counts.

    Args:
        data: Content of the file in Latin-1, the encoding in which Java reads it.

    Raises:
        ValueError: When ``\u`` is not followed by four hexadecimal digits.

    Examples:
        >>> parse(rb"# a comment" + b"\n" + rb"schema = {\:\u00e9}" + b"\nempty=\n")
        {'schema': '{:é}', 'empty': ''}
    """
    return parse_text(data.decode("latin-1"))


def parse_text(text: str) -> dict[str, str]:
    r"""Parses the text of a file that is read in another encoding than Latin-1, as `parse` does.

    Args:
        text: Content of the file.

    Raises:
        ValueError: When ``\u`` is not followed by four hexadecimal digits.
    """
    pairs = [_PAIR.fullmatch(line) for line in _lines(text)]
    return {_plain(pair[1]): _plain(pair[2]) for pair in pairs if pair}


def _lines(text: str) -> list[str]:
    """Returns the logical lines without comments. A backslash at the end continues a line."""
    found: list[str] = []
    begun: str | None = None
    for line in re.split(r"\r\n|\r|\n", text):
        rest = line.lstrip(" \t\f")
        if begun is None and (not rest or rest[0] in "#!"):
            continue
        whole = (begun or "") + rest
        begun = whole[:-1] if _CONTINUED.search(rest) else None
        if begun is None:
            found.append(whole)
    return found if not begun else [*found, begun]


def _plain(text: str) -> str:
    undone = _ESCAPE.sub(_character, text)
    # Java writes a character above 16 bits as two escapes (surrogates); they become one character.
    return undone.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _character(escape: re.Match[str]) -> str:
    word = escape[1]
    if word == "u":
        raise ValueError("malformed \\uxxxx encoding")
    if word[0] == "u" and len(word) > 1:
        return chr(int(word[1:], 16))
    return _LETTERS.get(word, word)
