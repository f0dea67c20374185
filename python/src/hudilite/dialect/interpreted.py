"""sqlglot's parsers and generators as classes of Python, from which the dialect derives its own.

The compiled build, ``sqlglot[c]``, replaces them by native classes. A Python class that derives
from a native one cannot be instantiated. The sources are installed beside the native modules, so
they are run here as modules of their own. These use sqlglot's nodes and dialects, and change
nothing in sqlglot.
"""

from __future__ import annotations

import builtins
import sys
from functools import cache
from importlib import import_module
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType, ModuleType, SimpleNamespace
from typing import Any, TypeVar, cast

from sqlglot import generator

Class = TypeVar("Class", bound=type)

IS_COMPILED = not str(generator.__file__).endswith(".py")

_DIALECT = "sqlglot.dialects.dialect"  # in Python, but its functions take native generators alone
_MODULES = (_DIALECT, "sqlglot.parser", "sqlglot.generator")
_FOLDERS = ("sqlglot.parsers.", "sqlglot.generators.")


@cache
def module(name: str) -> ModuleType:
    """Returns a module of parsers or generators in which no class is native.

    Args:
        name: Name of sqlglot's module, such as ``sqlglot.parsers.spark``.

    Examples:
        >>> module("sqlglot.parsers.spark").SparkParser.__name__
        'SparkParser'
    """
    found = import_module(name)
    if not IS_COMPILED:
        return found
    source = Path(str(found.__file__)).parent / f"{name.rpartition('.')[2]}.py"
    own = ModuleType(f"{__name__}.{name}", found.__doc__)
    own.__dict__["__builtins__"] = {**vars(builtins), "__import__": _import}
    sys.modules[own.__name__] = own  # where dataclasses look for the names in annotations
    code = SourceFileLoader(own.__name__, str(source)).get_code(own.__name__)
    exec(cast("CodeType", code), own.__dict__)
    if name == _DIALECT:
        for key, value in vars(found).items():
            if not (key.startswith("__") or isinstance(own.__dict__.get(key), FunctionType)):
                own.__dict__[key] = value  # classes and tables are sqlglot's
    return own


def python_class(found: Class) -> Class:
    """Returns the class of Python that stands for a parser or generator class of sqlglot."""
    if not _is_replaced(found.__module__):
        return found
    own: Class = getattr(module(found.__module__), found.__name__)
    return own


def _is_replaced(name: str) -> bool:
    return name in _MODULES or name.startswith(_FOLDERS)


def _import(
    name: str,
    globals: dict[str, Any] | None = None,
    locals: dict[str, Any] | None = None,
    fromlist: tuple[str, ...] | None = (),
    level: int = 0,
) -> Any:
    """Stands for ``__import__`` in our modules, so that they import each other."""
    if fromlist and _is_replaced(name):
        return module(name)
    found = __import__(name, globals, locals, fromlist or (), level)
    inner = [part for part in fromlist or () if _is_replaced(f"{name}.{part}")]
    if not inner:
        return found
    own = {part: module(f"{name}.{part}") for part in inner}
    return SimpleNamespace(**{part: getattr(found, part) for part in fromlist or ()} | own)
