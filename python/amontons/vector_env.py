"""Many environments of one scene at once, as Gymnasium's vector environments."""
from concurrent.futures import ThreadPoolExecutor
from numbers import Integral

import numpy as np

from ._core import Scene
from .arguments import floats, mapping, shown, whole
from .env import Env, _box, _SeededEnv, gymnasium
from .interrupts import map_on

_vector = None if gymnasium is None else gymnasium.vector
MOST_ENVS = 100_000  # each has a simulator of its own
AUTORESET_MODES = ("NextStep", "SameStep", "Disabled")


def _autoreset_mode(mode):
    """Returns the name of a mode, which may be an enumerator of Gymnasium's AutoresetMode."""
    name = getattr(mode, "value", mode)
    if not isinstance(name, str) or name not in AUTORESET_MODES:
        raise ValueError(f"autoreset_mode must be {' or '.join(AUTORESET_MODES)}, not {shown(mode)}")
    return name


def _is_seed(value):
    return isinstance(value, Integral) and not isinstance(value, bool) and value >= 0


class _PlainVectorEnv(_SeededEnv):
    """Has what gymnasium.vector.VectorEnv has besides, where Gymnasium is not installed."""

    spec = None
    render_mode = None
    closed = False


class VectorEnv(_PlainVectorEnv if _vector is None else _vector.VectorEnv):
    """Simulates `num_envs` environments of one scene, each as am.Env(scene, **options) does.

        envs = am.VectorEnv(scene, 32, joints=["rail"], max_effort=10.0, threads=2,
                            randomize=lambda random: {"bodies.pole.mass": random.uniform(0.1, 0.3)})
        observations, infos = envs.reset(seed=1)
        observations, rewards, terminations, truncations, infos = envs.step(actions)

    Arrays have one row per environment. Environment i has the seed `seed + i`, and then the same
    bits as an am.Env of that seed, for any number of threads. `autoreset_mode` says how an episode
    that ended begins again, as in Gymnasium 1.x. "NextStep": in the next step, which ignores the
    action. "SameStep": in the same step, with infos["final_obs"] and infos["final_info"].
    "Disabled": by reset(options={"reset_mask": mask}) alone. infos[key][i] counts where
    infos["_" + key][i] is True. There are at most 100,000 environments. Functions among the options
    run in several threads if threads > 1.
    """

    def __init__(self, scene: Scene, num_envs: int, joints, threads: int = 1,
                 autoreset_mode="NextStep", **options):
        num_envs = whole(num_envs, "VectorEnv: num_envs", 1, MOST_ENVS)
        threads = whole(threads, "VectorEnv: threads", 1)
        self._mode = _autoreset_mode(autoreset_mode)
        shown = getattr(_vector, "AutoresetMode", str)(self._mode)
        self.envs = [Env(scene, joints, **options) for _ in range(num_envs)]
        self.metadata = {**self.envs[0].metadata, "autoreset_mode": shown}
        self.render_mode = self.envs[0].render_mode
        self.num_envs = int(num_envs)
        self.single_observation_space = self.envs[0].observation_space
        self.single_action_space = self.envs[0].action_space
        self.observation_space, self.action_space = (
            _box(*(np.tile(end, (num_envs, 1)) for end in (space.low, space.high)))
            for space in (self.single_observation_space, self.single_action_space))
        self._observations = np.zeros(self.observation_space.shape)
        self._done = np.zeros(num_envs, bool)
        self._were_reset = np.zeros(num_envs, bool)
        self._threads = min(threads, num_envs)
        self._pool = ThreadPoolExecutor(self._threads) if self._threads > 1 else None

    def __repr__(self):
        return f"<VectorEnv of {self.num_envs}: {self.envs[0]!r}>"

    def _for_each(self, function, indices):
        """Calls function(i) for all i, on the threads; the first error is raised at the end. After
        Ctrl-C environments are between two observations, so that a reset is needed."""
        try:
            if self._pool is None:
                return [function(i) for i in indices]
            parts = [indices[k::self._threads] for k in range(self._threads)]
            done = map_on(self._pool, lambda part: [(i, function(i)) for i in part], parts)
        except KeyboardInterrupt:
            self._were_reset[:] = False
            raise
        results = dict(pair for part in done for pair in part)
        return [results[i] for i in indices]

    def _require_open(self):
        if self.closed:
            raise ValueError("the environments are closed")

    def _seeds(self, seed):
        if seed is None or _is_seed(seed):
            return [None if seed is None else int(seed) + i for i in range(self.num_envs)]
        seeds = list(seed) if np.iterable(seed) and not isinstance(seed, str) else [seed]
        if len(seeds) != self.num_envs or not all(one is None or _is_seed(one) for one in seeds):
            raise ValueError(f"seed must be a whole number of at least 0, or {self.num_envs} of "
                             f"them, not {seed!r}")
        return [None if one is None else int(one) for one in seeds]

    def reset(self, *, seed=None, options=None):
        """Returns all environments to a start, or those of options["reset_mask"]; a seed is one
        number (environment i has seed + i) or one per environment. Returns (observations, infos).
        """
        self._require_open()
        seeds, options = self._seeds(seed), mapping(options, "options", "{\"reset_mask\": mask}")
        if seed is None or _is_seed(seed):
            super().reset(seed=None if seed is None else int(seed), options=options)
        mask = np.ones(self.num_envs, bool)
        if "reset_mask" in options:
            mask = np.asarray(options["reset_mask"])
            if mask.shape != (self.num_envs,) or mask.dtype != bool:
                raise ValueError(f"reset_mask must have {self.num_envs} entries True or False")
        indices = [int(i) for i in np.flatnonzero(mask)]
        started = self._for_each(lambda i: self.envs[i].reset(seed=seeds[i])[0], indices)
        for i, observation in zip(indices, started):
            self._observations[i] = observation
        self._done[mask] = False
        self._were_reset[mask] = True
        return self._observations.copy(), {}

    def _step_one(self, i, action):
        """Steps environment i; returns (observation, reward, terminated, truncated, info, final),
        where final is (observation, info) of an episode that ended and began again."""
        env = self.envs[i]
        if self._done[i]:  # the mode is NextStep
            return *(env.reset()[0], 0.0, False, False, {}), None
        observation, reward, terminated, truncated, info = env.step(action)
        if self._mode == "SameStep" and (terminated or truncated):
            final = (observation, info)
            observation, info = env.reset()
            return observation, reward, terminated, truncated, info, final
        return observation, reward, terminated, truncated, info, None

    def step(self, actions):
        """Steps all environments by actions [num_envs, joints]; returns (observations, rewards,
        terminations, truncations, infos). Raises ValueError for a shape or value that is wrong, or
        where reset() is needed first; nothing moved then. After Ctrl-C reset() is needed."""
        self._require_open()
        actions = floats(actions, "actions")
        if actions.shape != self.action_space.shape:
            raise ValueError(f"actions must have the shape {self.action_space.shape}, one row per "
                             f"environment, not {actions.shape}")
        if not np.isfinite(actions).all():
            raise ValueError("actions must be finite")
        if not self._were_reset.all():
            raise ValueError("call reset() before step(), of all environments")
        if self._mode == "Disabled" and self._done.any():
            raise ValueError(f"environments {np.flatnonzero(self._done).tolist()} have ended: call "
                             "reset(options={\"reset_mask\": terminations | truncations}) first")
        results = self._for_each(lambda i: self._step_one(i, actions[i]),
                                 list(range(self.num_envs)))
        observations, rewards, terminations, truncations, infos, finals = zip(*results)
        self._observations[:] = observations
        terminations, truncations = np.array(terminations), np.array(truncations)
        ended = terminations | truncations
        self._done = np.zeros_like(ended) if self._mode == "SameStep" else ended
        vector_infos = self._gathered(infos)
        if any(final is not None for final in finals):
            last = np.full(self.num_envs, None, object)
            for i in np.flatnonzero(ended):
                last[i] = finals[i][0]
            vector_infos |= {"final_obs": last, "_final_obs": ended.copy(),
                             "final_info": self._gathered([f[1] if f else {} for f in finals]),
                             "_final_info": ended.copy()}
        return (self._observations.copy(), np.array(rewards), terminations, truncations,
                vector_infos)

    def _gathered(self, infos):
        """Returns the infos of all environments as arrays [num_envs] with their masks."""
        gathered = {}
        for i, info in enumerate(infos):
            for key, value in info.items():
                if key not in gathered:
                    gathered[key] = np.zeros(self.num_envs, type(value))
                    gathered["_" + key] = np.zeros(self.num_envs, bool)
                gathered[key][i], gathered["_" + key][i] = value, True
        return gathered

    def render(self):
        """Returns a tuple of pictures, one of each environment, as Env.render() draws them; None
        without a render_mode."""
        if self.render_mode is None:
            return None
        return tuple(env.render() for env in self.envs)

    def close(self, **options):
        """Ends the threads: step() and reset() then raise ValueError. Closing twice does nothing
        more."""
        if self._pool is not None:
            self._pool.shutdown()
        self.closed = True
