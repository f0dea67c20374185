"""Steps of the tests in the example's project, and their results by name."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from shop import DAYS, MORE, Dbt, dbt, file, rows, sql

TABLES = ("orders", "current_orders", "order_log", "orders_by_day", "order_batches")
HISTORY = "id, amount, dbt_valid_to IS NULL AS open"
CHANGES = ("ignore", "fail", "append_new_columns", "sync_all_columns")
TALLY = (
    "create table if not exists shop.tally (name string, n int, primary key (name)) using hudilite"
)
ADD = (
    "merge into shop.tally t using (select '{name}' as name, {number} as n) s on t.name = s.name "
    "when matched then update set n = t.n + s.n when not matched then insert *"
)


def steps(of: Dbt) -> dict[str, dict[str, Any]]:
    """The steps by name, in their order."""
    found = {} if of.file_format == "hudi" else {"deps": dbt("deps")}
    found |= {"first seed": dbt("seed"), "first run": dbt("run", *DAYS)}
    found |= {f"first {table}": rows(table) for table in TABLES}
    found |= {"first snapshot": dbt("snapshot"), "first test": dbt("test")}
    found |= {"first history": rows("orders_history", "id, amount", HISTORY)}
    found |= {"more": file("seeds/raw_orders.csv", MORE)}
    found |= {"second seed": dbt("seed"), "second run": dbt("run", *DAYS)}
    found |= {f"second {table}": rows(table) for table in TABLES}
    found |= {"customers": rows("customers", "customer")}
    found |= {"second snapshot": dbt("snapshot"), "second test": dbt("test")}
    found |= {"second history": rows("orders_history", "id, amount", HISTORY)}
    found |= {"third snapshot": dbt("snapshot")}
    found |= {"third history": rows("orders_history", "id, amount", HISTORY)}
    found |= {"refresh": dbt("run", "--full-refresh", "-s", "current_orders", "orders")}
    found |= {"refreshed": rows("current_orders"), "docs": dbt("docs", "generate")}
    found |= {"shown": sql("SHOW CREATE TABLE shop.current_orders")}
    return found | changes(of) | mistakes(of) | replacements(of)


def changes(of: Dbt) -> dict[str, dict[str, Any]]:
    """Models whose columns change, one for each kind of on_schema_change."""
    found = {f"old {kind}": file(*model(kind, "id, customer")) for kind in CHANGES}
    chosen = [f"change_{kind}" for kind in CHANGES]
    found |= {"old columns": dbt("run", "-s", *chosen)}
    found |= {f"new {kind}": file(*model(kind, "id, customer, amount")) for kind in CHANGES}
    if of.file_format == "hudilite":  # dbt-spark itself drops no columns
        found["new sync_all_columns"] = file(*model("sync_all_columns", "id, amount"))
    found |= {"new columns": dbt("run", "-s", *chosen)}
    return found | {f"changed {kind}": rows(f"change_{kind}") for kind in CHANGES}


def mistakes(of: Dbt) -> dict[str, dict[str, Any]]:
    """Buckets without a key, a merge that lost its key, a key twice, and two threads on one table."""
    bucketed: dict[str, Any] = {"buckets": 2}
    if of.file_format == "hudi":
        bucketed = {"tblproperties": {"hoodie.index.type": "BUCKET"}}
    keyless = f"{{{{ config(materialized='table', **{bucketed}) }}}} select 1 as id"
    twice = "{{ config(materialized='table', unique_key='id') }} select 1 as id from range(2)"
    lost = "{{ config(materialized='incremental', incremental_strategy='merge') }} "
    found = {
        "keyless": file("models/keyless.sql", keyless),
        "twice": file("models/twice.sql", twice),
        "run of mistakes": dbt("run", "-s", "keyless", "twice"),
        "keyless left": sql("SHOW TABLES IN shop LIKE 'keyless|twice'"),
        "lost key": file(
            "models/order_log.sql",
            lost + "select id, customer, amount, day from {{ ref('raw_orders') }}",
        ),
        "run of lost key": dbt("run", "-s", "order_log"),
        "lost key left": rows("order_log"),
        "tally": sql(TALLY),
    }
    for number, name in enumerate(("left", "right"), start=1):
        hooks = [ADD.format(name=each, number=number) for each in (name, "both", "both", name)]
        text = f"{{{{ config(materialized='table', unique_key='id', post_hook={hooks}) }}}}"
        found[f"{name} thread"] = file(f"models/{name}.sql", f"{text} select {number} as id")
    return found | {"threads": dbt("run", "-s", "left", "right"), "tallied": rows("tally", "name")}


def replacements(of: Dbt) -> dict[str, dict[str, Any]]:
    """A table model that runs again: with other rows, columns and constraints, and with an error."""
    if of.file_format == "hudi":  # dbt-spark itself drops the table first
        return {}
    found: dict[str, dict[str, Any]] = {}
    for name, (query, checks) in REPLACED.items():
        found[f"{name} query"] = file("models/replaced.sql", f"{AS_TABLE} {query}")
        columns = [
            {"name": column, "data_type": "int"} for column in ("id", "v", "w") if column in query
        ]
        contract: dict[str, Any] = {"config": {"contract": {"enforced": True}}, "columns": columns}
        contract["constraints"] = [{"type": "check", "expression": check} for check in checks]
        models = {"models": [{"name": "replaced"} | contract]}
        found[f"{name} contract"] = file("models/replaced.yml", json.dumps(models))
        found[f"{name} replacement"] = dbt("run", "-s", "replaced")
        found[f"{name} left"] = rows("replaced")
        found[f"{name} history"] = sql("SELECT count(*) FROM shop.replaced.history")
    place = f"location_root='{of.folder / 'elsewhere'}'"
    for value in LOCATED:
        config = AS_TABLE.replace(") }}", f", {place}) }}}}")
        found[f"{value} located"] = file("models/located.sql", f"{config} select {value} as id")
        found[f"{value} in place"] = dbt("run", "-s", "located")
        found[f"{value} left in place"] = rows("located")
    return found


def model(kind: str, columns: str) -> tuple[str, str]:
    """File and text of a model that reacts to other columns in a way."""
    config = "materialized='incremental', incremental_strategy='merge', unique_key='id'"
    text = f"{{{{ config({config}, on_schema_change='{kind}') }}}}\n"
    return f"models/change_{kind}.sql", f"{text}select {columns} from {{{{ ref('raw_orders') }}}}\n"


AS_TABLE = "{{ config(materialized='table', unique_key='id') }}"
LOCATED = ("1", "2", "3L")
REPLACED = {
    "plain": ("select 1 as id, 10 as v", ()),
    "other rows": ("select id + 1 as id, 20 as v from {{ this }}", ()),
    "a failed": ("select 1 as id, 30 as v from range(2)", ()),
    "a checked": ("select 4 as id, 40 as v", ("v > 0",)),
    "a violated": ("select 5 as id, -5 as v", ("v > 0",)),
    "another checked": ("select 6 as id, 60 as v", ("v > 0",)),
    "other columns": ("select 7 as id, 70 as w, 7 as v", ("v > 0",)),
}


@dataclass(frozen=True)
class Shop:
    """A project that has run.

    Attributes:
        of: The project.
        gave: What each step gave, by the name of the step.
    """

    of: Dbt
    gave: dict[str, Any]

    def rows(self, name: str) -> list[list[Any]]:
        """The rows of a query."""
        assert isinstance(self.gave[name], list), self.gave[name]
        return list(self.gave[name])

    def node(self, step: str, name: str) -> tuple[str, str]:
        """State and message of a node in a step."""
        status, message = self.gave[step]["nodes"][name]
        return status, message

    def catalog(self) -> dict[str, Any]:
        """The nodes of the catalog that docs generate wrote, without the project's name."""
        text = (self.of.project / "target" / "catalog.json").read_text(encoding="utf-8")
        nodes = json.loads(text)["nodes"]
        return {name.rsplit(".", 1)[-1]: node for name, node in nodes.items()}


def ran(of: Dbt) -> Shop:
    """Takes all steps."""
    of.prepare()
    named = steps(of)
    return Shop(of, dict(zip(named, of.run(*named.values()), strict=True)))
