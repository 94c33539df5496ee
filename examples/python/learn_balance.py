#!/usr/bin/python3
"""Trains a policy by an evolution strategy, until it balances a pole whose mass and start vary.

    PYTHONPATH=build/python /usr/bin/python3 examples/python/learn_balance.py [GENERATIONS] [SEED]

The policy is linear: it maps position, angle and their rates to the effort along the rail. Each
generation tries pairs of opposite changes of the policy at once, with am.VectorEnv, and moves the
policy by the changes, weighted by the ranks of their returns (Salimans et al., arXiv:1703.03864).
"""
import argparse

import numpy as np

import amontons as am

CART_POLE = {
    "amontons": 1,
    "simulation": {"step": 0.01, "duration": 4.0},
    "bodies": [
        {"name": "cart", "mass": 1.0, "inertia": [1, 1, 1]},
        {"name": "pole", "mass": 0.1, "inertia": [0.01, 0.01, 0.01],
         "pose": {"position": [0, 0, 0.5]}},
    ],
    "joints": [
        {"name": "rail", "type": "prismatic", "parent": "world", "child": "cart",
         "axis": [1, 0, 0]},
        {"name": "hinge", "type": "revolute", "parent": "cart", "child": "pole",
         "axis": [0, 1, 0], "at": [0, 0, 0]},
    ],
}
FALLEN = 0.6  # [rad]
PAIRS, SPREAD, RATE = 12, 3.0, 3.0
GENERATIONS = 20  # enough for most seeds


def environments(num_envs):
    """Returns carts whose pole has another mass in every episode, and leans at its start."""
    return am.VectorEnv(
        am.make_scene(CART_POLE), num_envs, joints=["rail"], max_effort=20.0, substeps=2,
        autoreset_mode="Disabled",
        randomize=lambda random: {"bodies.pole.mass": random.uniform(0.05, 0.3)},
        start=lambda random, sim: (random.uniform(-0.2, 0.2, 2) * [0.0, 1.0], np.zeros(2)),
        reward=lambda sim: 1.0 - 0.1 * min(sim.q[0] ** 2, 4.0) - sim.q[1] ** 2,
        terminated=lambda sim: abs(sim.q[1]) > FALLEN)


def returns(envs, policies, seed):
    """Returns (sum of rewards, upright at the end) [num_envs] of one episode per policy."""
    observations, _ = envs.reset(seed=seed)
    total, upright = np.zeros(envs.num_envs), np.zeros(envs.num_envs, bool)
    running = np.ones(envs.num_envs, bool)
    for _ in range(1000):
        actions = np.sum(policies * observations, axis=1, keepdims=True)
        observations, rewards, fallen, ended, _ = envs.step(actions)
        total += np.where(running, rewards, 0.0)
        upright |= running & ended & ~fallen
        running &= ~(fallen | ended)
        if not running.any():
            break
        # Those that have fallen begin again, and no longer count.
        if (fallen | ended).any():
            observations, _ = envs.reset(options={"reset_mask": fallen | ended})
    return total, upright


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("generations", nargs="?", type=int, default=GENERATIONS,
                        metavar="GENERATIONS")
    parser.add_argument("seed", nargs="?", type=int, default=1, metavar="SEED")
    options = parser.parse_args()
    if not 0 <= options.generations <= 10_000:
        parser.error("GENERATIONS must be 0 to 10000")
    if options.seed < 0:
        parser.error("SEED must not be negative")
    return options


def main(generations, seed):
    random = np.random.default_rng(seed)
    envs, policy = environments(2 * PAIRS), np.zeros(4)
    tests = environments(32)
    _, before = returns(tests, policy, seed=1000)
    for generation in range(generations):
        changes = random.standard_normal((PAIRS, policy.size))
        # Both signs of a change meet the same masses and starts.
        seeds = [10_000 + generation * PAIRS + k for k in range(PAIRS)] * 2
        total, _ = returns(envs, policy + SPREAD * np.concatenate((changes, -changes)), seeds)
        ranks = np.argsort(np.argsort(total)) / (total.size - 1) - 0.5
        policy += RATE * (ranks[:PAIRS] - ranks[PAIRS:]) @ changes / PAIRS
        if generation % 5 == 4:
            print(f"generation {generation + 1}: mean return {total.mean():.1f}")
    _, after = returns(tests, policy, seed=1000)
    print(f"policy {np.round(policy, 1)}: {after.sum()} of {after.size} poles stay upright, "
          f"{before.sum()} before")
    return before.mean(), after.mean()


if __name__ == "__main__":
    chosen = arguments()
    share_before, share_after = main(**vars(chosen))
    is_usual = (chosen.generations, chosen.seed) == (GENERATIONS, 1)
    assert share_before == 0.0 and (not is_usual or share_after > 0.9)
