"""Every SQL and Python block of the README and the docs runs, but for a few that say why they do not."""

from __future__ import annotations

from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from harness.fences import Fence, Reader, fences
from harness.rotation import third_of

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCKS = {
    str(page.relative_to(ROOT)): fences(
        str(page.relative_to(ROOT)), page.read_text(encoding="utf-8")
    )
    for page in PAGES
}
OPTED_OUT = 10
# Where a newcomer begins: the session of the first starts the JVM, as theirs does.
FIRST = ("docs/quickstart.md", "README.md")


def rotated() -> list[str | ParameterSet]:
    """The first pages, and the others, which run at a rotation each and when they change."""
    others = sorted(name for name, found in BLOCKS.items() if found and name not in FIRST)
    marks = {name: pytest.mark.rotated(third=third_of(name), when=(name,)) for name in others}
    return [*FIRST, *(pytest.param(name, marks=mark) for name, mark in marks.items())]


@pytest.mark.parametrize("page", rotated())
def test_blocks_run(page: str, reader: Reader, tmp_path: Path) -> None:
    faults = reader.run(BLOCKS[page], tmp_path)
    assert not faults, "\n".join(f"{place}: {fault}" for place, fault in faults.items())


def test_few_blocks_are_not_run(capsys: pytest.CaptureFixture[str]) -> None:
    every = [fence for found in BLOCKS.values() for fence in found]
    out = [fence for fence in every if fence.not_run]
    with capsys.disabled():
        print(f"\n{len(every)} blocks, {len(every) - len(out)} run, {len(out)} not run:")
        print("\n".join(f"  {fence}: {fence.not_run}" for fence in out))
    assert len(out) <= OPTED_OUT < len(every)


PAGE = """# A page

```sql
CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1;
INSERT INTO t VALUES (1)
```

<!-- given
INSERT INTO t VALUES (2);
-->
```python
assert spark.table("t").count() == 2
```

```sql
SELECT * FROM nowhere
```

<!-- not run: it never ends -->

```python
raise SystemExit
```

```text
no block
```

- in a list

  ```python
  import nothing.of.the.kind
  ```
"""


def test_blocks_of_a_page_are_found() -> None:
    found = fences("p.md", PAGE)
    assert [(f.line, f.language, bool(f.given), f.not_run) for f in found] == [
        (4, "sql", False, ""),
        (12, "python", True, ""),
        (16, "sql", False, ""),
        (22, "python", False, "it never ends"),
        (32, "python", False, ""),
    ]
    assert found[-1] == Fence("p.md", 32, "python", "import nothing.of.the.kind\n")


def test_broken_blocks_are_reported(reader: Reader, tmp_path: Path) -> None:
    assert set(reader.run(fences("p.md", PAGE), tmp_path)) == {"p.md:16", "p.md:32"}


def test_a_page_may_end_the_process(tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    with pytest.raises(AssertionError):
        reader.run([Fence("p.md", 1, "python", "import os\nos._exit(1)\n")], tmp_path)
    assert reader.run([Fence("q.md", 1, "python", "assert True\n")], tmp_path) == {}
    reader.close()
