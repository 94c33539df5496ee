"""Many motions of a scene at once, under efforts, servo targets or a policy."""
import time
from collections.abc import Mapping, Sequence
from typing import Union

import numpy as np

from ._core import Scene, Simulator, _MotionBatch
from ._core import rollout as _rollout
from .arguments import floats, function, kind, mapping, names_of, shown, whole
from .arguments import scene as checked_scene
from .scene import _override_scene, _texts

MOST_STEPS = 10_000_000  # of each motion, all of which are kept
MOST_TRIED = 8  # values of a parameter, to see if it sets the start


def _number_of_motions(given):
    """Returns the number that all arguments agree on: pairs (name, length or None)."""
    lengths = {name: length for name, length in given if length is not None}
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{length} of {name}" for name, length in lengths.items())
        raise ValueError(f"rollout: arguments give different numbers of motions: {said}")
    if not lengths:
        raise ValueError("rollout: give states, parameters, controls, targets or a list of scenes: "
                         "one entry per motion")
    return next(iter(lengths.values()))


def _table(array, name):
    """Returns a float array [N, T, n]; None for None."""
    if array is None:
        return None
    array = floats(array, name)
    if array.ndim != 3:
        raise ValueError(f"rollout: {name} must have the shape [motions, steps, n], not "
                         f"{array.ndim} dimensions")
    return array


def _scenes(scene, parameters, num):
    """Returns the scene of each motion; equal parameters share one."""
    if not isinstance(scene, Scene):
        return scene
    if not parameters:
        return [scene] * num
    made, scenes = {}, []
    for i in range(num):
        texts = _texts({path: values[i] for path, values in parameters.items()})
        key = tuple(texts.items())
        if key not in made:
            try:
                made[key] = _override_scene(scene, texts)
            except ValueError as error:
                raise type(error)(f"rollout, start {i}: {error}") from None
        scenes.append(made[key])
    return scenes


def _share(value, divisor):
    """Returns another value of a parameter where it is numbers: a share of it, or of 1 for 0."""
    array = np.asarray(value)
    if array.dtype.kind not in "fiu":
        return value
    return np.where(array == 0, 1.0, array) / divisor


def _probes(scene, parameters, states):
    """Returns scenes with other values of each parameter, for states with changes of properties.

    What differs from the scene in one of them is set by the parameters. Two values for each: the
    scene may have one of them.
    """
    if not parameters or not any(getattr(one, "_has_changes", False) for one in states or []):
        return []
    probes = []
    for path, values in parameters.items():
        for divisor in (2, 3):
            try:
                probes.append(_override_scene(scene, {path: _share(values[0], divisor)}))
            except ValueError:  # a value that the key does not take
                continue
    return probes


def _step_from(simulator, state):
    """Returns the bits of q and v after a step from a state."""
    simulator.restore(state)
    simulator.step()
    return simulator.q.tobytes(), simulator.v.tobytes()


def _sets_start_alone(scene, path, values, state):
    """Returns True if a parameter changes the start of a scene, and not its motion from a state."""
    given = Simulator(scene, threads=1)
    start = given.q.tobytes(), given.v.tobytes()
    for value in [_share(values[0], 2), *values[:MOST_TRIED]]:
        try:
            other = Simulator(_override_scene(scene, {path: value}), threads=1)
            if (other.q.tobytes(), other.v.tobytes()) != start:
                return _step_from(given, state) == _step_from(other, state)
        except (ArithmeticError, TypeError, ValueError):
            continue  # what does not fit is said with its motion
    return False


def _refuse_starts(scene, parameters, state):
    """Raises ValueError for a parameter that the states of the motions replace."""
    for path, values in parameters.items():
        if _sets_start_alone(scene, path, values, state):
            raise ValueError(f"rollout: {path} sets the start of the scene, which states replace: "
                             "give parameters of the start, or states, not both")


def _is_empty(states):
    return hasattr(states, "__len__") and len(states) == 0


def _have_commands(states):
    """Returns True if a program's commands are part of any of the states."""
    return np.iterable(states) and any(getattr(one, "_has_commands", False) for one in states)


def _check_list(scenes, parameters):
    """Raises an error for what is no scene and no list of some, and for parameters beside one."""
    if not isinstance(scenes, (list, tuple)):
        raise TypeError(f"rollout: scene must be a Scene, or a list of them, not {kind(scenes)}")
    for i, scene in enumerate(scenes):
        checked_scene(scene, f"rollout: scene {i}")
    if parameters:
        raise ValueError("rollout: parameters change one scene; give scenes that have them, or one "
                         "scene and parameters")


def _check(scene, parameters, controls, targets, policy, servos, sensors):
    """Raises an error for arguments that do not go together."""
    if not isinstance(scene, Scene):
        _check_list(scene, parameters)
    if sum(given is not None for given in (controls, targets, policy)) > 1:
        raise ValueError("rollout: give one of controls, targets and policy")
    for path, values in parameters.items():
        if isinstance(values, (str, Mapping)) or not hasattr(values, "__getitem__") \
                or getattr(values, "ndim", 1) == 0:
            raise ValueError(f"rollout: {path} needs a value for each motion, such as "
                             f"[0.1], not {shown(values)}")
    if targets is not None and not servos:
        raise ValueError("rollout: targets need servos, the names of their joints")
    if servos and targets is None and policy is None:
        raise ValueError("rollout: servos need targets, or a policy that returns them")


def _number_of_steps(steps, given):
    """Returns the steps that `steps` and the commands [N, T, n] agree on."""
    if steps is None and given is None:
        raise ValueError("rollout: give controls, targets or steps")
    steps = given.shape[1] if steps is None else steps
    if given is not None and given.shape[1] != steps:
        raise ValueError(f"rollout: commands for {given.shape[1]} steps, not {steps}")
    return steps


class _Shown:
    """Calls progress(done, steps) at most every half second, and at the end."""

    def __init__(self, call, steps):
        self._call, self._steps, self._last = call, steps, time.monotonic()

    def add(self, done):
        if self._call is not None and (done == self._steps
                                       or time.monotonic() - self._last >= 0.5):
            self._last = time.monotonic()
            self._call(done, self._steps)


class _Course:
    """Holds the arrays of motions while they are filled."""

    def __init__(self, batch, num, steps, sensors):
        self._batch, self.names = batch, list(sensors)
        self.q = np.empty((num, steps + 1, batch.q.shape[1]))
        self.v = np.empty((num, steps + 1, batch.v.shape[1]))
        self.time, self.holds = np.empty((num, steps + 1)), np.empty((num, steps), bool)
        self.sensors = {name: np.empty((num, steps, reading.shape[1]))
                        for name, reading in zip(self.names, batch.sensors)}
        self._first = {name: reading.copy() for name, reading in zip(self.names, batch.sensors)}
        self.note(0)

    def note(self, step):
        batch = self._batch
        self.q[:, step], self.v[:, step], self.time[:, step] = batch.q, batch.v, batch.time
        if step > 0:
            self.holds[:, step - 1] = batch.holds
            for name, reading in zip(self.names, batch.sensors):
                self.sensors[name][:, step - 1] = reading

    def seen(self, step):
        """Returns what a policy sees before a step: arrays of its own, a row per motion."""
        seen = {"q": self.q[:, step].copy(), "v": self.v[:, step].copy(),
                "time": self.time[:, step].copy(), "step": step}
        for name, readings in self.sensors.items():
            seen[name] = (readings[:, step - 1] if step > 0 else self._first[name]).copy()
        return seen

    def arrays(self):
        return {"q": self.q, "v": self.v, "time": self.time, "holds": self.holds,
                "claimed": self.holds, **self.sensors}


def _commands(policy, course, step, servos):
    """Returns (efforts, targets) that a policy gives for a step."""
    given = policy(course.seen(step))
    if given is None:
        return None, None
    given = floats(given, "what policy returns")
    return (None, given) if servos else (given, None)


def rollout(scene: Union[Scene, Sequence[Scene]], states=None, controls=None, steps=None,
            threads: int = 0, *, parameters=None, targets=None, servos=None, policy=None, sensors=(),
            progress=None) -> dict:
    """Moves a scene from N starts at once; returns a dict of arrays, a row per motion.

        motions = am.rollout(scene, steps=200, threads=2, sensors=["pose:crate"],
                             parameters={"materials.wood.friction": [0.1, 0.3, 0.9]},
                             policy=lambda seen: -5.0 * seen["v"])

    A list of scenes has one for each motion: other bodies, joints or models, as many positions and
    velocities. Sensors and servos are found in each by their names.

    Motion i begins in states[i], with the commands of that state, or at the start of its scene. Its
    scene has the overrides `parameters`, {path: N values}, of any key: friction, masses, poses,
    velocities, models. They come after what a program has changed in the state. Commands are one of
    these, which end those of the state:

    - `controls` [N, T, nv], efforts along all velocities [N m or N], besides the scene's;
    - `targets` [N, T, k] of the joints `servos` [rad or m], which have servos in the scene;
    - `policy(seen)`, called before every step with arrays of all motions: q [N, nq], v [N, nv],
      time [N] [s], step, and the sensors. It returns efforts [N, nv], targets [N, k] where `servos`
      names them, or None to leave them.

    Returns q [N, T+1, nq], v [N, T+1, nv], time [N, T+1], holds [N, T] (also under its former name,
    claimed), and an array [N, T, size] for each of `sensors`: "model/sensor" of a model file,
    "pose:BODY" (position [m], quaternion w x y z), "imu:BODY" (acceleration less gravity [m/s^2],
    angular velocity [rad/s], in its axes), "contact_wrench:BODY" (force [N], torque about its
    origin [N m], in world axes), "joint_efforts" [nv]. Means over a step, which are all but poses,
    are NaN before the first one and in impacts, which take no time.

    A motion has the bits of a Simulator, for any number of `threads` (0: one per processor) and of
    other motions. Ctrl-C ends it at once. `progress(done, steps)` is called now and then. Raises
    ValueError for what does not fit, DivergenceError, and UnknownNameError for a sensor, body or
    joint that is missing. A parameter that sets nothing but the start of the scene raises
    ValueError beside `states`, which replace it.
    """
    steps = None if steps is None else whole(steps, "rollout: steps", 0, MOST_STEPS)
    sensors = names_of(sensors, "rollout: sensors")
    servos = names_of(servos, "rollout: servos")
    parameters = mapping(parameters, "rollout: parameters",
                         "{\"materials.wood.friction\": [0.1, 0.3]}")
    function(policy, "rollout: policy")
    function(progress, "rollout: progress")
    if states is not None and not hasattr(states, "__len__"):
        raise TypeError(f"rollout: states must be a list of State, not {kind(states)}")
    if isinstance(scene, Scene) \
            and not any((parameters, servos, policy, progress, sensors)) and targets is None \
            and states is not None and not _is_empty(states) and not _have_commands(states):
        return _rollout(scene, states, controls, steps, threads)
    controls, targets = _table(controls, "controls"), _table(targets, "targets")
    _check(scene, parameters, controls, targets, policy, servos, sensors)
    num = _number_of_motions([
        ("scenes", None if isinstance(scene, Scene) else len(scene)),
        ("states", None if states is None else len(states)),
        ("controls", None if controls is None else len(controls)),
        ("targets", None if targets is None else len(targets)),
        *((path, len(values)) for path, values in parameters.items())])
    steps = _number_of_steps(steps, controls if controls is not None else targets)
    states = [] if states is None else list(states)
    if num == 0:  # one motion that is not kept has the widths of the arrays
        if not isinstance(scene, Scene):
            raise ValueError("rollout: the list of scenes is empty")
        batch = _MotionBatch(scene, [], [scene], [], servos, sensors, threads)
        return _Course(batch, 0, steps, sensors).arrays()
    if states:
        _refuse_starts(scene, parameters, states[0])
    probes = _probes(scene, parameters, states)
    base = scene if isinstance(scene, Scene) else scene[0]
    batch = _MotionBatch(base, probes, _scenes(scene, parameters, num), states, servos, sensors,
                         threads)
    return _moved(batch, num, steps, controls, targets, policy, servos, sensors, progress)


def _moved(batch, num, steps, controls, targets, policy, servos, sensors, progress):
    """Steps a batch; returns its arrays."""
    course, shown = _Course(batch, num, steps, sensors), _Shown(progress, steps)
    for step in range(steps):
        efforts = None if controls is None else controls[:, step]
        aims = None if targets is None else targets[:, step]
        if policy is not None:
            efforts, aims = _commands(policy, course, step, servos)
        batch.step(efforts, aims)
        course.note(step + 1)
        shown.add(step + 1)
    return course.arrays()
