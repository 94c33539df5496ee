"""A scene as an environment for learning: reset, step, seed, spaces."""
from numbers import Integral

import numpy as np

from ._core import Scene, Simulator
from .arguments import floats, function, names_of, shown, whole
from .arguments import scene as checked_scene
from .env_drive import Drive
from .film import Film
from .scene import _override_scene

try:
    import gymnasium
except ImportError:
    gymnasium = None


class Box:
    """Describes an interval of vectors. It replaces gymnasium.spaces.Box without Gymnasium."""

    def __init__(self, low, high, dtype=np.float64):
        self.low = floats(low, "Box: low").astype(dtype)
        self.high = floats(high, "Box: high").astype(dtype)
        if self.low.shape != self.high.shape:
            raise ValueError(f"Box: low and high must have one shape, not {self.low.shape} and "
                             f"{self.high.shape}")
        if not (self.low <= self.high).all():
            raise ValueError("Box: low must be at most high, and no end nan")
        self.shape = self.low.shape
        self.dtype = np.dtype(dtype)
        self._random = np.random.default_rng()

    def seed(self, seed=None):
        """Restarts the generator: sample() gives the same vectors for the same seed."""
        seed = None if seed is None else whole(seed, "Box.seed: seed", 0)
        self._random = np.random.default_rng(seed)

    def sample(self):
        """Returns a random vector: uniform between finite ends, normal around 0 elsewhere."""
        low = np.where(np.isfinite(self.low), self.low, 0.0)
        high = np.where(np.isfinite(self.high), self.high, 0.0)
        bounded = np.isfinite(self.low) & np.isfinite(self.high)
        # Doubles hold the difference of halves of any two numbers.
        return np.where(bounded, 2 * self._random.uniform(low / 2, high / 2),
                        self._random.standard_normal(self.shape)).astype(self.dtype)

    def contains(self, x):
        """Returns True if x has the shape and lies between the ends."""
        try:
            x = floats(x, "x")
        except (TypeError, ValueError):
            return False
        return x.shape == self.shape and bool(np.all(x >= self.low) and np.all(x <= self.high))

    __contains__ = contains

    def __repr__(self):
        return f"Box({self.low.tolist()}, {self.high.tolist()})"


def _box(low, high):
    if gymnasium is not None:
        return gymnasium.spaces.Box(np.asarray(low), np.asarray(high), dtype=np.float64)
    return Box(low, high)


def _number(value, name):
    """Returns what a function of the user gave, a number; or raises an error that names it."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must return a number, not {value!r}") from None
    if np.isnan(number):
        raise ValueError(f"{name} returned nan, which is no number")
    return number


def _truth(value):
    """Returns what `terminated` gave as a bool; or raises an error that says so."""
    value = value.item() if isinstance(value, (np.generic, np.ndarray)) and value.size == 1 else value
    if not isinstance(value, int):
        raise TypeError(f"terminated must return True or False, not {value!r}")
    return bool(value)


def start_pair(given):
    """Returns the (q, v) that a function `start` gave; or raises an error that says so."""
    if not isinstance(given, (tuple, list, np.ndarray)) or len(given) != 2:
        raise TypeError(f"start must return (q, v), not {given!r}")
    return given


class _SeededEnv:
    """Handles seeds as gymnasium.Env does, where Gymnasium is not installed."""

    _np_random = None

    @property
    def np_random(self):
        """The generator that reset(seed) restarts; the same numbers with Gymnasium and without."""
        if self._np_random is None:
            self._np_random = np.random.default_rng()
        return self._np_random

    def reset(self, *, seed=None, options=None):
        """Restarts the generator if a seed is given."""
        if seed is not None:
            self._np_random = np.random.default_rng(seed)


class Env(gymnasium.Env if gymnasium is not None else _SeededEnv):
    """Simulates a scene under efforts along some of its joints.

        env = am.Env(scene, joints=["shoulder", "elbow"], max_effort=5.0, substeps=10,
                     reward=lambda sim: -abs(sim.q[0]))
        observation, info = env.reset(seed=1)
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())

    An action gives the efforts [N m or N], clipped to +-max_effort, which act for `substeps` steps
    of the scene. With action="target" it gives targets [rad or m] within `target_range` (low,
    high), by default the limits of the joints: of the scene's servos, or with `gains` (kp, kd) of
    efforts kp (target - q) - kd v, clipped to +-max_effort, at every step of the scene. With
    `normalized` actions are in [-1, 1], from one end to the other.

    The observation is (q, v), or what `observe(simulator)` returns, a vector.
    `randomize(random)` may return overrides of the scene for an episode, such as
    {"materials.wood.friction": random.uniform(0.2, 0.8)}; env.simulator is then a new one.
    `start(random, simulator)` returns another initial (q, v). `reward(simulator)` and
    `terminated(simulator)` are functions of the simulator, e.g. of `simulator.report.contacts`.
    The episode is truncated at the scene's duration.
    With render_mode="rgb_array" render() returns a picture of the state, of `size` (width, height)
    [pixels], seen by `camera`.
    info["holds"] is True if every step met its certificate (info["claimed"]: its former name).
    """

    metadata = {"render_modes": ["rgb_array"]}

    def __init__(self, scene: Scene, joints, max_effort=1.0, substeps=1, reward=None,
                 terminated=None, start=None, observe=None, randomize=None, *, action="effort",
                 gains=None, target_range=None, normalized=False, render_mode=None, camera=None,
                 size=(640, 480)):
        checked_scene(scene, "Env: scene")
        if render_mode is not None and not (isinstance(render_mode, str)
                                            and render_mode == "rgb_array"):
            raise ValueError(f"render_mode must be \"rgb_array\" or None, not {shown(render_mode)}")
        if not isinstance(substeps, Integral) or substeps < 1:
            raise ValueError(f"substeps must be a whole number of at least 1, not {shown(substeps)}")
        if joints is None:
            raise TypeError("joints must be a list of names, not None")
        joints = names_of(joints, "joints")
        for joint in joints:
            if joints.count(joint) > 1:
                raise ValueError(f"joints has {joint!r} {joints.count(joint)} times: an action has "
                                 "one number for each joint")
        for name, given in (("reward", reward), ("terminated", terminated), ("start", start),
                            ("observe", observe), ("randomize", randomize)):
            function(given, name)
        self.scene = scene
        self.simulator = Simulator(scene, threads=1)
        self.joints = joints
        self.substeps = int(substeps)
        # Pictures of all steps of the environment show its motion at this rate [1/s].
        self.metadata = {**self.metadata, "render_fps": 1 / (self.substeps * float(np.mean(scene.steps)))}
        self._reward, self._terminated, self._start = reward, terminated, start
        self._observe, self._randomize = observe, randomize
        self.render_mode = render_mode
        self._look = {"camera": camera, "size": size}
        self._film = None  # draws the simulator it was made of
        self._drive = Drive(self.simulator, self.joints, max_effort, action, gains, target_range,
                            normalized)
        self.action_space = _box(*self._drive.ends())
        shape = self._observation().shape
        if len(shape) != 1:
            raise ValueError(f"observe must return a vector, not an array of shape {shape}")
        self.observation_space = _box(np.full(shape, -np.inf), np.full(shape, np.inf))
        self._was_reset = False

    def __repr__(self):
        return (f"<Env of {self.simulator!r}: {self.action_space.shape[0]} actions, "
                f"{self.observation_space.shape[0]} observations>")

    def _observation(self):
        if self._observe is not None:
            return floats(self._observe(self.simulator), "what observe returns")
        return np.concatenate((self.simulator.q, self.simulator.v))

    def _checked_observation(self):
        observation = self._observation()
        if observation.shape != self.observation_space.shape:
            raise ValueError(f"observe must return {self.observation_space.shape[0]} numbers, as "
                             f"before, not an array of shape {observation.shape}")
        if np.isnan(observation).any():
            raise ValueError("observe returned nan, which is no number")
        return observation

    def reset(self, *, seed=None, options=None):
        """Returns to the start. The same seed gives the same start."""
        if seed is not None:
            seed = whole(seed, "reset: seed", 0)
        super().reset(seed=seed, options=options)
        overrides = None if self._randomize is None else self._randomize(self.np_random)
        if overrides:
            self.simulator = Simulator(_override_scene(self.scene, overrides), threads=1)
            self._film = None
        else:
            self.simulator.reset()
        if self._start is not None:
            self.simulator.set_state(*start_pair(self._start(self.np_random, self.simulator)))
        self._was_reset = True
        return self._checked_observation(), {}

    def step(self, action):
        """Applies the action for `substeps` steps of the scene; returns (observation, reward,
        terminated, truncated, info). Raises ValueError before the first reset()."""
        if not self._was_reset:
            raise ValueError("call reset() before step()")
        values = self._drive.values(action)
        holds = True
        for substep in range(self.substeps):
            self._drive.command(self.simulator, values, substep == 0)
            holds = self.simulator.step().certificate.holds and holds
        reward = 0.0 if self._reward is None else _number(self._reward(self.simulator), "reward")
        terminated = self._terminated is not None and _truth(self._terminated(self.simulator))
        return (self._checked_observation(), reward, terminated, bool(self.simulator.finished),
                {"holds": holds, "claimed": holds, "time": self.simulator.time})

    def render(self):
        """Returns a picture of the state, an array [height, width, 3] of red, green and blue
        (uint8); None without a render_mode."""
        if self.render_mode is None:
            return None
        if self._film is None:
            self._film = Film(self.simulator, **self._look)
        return self._film.array()

    def close(self):
        """Does nothing: no resource is open."""
