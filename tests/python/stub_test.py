#!/usr/bin/python3
"""Checks that every public name of the package has a type and a docstring."""
import ast
import inspect
import pathlib

import amontons as am
from amontons import _core, plots
from harness import run_tests

STUB = pathlib.Path(_core.__file__).with_name("_core.pyi")


def members(names):
    return {name for name in names if not name.startswith("_")}


def test_the_stub_has_the_names_of_the_module_and_no_others():
    tree = ast.parse(STUB.read_text())
    stub = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            stub[node.name] = {item.name for item in node.body
                               if isinstance(item, ast.FunctionDef)} | {
                item.target.id for item in node.body if isinstance(item, ast.AnnAssign)}
        elif isinstance(node, ast.FunctionDef):
            stub[node.name] = None
    helpers = {"RolloutArrays"}
    assert members(stub) - helpers == members(vars(_core)) - {"build"}
    for name, names in stub.items():
        bound = getattr(_core, name, None)
        if names is None or name in helpers or issubclass(bound, Exception):
            continue
        assert members(names) == members(vars(bound)), name


def test_every_public_name_says_what_it_is():
    silent = []
    for module in (am, plots):
        for name in members(vars(module)):
            item = getattr(module, name)
            if inspect.ismodule(item) or isinstance(item, str):
                continue
            if not inspect.getdoc(item):
                silent.append(name)
            if inspect.isclass(item):
                silent += [f"{name}.{part}" for part in members(vars(item))
                           if not inspect.getdoc(getattr(item, part))]
    assert not silent, sorted(silent)


if __name__ == "__main__":
    run_tests(globals())
