#!/usr/bin/python3
"""Checks many environments at once: against single ones, and the rules of Gymnasium's vectors."""
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import amontons as am
from env_test import CART, GYMNASIUM
from harness import raises, run_tests

OPTIONS = {"joints": ["rail"], "max_effort": 10.0, "substeps": 2,
           "start": lambda random, sim: (random.uniform(-0.3, 0.3, 2), np.zeros(2)),
           "reward": lambda sim: 1.0 - abs(sim.q[1]),
           "terminated": lambda sim: abs(sim.q[1]) > 0.6}
HOOKS = OPTIONS | {"observe": lambda sim: [np.sin(sim.q[1]), sim.v[0], sim.time],
                   "randomize": lambda random: {"bodies.pole.mass": random.uniform(0.05, 2.0)}}
TARGETS = OPTIONS | {"action": "target", "gains": (50.0, 5.0), "target_range": (-2.0, 2.0),
                     "normalized": True}


def vector_env(num_envs=5, scene=None, **options):
    return am.VectorEnv(am.make_scene(scene or CART), num_envs, **(OPTIONS | options))


def actions_of(num_steps, num_envs):
    return np.random.default_rng(7).uniform(-10, 10, (num_steps, num_envs, 1))


def single_rows(seed, actions, mode, options):
    """Returns the rows (observation, reward, terminated, truncated) of one environment by hand."""
    env, rows, done = am.Env(am.make_scene(CART), **options), [], False
    env.reset(seed=seed)
    for action in actions:
        if done and mode == "NextStep":
            observation, reward, terminated, truncated = env.reset()[0], 0.0, False, False
        else:
            observation, reward, terminated, truncated, _ = env.step(action)
            if mode == "SameStep" and (terminated or truncated):
                observation = env.reset()[0]
        done = terminated or truncated
        rows.append(np.concatenate((observation, [reward, terminated, truncated])))
    return np.array(rows)


def test_every_row_has_the_bits_of_one_environment_with_its_seed():
    actions = actions_of(150, 5)
    for options in (OPTIONS, HOOKS, TARGETS):
        for mode, threads in (("NextStep", 1), ("NextStep", 3), ("SameStep", 2)):
            envs = am.VectorEnv(am.make_scene(CART), 5, threads=threads, autoreset_mode=mode,
                                **options)
            envs.reset(seed=11)
            rows = [np.column_stack(envs.step(now)[:4]) for now in actions]
            envs.close()
            rows, ends = np.array(rows), 0
            for i in range(5):
                expected = single_rows(11 + i, actions[:, i], mode, options)
                assert np.array_equal(rows[:, i], expected), (mode, threads, i)
                ends += expected[:, -2:].sum()
            assert ends > 5, "episodes end in the middle"


def test_an_episode_that_ended_begins_again_as_gymnasium_says():
    short = CART | {"simulation": {"step": 0.01, "duration": 0.06}}
    zero = np.zeros((5, 1))
    envs = vector_env(scene=short)
    first, infos = envs.reset(seed=3)
    mode = envs.metadata["autoreset_mode"]
    assert infos == {} and getattr(mode, "value", mode) == "NextStep"
    for k in range(8):
        observations, rewards, terminations, truncations, infos = envs.step(zero)
        assert truncations.tolist() == [k % 4 == 2] * 5 and not terminations.any()
        assert infos["_holds"].tolist() == [k % 4 != 3] * 5 if k % 4 != 3 else infos == {}
        assert np.all((rewards == 0.0) == (k % 4 == 3))
    assert not np.array_equal(observations, first), "the generators continue"

    envs = vector_env(scene=short, autoreset_mode="SameStep")
    first, _ = envs.reset(seed=3)
    for k in range(3):
        observations, rewards, _, truncations, infos = envs.step(zero)
    assert truncations.all() and infos["_final_obs"].all() and infos["_final_info"].all()
    assert np.allclose(infos["final_info"]["time"], 0.06) and np.all(rewards > 0)
    last = np.array([row for row in infos["final_obs"]])
    assert last.shape == (5, 4) and not np.array_equal(last, observations)
    assert not np.any(observations[:, 2:]) and np.any(last[:, 2:])
    assert "final_obs" not in envs.step(zero)[4]

    envs = vector_env(scene=short, autoreset_mode="Disabled")
    envs.reset(seed=3)
    for k in range(3):
        observations, _, _, truncations, _ = envs.step(zero)
    assert truncations.all() and "reset_mask" in raises(ValueError, envs.step, zero)
    mask = np.array([True, False, True, True, True])
    again, _ = envs.reset(seed=[4, None, 5, 6, 7], options={"reset_mask": mask})
    assert np.array_equal(again[1], observations[1]) and not np.any(again[mask, 2:])
    assert "[1] have ended" in raises(ValueError, envs.step, zero)
    envs.reset(options={"reset_mask": ~mask})
    assert not envs.step(zero)[3].any()


def test_randomized_masses_change_the_motion_as_their_scene_does():
    masses = []

    def randomize(random):
        masses.append(random.uniform(0.05, 2.0))
        return {"bodies.pole.mass": masses[-1]}

    options = {"joints": ["rail"], "max_effort": 10.0}
    envs = am.VectorEnv(am.make_scene(CART), 3, randomize=randomize, **options)
    envs.reset(seed=1)
    for _ in range(20):
        observations = envs.step(np.full((3, 1), 5.0))[0]
    for mass, seen in zip(masses, observations):
        bodies = [CART["bodies"][0], CART["bodies"][1] | {"mass": mass}]
        env = am.Env(am.make_scene(CART | {"bodies": bodies}), **options)
        env.reset()
        for _ in range(20):
            expected = env.step([5.0])[0]
        assert np.array_equal(seen, expected)
    assert len(set(masses)) == 3


def test_spaces_are_batched_and_arrays_belong_to_the_caller():
    envs = vector_env(4)
    assert envs.num_envs == 4 and envs.single_action_space.shape == (1,)
    assert envs.action_space.shape == (4, 1) and np.all(envs.action_space.high == 10.0)
    assert envs.observation_space.shape == (4, 4) and envs.single_observation_space.shape == (4,)
    observations, _ = envs.reset(seed=1)
    assert observations in envs.observation_space
    kept = observations.copy()
    envs.step(envs.action_space.sample())
    assert np.array_equal(observations, kept)
    assert vector_env(2, **{"observe": HOOKS["observe"]}).observation_space.shape == (2, 3)


def test_mistakes_are_refused_and_move_nothing():
    envs = vector_env(3)
    assert "call reset() before" in raises(ValueError, envs.step, np.zeros((3, 1)))
    envs.reset(seed=1)
    before = [env.simulator.q.copy() for env in envs.envs]
    assert "shape (3, 1), one row per environment" in raises(ValueError, envs.step, np.zeros(3))
    assert "finite" in raises(ValueError, envs.step, [[0.0], [0.0], [np.nan]])
    assert all(np.array_equal(env.simulator.q, q) for env, q in zip(envs.envs, before))
    assert "or 3 of them" in raises(ValueError, envs.reset, seed=[1, 2])
    assert "3 entries" in raises(ValueError, envs.reset, options={"reset_mask": [True]})
    assert "num_envs must be" in raises(ValueError, vector_env, 0)
    assert "threads must be" in raises(ValueError, vector_env, 2, threads=0)
    assert "NextStep or SameStep" in raises(ValueError, vector_env, 2, autoreset_mode="Never")
    assert "must return a vector" in raises(ValueError, vector_env, 2, observe=lambda sim: 1.0)
    wrong = vector_env(2, randomize=lambda random: {"bodies.pol.mass": 1.0})
    assert "no item 'pol'" in raises(am.ParseError, wrong.reset)


WITH_GYMNASIUM = """
import gymnasium
import numpy as np
import vector_env_test as t

envs = t.vector_env(3, autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP)
assert isinstance(envs, gymnasium.vector.VectorEnv)
assert envs.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.SAME_STEP
for space in (envs.action_space, envs.observation_space, envs.single_action_space):
    assert type(space) is gymnasium.spaces.Box and space.dtype == np.float64
envs.reset(seed=5)
rows = [envs.step(now)[0] for now in t.actions_of(60, 3)]
envs.close()
assert envs.closed
print(np.array(rows).tobytes().hex())
"""


def test_where_gymnasium_is_installed_its_types_are_used_and_the_motion_is_the_same():
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "gymnasium.py").write_text(GYMNASIUM)
        search = os.pathsep.join((folder, str(pathlib.Path(__file__).parent), *sys.path))
        result = subprocess.run([sys.executable, "-c", WITH_GYMNASIUM], capture_output=True,
                                text=True, check=False, env=os.environ | {"PYTHONPATH": search})
    assert result.returncode == 0, result.stderr
    envs = vector_env(3, autoreset_mode="SameStep")
    envs.reset(seed=5)
    rows = np.array([envs.step(now)[0] for now in actions_of(60, 3)])
    assert rows.tobytes().hex() == result.stdout.strip()


def test_environments_may_be_reset_in_parts_and_not_after_the_end():
    for threads in (1, 2):
        envs = am.VectorEnv(am.make_scene(CART), 3, joints=["rail"], threads=threads)
        actions = np.zeros(envs.action_space.shape)
        for mask in ([True, False, False], [False, True, True]):
            assert "reset()" in raises(ValueError, envs.step, actions)
            envs.reset(options={"reset_mask": np.array(mask)})
        envs.step(actions)
        for seed in (1.5, True, -1, "a", [1, 2], [1.5, 2, 3], ["a", 1, 2]):
            assert "seed must be a whole number" in raises(ValueError, envs.reset, seed=seed)
        envs.close()
        for call in (envs.reset, lambda: envs.step(actions)):
            assert raises(ValueError, call) == "the environments are closed"


def test_the_end_of_an_episode_is_true_or_false():
    for given in (None, "no", np.nan, np.array([True, False])):
        env = am.Env(am.make_scene(CART), joints=["rail"], terminated=lambda sim: given)
        env.reset()
        assert "terminated must return True or False" in raises(TypeError, env.step, [0.0])
    for given in (True, np.bool_(True), np.array([True]), 1):
        env = am.Env(am.make_scene(CART), joints=["rail"], terminated=lambda sim: given)
        env.reset()
        assert env.step([0.0])[2] is True


if __name__ == "__main__":
    run_tests(globals())
