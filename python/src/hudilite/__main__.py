"""Entry point of the command ``hudilite`` and of ``python -m hudilite``."""

from __future__ import annotations

import sys


def main() -> int:
    """Runs the command of the process's arguments and returns its exit code.

    Ctrl-C ends it without a traceback also while its modules are imported.
    """
    try:
        from hudilite import cli

        return cli.main()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
