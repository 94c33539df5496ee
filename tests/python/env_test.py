#!/usr/bin/python3
"""Checks a scene as an environment for learning."""
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import amontons as am
from harness import raises, run_tests

CART = {"amontons": 1, "simulation": {"step": 0.01, "duration": 2.0},
        "bodies": [{"name": "cart", "mass": 1, "inertia": [1, 1, 1]},
                   {"name": "pole", "mass": 0.1, "inertia": [0.01, 0.01, 0.01],
                    "pose": {"position": [0, 0, 0.5]}}],
        "joints": [{"name": "rail", "type": "prismatic", "parent": "world", "child": "cart",
                    "axis": [1, 0, 0]},
                   {"name": "hinge", "type": "revolute", "parent": "cart", "child": "pole",
                    "axis": [0, 1, 0], "at": [0, 0, 0]}]}


def cart_pole():
    def start(random, simulator):
        return random.uniform(-0.1, 0.1, simulator.q.size), np.zeros(simulator.v.size)

    return am.Env(am.make_scene(CART), joints=["rail"], max_effort=10.0, substeps=2, start=start,
                  reward=lambda sim: 1.0 - abs(sim.q[1]),
                  terminated=lambda sim: abs(sim.q[1]) > 1.0)


def test_the_same_seed_and_actions_give_the_same_episode():
    episodes = []
    for _ in range(2):
        env = cart_pole()
        observation, _ = env.reset(seed=5)
        random, rows, done = np.random.default_rng(1), [observation], False
        while not done:
            action = random.uniform(-10, 10, env.action_space.shape)
            observation, reward, terminated, truncated, info = env.step(action)
            assert info["holds"] and env.observation_space.contains(observation)
            rows.append(np.append(observation, reward))
            done = terminated or truncated
        episodes.append(np.concatenate(rows).tobytes())
    assert episodes[0] == episodes[1]
    first, _ = env.reset(seed=5)
    assert not np.array_equal(first, env.reset(seed=6)[0])


def test_efforts_are_held_clipped_and_end_with_the_scene():
    env = am.Env(am.make_scene(CART), joints=["rail"], max_effort=2.0, substeps=2)
    env.reset()
    for _ in range(100):
        observation, _, terminated, truncated, _ = env.step([100.0])
    assert truncated and not terminated
    # Momentum along the rail grows by 2 N s per second, for any motion of the pole.
    q, v = env.simulator.q, env.simulator.v
    momentum = 1.1 * v[0] + 0.1 * 0.5 * np.cos(q[1]) * v[1]
    assert abs(momentum - 4.0) < 0.05, momentum
    assert env.action_space.high[0] == 2.0


# The parts of gymnasium.Env, vector.VectorEnv and Box that environments use, as their reference
# states them.
GYMNASIUM = """
import enum

import numpy as np


class Env:
    metadata = {"render_modes": []}
    render_mode = None
    spec = None
    _np_random = None

    @property
    def np_random(self):
        return self._np_random

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self._np_random = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))


class spaces:
    class Box:
        def __init__(self, low, high, shape=None, dtype=np.float32, seed=None):
            self.low, self.high, self.dtype = np.asarray(low), np.asarray(high), np.dtype(dtype)
            self.shape = self.low.shape

        def contains(self, x):
            return (isinstance(x, np.ndarray) and np.can_cast(x.dtype, self.dtype)
                    and x.shape == self.shape and bool(np.all((x >= self.low) & (x <= self.high))))

        __contains__ = contains


class vector:
    class AutoresetMode(enum.Enum):
        NEXT_STEP = "NextStep"
        SAME_STEP = "SameStep"
        DISABLED = "Disabled"

    class VectorEnv:
        metadata = {}
        closed = False
        _np_random = None

        def reset(self, *, seed=None, options=None):
            if seed is not None:
                self._np_random = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
"""

WITH_GYMNASIUM = """
import gymnasium
import numpy as np

import amontons as am
import env_test

env = env_test.cart_pole()
assert isinstance(env, gymnasium.Env)
for space in (env.action_space, env.observation_space):
    assert type(space) is gymnasium.spaces.Box and space.dtype == np.float64
observation, info = env.reset(seed=5, options={})
assert observation in env.observation_space and info == {}
generator = env._np_random
assert generator is not None, "reset() hands the seed on"
assert env.reset(seed=5)[0].tobytes() == observation.tobytes()
assert generator.bit_generator.state == env._np_random.bit_generator.state
result = env.step(np.array([1.0]))
assert result[0] in env.observation_space and len(result) == 5
print(observation.tobytes().hex())
"""


def test_where_gymnasium_is_installed_its_types_are_used_and_the_seeds_mean_the_same():
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "gymnasium.py").write_text(GYMNASIUM)
        search = os.pathsep.join((folder, str(pathlib.Path(__file__).parent), *sys.path))
        result = subprocess.run([sys.executable, "-c", WITH_GYMNASIUM], capture_output=True,
                                text=True, check=False, env=os.environ | {"PYTHONPATH": search})
    assert result.returncode == 0, result.stderr
    env = cart_pole()
    if am.env.gymnasium is None:
        assert type(env.action_space) is am.Box and env.reset(seed=1)[0] in env.observation_space
    assert env.reset(seed=5)[0].tobytes().hex() == result.stdout.strip()


SERVOS = CART | {"joints": [CART["joints"][0] | {"limits": [-1.0, 2.0]}, CART["joints"][1]],
                 "actuators": [{"joint": "rail",
                                "position": {"target": 0.0, "kp": 200, "kd": 40}}]}


def test_targets_of_servos_and_of_own_gains_are_reached():
    hang = lambda random, sim: (np.array([0.0, 0.0]), np.zeros(2))
    own = {"gains": (200.0, 40.0), "target_range": (-1.0, 2.0), "max_effort": 1e4}
    light = {"bodies": [CART["bodies"][0], CART["bodies"][1] | {"mass": 1e-6}]}
    for scene, options in ((SERVOS, {}), (CART, own)):
        env = am.Env(am.make_scene(scene | light), joints=["rail"], action="target", substeps=2,
                     start=hang, **options)
        assert env.action_space.low[0] == -1.0 and env.action_space.high[0] == 2.0
        for target, reached in ((0.5, 0.5), (9.0, 2.0)):
            env.reset(seed=1)
            for _ in range(100):
                observation = env.step([target])[0]
            assert abs(observation[0] - reached) < 0.02, (options, observation)
    # Efforts of own gains are clipped: full acceleration for a step of the scene.
    env = am.Env(am.make_scene(CART | light), joints=["rail"], action="target", start=hang,
                 **own | {"max_effort": 3.0})
    env.reset()
    assert abs(env.step([2.0])[0][2] - 3.0 * 0.01) < 1e-5


def test_normalized_actions_reach_from_one_end_to_the_other():
    for options, ends in (({"max_effort": [4.0, 3.0], "joints": ["rail", "hinge"]}, (4.0, 3.0)),
                          ({"max_effort": 4.0, "joints": ["rail"]}, (4.0,))):
        plain = am.Env(am.make_scene(CART), **options)
        env = am.Env(am.make_scene(CART), normalized=True, **options)
        assert env.action_space.high.tolist() == [1.0] * len(ends)
        for part in (-1.0, 0.25, 1.0, 7.0):
            plain.reset(), env.reset()
            expected = plain.step(np.clip(part, -1, 1) * np.array(ends))[0]
            assert np.array_equal(env.step(np.full(len(ends), part))[0], expected)
    env = am.Env(am.make_scene(SERVOS), joints=["rail"], action="target", normalized=True)
    for part, target in ((-1.0, -1.0), (0.0, 0.5), (1.0, 2.0)):
        assert abs(env._drive.values([part])[0] - target) < 1e-15


def test_pictures_show_the_state():
    cart = {**CART, "bodies": [{"name": "cart", "mass": 1, "shapes": [{"box": [0.4, 0.4, 0.4]}]}],
            "joints": CART["joints"][:1]}
    options = {"joints": ["rail"], "max_effort": 50.0, "substeps": 20, "size": (64, 48),
               "camera": am.Camera(azimuth=-90, elevation=10, target=(0, 0, 0), distance=4)}
    env = am.Env(am.make_scene(cart), render_mode="rgb_array", **options)
    assert env.render_mode in env.metadata["render_modes"]
    # A picture each step of the environment shows the motion as fast as it is.
    rate = env.metadata["render_fps"]
    assert np.isclose(rate * env.substeps * env.scene.steps[0], 1.0) and len(env.scene.steps) == 1
    assert "render_fps" not in am.Env.metadata
    env.reset(seed=1)
    first = env.render()
    assert first.shape == (48, 64, 3) and first.dtype == np.uint8
    env.step([50.0])
    assert (env.render() != first).any()
    env.reset()
    assert (env.render() == first).all()
    # Each episode may have a simulator of its own.
    wide = am.Env(am.make_scene(cart), render_mode="rgb_array", **options,
                  randomize=lambda random: {"bodies.cart.mass": random.uniform(1.0, 2.0)},
                  start=lambda random, sim: ([1.0], [0.0]))
    wide.reset(seed=1)
    assert (wide.render() != first).any()
    assert am.Env(am.make_scene(cart), **options).render() is None
    # Environments in a row are drawn one by one.
    envs = am.VectorEnv(am.make_scene(cart), 2, render_mode="rgb_array", **options)
    envs.reset(seed=1)
    assert [(picture == first).all() for picture in envs.render()] == [True, True]


def test_gymnasiums_own_check_passes():
    if am.env.gymnasium is None:
        print("SKIPPED: gymnasium.utils.env_checker, as Gymnasium is not installed")
        return
    import warnings

    from gymnasium.utils.env_checker import check_env
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of spaces without ends
        for options in ({"max_effort": 10.0, "normalized": True},
                        {"action": "target", "target_range": (-1, 1), "gains": (50.0, 5.0)}):
            check_env(am.Env(am.make_scene(CART), joints=["rail"], **options),
                      skip_render_check=True)


def test_mistakes_are_refused():
    assert "wheel" in raises(ValueError, am.Env, am.make_scene(CART), joints=["wheel"])
    env = cart_pole()
    env.reset()
    assert "the shape (1,), one effort per joint" in raises(ValueError, env.step, [1.0, 2.0])
    assert "must be finite" in raises(ValueError, env.step, [float("nan")])
    for said, wrong in (("such as ['rail']", {"joints": "rail"}),
                        ("at least 1, not 0", {"substeps": 0}),
                        ("at least 1, not 1.5", {"substeps": 1.5}),
                        ("finite and not negative", {"max_effort": -1.0}),
                        ("one per joint", {"max_effort": [1.0, 2.0]}),
                        ("'effort' or 'target'", {"action": "torque"}),
                        ("for action=", {"gains": (1, 1)}),
                        ("give target_range", {"action": "target"}),
                        ("ascending", {"action": "target", "target_range": (1, 0)}),
                        ("one per joint", {"action": "target", "target_range": [(0, 1)] * 2}),
                        ("pair (kp, kd)", {"action": "target", "target_range": (0, 1),
                                           "gains": 3}),
                        ("kd must be finite", {"action": "target", "target_range": (0, 1),
                                               "gains": (1, -1)}),
                        ("\"rgb_array\" or None", {"render_mode": "human"}),
                        ("servo", {"action": "target", "target_range": (0, 1)})):
        assert said in raises(ValueError, am.Env, am.make_scene(CART), **{"joints": ["rail"]} | wrong)


def test_functions_that_give_no_numbers_are_named_and_a_step_needs_a_reset():
    scene = am.make_scene(CART)

    def first_step(**options):
        env = am.Env(scene, ["rail"], **options)
        env.reset()
        return env.step([0.0])

    assert "reset()" in raises(ValueError, am.Env(scene, ["rail"]).step, [0.0])
    assert "reward must be a function" in raises(TypeError, am.Env, scene, ["rail"], reward=1.0)
    for value, error in ((None, TypeError), (np.zeros(2), TypeError), (np.nan, ValueError)):
        assert "reward" in raises(error, first_step, reward=lambda sim: value)
    assert "observe" in raises(ValueError, first_step,
                               observe=lambda sim: [0.0 if sim.time == 0.0 else np.nan])
    said = raises(ValueError, first_step,
                  observe=lambda sim: np.zeros(1 if sim.time == 0.0 else 2))
    assert "observe must return 1 numbers, as before, not an array of shape (2,)" in said
    # Whole numbers of NumPy are whole numbers.
    assert am.Env(scene, ["rail"], substeps=np.int64(2)).substeps == 2
    assert am.VectorEnv(scene, np.int32(2), joints=["rail"]).num_envs == 2
    assert repr(am.Env(scene, ["rail"])).endswith(": 1 actions, 4 observations>")


def test_a_start_without_a_pair_and_joints_given_twice_are_refused():
    scene = am.make_scene(CART)
    for given in (None, 3.0, ([0.0], [0.0], [0.0])):
        env = am.Env(scene, joints=["rail"], start=lambda random, sim: given)
        assert raises(TypeError, env.reset, seed=1).startswith("start must return (q, v), not ")
    said = raises(ValueError, am.Env, scene, joints=["rail", "rail"])
    assert said.startswith("joints has 'rail' 2 times"), said
    assert said == raises(ValueError, am.VectorEnv, scene, 2, joints=["rail", "rail"])


if __name__ == "__main__":
    run_tests(globals())
