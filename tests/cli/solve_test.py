#!/usr/bin/python3
"""Checks that saved problems are solved and certified.  usage: solve_test.py PROGRAM"""
import json
import pathlib
import sys
import tempfile
import unittest

import h5py
import numpy as np

from program import amontons


def write_sparse(parent, name, matrix):
    """Writes a sparse matrix as triplets, as FCLIB stores them (nz >= 0)."""
    rows, columns = np.nonzero(matrix)
    group = parent.create_group(name)
    for key, value in (("m", matrix.shape[0]), ("n", matrix.shape[1]), ("nz", len(rows)),
                       ("nzmax", len(rows))):
        group[key] = np.array([value], dtype=np.int32)
    group["p"], group["i"] = columns.astype(np.int32), rows.astype(np.int32)
    group["x"] = matrix[rows, columns].astype(float)


def write_local(path, W, q, mu, spacedim):
    with h5py.File(path, "w") as file:
        group = file.create_group("fclib_local")
        group["spacedim"] = np.array([spacedim], dtype=np.int32)
        write_sparse(group, "W", np.asarray(W, dtype=float))
        group["vectors/q"] = np.asarray(q, dtype=float)
        group["vectors/mu"] = np.asarray(mu, dtype=float)


def write_global(path, M):
    """Writes one frictional contact of a point [3 coordinates] of mass matrix M that falls."""
    with h5py.File(path, "w") as file:
        group = file.create_group("fclib_global")
        group["spacedim"] = np.array([3], dtype=np.int32)
        write_sparse(group, "M", np.asarray(M, dtype=float))
        write_sparse(group, "H", np.eye(3))
        group["vectors/f"], group["vectors/w"] = [-2.0, 3.0, 4.0], np.zeros(3)
        group["vectors/mu"] = [0.5]


class SolveTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.dir = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def solve(self, name, *options, check=0):
        return json.loads(amontons("solve", name, "--json", *options, cwd=self.dir,
                                   check=check).stdout)

    def solve_refuses(self, name, option, *more):
        error = amontons("solve", name, option, *more, cwd=self.dir, check=2).stderr
        self.assertIn(option, error)

    def test_a_box_far_from_the_unconstrained_minimizer_has_its_own(self):
        for H, g, upper, minimizer in (([[1e-6]], [-1.0], [1e-3], [1e-3]),
                                       (np.eye(2), [-1e9, -1.0], [5.0, 5.0], [5.0, 1.0]),
                                       (np.eye(2), [-1e16, -1.0], [5.0, 5.0], [5.0, 1.0]),
                                       (np.eye(2), [1e12, -1.0], [np.inf, 5.0], [0.0, 1.0])):
            with h5py.File(self.dir / "qp.hdf5", "w") as file:
                file["qp/H"], file["qp/g"] = H, g
                file["qp/lower"], file["qp/upper"] = np.zeros(len(g)), upper
            report = self.solve("qp.hdf5")
            self.assertTrue(report["claimed"])
            np.testing.assert_allclose(report["solution"], minimizer, rtol=1e-7, atol=1e-12)

    def test_programs_are_solved_by_the_method_of_a_name(self):
        # z = max(0, -q) for M = I; a box QP has the same minimizer.
        with h5py.File(self.dir / "lcp.hdf5", "w") as file:
            file["lcp/M"], file["lcp/q"] = np.eye(3), [-1.0, 2.0, -0.5]
        with h5py.File(self.dir / "qp.hdf5", "w") as file:
            file["qp/H"], file["qp/g"] = np.eye(3), [-1.0, 2.0, -0.5]
            file["qp/lower"], file["qp/upper"] = np.zeros(3), np.full(3, np.inf)
        of_boxes = ("block-pivoting", "gradient-projection")
        for name, methods in (("lcp.hdf5", ("lemke", "lemke-plain", "ppm", *of_boxes)),
                              ("qp.hdf5", of_boxes)):
            for method in methods:
                report = self.solve(name, "--method", method)
                self.assertEqual((report["model"], report["status"]), (method, "Converged"))
                np.testing.assert_allclose(report["solution"], [1.0, 0.0, 0.5], atol=1e-12)
            self.solve_refuses(name, "--model", "lemke-plain")
            error = amontons("solve", name, "--method", "lemk", cwd=self.dir, check=2).stderr
            self.assertIn("one of: " + ", ".join(methods), error)
        write_local(self.dir / "p.hdf5", np.eye(3), [-2.0, 3.0, 4.0], [0.5], 3)
        self.solve_refuses("p.hdf5", "--method", "lemke")
        self.assertEqual(self.solve("p.hdf5", "--model", "lemke")["law"], "pyramid")
        with h5py.File(self.dir / "skew.hdf5", "w") as file:
            file["lcp/M"], file["lcp/q"] = [[1.0, 1.0], [0.0, 1.0]], [-1.0, -1.0]
        error = amontons("solve", "skew.hdf5", "--method", "ppm", cwd=self.dir, check=2).stderr
        self.assertIn("ppm needs a symmetric positive semidefinite M", error)

    def test_normals_and_mixed_problems_are_read(self):
        # Two props under one mass: N M^-1 (N'z + f) >= 0, f = M v with v = -2 m/s.
        with h5py.File(self.dir / "nmf.h5", "w") as file:
            file["lcp/N"], file["lcp/M"], file["lcp/f"] = [[1.0], [1.0]], [[3.0]], [-6.0]
        for method in ("lemke", "ppm"):
            report = self.solve("nmf.h5", "--method", method)
            self.assertAlmostEqual(sum(report["solution"]), 6.0)
        with h5py.File(self.dir / "bad.h5", "w") as file:
            file["lcp/N"], file["lcp/M"], file["lcp/f"] = [[1.0], [1.0]], [[-3.0]], [-6.0]
        self.assertIn("positive definite", amontons("solve", "bad.h5", cwd=self.dir, check=2).stderr)
        # z_0 = -3 solves its equation, z_1 = 0 rests.
        with h5py.File(self.dir / "mlcp.h5", "w") as file:
            file["lcp/M"], file["lcp/q"], file["lcp/free"] = np.eye(2), [3.0, 2.0], [1, 0]
        report = self.solve("mlcp.h5", "--method", "lemke")
        self.assertEqual(report["kind"], "mixed linear complementarity problem")
        np.testing.assert_allclose(report["solution"], [-3.0, 0.0])
        self.assertIn("mixed", amontons("info", "mlcp.h5", cwd=self.dir, check=0).stdout)

    def test_the_lcp_of_a_step_is_a_file_with_the_same_solution(self):
        write_global(self.dir / "p.hdf5", np.diag([2.0, 2.0, 2.0]))
        model = ("--model", "stewart-trinkle")
        known = self.solve("p.hdf5", *model, "--save-lcp", "lcp.h5")
        report = self.solve("lcp.h5")
        self.assertEqual(report["status"], "Converged")
        with h5py.File(self.dir / "lcp.h5") as file:
            rows = [name.decode() for name in file["lcp/rows"]]
        self.assertEqual(rows, ["contact 0: p_n", *(f"contact 0: beta_{k}" for k in range(4)),
                                "contact 0: lambda"])
        z = report["solution"]
        np.testing.assert_allclose([z[0], z[1] - z[3], z[2] - z[4]], known["impulses"], atol=1e-9)
        self.solve_refuses("lcp.h5", "--save-lcp", "again.h5")
        (self.dir / "mine.txt").write_text("mine")
        amontons("solve", "p.hdf5", *model, "--save-lcp", "mine.txt", cwd=self.dir, check=2)
        self.assertEqual((self.dir / "mine.txt").read_text(), "mine")

    def test_a_problem_with_rolling_friction_is_named_as_one(self):
        with h5py.File(self.dir / "rolling.hdf5", "w") as file:
            file.create_group("fclib_global_rolling")
        error = amontons("solve", "rolling.hdf5", cwd=self.dir, check=2).stderr
        self.assertIn("/fclib_global_rolling has rolling friction, which is not read", error)
        with h5py.File(self.dir / "empty.hdf5", "w"):
            pass
        error = amontons("solve", "empty.hdf5", cwd=self.dir, check=2).stderr
        self.assertIn("/fclib_local", error)

    def test_a_sliding_particle_in_space_loses_mu_times_its_normal_impulse(self):
        # Rows (n, t1, t2); a unit mass that falls at 2 m/s and slides at 5 m/s along (3, 4)/5.
        write_local(self.dir / "p.hdf5", np.eye(3), [-2.0, 3.0, 4.0], [0.5], 3)
        report = self.solve("p.hdf5")
        self.assertEqual(report["status"], "Converged")
        self.assertTrue(report["claimed"])
        self.assertLess(report["residual"], 1e-12)
        np.testing.assert_allclose(report["impulses"], [2.0, -0.6, -0.8], atol=1e-12)
        np.testing.assert_allclose(report["velocities"], [0.0, 2.4, 3.2], atol=1e-12)

    def test_two_contacts_in_the_plane(self):
        # One presses and sticks, one opens; two rows per contact.
        W = np.diag([1.0, 1.0, 2.0, 2.0])
        write_local(self.dir / "p.hdf5", W, [-1.0, 0.25, 3.0, 1.0], [0.5, 0.5], 2)
        report = self.solve("p.hdf5")
        self.assertEqual(report["rows_per_contact"], 2)
        np.testing.assert_allclose(report["impulses"], [1.0, -0.25, 0.0, 0.0], atol=1e-12)

    def test_two_props_under_one_mass_share_its_weight_as_they_like(self):
        # Both normals push the same unit mass, without friction: p_1 + p_2 = 2, each in [0, 2].
        W = np.zeros((6, 6))
        W[np.ix_([0, 3], [0, 3])] = 1.0
        write_local(self.dir / "p.hdf5", W, [-2.0, 0.0, 0.0] * 2, [0.0, 0.0], 3)
        report = self.solve("p.hdf5", "--intervals")
        self.assertEqual((report["rows"], report["rank"]), (6, 1))
        for one in report["intervals"]:
            np.testing.assert_allclose([one["least"], one["largest"]], [0.0, 2.0], atol=1e-8)
            self.assertGreaterEqual(one["impulse"], -1e-12)
        self.assertNotIn("intervals", self.solve("p.hdf5"))
        table = amontons("solve", "p.hdf5", "--intervals", cwd=self.dir, check=0).stdout
        self.assertIn("1 of 6 rows", table)
        self.assertIn("2 of 2 normal impulses not determined", table)
        about = json.loads(amontons("info", "p.hdf5", "--json", cwd=self.dir, check=0).stdout)
        self.assertEqual((about["rows"], about["rank"], about["redundancy"]), (6, 1, 5))

    def test_the_least_reactions_are_as_symmetric_as_the_problem(self):
        W = np.zeros((6, 6))
        W[np.ix_([0, 3], [0, 3])] = 1.0
        write_local(self.dir / "p.hdf5", W, [-2.0, 0.0, 0.0] * 2, [0.0, 0.0], 3)
        report = self.solve("p.hdf5", "--minimum-norm")
        np.testing.assert_allclose(report["impulses"], [1.0, 0.0, 0.0] * 2, atol=1e-12)
        self.assertEqual(report["attempts"][-1]["solver"], "minimum norm")
        self.assertEqual(report["attempts"][-1]["status"], "Converged")

    def test_one_kappa_lets_a_contact_take_what_friction_saves_at_another(self):
        # Friction loads the first contact (w_tn > 0 against its slip) and unloads the second.
        W = np.zeros((6, 6))
        for first, coupling in ((0, 1.5), (3, -1.5)):
            W[first:first + 3, first:first + 3] = [[2.5, coupling, 0], [coupling, 2.5, 0], [0, 0, 1]]
        write_local(self.dir / "p.hdf5", W, [-0.1, 1.0, 0.0] * 2, [0.3, 0.3], 3)
        alone, eased = 0.1 / 2.5, 0.1 / (2.5 + 0.3 * 1.5)
        model = ("--model", "maximum-dissipation")
        own = self.solve("p.hdf5", *model)
        one = self.solve("p.hdf5", *model, "--impulse-cap", "system")
        self.assertEqual([own["law"], one["law"]], ["maximum-dissipation", "system-dissipation"])
        self.assertTrue(own["claimed"] and one["claimed"])
        np.testing.assert_allclose(own["impulses"][0::3], [alone, alone], rtol=1e-7)
        np.testing.assert_allclose(one["impulses"][0::3], [2.0 * alone - eased, eased], rtol=1e-7)
        self.solve_refuses("p.hdf5", "--impulse-cap", "global")
        self.assertIn("impulse cap", amontons(
            "solve", "p.hdf5", *model, "--impulse-cap", "system", "--literal-viscous-bound",
            cwd=self.dir, check=2).stderr)

    def test_nothing_slips_whatever_the_cone(self):
        # Friction 0.1 would let the tangential pull of 5 slide; without slip friction balances all of it.
        write_local(self.dir / "p.hdf5", np.eye(3), [-1.0, 3.0, 4.0], [0.1], 3)
        report = self.solve("p.hdf5", "--model", "no-slip")
        np.testing.assert_allclose(report["impulses"], [1.0, -3.0, -4.0], atol=1e-12)
        self.assertEqual(report["law"], "no-slip")
        viscous = self.solve("p.hdf5", "--model", "viscous")
        np.testing.assert_allclose(viscous["impulses"], [1.0, 0.0, 0.0], atol=1e-12)

    def test_two_jaws_may_press_on_a_mass_without_bound(self):
        W = np.zeros((6, 6))
        W[np.ix_([0, 3], [0, 3])] = [[1.0, -1.0], [-1.0, 1.0]]
        write_local(self.dir / "p.hdf5", W, [0.0] * 6, [0.0, 0.0], 3)
        report = self.solve("p.hdf5", "--intervals")
        self.assertEqual([one["largest"] for one in report["intervals"]], ["inf", "inf"])
        self.assertIn("inf", amontons("solve", "p.hdf5", "--intervals", cwd=self.dir,
                                      check=0).stdout)

    def test_intervals_are_of_one_contact_problem_and_one_law_at_each_contact(self):
        write_local(self.dir / "p.hdf5", np.eye(3), [-2.0, 3.0, 4.0], [0.5], 3)
        report = self.solve("p.hdf5", "--intervals", "--model", "maximum-dissipation")
        self.assertEqual(report["rank"], 3)
        self.assertIn("whole islands", report["intervals_remark"])
        self.solve_refuses("p.hdf5", "--intervals", "--compare")
        with h5py.File(self.dir / "lcp.hdf5", "w") as file:
            file["lcp/M"], file["lcp/q"] = [[2.0, 1.0], [1.0, 2.0]], [-5.0, -6.0]
        self.solve_refuses("lcp.hdf5", "--intervals")

    def test_impulses_of_another_program_are_certified(self):
        write_local(self.dir / "p.hdf5", np.eye(3), [-2.0, 3.0, 4.0], [0.5], 3)
        for name, impulses, code in (("good", [2.0, -0.6, -0.8], 0), ("less", [2.0, -0.5, -0.8], 3)):
            for place in ("impulses", "solution/r"):
                with h5py.File(self.dir / f"{name}.h5", "w") as file:
                    file[place] = np.array(impulses)
                report = self.solve("p.hdf5", "--certify", f"{name}.h5", check=code)
                self.assertEqual(report["claimed"], code == 0)
                np.testing.assert_allclose(report["impulses"], impulses)
                np.testing.assert_allclose(report["velocities"], np.add([-2, 3, 4], impulses))
                plain = amontons("solve", "p.hdf5", "--certify", f"{name}.h5", cwd=self.dir,
                                 check=code).stdout
                words = "certified within 1e-08" if code == 0 else "NOT certified within 1e-08"
                self.assertIn(f"status       {words}", plain)
                self.assertNotIn("iterations", plain)  # this program took none
        self.solve("p.hdf5", "--certify", "less.h5", "--model", "frictionless", check=3)
        # A problem in the plane has rows (n, t1).
        write_local(self.dir / "plane.hdf5", np.eye(2), [-2.0, 3.0], [0.5], 2)
        with h5py.File(self.dir / "plane.h5", "w") as file:
            file["impulses"] = [2.0, -1.0]
        self.assertTrue(self.solve("plane.hdf5", "--certify", "plane.h5")["claimed"])
        error = amontons("solve", "p.hdf5", "--certify", "plane.h5", cwd=self.dir, check=2).stderr
        self.assertIn("impulses has 2 entries; the problem needs 3", error)
        self.solve_refuses("p.hdf5", "--certify", "good.h5", "--compare")

    def test_impulses_in_the_order_of_python_are_refused_with_a_remark_on_it(self):
        write_local(self.dir / "p.hdf5", np.eye(3), [-2.0, 3.0, 4.0], [0.5], 3)
        for name, impulses, has_remark in (("python", [-0.6, -0.8, 2.0], True),
                                           ("wrong", [-0.6, -0.7, 2.0], False)):
            with h5py.File(self.dir / f"{name}.h5", "w") as file:
                file["impulses"] = impulses
            report = self.solve("p.hdf5", "--certify", f"{name}.h5", check=3)
            self.assertFalse(report["claimed"])
            self.assertEqual("(n, t1, t2)" in report.get("remark", ""), has_remark)
            plain = amontons("solve", "p.hdf5", "--certify", f"{name}.h5", cwd=self.dir, check=3)
            self.assertEqual("(n, t1, t2)" in plain.stdout, has_remark)

    def test_every_model_is_compared(self):
        write_local(self.dir / "p.hdf5", np.eye(3), [-2.0, 3.0, 4.0], [0.5], 3)
        table = self.solve("p.hdf5", "--compare")
        models = {row["model"]: row for row in table}
        self.assertIn("coulomb", models)
        self.assertTrue(all(row["claimed"] for row in table))
        # The pyramid is weaker off its axes, the relaxation lifts, no friction is neither.
        self.assertLess(models["coulomb"]["coulomb"], 1e-12)
        self.assertGreater(models["anitescu-hart"]["coulomb"], 1e-3)
        self.assertGreater(models["convex-relaxation"]["coulomb"], 1e-3)
        text = amontons("solve", "p.hdf5", "--compare", cwd=self.dir, check=0).stdout
        self.assertIn("frictionless", text)
        # Each column begins where its heading does.
        place = text.index("law ")
        self.assertTrue(all(line[place - 1] == " " and line[place] != " "
                            for line in text.splitlines()), text)

    def test_a_model_that_takes_too_long_is_passed_over(self):
        # A dense problem of 100 contacts that slide: no model solves it within a microsecond.
        random = np.random.default_rng(24)
        factor = random.normal(size=(300, 360))
        write_local(self.dir / "p.hdf5", factor @ factor.T, random.normal(size=300), [0.5] * 100, 3)
        table = self.solve("p.hdf5", "--compare", "--time-limit", "1e-6")
        late = [row["model"] for row in table if "status" not in row]
        self.assertIn("coulomb", late)
        self.assertTrue(all(row["time_limit_s"] == 1e-6 for row in table))
        text = amontons("solve", "p.hdf5", "--compare", "--time-limit", "1e-6", cwd=self.dir,
                        check=0).stdout
        self.assertRegex(text, "coulomb +no answer within 1e-06 s")
        late = amontons("solve", "p.hdf5", "--time-limit", "1e-6", cwd=self.dir, check=1)
        self.assertIn("p.hdf5: no answer within 1e-06 s", late.stdout)
        self.assertTrue(self.solve("p.hdf5", "--time-limit", "600")["claimed"])
        self.solve_refuses("p.hdf5", "--certify", "p.hdf5", "--time-limit", "1")

    def test_a_program_ends_at_the_time_limit(self):
        random = np.random.default_rng(3)
        factor = random.normal(size=(700, 700))
        with h5py.File(self.dir / "lcp.hdf5", "w") as file:
            file["lcp/M"], file["lcp/q"] = factor @ factor.T, random.normal(size=700)
        late = amontons("solve", "lcp.hdf5", "--time-limit", "1e-6", "--json", cwd=self.dir, check=1)
        self.assertEqual(json.loads(late.stdout), {
            "file": "lcp.hdf5", "claimed": False, "time_limit_s": 1e-6})

    def test_the_methods_of_a_program_are_compared(self):
        with h5py.File(self.dir / "lcp.hdf5", "w") as file:
            file["lcp/M"], file["lcp/q"] = [[1.0, 1.0], [0.0, 1.0]], [-1.0, -1.0]
        table = self.solve("lcp.hdf5", "--compare")
        self.assertEqual([row["model"] for row in table if row["claimed"]], ["lemke", "lemke-plain"])
        self.assertIn("ppm needs a symmetric", next(
            row["remark"] for row in table if row["model"] == "ppm"))
        with h5py.File(self.dir / "qp.hdf5", "w") as file:
            file["qp/H"], file["qp/g"] = np.eye(2), [-1.0, 1.0]
            file["qp/lower"], file["qp/upper"] = np.zeros(2), np.ones(2)
        text = amontons("solve", "qp.hdf5", "--compare", cwd=self.dir, check=0).stdout.splitlines()
        self.assertEqual([line.split()[0] for line in text],
                         ["method", "block-pivoting", "gradient-projection"])
        self.solve_refuses("qp.hdf5", "--method", "block-pivoting", "--compare")

    def test_an_operator_far_from_symmetric_is_refused_and_rounding_is_not(self):
        W = np.diag([2.0, 3.0, 4.0])
        W[0, 2], W[2, 0] = 0.5, 0.51
        write_local(self.dir / "p.hdf5", W, [-2.0, 3.0, 4.0], [0.5], 3)
        self.assertTrue(self.solve("p.hdf5", "--tolerance", "1e-2")["claimed"])
        W[2, 0] = -0.5
        write_local(self.dir / "p.hdf5", W, [-2.0, 3.0, 4.0], [0.5], 3)
        said = amontons("solve", "p.hdf5", cwd=self.dir, check=2).stderr
        self.assertIn("p.hdf5: /fclib_local: W is not symmetric: [2, 0] is -0.5, [0, 2] is 0.5", said)
        # A block of its own of zeros on the diagonal is judged by its entries.
        W = np.zeros((3, 3))
        W[0, 1] = 1e-20
        write_local(self.dir / "p.hdf5", W, [-2.0, 3.0, 4.0], [0.5], 3)
        self.assertIn("W is not symmetric", amontons("solve", "p.hdf5", cwd=self.dir, check=2).stderr)

    def test_a_mass_matrix_far_from_symmetric_is_refused_and_rounding_is_not(self):
        M = np.diag([2.0, 3.0, 4.0])
        M[0, 2], M[2, 0] = 0.5, 0.501
        write_global(self.dir / "p.hdf5", M)
        self.assertTrue(self.solve("p.hdf5")["claimed"])
        M[2, 0] = -0.5
        write_global(self.dir / "p.hdf5", M)
        said = amontons("solve", "p.hdf5", cwd=self.dir, check=2).stderr
        self.assertIn("p.hdf5: /fclib_global: M is not symmetric: [2, 0] is -0.5, [0, 2] is 0.5", said)

    def test_an_asymmetric_operator_is_solved_certified_and_printed_as_its_symmetric_part(self):
        W = np.eye(3)
        W[0, 1] = 0.09
        q = np.array([-2.0, 3.0, 4.0])
        write_local(self.dir / "p.hdf5", W, q, [0.5], 3)
        for model in ("coulomb", "no-slip", "maximum-dissipation", "frictionless", "viscous"):
            report = self.solve("p.hdf5", "--model", model)
            self.assertTrue(report["claimed"])
            self.assertAlmostEqual(report["asymmetry"], 0.09)
            np.testing.assert_allclose(report["velocities"],
                                       (W + W.T) / 2 @ report["impulses"] + q, atol=1e-12)
        np.testing.assert_allclose(self.solve("p.hdf5", "--model", "no-slip")["velocities"],
                                   np.zeros(3), atol=1e-12)
        text = amontons("solve", "p.hdf5", cwd=self.dir, check=0).stdout
        self.assertIn("W and its transpose differ by 9.0e-02", text)
        write_local(self.dir / "p.hdf5", np.eye(3), q, [0.5], 3)
        self.assertEqual(self.solve("p.hdf5")["asymmetry"], 0.0)
        self.assertNotIn("asymmetry", amontons("solve", "p.hdf5", cwd=self.dir, check=0).stdout)

    def test_an_operator_that_no_bodies_have_is_refused_under_every_model(self):
        W = np.eye(3)
        W[0, 1] = W[1, 0] = 2.0
        write_local(self.dir / "p.hdf5", W, [-1.0, 1.0, 0.0], [0.5], 3)
        for option in (["--model", "maximum-dissipation"], ["--model", "frictionless"], ["--compare"],
                       []):
            said = amontons("solve", "p.hdf5", *option, cwd=self.dir, check=2).stderr
            self.assertIn("p.hdf5: /fclib_local: W is not positive semidefinite", said)
            self.assertIn("give J M^-1 J'", said)
        # Rounding to single precision makes no problem another one.
        factor = np.random.default_rng(6).normal(size=(12, 5))
        W = (factor @ factor.T).astype(np.float32).astype(float)
        self.assertLess(np.linalg.eigvalsh(W)[0], 0.0)
        write_local(self.dir / "p.hdf5", W, factor @ np.ones(5), [0.5] * 4, 3)
        self.assertTrue(self.solve("p.hdf5")["claimed"])

    def test_no_reader_takes_numbers_whose_squares_overflow(self):
        for x in (1.1e100, 1e155, 1e300):
            write_local(self.dir / "p.hdf5", np.eye(3), [-x, x, 0.0], [0.5], 3)
            write_local(self.dir / "w.hdf5", x * np.eye(3), [-1.0, 1.0, 0.0], [0.5], 3)
            write_global(self.dir / "g.hdf5", x * np.eye(3))
            with h5py.File(self.dir / "lcp.hdf5", "w") as file:
                file["lcp/M"], file["lcp/q"] = [[1.0]], [-x]
            with h5py.File(self.dir / "qp.hdf5", "w") as file:
                file["qp/H"], file["qp/g"] = [[1.0]], [-x]
                file["qp/lower"], file["qp/upper"] = [0.0], [5.0]
            for name in ("p", "w", "g", "lcp", "qp"):
                said = amontons("solve", f"{name}.hdf5", cwd=self.dir, check=2).stderr
                self.assertRegex(said, f"^{name}.hdf5: .* holds a number above 1e100")
                self.assertEqual(said.count("\n"), 1, said)

    def test_tiny_velocities_are_solved_as_others_and_no_impulses_are_no_answer(self):
        q = np.array([-1.0, 1.0, 0.0])
        with h5py.File(self.dir / "zero.h5", "w") as file:
            file["impulses"] = np.zeros(3)
        for w, v in ((1.0, 1e-170), (1e-200, 1e-200), (1.0, 1e-300)):
            write_local(self.dir / "p.hdf5", w * np.eye(3), v * q, [0.5], 3)
            for model in ("coulomb", "convex-relaxation", "no-slip", "frictionless"):
                report = self.solve("p.hdf5", "--model", model)
                self.assertTrue(report["claimed"])
                np.testing.assert_allclose(report["impulses"][0] * w / v, 1.0, rtol=0.6)
                self.assertLess(abs(report["velocities"][0] / v), 0.6)
            self.assertFalse(self.solve("p.hdf5", "--certify", "zero.h5", check=3)["claimed"])

    def test_a_solution_that_no_double_holds_is_not_claimed(self):
        # The minimizer -g / h is 1e309.
        with h5py.File(self.dir / "qp.hdf5", "w") as file:
            file["qp/H"], file["qp/g"] = [[1e-300]], [-1e9]
            file["qp/lower"], file["qp/upper"] = [0.0], [np.inf]
        self.assertFalse(self.solve("qp.hdf5", check=1)["claimed"])
        with h5py.File(self.dir / "lcp.hdf5", "w") as file:
            file["lcp/M"], file["lcp/q"] = [[1e-300]], [-1e9]
        self.assertFalse(self.solve("lcp.hdf5", check=1)["claimed"])

    def test_contacts_that_nothing_moves_must_not_approach(self):
        write_local(self.dir / "p.hdf5", np.zeros((3, 3)), [-1.0, 0.0, 0.0], [0.5], 3)
        for model in ("coulomb", "frictionless", "no-slip"):
            report = self.solve("p.hdf5", "--model", model, check=3)
            self.assertEqual(report["status"], "Infeasible", model)
            self.assertFalse(report["claimed"])
        write_local(self.dir / "p.hdf5", np.zeros((3, 3)), [1.0, 2.0, 0.0], [0.5], 3)
        self.assertTrue(self.solve("p.hdf5")["claimed"])

    def test_complementarity_and_quadratic_programs(self):
        with h5py.File(self.dir / "lcp.hdf5", "w") as file:
            file["lcp/M"], file["lcp/q"] = [[2.0, 1.0], [1.0, 2.0]], [-5.0, -6.0]
        report = self.solve("lcp.hdf5")
        np.testing.assert_allclose(report["solution"], [4.0 / 3.0, 7.0 / 3.0], rtol=1e-12)
        with h5py.File(self.dir / "qp.hdf5", "w") as file:
            file["qp/H"], file["qp/g"] = [[1.0, 0.0], [0.0, 1.0]], [-3.0, 0.5]
            file["qp/lower"], file["qp/upper"] = [-1.0, -np.inf], [2.0, np.inf]
        np.testing.assert_allclose(self.solve("qp.hdf5")["solution"], [2.0, -0.5], atol=1e-12)

    def test_a_model_of_impacts_takes_no_step(self):
        write_local(self.dir / "p.hdf5", np.eye(3), [-2.0, 3.0, 4.0], [0.5], 3)
        error = amontons("solve", "p.hdf5", "--model", "mirtich", cwd=self.dir, check=2).stderr
        self.assertIn("p.hdf5 is the problem of a step; mirtich is a model of impacts", error)

    def test_an_infeasible_problem_is_not_claimed(self):
        with h5py.File(self.dir / "lcp.hdf5", "w") as file:
            file["lcp/M"], file["lcp/q"] = [[0.0, 0.0], [0.0, 0.0]], [-1.0, 1.0]
        report = self.solve("lcp.hdf5", check=1)
        self.assertEqual(report["status"], "Infeasible")
        self.assertFalse(report["claimed"])

    def test_broken_files_are_one_clear_error(self):
        (self.dir / "text.hdf5").write_text("no")
        write_local(self.dir / "short.hdf5", np.eye(3), [-2.0, 3.0], [0.5], 3)
        write_local(self.dir / "nan.hdf5", np.eye(3), [np.nan, 3.0, 4.0], [0.5], 3)
        write_local(self.dir / "mu.hdf5", np.eye(3), [-2.0, 3.0, 4.0], [-0.5], 3)
        write_local(self.dir / "dim.hdf5", np.eye(3), [-2.0, 3.0, 4.0], [0.5], 4)
        with h5py.File(self.dir / "lcp.hdf5", "w") as file:
            file["lcp/M"], file["lcp/q"] = np.zeros((2, 3)), [1.0, 1.0]
        for name in ("text", "short", "nan", "mu", "dim", "lcp", "missing"):
            with self.subTest(name):
                error = amontons("solve", f"{name}.hdf5", cwd=self.dir, check=2).stderr
                self.assertTrue(error.startswith(f"{name}.hdf5"), error)
                self.assertEqual(error.count("\n"), 1, error)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
