#!/usr/bin/python3
"""Checks that simulators and what knows them are deleted, also where they refer to each other."""
import gc
import threading
import weakref

import amontons as am
from harness import FIRST, run_tests

SCENE = am.load_scene(FIRST)


class Owner:
    """Keeps a simulator, and is what its functions belong to."""

    def __init__(self):
        self.sim = am.Simulator(SCENE, threads=1)

    def control(self, simulator):
        """Does nothing, as a controller."""

    def solve(self, problem, gap_speeds):
        """Solves as the package does."""
        return problem.solve()[0].impulses


def controller_of_owner():
    owner = Owner()
    owner.sim.set_controller(owner.control)
    owner.sim.step()
    return owner


def solver_of_owner():
    owner = Owner()
    for _ in range(120):
        owner.sim.step()
    owner.sim.step(solver=owner.solve)
    return owner


def controller_with(view_of):
    """Returns a function that makes a controller which keeps a view of its simulator."""
    def make():
        owner = Owner()
        view, mark = view_of(owner.sim), Owner.__new__(Owner)
        owner.sim.set_controller(lambda simulator: (view, mark))
        owner.sim.step()
        return mark
    return make


def restart_of_view():
    owner = Owner()
    owner.view = am.view(owner.sim, open_browser=False, restart=lambda sim: owner.control(sim))
    owner.view.close()
    return owner


VIEWS = {"body": lambda sim: sim.bodies["crate"], "bodies": lambda sim: sim.bodies,
         "joints": lambda sim: sim.joints, "model": lambda sim: sim.model,
         "frame": lambda sim: sim.frame("crate"), "frames": lambda sim: sim.frames,
         "sensors": lambda sim: sim.sensors, "film": lambda sim: am.Film(sim, size=(64, 48))}


def test_cycles_through_a_simulator_are_collected():
    makers = {"controller": controller_of_owner, "solver": solver_of_owner,
              "restart": restart_of_view,
              **{name: controller_with(view_of) for name, view_of in VIEWS.items()}}
    for name, make in makers.items():
        gone = weakref.ref(make())
        gc.collect()
        assert gone() is None, name


def test_a_simulator_in_use_survives_collections():
    sim, calls = am.Simulator(SCENE, threads=1), []

    def collect(simulator):
        calls.append(simulator.time)
        gc.collect()

    sim.set_controller(collect)
    del collect
    body = sim.bodies["crate"]
    for _ in range(5):
        sim.step()
        gc.collect()
    assert len(calls) == 5 and body.position.shape == (3,)


def test_threads_may_make_simulators_while_others_collect():
    ends = threading.Event()

    def collect():
        while not ends.is_set():
            gc.collect()

    thread = threading.Thread(target=collect)
    thread.start()
    for _ in range(100):
        controller_of_owner()
    ends.set()
    thread.join()


class Robot(am.Simulator):
    """Adds a member to a simulator."""

    def __init__(self):
        super().__init__(SCENE, threads=1)
        self.me = self


def test_cycles_of_a_subclass_are_collected():
    gone = weakref.ref(Robot())
    gc.collect()
    assert gone() is None


if __name__ == "__main__":
    run_tests(globals())
