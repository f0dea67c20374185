"""A PySpark user at a prompt: pyspark_client.py <key=value> ...; statements come on input."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import hudilite


def main(settings: list[str]) -> None:
    conf = dict(setting.split("=", 1) for setting in settings)
    spark = hudilite.session("hudilite client", conf=conf)
    for statement in statements():
        try:
            for row in spark.sql(statement).collect():
                print("\t".join(str(cell) for cell in row), flush=True)
        except Exception as error:  # noqa: BLE001 - shown as a prompt would show it
            print(str(error).splitlines()[0], flush=True)
    spark.stop()


def statements() -> Iterator[str]:
    """What ends with a semicolon."""
    text = ""
    for line in sys.stdin:
        text += line
        if line.rstrip().endswith(";"):
            yield text.rstrip().removesuffix(";")
            text = ""


if __name__ == "__main__":
    main(sys.argv[1:])
