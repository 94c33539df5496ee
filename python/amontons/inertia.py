"""Inertial parameters of a body that stay physically possible."""
import math

import numpy as np

from ._core import ParseError, Simulator
from .scene import _override_scene, _path_part

NAMES = ("alpha", "d1", "d2", "d3", "s12", "s23", "s13", "t1", "t2", "t3")
AXES = (("xx", 0, 0), ("yy", 1, 1), ("zz", 2, 2), ("xy", 0, 1), ("xz", 0, 2), ("yz", 1, 2))
SLOPE_STEP = 1e-6  # of the bounds' width
ROUNDING = 1e-9  # of masses, relative
OPEN_SHARE = 1e-2  # of a slope along open directions: less is rounding of their null space


def pseudo_inertia(mass, center_of_mass, inertia):
    """Returns the pseudo-inertia [4, 4] of a body
    [Wensing, Kim and Slotine 2018].

    `inertia` [3, 3] is about the center of mass; the pseudo-inertia refers to the body's origin.
    """
    c = np.asarray(center_of_mass, float)
    second = 0.5 * np.trace(inertia) * np.eye(3) - inertia + mass * np.outer(c, c)
    first = mass * c[:, None]
    return np.block([[second, first], [first.T, np.array([[mass]])]])


def body_of(pseudo):
    """Returns (mass [kg], center of mass [3] [m], inertia [3, 3] about it [kg m^2])."""
    mass = float(pseudo[3, 3])
    center = pseudo[:3, 3] / mass
    second = pseudo[:3, :3] - mass * np.outer(center, center)
    return mass, center, np.trace(second) * np.eye(3) - second


def log_cholesky(theta):
    """Returns the upper triangular U [4, 4] of ten numbers [Rucker and Wensing 2022].

    U U^T is a pseudo-inertia that is physically possible for every theta, and zeros give the unit
    matrix.
    """
    alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3 = theta
    return math.exp(alpha) * np.array([[math.exp(d1), s12, s13, t1], [0.0, math.exp(d2), s23, t2],
                                       [0.0, 0.0, math.exp(d3), t3], [0.0, 0.0, 0.0, 1.0]])


def _upper_factor(matrix, what):
    """Returns the upper triangular U with U U^T = matrix."""
    try:
        return np.linalg.cholesky(matrix[::-1, ::-1])[::-1, ::-1]
    except np.linalg.LinAlgError:
        raise ValueError(f"fit: the inertia of {what} is that of a flat or thin body (a principal "
                         "moment is the sum of the other two), or not possible; give it thickness "
                         "in the scene") from None


def _nominal(scene, name):
    """Returns (mass, center of mass, inertia) of a body of a scene and all that is fixed to it."""
    simulator = Simulator(scene, threads=1)
    body = simulator.bodies[name]  # raises UnknownNameError with the nearest name
    if body.fixed:
        raise ValueError(f"fit: body {name!r} is fixed, so that its inertia has no effect")
    return body.mass, np.array(body.center_of_mass), np.array(body.inertia)


def _path_of(body):
    """Returns the path of a body in a scene: an item of `bodies`, or a link of one of `models`."""
    model, _, link = body.partition("/")
    if link:
        return f"models.{_path_part(model)}.links.{_path_part(link)}"
    return f"bodies.{_path_part(body)}"


class InertialParameters:
    """Maps ten numbers to the inertial parameters of a body; all zero are those of the scene.

    They are those of the body alone: what fixed joints join to it keeps its own. The pseudo-inertia
    is U0 U(theta) U(theta)^T U0^T, where U0 U0^T is that of the scene. The numbers therefore have no
    unit, and do not depend on size or mass of the body.
    """

    def __init__(self, scene, body, width):
        self.body, self.path, self.unit_mass = body, _path_of(body), None
        together = pseudo_inertia(*_nominal(scene, body))
        self.factor = _upper_factor(together, repr(body))
        self.names = [f"{body}.{name}" for name in NAMES]
        self.parameters = {name: (-width, width) for name in self.names}
        zeros = dict.fromkeys(self.names, 0.0)
        try:
            changed = _nominal(_override_scene(scene, self.overrides(zeros)), body)
        except ParseError as error:
            # A body with a density takes no mass besides; its mass is in proportion to the density.
            try:
                one, two = (_nominal(_override_scene(scene, {f"{self.path}.density": density}),
                                     body)[0] for density in (1.0, 2.0))
                self.unit_mass = two - one
                changed = _nominal(_override_scene(scene, self.overrides(zeros)), body)
            except ParseError:
                raise ValueError(f"fit: the inertia of body {body!r} cannot be changed, as it is "
                                 "neither an item of the scene's `bodies` nor a link of its "
                                 f"`models`: {error}") from None
        # The body had the inertia of all: what is more than that belongs to the bodies fixed to it.
        others = pseudo_inertia(*changed) - together
        if others[3, 3] > ROUNDING * together[3, 3]:
            own = together - others
            if own[3, 3] <= ROUNDING * together[3, 3]:
                raise ValueError(f"fit: body {body!r} has no mass of its own, only that of bodies that "
                                 "are fixed to it; name one of these")
            self.factor = _upper_factor(own, repr(body))

    def at(self, values):
        """Returns (mass, center of mass [3], inertia [3, 3]) at named numbers."""
        root = self.factor @ log_cholesky([values[name] for name in self.names])
        return body_of(root @ root.T)

    def overrides(self, values):
        """Returns the overrides of a scene that give the body these parameters."""
        mass, center, inertia = self.at(values)
        six = inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        size = ({f"{self.path}.mass": mass} if self.unit_mass is None else
                {f"{self.path}.density": mass / self.unit_mass})
        return {**size, f"{self.path}.center_of_mass": center, f"{self.path}.inertia": six}


class BodyInertia:
    """Holds the fitted inertial parameters of a body, without the bodies that are fixed to it.

    `mass` [kg], `center_of_mass` [3] [m] in the body's frame, and `inertia` [3, 3] [kg m^2] about it
    along the body's axes. `first_moment` [3] [kg m] is their product, and `inertia_about_origin`
    [3, 3] [kg m^2] refers to the body's origin: motions on joints often determine some of these and
    none of the former. `standard_errors` maps all five names to numbers or arrays of their shapes;
    they are infinite for what the data do not determine.
    """

    KINDS = {"mass": (), "center_of_mass": (3,), "inertia": (3, 3), "first_moment": (3,),
             "inertia_about_origin": (3, 3)}

    def __init__(self, parameters, values, names, covariance, open_directions, width):
        def flat(u):
            changed = {**values, **{name: values[name] + step * width[i] for i, (name, step) in
                                    enumerate(zip(names, u)) if name in parameters.parameters}}
            mass, center, inertia = parameters.at(changed)
            about = inertia + mass * (center @ center * np.eye(3) - np.outer(center, center))
            return np.concatenate([[mass], center, inertia.ravel(), mass * center, about.ravel()])

        size = len(names)
        here = flat(np.zeros(size))
        slopes = np.column_stack([(flat(step) - flat(-step)) / (2.0 * SLOPE_STEP)
                                  for step in SLOPE_STEP * np.eye(size)])
        deviation = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", slopes, covariance, slopes), 0.0))
        if open_directions.size:
            # A quantity that changes along a direction left open is not determined.
            total = np.linalg.norm(slopes, axis=1)
            share = np.linalg.norm(slopes @ open_directions, axis=1)
            deviation = np.where(share > OPEN_SHARE * total, np.inf, deviation)
        self.standard_errors, first = {}, 0
        for kind, shape in self.KINDS.items():
            last = first + int(np.prod(shape))
            value, error = (part[first:last].reshape(shape) for part in (here, deviation))
            setattr(self, kind, value if shape else float(value))
            self.standard_errors[kind] = error if shape else float(error)
            first = last

    def __repr__(self):
        def shown(value, error):
            return f"{value:.4g} +- {error:.2g}" if np.isfinite(error) else f"{value:.4g} (open)"

        def three(kind):
            return ", ".join(map(shown, getattr(self, kind), self.standard_errors[kind]))

        def six(kind):
            value, error = getattr(self, kind), self.standard_errors[kind]
            return ", ".join(f"{axes} {shown(value[i, j], error[i, j])}" for axes, i, j in AXES)

        return (f"mass {shown(self.mass, self.standard_errors['mass'])} kg; center of mass "
                f"[{three('center_of_mass')}] m; inertia about it {six('inertia')} kg m^2; first "
                f"moment [{three('first_moment')}] kg m; inertia about the origin "
                f"{six('inertia_about_origin')} kg m^2 (standard errors)")
