"""Whether files really have the small geometry that a run asked for."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq

from harness import layout, names
from harness.pages import rows_per_page

PAGE_ROWS = 3
ROW_GROUP_ROWS = 10
VERSIONS = 3
ADOPTED = "00000000000001"  # instant of skeletons, which are cut as their sources


def assert_small(folders: list[Path], row_groups: int = 3) -> None:
    """Fails unless base files have tiny pages and row groups, and some file group old versions.

    Args:
        row_groups: How many some file must have at least.
    """
    bases = {
        path.parent.parent
        for f in folders
        for path in f.rglob(Path(names.current().properties).name)
    }
    slices = [
        found
        for base in bases
        for done in [layout.completed(base)]
        for found in layout.base_files(base)
        if found.instant in done and found.instant != ADOPTED
    ]
    most_groups = most_rows = 0
    for found in slices:
        metadata = pq.ParquetFile(found.path).metadata
        sizes = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
        most_groups = max(most_groups, len(sizes))
        assert all(size <= ROW_GROUP_ROWS for size in sizes), f"{found.path.name}: {sizes}"
        pages = rows_per_page(found.path, but="_hoodie_file_name")  # of one value, so of one page
        assert all(page <= PAGE_ROWS for page in pages), f"{found.path.name}: {max(pages)} rows"
        most_rows = max(most_rows, metadata.num_rows)
    groups = Counter((found.path.parent, found.file_id) for found in slices)
    groups.update(  # a log file makes another version of its file group
        (log.parent, log.name[1:].split("_")[0])
        for base in bases
        for log in base.rglob(".*.log.*")
        if log.suffix != ".crc"
    )
    assert most_groups >= row_groups, f"at most {most_groups} row groups a file"
    assert most_rows > PAGE_ROWS, "no file has more rows than a page"
    assert max(groups.values()) >= VERSIONS, "no file group has old versions"
