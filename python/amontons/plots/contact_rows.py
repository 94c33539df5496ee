"""The contacts of bodies over the rows of a run."""
import numpy as np

from .._core import _from_contact_frames


class ContactRows:
    """Holds the contacts of a body (of all bodies for None) with another one (with any for None).

    Arrays have one entry a contact: `row` of the run, `normal` and `friction` impulse [N s], `mu`,
    `sign` (1 where impulses act on the body, -1 where on the other), `is_impact`.
    """

    def __init__(self, run, body=None, other=None):
        offset = run["contacts/offset"]
        a, b = run["contacts/body_a"], run["contacts/body_b"]
        mine = np.ones(len(a), bool)
        for name in (body, other):
            if name is not None:
                index = run.body_index(name)
                mine &= (a == index) | (b == index)
        if body is not None and body == other:
            raise ValueError(f"other must be another body than {body!r}")
        self.run, self.body, self._mine = run, body, mine
        self.row = np.repeat(np.arange(len(run)), np.diff(offset))[mine]
        impulse = run["contacts/impulse"][mine]
        self.normal = impulse[:, 2]
        self.friction = np.hypot(impulse[:, 0], impulse[:, 1])
        self.mu = run["contacts/friction"][mine]
        own = -1 if body is None else run.body_index(body)
        self.sign = np.where(b[mine] == own, 1.0, -1.0)
        self.other = np.where(b[mine] == own, a[mine], b[mine])
        self.step = run["step"]
        # An impact takes no time, or is a contact that bounces within a step.
        self.is_impact = (run["contacts/mode"][mine] == 3) | (self.step[self.row] == 0)

    def dataset(self, name):
        """Returns a dataset of the same contacts."""
        return self.run[f"contacts/{name}"][self._mine]

    def sum(self, values):
        """Returns the sums of values over the contacts of each row [T, ...]."""
        total = np.zeros((len(self.run),) + values.shape[1:])
        np.add.at(total, self.row, values)
        return total

    def per_time(self, impulses):
        """Returns forces of the impulses of rows [T, ...]: NaN in an impact, in the initial state,
        and where the run leaves out the contacts."""
        known = (self.step > 0) & self.run.has_contacts
        known[:1] = False
        step = np.where(known, self.step, np.nan)
        return impulses / step.reshape((-1,) + (1,) * (impulses.ndim - 1))

    def impulse_on_body(self):
        """Returns the impulses on the body in world axes [C, 3] [N s]."""
        return self.sign[:, None] * _from_contact_frames(self.dataset("normal"),
                                                         self.dataset("impulse"))

    def friction_on_body(self):
        """Returns the tangential parts of these impulses [C, 3] [N s]."""
        tangential = self.dataset("impulse") * [1, 1, 0]
        return self.sign[:, None] * _from_contact_frames(self.dataset("normal"), tangential)

    def each(self):
        """Yields (name, mask) of each single contact, which its shapes and feature identify."""
        keys = np.column_stack([self.dataset(name).astype(np.int64)
                                for name in ("shape_a", "shape_b", "feature")])
        unique, inverse = np.unique(keys, axis=0, return_inverse=True)
        names, counts = self.run.body_names, {}
        for k in range(len(unique)):
            mask = inverse.ravel() == k
            name = names[self.other[mask][0]]
            counts[name] = counts.get(name, 0) + 1
            yield f"{name} {counts[name]}", mask
