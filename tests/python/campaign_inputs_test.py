#!/usr/bin/python3
"""Checks what campaigns make of functions and arguments: which runs are new, which are refused."""
import dataclasses
import fractions
import functools
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import amontons as am
from harness import raises, run_tests
from throws import FRICTION, SCENE


class Weighted:
    """Is a metric with a factor."""

    def __init__(self, factor):
        self.factor = factor

    def __call__(self, sim):
        """Returns the factor."""
        return float(self.factor)

    def method(self, sim):
        """Returns the factor."""
        return float(self.factor)


def test_what_a_metric_depends_on_is_part_of_its_run():
    def nested(value):
        inner = lambda: value
        return lambda sim: float(inner())

    makers = {"list": lambda v: (lambda g: lambda sim: float(g[0]))([v]),
              "dict": lambda v: (lambda g: lambda sim: float(g["a"]))({"a": (v,)[0]}),
              "default": lambda v: lambda sim, k=(v,): float(k[0]),
              "keyword": lambda v: lambda sim, *, k=v: float(k),
              "partial": lambda v: functools.partial(lambda sim, k: float(k), k=v),
              "object": Weighted, "method": lambda v: Weighted(v).method, "function": nested}
    parameters = {FRICTION: [0.1]}
    for name, make in makers.items():
        with tempfile.TemporaryDirectory() as folder:
            def table(value):
                return am.campaign(am.make_scene(SCENE), parameters, {"m": make(value)}, workers=1,
                                   file=f"{folder}/t.csv")["m"][0]

            assert table(1.0) == 1.0 and table(1.0) == 1.0, name
            assert "another campaign" in raises(ValueError, table, 2.0), name


@dataclasses.dataclass
class Settings:
    """Holds what a metric reads."""

    gain: float
    inner: object = None


class Slotted:
    """Holds a gain in a slot, and itself."""

    __slots__ = ("gain", "own", "__weakref__")

    def __init__(self, gain):
        self.gain, self.own = gain, self


def settings_of_class(gain):
    """Returns an object whose class has the gain."""
    return type("Constants", (), {"gain": gain, "_unused": {}})()


def objects(gain):
    """Returns objects on which a metric may depend, by what is special about them."""
    large = np.zeros(200_000)
    large[100_000] = gain
    return {"dataclass": Settings(gain), "nested": Settings(0.0, [Settings(gain)]),
            "slots and circle": Slotted(gain), "class": settings_of_class(gain),
            "large array": Settings(0.0, large), "array of objects": np.array([Slotted(gain)]),
            "set": {Slotted(gain), Slotted(3.0), "a", "b"}, "built-in": fractions.Fraction(gain),
            "path": pathlib.Path(f"a/{gain}"), "file": Settings(gain, sys.stdout),
            "module": Settings(gain, np), "generator": np.random.default_rng(int(gain)),
            "built-in method": np.random.default_rng(int(gain)).random,
            "deep": functools.reduce(lambda inner, _: Settings(0.0, inner), range(5000), gain)}


def digests(gain):
    """Returns the digests of runs whose metric captures those objects, by their names."""
    from amontons.campaign.plan import _Plan

    def key(value):
        if isinstance(value, pathlib.Path):
            hash(value)  # which it stores in a slot; it differs from process to process
        return _Plan(am.make_scene(SCENE), {FRICTION: [0.1]},
                     {"m": (None, lambda sim: float(value.gain))}, 1, None,
                     (None, "random", 0)).keys[0]

    return {name: key(value) for name, value in objects(gain).items()}


def test_a_run_depends_on_the_attributes_of_any_object_that_its_metric_captures():
    first, again, other = digests(1.0), digests(1.0), digests(2.0)
    assert first == again
    assert not [name for name in first if first[name] == other[name]]


def test_digests_of_runs_are_the_same_in_every_process():
    program = "import campaign_inputs_test as t; print(sorted(t.digests(1.0).items()))"
    found = {subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True,
                            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(
                                [os.path.dirname(os.path.abspath(__file__)), *sys.path])}).stdout
             for seed in ("1", "2")}
    assert len(found) == 1, found


def test_arguments_of_the_wrong_kind_are_refused_before_any_run():
    scene, good = am.make_scene(SCENE), {"m": lambda sim: 1.0}
    for error, said, metrics, options in (
            (TypeError, "metrics must be a dict", [lambda sim: 1.0], {}),
            (ValueError, "name of a metric", {"": lambda sim: 1.0}, {}),
            (TypeError, "start must be a function", good, {"start": 3}),
            (TypeError, "progress must be a function", good, {"progress": 3}),
            (ValueError, "seeds must be a number", good, {"seeds": 2.0}),
            (ValueError, "seeds must be a number", good, {"seeds": True}),
            (TypeError, "slurm must be a dict", good, {"slurm": 3}),
            (ValueError, "slurm is for on=", good, {"slurm": {"time": "1:00"}})):
        found = raises(error, am.campaign, scene, {FRICTION: [0.1]}, metrics, workers=1, **options)
        assert said in found, found
    assert "parameters must be a dict" in raises(ValueError, am.campaign, scene, None, good)
    table = am.campaign(scene, {FRICTION: [0.1]}, {"m": lambda sim: np.complex128(1j)}, workers=1)
    assert "must be a number or a text, not complex128" in table["error"][0]
    table = am.campaign(scene, {FRICTION: [0.1]}, good, workers=1, start=lambda random, sim: 3)
    assert "start must return (q, v)" in table["error"][0]


if __name__ == "__main__":
    run_tests(globals())
