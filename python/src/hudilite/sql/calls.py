"""CALL statements, as builders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hudilite.conditions import argument_error
from hudilite.sql import names
from hudilite.sql.literals import literal


def bootstrap(
    table: str | Sequence[str],
    source: str,
    *,
    key: str | Sequence[str],
    partitioned_by: str | Sequence[str] = (),
    partitions: str | None = None,
    full_partitions: str | None = None,
    location: str | None = None,
    dry_run: bool | None = None,
    mode: str | None = None,
    buckets: int | None = None,
    parallelism: int | None = None,
    skip_corrupt: bool | None = None,
    catalog: str | None = None,
) -> str:
    """The statement that adopts existing Parquet files as a table.

    An argument that is None stays out, so that the procedure's default holds.

    Args:
        table: Name of the new table, ``"db.orders"`` or its parts.
        source: Folder of the files, or name of a Parquet table.
        key: Columns of the primary key.
        partitioned_by: Partition columns; those of the source where nothing is said.
        partitions: Filter over partitions: only these are adopted.
        full_partitions: Filter over partitions: these are rewritten in the same call.
        location: Folder of the new table.
        dry_run: Only list what would be done with each file.
        mode: ``"metadata"`` adopts files, ``"full"`` rewrites them.
        buckets: Buckets of a rewritten table.
        parallelism: Most tasks at a time.
        skip_corrupt: Leave out files that cannot be read.
        catalog: Catalog of the procedure, where it is not the current one.

    Raises:
        HudiliteError: HUDILITE_BUILDER_ARGUMENT_INVALID, naming the argument.

    Examples:
        >>> print(bootstrap("db.flights", "/data/flights", key=["day", "flight"], dry_run=True))
        CALL bootstrap(
          `table` => 'db.flights',
          source => '/data/flights',
          key => 'day, flight',
          dry_run => TRUE
        )
    """
    if mode not in (None, "metadata", "full"):
        raise argument_error("mode", f"it is 'metadata' or 'full', not {mode!r}")
    by = names.columns(partitioned_by, "partitioned_by") if partitioned_by else None
    given = {
        "table": names.qualified(table, "table"),
        "source": source,
        "key": names.columns(key, "key"),
        "partitioned_by": by,
        "partitions": partitions,
        "full_partitions": full_partitions,
        "location": location,
        "dry_run": dry_run,
        "mode": mode,
        "buckets": buckets,
        "parallelism": parallelism,
        "skip_corrupt": skip_corrupt,
    }
    return call(_procedure("bootstrap", catalog), given)


def of_table(procedure: str, parts: Sequence[str], given: Mapping[str, object]) -> str:
    """CALL of a procedure of a table's own catalog.

    Args:
        procedure: Its name.
        parts: The table's name; with three of them the first is the catalog.
        given: Arguments besides `table`, without those that are None.

    Raises:
        HudiliteError: HUDILITE_BUILDER_ARGUMENT_INVALID.
    """
    name = _procedure(procedure, names.catalog_of(parts))
    return call(name, {"table": names.qualified(parts, "name"), **given})


def call(name: str, given: Mapping[str, object]) -> str:
    """CALL with named arguments, without those that are None."""
    lines = [
        f"  {names.identifier(key, 'argument')} => {literal(one, key)}"
        for key, one in given.items()
        if one is not None
    ]
    return f"CALL {name}(\n" + ",\n".join(lines) + "\n)"


def _procedure(name: str, catalog: str | None) -> str:
    return name if catalog is None else names.qualified([catalog, "system", name], "catalog")
