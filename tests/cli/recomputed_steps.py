"""Recomputes the certified steps of a run with NumPy, from its file and the text of its scene alone.

Nothing of Amontons is used. Scenes may have spheres, boxes and capsules, one a body and centered,
and half spaces; where they have joints, only the laws at single contacts are recomputed.
"""
import h5py
import numpy as np
import yaml

EPS = np.finfo(float).eps
TOLERANCE = 1e-7      # of laws, ten times that of the certificate, whose speed scales are its own
ROUNDING = 1e4 * EPS  # of sums, relative to the sum of the sizes of their terms
FRICTIONLESS, NO_SLIP = 0, 6
OPEN, STICK, SLIDE = 0, 1, 2  # modes; a contact that bounces (3) does not tell if it sticks
BOUNDED_LAWS = (0, 1, 2, 3, 4)  # whose friction has the bound mu p_n, and viscous friction


def rotation(quat):
    w, x, y, z = quat / np.linalg.norm(quat)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


def contact_frame(n):
    """Returns the columns t1, t2, n of a normal."""
    reference = np.array([0.0, 1, 0] if abs(n[0]) > 0.906307787036650 else [1.0, 0, 0])
    t1 = reference - (reference @ n) * n
    t1 /= np.linalg.norm(t1)
    return np.column_stack([t1, np.cross(n, t1), n])


def moments(shape, mass):
    """Returns the principal moments of a body of one centered shape [3]."""
    (kind, sizes), = shape.items()
    sizes = np.atleast_1d(sizes).astype(float)  # PyYAML takes 1e-09 for a text
    if kind == "sphere":
        return np.full(3, 0.4 * mass * sizes[0]**2)
    if kind == "box":
        x, y, z = sizes**2
        return mass / 12 * np.array([y + z, x + z, x + y])
    radius, length = sizes
    # A cylinder, and two half balls whose centers of mass lie 3/8 of the radius beyond its ends.
    volumes = np.array([np.pi * radius**2 * length, 4 / 3 * np.pi * radius**3])
    tube, balls = mass * volumes / volumes.sum()
    along = 0.5 * tube * radius**2 + 0.4 * balls * radius**2
    across = (tube * (3 * radius**2 + length**2) / 12
              + balls * (0.4 * radius**2 + length**2 / 4 + 0.375 * length * radius))
    return np.array([across, across, along])


class RunCheck:
    """Collects what is wrong with the certified steps of a run: `faults`, and `num_steps` checked."""

    def __init__(self, path, scene_text):
        scene = yaml.safe_load(scene_text)
        with h5py.File(path) as run:
            self.run = {name: run[name][()] for name in (
                "step", "q_start", "v", "v_free", "v_eval", "v_coupled", "coupled_damping",
                "certificate/claimed", "contacts/offset", "contacts/record", "law/within")}
            self.contacts = {name: data[()] for name, data in run["contacts"].items()}
        free = [body for body in scene["bodies"] if not body.get("fixed")]
        first = next(i for i, body in enumerate(scene["bodies"]) if not body.get("fixed"))
        self.masses = np.array([float(body["mass"]) for body in free])
        self.moments = np.array([moments(body["shapes"][0], mass)
                                 for body, mass in zip(free, self.masses)])
        self.slot = {first + i: i for i in range(len(free))}  # body -> place in q and v
        self.has_joints = "joints" in scene
        self.moved = self.moved_masses([body["name"] for body in free], scene.get("joints", []))
        self.faults, self.num_steps, self.num_contacts = [], 0, 0
        for row in range(1, len(self.run["step"])):
            if self.run["certificate/claimed"][row] and self.run["step"][row] > 0:
                self.check(row)

    def moved_masses(self, names, joints):
        """Returns for each body the mass of all that joints link to it: the most that a contact moves."""
        group = {name: {name} for name in names}
        for joint in joints:
            linked = group[joint["parent"]] | group[joint["child"]]
            for name in linked:
                group[name] = linked
        return np.array([sum(self.masses[names.index(other)] for other in group[name])
                         for name in names])

    def expect(self, row, what, excess, allowed):
        """Notes a fault where `excess` [k] is above what is allowed; NaN is one, too."""
        excess, allowed = np.broadcast_arrays(np.atleast_1d(excess), allowed)
        wrong = ~(excess <= allowed)
        if wrong.any():
            k = int(np.argmax(wrong))
            self.faults.append(f"row {row}, {what}: {excess[k]:.3g}, at most {allowed[k]:.3g}")

    def check(self, row):
        self.num_steps += 1
        begin, end = self.run["contacts/offset"][row:row + 2]
        records = self.run["contacts/record"][begin:end]
        contacts = {name: data[records] for name, data in self.contacts.items()
                    if name not in ("offset", "record")}
        self.num_contacts += len(records)
        inverse = sum(np.array([1 / self.moved[self.slot[b]] if b in self.slot else 0.0
                                for b in contacts[name]]) for name in ("body_a", "body_b"))
        moving = inverse > 0
        if moving.any():
            self.check_laws(row, {name: data[moving] for name, data in contacts.items()},
                            inverse[moving])
        if not self.has_joints:
            self.check_motion(row, contacts)

    def check_laws(self, row, c, inverse):
        h, u, p = self.run["step"][row], c["velocity"], c["impulse"]
        speed = max(np.abs(u).max(), np.abs(c["velocity_free"]).max(), max(0, -c["gap"].min()) / h)
        slack = TOLERANCE * speed          # of velocities
        give = slack / inverse             # of impulses
        loose = max(1.0, self.run["law/within"][row] / 1e-8)  # an `Acceptable` step
        slip, friction = np.hypot(u[:, 0], u[:, 1]), np.hypot(p[:, 0], p[:, 1])
        self.expect(row, "a contact pulls", -p[:, 2], give)
        self.expect(row, "shapes approach beyond their gap", -u[:, 2] - np.maximum(0, c["gap"]) / h,
                    slack + ROUNDING * np.abs(c["position"]).max() / h)
        # In the cone, or viscous: p_t + share h mu_v u_t in the disc of mu p_n.
        bounded = np.isin(c["law"], BOUNDED_LAWS)
        mu = np.where(c["law"] == FRICTIONLESS, 0.0, c["friction"])
        drag = h * c["viscous_friction"] * slip
        free = bounded | ((c["law"] == NO_SLIP) & np.isin(c["mode"], (OPEN, SLIDE))
                          & (c["viscous_friction"] == 0))
        limit = np.where(bounded, mu * np.maximum(p[:, 2], 0) + drag, 0.0)
        self.expect(row, "friction outside of its cone", np.where(free, friction - limit, 0.0),
                    (give + ROUNDING * np.abs(p).max(axis=1)) * (1 + mu))
        sticks = (c["law"] == NO_SLIP) & (c["mode"] == STICK)
        self.expect(row, "a contact that sticks slips", np.where(sticks, slip, 0.0), loose * slack)
        work = p[:, 0] * u[:, 0] + p[:, 1] * u[:, 1]
        self.expect(row, "friction pushes", work, loose * (slack * friction + give * slip + slack * give))

    def check_motion(self, row, c):
        h, count = self.run["step"][row], len(self.masses)
        q = self.run["q_start"][row].reshape(count, 7)
        v, free = (self.run[name][row].reshape(count, 6) for name in ("v", "v_free"))
        centers = q[:, 4:] + h * self.run["v_eval"][row].reshape(count, 6)[:, 3:]
        turns = np.array([rotation(quat) for quat in q[:, :4]])
        impulses, sizes, rounding = np.zeros((count, 6)), np.zeros((count, 2)), np.zeros((count, 2))
        for k in range(len(c["gap"])):
            frame = contact_frame(c["normal"][k])
            force, seen, terms, levers = frame @ c["impulse"][k], np.zeros(3), 0.0, {}
            for body, sign in ((c["body_a"][k], -1), (c["body_b"][k], 1)):
                if body not in self.slot:
                    continue
                i = self.slot[body]
                arm = c["position"][k] - centers[i]
                levers[i] = np.array([np.linalg.norm(arm) + np.linalg.norm(centers[i]), 1])
                seen += sign * (v[i, 3:] + np.cross(v[i, :3], arm))
                terms += levers[i] @ np.linalg.norm(v[i].reshape(2, 3), axis=1)
                impulses[i] += sign * np.append(np.cross(arm, force), force)
                sizes[i] += np.linalg.norm(force) * levers[i]
            self.expect(row, "a velocity at a contact", np.abs(frame.T @ seen - c["velocity"][k]),
                        ROUNDING * terms + 1e-300)
            for i in levers:  # drag multiplies the rounding of a velocity
                rounding[i] += EPS * h * c["viscous_friction"][k] * terms * levers[i]
        if np.any(self.run["v_eval"][row]):
            return  # bodies have turned to where their contacts are
        # M (v+ - v_free) is the sum of the impulses, up to a share of the body's own motion in the norm
        # of its kinetic energy; the axes of the moments turn with the body. Some turns are damped.
        coupled = self.run["v_coupled"][row].reshape(count, 6)
        for i in range(count):
            damping = self.run["coupled_damping"][row] if coupled[i].any() else 0.0
            roots = np.sqrt(np.append((1 + damping) * self.moments[i], np.full(3, self.masses[i])))
            own = [roots * np.append(turns[i].T @ w[i, :3], w[i, 3:]) for w in (v, free)]
            given = np.append(turns[i].T @ impulses[i, :3], impulses[i, 3:]) / roots
            units = np.array([roots[:3].min(), roots[3]])
            size = sum(map(np.linalg.norm, own)) + np.linalg.norm(sizes[i] / units)
            self.expect(row, "momentum", np.linalg.norm(own[0] - own[1] - given),
                        (TOLERANCE / 10 + ROUNDING) * size + np.linalg.norm(rounding[i] / units) + 1e-300)
        kinetic = [0.5 * sum(self.masses[i] * w[i, 3:] @ w[i, 3:]
                             + self.moments[i] @ (turns[i].T @ w[i, :3])**2 for i in range(count))
                   for w in (v, free)]
        bounces = len(c["gap"]) > 0 and (c["restitution"].max() > 0 or c["gap"].min() < 0)
        if not bounces:
            self.expect(row, "energy from contact", kinetic[0] - kinetic[1], TOLERANCE * kinetic[1])
