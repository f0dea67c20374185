"""Builders of CALL statements."""

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
    table_type: str | None = None,
    ordering_field: str | Sequence[str] = (),
    bloom_filters: bool | None = None,
    catalog: str | None = None,
) -> str:
    """Returns the CALL that makes a table from existing Parquet files.

    An argument that is None is left out, so that the procedure's default applies.

    Args:
        table: Name of the new table, ``"db.orders"`` or its parts.
        source: Folder of the files, or name of a Parquet table.
        key: Columns of the primary key.
        partitioned_by: Partition columns; by default those of the source.
        partitions: Condition on the partition columns that selects the partitions to include.
        full_partitions: Condition over the partition columns: these partitions are rewritten in the
            same call.
        location: Folder of the new table.
        dry_run: Whether to only list what would be done with each file.
        mode: ``"metadata"`` adopts the files, ``"full"`` rewrites them.
        buckets: Number of buckets in each partition, for mode ``"full"``.
        parallelism: Maximum number of tasks at a time.
        skip_corrupt: Whether to leave out files that cannot be read.
        table_type: Argument `type` of the procedure: ``"cow"``, or ``"mor"`` for a table whose
            writes add log files.
        ordering_field: Ordering fields: of two rows with one key, the greatest values win.
        bloom_filters: Whether base files of a table with buckets get bloom filters.
        catalog: Catalog of the procedure; None for the current one.

    Raises:
        HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID``, with the name of the argument, when
            one cannot be written as SQL.

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
        raise argument_error("mode", f"it must be 'metadata' or 'full', not {mode!r}")
    if table_type not in (None, "cow", "mor"):
        raise argument_error("table_type", f"it must be 'cow' or 'mor', not {table_type!r}")
    by = names.columns(partitioned_by, "partitioned_by") if partitioned_by else None
    ordering = names.columns(ordering_field, "ordering_field") if ordering_field else None
    arguments = {
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
        "type": table_type,
        "ordering_field": ordering,
        "bloom_filters": bloom_filters,
    }
    return call(_procedure("bootstrap", catalog), arguments)


def of_table(procedure: str, parts: Sequence[str], arguments: Mapping[str, object]) -> str:
    """Returns the CALL of a procedure in the table's own catalog.

    Args:
        procedure: Name of the procedure.
        parts: Parts of the table's name; the first of three is the catalog.
        arguments: Arguments besides `table`, by name; None is left out.

    Raises:
        HudiliteError: ``HUDILITE_BUILDER_ARGUMENT_INVALID`` when a name or value cannot be written
            as SQL.
    """
    name = _procedure(procedure, names.catalog_of(parts))
    return call(name, {"table": names.qualified(parts, "name"), **arguments})


def call(name: str, arguments: Mapping[str, object]) -> str:
    """Returns a CALL with named arguments; None is left out."""
    lines = [
        f"  {names.identifier(key, 'argument')} => {literal(one, key)}"
        for key, one in arguments.items()
        if one is not None
    ]
    return f"CALL {name}(\n" + ",\n".join(lines) + "\n)"


def _procedure(name: str, catalog: str | None) -> str:
    return name if catalog is None else names.qualified([catalog, "system", name], "catalog")
