"""Who may import whom in the Python package, and what needs neither pyspark nor a JVM.

A room is what stands right below `hudilite`: a module or a package. `hudilite` itself imports every
room, and each of them when it is first used.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from files import relative, tracked

ROOT = "hudilite"
ERRORS = {"conditions", "errors"}
TABLES = {"files", "table_facts", "timeline"}
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "java_properties": set(),
    "printable": set(),
    "version": set(),
    "conditions": {"errors"},
    "format": ERRORS,
    "launch": ERRORS | {"java_properties"},
    "table_facts": ERRORS | {"format", "java_properties"},
    "timeline": {"format", "table_facts"},
    "files": {"format", "table_facts"},
    "show": TABLES | {"format", "printable"},
    "top": ERRORS | {"format", "table_facts"},
    "why": ERRORS | {"format", "table_facts"},
    "dialect": set(),
    "sql": ERRORS | {"dialect"},
    "table": ERRORS | {"sql"},
    "script": {"dialect", "sql"},
    "lint": {"dialect", "script"},
    "lineage": ERRORS | {"dialect", "script"},
    "convert": ERRORS | {"dialect", "lint", "script", "sql"},
    "demo": {ROOT, "errors", "sql"},
}
MAY_IMPORT["cli"] = set(MAY_IMPORT) - {"demo"}
MAY_IMPORT["__main__"] = {"cli"}
MAY_IMPORT[ROOT] = set(MAY_IMPORT)
SESSIONS = f"{ROOT}.launch.sessions"  # alone uses the JVM behind py4j
COLUMNS = f"{ROOT}.sql.spark_columns"  # reads the Columns of pyspark that a caller passes
WITH_PYSPARK = {"demo", "launch", "table", ROOT}


def faults() -> Iterator[str]:
    """Imports that the table does not allow, circles, pyspark and _jvm in the wrong place."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in _sources()}
    names = {module_of(relative(path)) for path in trees}
    circles: dict[str, set[str]] = {}
    for path, tree in trees.items():
        name = module_of(relative(path))
        for node in ast.walk(tree):
            yield from (f"{relative(path)}:{text}" for text in faults_of(name, node, names))
        circles[name] = {seen for node in _executed(tree) for seen in imported(node, names)}
    yield from circle_faults(circles)


def circle_faults(imports: Mapping[str, set[str]]) -> Iterator[str]:
    """Modules that import each other, by the modules that each imports."""
    try:
        TopologicalSorter({name: seen - {name} for name, seen in imports.items()}).prepare()
    except CycleError as error:
        yield f"a circle of imports: {' < '.join(error.args[1])}"


def module_of(name: str) -> str:
    """Dotted name of a source file's module."""
    parts = name.removesuffix(".py").split("/src/", 1)[1].split("/")
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    """Room of a module of the package."""
    return module.split(".")[1] if "." in module else ROOT


def imported(node: ast.AST, names: set[str]) -> Iterator[str]:
    """Modules of the package that a statement imports."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in names)
    if isinstance(node, ast.ImportFrom) and node.module in names:
        for alias in node.names:
            inner = f"{node.module}.{alias.name}"
            yield inner if inner in names else str(node.module)


def faults_of(name: str, node: ast.AST, names: set[str]) -> Iterator[str]:
    """Faults of one node of a module's tree, each with its line."""
    line, room = getattr(node, "lineno", 0), room_of(name)
    for seen in map(room_of, imported(node, names)):
        if seen != room and seen not in MAY_IMPORT.get(room, set()):
            yield f"{line}: {room} may not import {seen}"
    if isinstance(node, ast.Attribute) and node.attr == "_jvm" and name != SESSIONS:
        yield f"{line}: _jvm belongs in {SESSIONS}"
    modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
    modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
    needs_none = room not in WITH_PYSPARK and name != COLUMNS
    if needs_none and any(m.split(".")[0] == "pyspark" for m in modules):
        yield f"{line}: {room} needs no pyspark"


def _sources() -> list[Path]:
    return tracked(f"python/src/{ROOT}/*.py")


def _executed(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those that only a type checker reads."""
    for child in ast.iter_child_nodes(tree):
        typed = isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"
        if not typed:
            yield child
            yield from _executed(child)
