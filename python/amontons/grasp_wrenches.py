"""Wrenches that contacts can give (docs/theory/grasps.md), as generators of cones and hulls."""
import numpy as np

from .child import in_child

# Wrenches in space whose hull this process makes, in 0.1 s: Qhull hears no Ctrl-C.
MOST_HULL = 200


def tangents(normals):
    """Returns two unit tangents of each normal [k, 3], [k, 3]: that nearest to an axis, and n x t."""
    axes = np.eye(3)[np.argmin(np.abs(normals), axis=1)]
    first = axes - np.sum(axes * normals, axis=1)[:, None] * normals
    first /= np.linalg.norm(first, axis=1)[:, None]
    return first, np.cross(normals, first)


def cone_generators(normals, friction, directions):
    """Returns forces [k, m, 3] of unit normal part at the corners of a polygon of `directions`
    corners within each friction circle; one force each where no contact has friction."""
    if not np.any(friction > 0):
        return normals[:, None, :].copy()
    t1, t2 = tangents(normals)
    angle = 2 * np.pi * np.arange(directions) / directions
    circle = (np.cos(angle)[None, :, None] * t1[:, None] + np.sin(angle)[None, :, None] * t2[:, None])
    return normals[:, None] + friction[:, None, None] * circle


def hard_and_soft(normals, friction, torsion, directions):
    """Returns (forces [k, m, 3], torques [k, m, 3]) of unit normal part: the corners of friction
    polygons, and where a finger is soft the two torques about the normal without friction force."""
    forces = cone_generators(normals, friction, directions)
    torques = np.zeros_like(forces)
    if not np.any(torsion > 0):
        return forces, torques
    poles = (torsion[:, None] * normals)[:, None]
    still = np.repeat(normals[:, None], 2, axis=1)
    return (np.concatenate([forces, still], axis=1),
            np.concatenate([torques, poles, -poles], axis=1))


def planar_generators(normals, friction):
    """Returns the two edges of each cone in the plane [k, 2, 2]; they are the whole cone."""
    tangent = np.column_stack([-normals[:, 1], normals[:, 0]])
    return np.stack([normals + friction[:, None] * tangent,
                     normals - friction[:, None] * tangent], axis=1)


def hull_volume(wrenches, is_child=False):
    """Returns the volume of the convex hull of wrenches [n, d] and zero; 0 where they are flat."""
    from scipy.spatial import ConvexHull
    dimension = wrenches.shape[1]
    if np.linalg.matrix_rank(wrenches) < dimension:
        return 0.0
    if dimension > 3 and len(wrenches) > MOST_HULL and not is_child:
        return in_child("Grasp.volume", hull_volume, wrenches, True)
    return float(ConvexHull(np.vstack([wrenches, np.zeros(dimension)])).volume)


SHIFT = 1e-7  # of points in space, relative to their size: symmetric ones make facets degenerate
MOST_START = 60  # wrenches that a search begins with
BATCH = 60  # facets that a pass extends
APART = 1e-2  # of the points of a pass, relative to their size; less where none is as far apart
MOST_FACETS = 150_000  # after which a search ends, in some seconds
DEAREST = 1e4  # largest sum of normal forces for a unit load


def _shifted(points, size, random):
    """Returns points [n, d] moved at random by less than SHIFT * size in each coordinate; points of
    the plane stay."""
    if points.shape[1] == 3:
        return points
    return points + SHIFT * size * random.uniform(-1, 1, points.shape)


def _extreme(wrenches):
    """Returns those of many wrenches [n, d] that are farthest along some directions, or all where
    those are flat: a hull of all takes minutes."""
    directions = np.random.default_rng(2).normal(size=(10 * wrenches.shape[1], wrenches.shape[1]))
    chosen = wrenches[np.unique(np.argmax(wrenches @ directions.T, axis=0))]
    is_flat = np.linalg.matrix_rank(chosen - chosen.mean(axis=0)) < wrenches.shape[1]
    return wrenches if is_flat else chosen


def _apart(points, candidates, distance):
    """Returns those candidates [m, d] that are farther from all points [n, d] and from each other
    than a distance, in one coordinate at least: points side by side make many facets for nothing."""
    kept = points
    for candidate in candidates:
        if (np.abs(kept - candidate).max(axis=1) > distance).all():
            kept = np.vstack([kept, candidate])
    return kept[len(points):]


def largest_ball(wrenches, farthest, relative):
    """Returns (lower, upper, direction) of the radius of the largest ball about zero in a convex set.

    `wrenches` [n, d] of the set span a first polytope, and farthest(d) returns the largest product
    of the set with a unit vector d, and the element of the set with that product [d]. The
    polytope grows where it is nearest to zero until the bounds differ by `relative`, or by rounding
    [Zheng 2013]. `direction` is that of the upper bound. Without zero inside both are 0, and where
    the search ends at MOST_FACETS with zero outside the polytope, lower is 0."""
    from scipy.spatial import ConvexHull
    dimension, size = wrenches.shape[1], np.linalg.norm(wrenches, axis=1).max()
    if np.linalg.matrix_rank(wrenches) < dimension:
        # Some direction is perpendicular to all of them; the set is as flat, or rounding is.
        return 0.0, 0.0, np.linalg.svd(wrenches)[2][-1]
    away = np.linalg.lstsq(wrenches, -np.ones(len(wrenches)), rcond=None)[0]
    if np.allclose(wrenches @ away, -1.0, atol=1e-9):
        # A plane off zero holds opposite corners of all cones, so it holds the cones.
        return 0.0, 0.0, away / np.linalg.norm(away)
    random = np.random.default_rng(1)  # the same results each time
    points = _extreme(wrenches) if len(wrenches) > MOST_START else wrenches
    hull = ConvexHull(_shifted(points, size, random), incremental=True)
    moved = 0.0 if dimension == 3 else SHIFT * size * np.sqrt(dimension)
    upper, direction, apart = np.inf, None, APART * size
    while True:  # each pass adds a point, or ends the search
        offsets = -hull.equations[:, -1]
        nearest = np.argsort(offsets)[:BATCH]
        lower, found = offsets[nearest[0]] - moved, []
        for facet in nearest:
            if offsets[facet] - moved > (1 - relative) * upper:
                break
            outward = hull.equations[facet, :-1]
            reach, element = farthest(outward)
            found.append(element)
            if reach < upper:
                upper, direction = reach, outward
        if upper <= 1e-9 * size:
            return 0.0, 0.0, direction
        if upper - lower <= relative * upper or len(offsets) > MOST_FACETS:
            break
        if upper - lower <= 1e-9 * size + 2 * moved:
            # The points are moved by as much as the bounds differ: only a descent can decide.
            upper, direction = _descend(wrenches, farthest, direction)
            if upper <= 1e-9 * size:
                return 0.0, 0.0, direction
            break
        more = _apart(points, found, apart)
        while len(more) == 0 and apart > SHIFT * size:
            apart /= 4
            more = _apart(points, found, apart)
        if len(more) == 0:
            break
        points = np.vstack([points, more])
        hull.add_points(_shifted(more, size, random))
    return max(float(lower), 0.0), float(upper), direction


def _descend(wrenches, farthest, direction, most_passes=100):
    """Returns (support, direction) of a unit vector, with the least support in a plane perpendicular
    to `direction`: there the support is convex, and cutting planes find it."""
    from scipy.optimize import linprog
    dimension, (reach, element) = len(direction), farthest(direction)
    best, elements = (reach, direction), [*wrenches, element]
    for _ in range(most_passes):
        # Least t with e . d <= t for all elements e, and d in the plane.
        found = linprog(np.append(np.zeros(dimension), 1.0),
                        A_ub=np.column_stack([elements, -np.ones(len(elements))]),
                        b_ub=np.zeros(len(elements)), A_eq=[np.append(direction, 0.0)], b_eq=[1.0],
                        bounds=[(-2.0, 2.0)] * dimension + [(None, None)], method="highs")
        if found.status != 0:
            break
        d, least = found.x[:dimension], found.x[dimension]
        reach, element = farthest(d / np.linalg.norm(d))
        elements.append(element)
        if reach < best[0]:
            best = reach, d / np.linalg.norm(d)
        # No direction of the plane has less; best[1] is a unit vector, not in the plane.
        if best[0] / (best[1] @ direction) <= least + 1e-12:
            break
    return best


def least_weights(wrenches, load):
    """Returns (weights [n], prices [d], missing) of a linear program: weights of least sum whose
    wrenches balance a load [d] of unit size, but for what is missing at DEAREST a unit. Another
    wrench of the set reduces the sum if its product with the prices exceeds 1."""
    from scipy.optimize import linprog
    count, dimension = wrenches.shape
    slack = np.eye(dimension)
    found = linprog(np.append(np.ones(count), np.full(2 * dimension, DEAREST)),
                    A_eq=np.column_stack([wrenches.T, slack, -slack]), b_eq=-load, bounds=(0, None),
                    method="highs")
    if found.status != 0:
        raise ArithmeticError(f"the linear program of a grasp ended without an answer: {found.message}")
    return found.x[:count], found.eqlin.marginals, float(found.x[count:].sum())
