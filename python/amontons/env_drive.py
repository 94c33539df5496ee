"""Actions of environments: efforts, or targets of servos and of proportional-derivative control."""
import numpy as np

from .arguments import floats, one_of


def _not_negative(value, num, name):
    array = floats(value, name)
    if array.shape not in ((), (num,)):
        raise ValueError(f"{name} must be one number or {num}, one per joint")
    if not np.all(np.isfinite(array) & (array >= 0.0)):
        raise ValueError(f"{name} must be finite and not negative")
    return np.broadcast_to(array, (num,)).copy()


class Drive:
    """Turns actions into commands: efforts, or targets of the scene's servos or of own gains."""

    def __init__(self, simulator, joints, max_effort, action, gains, target_range, normalized):
        action = one_of(action, "action", ("effort", "target"))
        if action == "effort" and (gains is not None or target_range is not None):
            raise ValueError("gains and target_range are for action=\"target\"")
        self.joints, self.is_target = joints, action == "target"
        self._max_effort = _not_negative(max_effort, len(joints), "max_effort")
        self._gains = None
        if gains is not None:
            if not isinstance(gains, (tuple, list)) or len(gains) != 2:
                raise ValueError("gains must be a pair (kp, kd), each one number or one per joint")
            self._gains = [_not_negative(gain, len(joints), name)
                           for gain, name in zip(gains, ("kp", "kd"))]
        if self.is_target:
            self._low, self._high = self._target_ends(simulator, target_range)
        else:
            self._low, self._high = -self._max_effort, self._max_effort
        self._normalized = bool(normalized)
        self._check(simulator)

    def _target_ends(self, simulator, target_range):
        """Returns the ends of the targets [k]: those given, or the limits of the joints."""
        if target_range is None:
            ends = np.array([simulator.joints[joint].limits for joint in self.joints], float)
        else:
            ends = floats(target_range, "target_range")
            if ends.shape not in ((2,), (len(self.joints), 2)):
                raise ValueError("target_range must be (low, high), or "
                                 f"{len(self.joints)} of them, one per joint")
            ends = np.broadcast_to(ends, (len(self.joints), 2))
        if not np.isfinite(ends).all() or not np.all(ends[:, 0] < ends[:, 1]):
            raise ValueError("targets need finite ends in ascending order: give target_range, as "
                             "not every joint has limits")
        return ends[:, 0].copy(), ends[:, 1].copy()

    def ends(self):
        """Returns the least and the greatest action [k]."""
        if self._normalized:
            return -np.ones(len(self.joints)), np.ones(len(self.joints))
        return self._low, self._high

    def _check(self, simulator):
        """Refuses a joint that cannot be driven; the simulator is at its start afterwards."""
        for joint in self.joints:
            if self.is_target and self._gains is None:
                simulator.set_servo_target(joint, float(simulator.joints[joint].position))
            else:
                simulator.set_effort(joint, 0.0)
        simulator.reset()

    def values(self, action):
        """Returns the efforts or targets [k] of an action, within their ends."""
        values = floats(action, "an action")
        if values.shape != (len(self.joints),):
            kind = "target" if self.is_target else "effort"
            raise ValueError(f"an action must have the shape ({len(self.joints)},), one {kind} per "
                             f"joint, not {values.shape}")
        if not np.isfinite(values).all():
            raise ValueError("an action must be finite")
        if self._normalized:
            values = self._low + 0.5 * (np.clip(values, -1.0, 1.0) + 1.0) * (self._high - self._low)
        return np.clip(values, self._low, self._high)

    def command(self, simulator, values, is_first):
        """Gives the commands of a step of the scene."""
        if self._gains is None and not is_first:
            return  # commands last
        if self.is_target and self._gains is None:
            for joint, target in zip(self.joints, values):
                simulator.set_servo_target(joint, float(target))
            return
        if self.is_target:
            views = [simulator.joints[joint] for joint in self.joints]
            q = np.array([view.position for view in views])
            v = np.array([view.velocity for view in views])
            efforts = self._gains[0] * (values - q) - self._gains[1] * v
            values = np.clip(efforts, -self._max_effort, self._max_effort)
        for joint, effort in zip(self.joints, values):
            simulator.set_effort(joint, float(effort))
