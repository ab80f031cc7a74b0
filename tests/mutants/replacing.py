"""Replace the code of functions in a running process, wherever they are referred to: nothing is imported again."""

from __future__ import annotations

import ast
import functools
import gc
from importlib import import_module
from types import CodeType, FunctionType
from typing import Any

from tests.mutants import ROOT, targets


def replace(path: str, tree: ast.Module, only: str = "") -> int:
    """Give the functions of a module the code that `tree` has for them; returns how many, of `only` that name."""
    done = 0
    for code in _codes(compile(ast.fix_missing_locations(tree), str(ROOT / path), "exec")):
        if only in {"", code.co_qualname}:
            for function in all_functions().get((code.co_filename, code.co_qualname, code.co_firstlineno), ()):
                if function.__code__.co_freevars == code.co_freevars:
                    function.__code__ = code
                    done += 1
    return done


def _codes(code: CodeType) -> list[CodeType]:
    """Those of functions and methods, not of what is defined inside of them."""
    found = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    bodies = [one for one in found if not one.co_flags & _OPTIMIZED]
    return [one for one in found if one.co_flags & _OPTIMIZED] + [inner for body in bodies for inner in _codes(body)]


_OPTIMIZED = 1  # inspect.CO_OPTIMIZED: functions have it, bodies of classes have not


def module_of(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


@functools.cache
def all_functions() -> dict[tuple[str, str, int], list[FunctionType]]:
    """The functions of the target modules, those behind decorators too, by file, qualified name and line."""
    files = {str(ROOT / path) for path in targets()}
    for path in targets():
        import_module(module_of(path))
    found: dict[tuple[str, str, int], list[FunctionType]] = {}
    gc.unfreeze()  # what tests/conftest.py froze is not listed
    for one in gc.get_objects():
        if type(one) is FunctionType and one.__code__.co_filename in files:  # isinstance would wake lazy objects
            code = one.__code__
            found.setdefault((code.co_filename, code.co_qualname, code.co_firstlineno), []).append(one)
    return found


def forget_results() -> None:
    """Empty the caches of the target modules, so that everything is called anew; only a model is loaded once."""
    for wrapper in _caches():
        wrapper.cache_clear()


@functools.cache
def _caches() -> list[Any]:
    values = [value for path in targets() for value in vars(import_module(module_of(path))).values()]
    kind = type(all_functions)
    return [value for value in values if isinstance(value, kind) and value.__name__ != "_model"]
