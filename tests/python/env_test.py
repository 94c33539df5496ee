#!/usr/bin/python3
"""A scene as an environment for learning."""
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
            assert info["claimed"] and env.observation_space.contains(observation)
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
    # Momentum along the rail is 2 N s per second, whatever the pole does.
    q, v = env.simulator.q, env.simulator.v
    momentum = 1.1 * v[0] + 0.1 * 0.5 * np.cos(q[1]) * v[1]
    assert abs(momentum - 4.0) < 0.05, momentum
    assert env.action_space.high[0] == 2.0


def test_mistakes_are_told():
    assert "wheel" in raises(ValueError, am.Env, am.make_scene(CART), joints=["wheel"])
    env = cart_pole()
    env.reset()
    assert "1 efforts" in raises(ValueError, env.step, [1.0, 2.0])


if __name__ == "__main__":
    run_tests(globals())
