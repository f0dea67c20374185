"""What a change touches, against the remote's main branch, and which suites it can turn red.

Errs on the safe side: where it is not known what has changed, and where nothing has, as in a fresh
clone, every suite runs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from files import git

BASE = "origin/main"
# Suites that read the pages of docs and README, or run what stands in them.
OF_DOCS = frozenset({"lint", "docs", "selftest", "python"})
# Suites that run nothing of the Python package.
NOT_OF_PYTHON = frozenset({"unit", "oracle", "model"})
# Files below python/ that the build of the jars reads.
OF_THE_BUILD = (
    *("python/pyproject.toml", "python/one_jar.py", "python/constraints.txt"),
    "python/src/hudilite/version.py",
)


def changed() -> frozenset[str] | None:
    """Paths from the root that differ from the common ancestor with the remote's main branch.

    Changes that are not committed and files that git does not know yet count.

    Returns:
        None where there is no such branch, or no common ancestor.
    """
    base = git("merge-base", "HEAD", BASE)
    if base is None:
        return None
    differing = git("diff", "--name-only", "--no-renames", base)
    unknown = git("ls-files", "--others", "--exclude-standard")
    if differing is None or unknown is None:
        return None
    return frozenset(differing.splitlines() + unknown.splitlines())


def left_out(paths: Collection[str] | None, suites: Iterable[str]) -> dict[str, str]:
    """The suites that a change cannot turn red, each with the reason; none where that is not known."""
    if not paths:
        return {}
    if all(map(_is_prose, paths)):
        return {
            name: "only docs and Markdown files changed" for name in suites if name not in OF_DOCS
        }
    if all(_is_prose(path) or _is_python(path) for path in paths):
        reason = "only files of the Python package changed"
        return {name: reason for name in suites if name in NOT_OF_PYTHON}
    return {}


def _is_prose(path: str) -> bool:
    return path.startswith("docs/") or path.endswith(".md")


def _is_python(path: str) -> bool:
    return path.startswith("python/") and path not in OF_THE_BUILD
