"""What git says of the tree, its tracked (or soon to be) files, and Scala text without its comments."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_COMMENT_OR_STRING = re.compile(r'"""(?:.|\n)*?"""|"(?:\\.|[^"\\\n])*"|/\*(?:.|\n)*?\*/|//[^\n]*')


def git(*words: str) -> str | None:
    """What a git command prints, without the white space around it; None where it fails."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def tracked(*patterns: str) -> list[Path]:
    """Files that git has or would add, below ROOT, by git's path patterns."""
    command = ["git", "ls-files", "-co", "--exclude-standard", "-z", "--", *patterns]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    names = sorted(set(done.stdout.split("\0")) - {""})
    return [path for path in (ROOT / name for name in names) if path.is_file()]


def relative(path: Path) -> str:
    """The path as messages show it."""
    return path.relative_to(ROOT).as_posix()


def code_of(scala: str) -> str:
    """Scala text with comments and strings blanked; lines keep their numbers."""
    return _COMMENT_OR_STRING.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), scala)


def strings_of(scala: str) -> Iterator[tuple[int, str]]:
    """Position and content of each string of a Scala text; comments are passed over."""
    for found in _COMMENT_OR_STRING.finditer(scala):
        if found.group().startswith('"'):
            yield found.start(), found.group().strip('"')


def line_of(text: str, position: int) -> int:
    """Line number of a position."""
    return text.count("\n", 0, position) + 1
