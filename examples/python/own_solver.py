#!/usr/bin/python3
"""Steps a scene with a contact solver written here, and compares it with the scene's model.

    PYTHONPATH=build/python /usr/bin/python3 examples/python/own_solver.py

The solver gets the contact problem of each island, and returns impulses. The certificate of each
step says how far they are from Coulomb's law.
"""
import numpy as np

import amontons as am

STACK = {
    "amontons": 1,
    "simulation": {"step": 0.005, "duration": 0.2},
    "bodies": [{"name": "ground", "fixed": True, "shapes": [{"half_space": {"normal": [0, 0, 1]}}]}] + [
        {"name": f"box {k}", "mass": 1.0, "shapes": [{"box": [0.2, 0.2, 0.1]}],
         "pose": {"position": [0, 0, 0.05 + 0.1 * k]}, "velocity": {"linear": [0.5, 0, 0]}}
        for k in range(2)],
}


def sweeps(problem, gap_speeds, number=500):
    """Returns impulses by projected Gauss-Seidel sweeps."""
    A, u = problem.A, problem.b.copy()
    p = np.zeros(u.size)
    steps = [1.0 / np.linalg.eigvalsh(A[3 * i:3 * i + 3, 3 * i:3 * i + 3])[-1]
             for i in range(gap_speeds.size)]
    for _ in range(number):
        before = p.copy()
        for i, (s, step, mu) in enumerate(zip(gap_speeds, steps, problem.friction)):
            rows = slice(3 * i, 3 * i + 3)
            new = p[rows] - step * (u[rows] + [0, 0, s])
            new[2] = max(new[2], 0.0)
            slip = np.linalg.norm(new[:2])
            if slip > mu * new[2]:
                new[:2] *= mu * new[2] / slip
            u += A[:, rows] @ (new - p[rows])
            p[rows] = new
        if np.abs(p - before).max() < 1e-11:
            break
    return p


def main():
    scene = am.make_scene(STACK)
    own, ours = am.Simulator(scene), am.Simulator(scene)
    worst = 0.0
    while not own.finished:
        report = own.step(solver=sweeps)
        ours.step()
        worst = max(worst, *(value for name, (value, _) in report.certificate.residuals.items()
                             if name in ("normal", "friction")))
    apart = np.abs(own.q - ours.q).max()
    print(f"worst residual of the sweeps {worst:.1e}, {apart:.1e} m from the scene's model")
    assert worst < 1e-4 and apart < 1e-4
    # The same solver under a name, for scenes and problems.
    am.register_model("sweeps", sweeps)
    solution, certificate = report.problem.solve("sweeps")
    assert np.allclose(solution.impulses, report.solution.impulses, atol=1e-8)
    assert am.certify(report.problem, solution.impulses, tolerance=1e-4).holds


if __name__ == "__main__":
    main()
