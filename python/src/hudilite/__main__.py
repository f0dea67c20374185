"""Entry point of ``python -m hudilite``, which runs the command ``hudilite``."""

from __future__ import annotations

import sys

from hudilite.cli import main

if __name__ == "__main__":
    sys.exit(main())
