#!/usr/bin/python3
"""Checks the numbers that calls take: any form of an array, none that is not a number, and numbers
of any size."""
import fractions
import os
import tempfile
import warnings

import numpy as np

import amontons as am
from harness import run_tests

SCENE = {"amontons": 1, "simulation": {"step": 0.001, "duration": 1},
         "materials": [{"name": "default", "friction": 0.5}],
         "bodies": [{"name": "arm", "mass": 2, "inertia": [0.1, 0.1, 0.1], "shapes": [{"sphere": 0.1}]},
                    {"name": "ball", "mass": 1, "shapes": [{"sphere": 0.1}],
                     "pose": {"position": [2, 0, 0]}},
                    {"name": "ground", "fixed": True,
                     "shapes": [{"half_space": {"normal": [0, 0, 1], "offset": -5}}]}],
         "joints": [{"name": "hinge", "type": "revolute", "parent": "world", "child": "arm",
                     "axis": [0, 1, 0], "at": [-0.5, 0, 0]}],
         "actuators": [{"joint": "hinge", "position": {"target": 0, "kp": 10, "kd": 1, "effort": 5}}]}
TIMES = np.linspace(0.0, 0.125, 5)
POINTS = np.array([[1.0, 0, 0], [-1, 0, 0], [0, 1, 0]])
RUN = "run.h5"


def simulator():
    return am.Simulator(am.make_scene(SCENE))


def stepped(name):
    """Returns a call of a method of a simulator, then of a step; it returns positions."""
    def call(**options):
        sim = simulator()
        getattr(sim, name)(**options)
        sim.step()
        return sim.q.copy()
    return call


def asked(name):
    return lambda **options: getattr(simulator(), name)(**options)


def framed(**options):
    frame = simulator().frame("arm", **options)
    return frame.position, frame.rotation


def struck(**options):
    hit = simulator().cast_ray(**options)
    return None if hit is None else hit.distance


def released(**options):
    sim = simulator()
    sim.park("ball")
    sim.release("ball", **options)
    sim.step()
    return sim.q.copy()


def solved(**options):
    problem = am.ContactProblem(**options)
    return problem.A, problem.b, problem.solve()[0].impulses


def fitted(hinge, ball, turn):
    motion = am.Motion(TIMES, joints={"hinge": hinge}, bodies={"ball": (ball, turn)})
    found = am.fit(am.make_scene(SCENE), [motion], {"bodies.arm.mass": (0.5, 4.0)},
                   max_iterations=2, threads=1)
    return found.values["bodies.arm.mass"]


def made(mass, position, gravity):
    contents = SCENE | {"gravity": gravity, "joints": [], "actuators": [], "bodies": [
        {"name": "ball", "mass": mass, "shapes": [{"sphere": 0.5}], "pose": {"position": position}}]}
    sim = am.Simulator(am.make_scene(contents))
    sim.step()
    return sim.q.copy()


def stepped_env(action):
    env = am.Env(am.make_scene(SCENE), joints=["hinge"])
    env.reset(seed=1)
    return env.step(action)[:2]


def grasped(**options):
    grasp = am.Grasp(**options)
    return grasp.epsilon, grasp.volume


def held(**options):
    found = am.Grasp(POINTS, -POINTS, 0.5, 0.25).hold(**options)
    return None if found is None else found.forces


def needed(**options):
    found = am.needed_efforts(simulator(), **options)
    return found.possible, found.share, found.efforts


def pictured(**options):
    return am.picture(RUN, 0.005, size=(16, 16), camera=am.Camera(**options))


def calls():
    """Returns pairs of a call and its arguments, each a number or an array."""
    sim = simulator()
    q, still, v = sim.q.copy(), np.zeros(7), np.arange(7) / 8
    problem = {"M": np.eye(3), "J": np.eye(3), "friction": 0.5, "free_velocity": np.array([1.0, 0, -1]),
               "velocity": np.zeros(3), "gap": np.zeros(1), "bias": np.zeros(3), "step": 0.25}
    falls = np.array([0, 0, 0, 0, 0, 0, -9.81])
    return {
        "frame": (framed, {"position": [0.5, 0.25, 1.0], "quat_wxyz": [1.0, 0, 0, 0]}),
        "jacobian": (lambda **options: simulator().jacobian("arm", **options),
                     {"at": [0.5, 0.25, 1.0], "q": q}),
        "point": (lambda at: simulator().bodies["arm"].point(at), {"at": [0.5, 0.25, 1.0]}),
        "bias": (asked("bias"), {"q": q, "v": v}),
        "dynamics": (asked("inverse_dynamics"), {"q": q, "v": v, "vdot": still}),
        "ray": (struck,
                {"origin": [2.0, 0, 4], "direction": [0, 0, -1.0], "max_distance": 64.0}),
        "state": (stepped("set_state"), {"q": q, "v": v}),
        "efforts": (stepped("set_efforts"), {"efforts": still}),
        "target": (lambda **options: stepped("set_servo_target")(joint="hinge", **options),
                   {"target": 0.5, "target_rate": 0.25}),
        "wrench": (lambda **options: stepped("set_wrench")(body="ball", **options),
                   {"force": [1.0, 2, 3], "torque": [0.5, 0, 0], "at": [0.0, 0, 0.25]}),
        "gravity": (stepped("set_gravity"), {"gravity": [0, 0, -8.0]}),
        "mass": (lambda **options: stepped("set_mass")(body="ball", **options), {"mass": 2.0}),
        "release": (released, {"position": [1.0, 2, 3], "velocity": [0.5, 0, 0],
                               "angular_velocity": [0, 0, 0.5]}),
        "problem": (solved, problem),
        "contact velocities": (lambda v: am.ContactProblem(**problem).contact_velocities(v),
                               {"v": np.ones(3)}),
        "local": (lambda **options: am.LocalProblem(**options).solve()[0].impulses,
                  {"W": np.eye(3), "q": np.array([0, 0, -1.0]), "friction": np.array([0.5])}),
        "rollout": (lambda controls: am.rollout(am.make_scene(SCENE), controls=controls, threads=1)["q"],
                    {"controls": np.zeros((2, 3, 7))}),
        "grasp": (grasped, {"points": POINTS, "normals": -POINTS, "friction": 0.5, "torsion": 0.25,
                            "center": np.zeros(3), "length": 2.0}),
        "hold": (held, {"force": np.array([0, 0, 1.0]), "torque": np.array([0, 0, 0.25])}),
        "needed": (needed, {"q": q, "v": still, "vdot": falls, "limits": np.full(7, 8.0)}),
        "env": (stepped_env, {"action": np.array([0.5])}),
        "fit": (fitted, {"hinge": np.linspace(0, 1, 5), "ball": np.zeros((5, 3)),
                         "turn": np.tile([1.0, 0, 0, 0], (5, 1))}),
        "scene": (made, {"mass": 2.0, "position": np.array([0, 0, 0.5]),
                         "gravity": np.array([0, 0, -8.0])}),
        "camera": (pictured, {"target": [0.0, 0, 0], "distance": 4.0, "azimuth": 30.0, "zoom": 1.5}),
    }


def forms(value):
    """Yields the same number or array in other forms of NumPy and Python."""
    if isinstance(value, float):
        yield from (np.float64(value), np.float32(value), np.array(value), np.array(value, ">f8"))
        yield from [int(value)] if value.is_integer() else []
        return
    array = np.array(value, float)
    wide = np.zeros([2 * size for size in array.shape])
    part = wide[tuple(slice(None, None, 2) for _ in array.shape)]
    part[...] = array
    fixed = array.copy()
    fixed.setflags(write=False)
    unaligned = np.frombuffer(b"\0" + array.tobytes(), np.uint8)[1:].view(float).reshape(array.shape)
    yield from (array.tolist(), part, np.asfortranarray(array), array[::-1].copy()[::-1],
                array.astype(">f8"), array.astype(np.longdouble), np.ma.array(array), fixed, unaligned)
    if (array.astype(np.float16) == array).all():
        yield from (array.astype(np.float16), array.astype(np.float32))
    if (array == np.round(array)).all():
        yield from (array.astype(int), array.astype(">i2"))


def bits(found):
    if isinstance(found, (tuple, list)):
        return b"".join(map(bits, found))
    return b"" if found is None else (np.asarray(found) + 0).tobytes()  # -0.0 counts as 0.0


def each_argument():
    """Yields (name of a call, its function, its arguments, the name of one of these), in a folder
    with a run."""
    with tempfile.TemporaryDirectory() as folder:
        before = os.getcwd()
        os.chdir(folder)
        try:
            scene = am.make_scene(SCENE)
            sim = am.Simulator(scene)
            with am.record(sim, scene, RUN):
                for _ in range(10):
                    sim.step()
            for name, (call, arguments) in calls().items():
                for one in arguments:
                    yield name, call, arguments, one
        finally:
            os.chdir(before)


def test_arrays_of_any_form_are_the_same_numbers():
    count = 0
    for name, call, arguments, one in each_argument():
        expected = bits(call(**arguments))
        for value in forms(arguments[one]):
            assert bits(call(**arguments | {one: value})) == expected, (name, one, repr(value))
            count += 1
    assert count > 500


def no_numbers(value):
    """Yields what is no number or array of this kind."""
    array = np.array(value, float)
    masked = np.ma.array(array)
    masked[tuple(size - 1 for size in array.shape)] = np.ma.masked
    yield from (masked, array.astype(complex), array.astype(str), array.astype("M8[s]"),
                np.zeros(array.shape, [("x", float)]), "x", b"x", object(), {}, 1j,
                (number for number in array.ravel()))


def test_what_is_no_number_is_refused_in_words():
    for name, call, arguments, one in each_argument():
        for value in no_numbers(arguments[one]):
            try:
                call(**arguments | {one: value})
            except (TypeError, ValueError) as error:
                said = str(error)
                assert len(said) > 10 and "argument must be" not in said and "array(" not in \
                    said.split("not")[0], (name, one, said)
            else:
                raise AssertionError((name, one, repr(value)))


def extremes(value):
    """Yields numbers at the ends of what doubles and integers hold."""
    for number in (1e308, -1e308, 1e200, 1e155, 5e-324, -0.0, np.nan, np.inf, -np.inf):
        if isinstance(value, float):
            yield number
            continue
        array = np.array(value, float)
        yield np.full(array.shape, number)
        array.flat[-1] = number
        yield array
    if isinstance(value, float):
        yield from (2**63, 2**64, -2**63, 2**1100, fractions.Fraction(1, 3))
    else:
        yield np.full(np.shape(value), 2**63, np.uint64)
        yield np.full(np.shape(value), 2**1100).tolist()


def test_numbers_of_any_size_have_an_answer_or_an_error_of_the_package():
    # An answer is finite, or infinite where the call says so.
    said_to_be_infinite = {("needed", "limits")}
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # those of NumPy and SciPy
        for name, call, arguments, one in each_argument():
            for value in extremes(arguments[one]):
                try:
                    found = call(**arguments | {one: value})
                except (TypeError, ValueError, am.DivergenceError) as error:
                    said = str(error)
                    assert said and "cast" not in said.split() and "int too large" not in said, said
                    continue
                if (name, one) in said_to_be_infinite or found is None:
                    continue
                for part in found if isinstance(found, tuple) else (found,):
                    assert part is None or name == "needed" or np.isfinite(part).all(), (name, one, value)


if __name__ == "__main__":
    run_tests(globals())
