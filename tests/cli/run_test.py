#!/usr/bin/python3
"""Checks what `amontons run` writes, prints and returns.  usage: run_test.py PROGRAM"""
import hashlib
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import h5py
import numpy as np

from program import FIRST, PROGRAM, SMALL_SCENE, amontons

# Datasets of the contract (docs/run-format.md) and their width beyond the rows.
ROWS = {
    "time": (), "q": ("nq",), "v": ("nv",), "v_free": ("nv",), "q_start": ("nq",),
    "v_start": ("nv",), "v_eval": ("nv",), "v_coupled": ("nv",),
    "coupled_damping": (), "step": (), "bodies/position": ("B", 3),
    "bodies/quat_wxyz": ("B", 4), "joints/impulse": ("nj",),
    **{f"certificate/{name}": () for name in
       "claimed coulomb normal friction joint infeasibility energy_gained dissipation".split()},
    **{f"energy/{name}": () for name in
       "kinetic potential gravity actuators contact_normal contact_friction springs joint_friction impacts "
       "stabilization integration unexplained".split()},
    **{f"solver/{name}": () for name in
       "status iterations step_time_s solve_time_s attempts".split()},
}
# Those that each row has of its own.
OF_ROWS = ("time", "time_start", "step_count", "start_was_set", "record", "solver/step_time_s",
           "solver/solve_time_s")
CONTACTS = {"body_a": (), "body_b": (), "position": (3,), "normal": (3,), "gap": (),
            "friction": (), "restitution": (), "law": (), "impulse": (3,), "velocity": (3,),
            "velocity_free": (3,), "mode": (), "compression": (3,), "shape_a": (), "shape_b": (),
            "feature": ()}


class RunTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.dir = pathlib.Path(self.folder.name)
        self.scene = self.dir / "small.yaml"
        self.scene.write_text(SMALL_SCENE)

    def tearDown(self):
        self.folder.cleanup()

    def test_the_first_example_gives_every_dataset_of_the_contract(self):
        result = amontons("run", FIRST, "-o", "first.h5", cwd=self.dir, check=0)
        self.assertIn("certificate: met by every step", result.stdout)
        self.assertIn("log: first.h5", result.stdout)
        with h5py.File(self.dir / "first.h5") as run:
            rows = run["time"].shape[0]
            self.assertEqual(rows, 201)  # 2 s, every 0.01 s
            self.assertAlmostEqual(run["time"][-1], 2.0, places=12)
            sizes = {"nq": 14, "nv": 12, "B": 4, "nj": 0}
            for name, shape in ROWS.items():
                expected = (rows,) + tuple(sizes.get(n, n) for n in shape)
                self.assertEqual(run[name].shape, expected, name)
                if run[name].dtype == float:
                    self.assertTrue(np.all(np.isfinite(run[name])), name)
            offset = run["contacts/offset"][:]
            self.assertEqual(offset.shape, (rows + 1,))
            self.assertTrue(np.all(np.diff(offset) >= 0))
            records = run["contacts/record"][:]
            self.assertEqual(len(records), offset[-1])
            self.assertEqual(sorted(set(records)), list(range(max(records) + 1)))
            for name, shape in CONTACTS.items():
                self.assertEqual(run[f"contacts/{name}"].shape, (max(records) + 1,) + shape, name)
            names = [n.decode() if isinstance(n, bytes) else n for n in run["bodies/name"][:]]
            self.assertEqual(names, ["ground", "ramp", "crate", "ball"])
            self.assertEqual(run.attrs["scene"], FIRST.read_text())
            self.assertEqual(run.attrs["format"], "amontons-run")
            for key in ("version", "seed", "build"):
                self.assertIn(key, run.attrs)
            # Newton's laws from the log alone: no energy of the crate and the ball is unaccounted for.
            energy = run["energy/kinetic"][:] + run["energy/potential"][:]
            self.assertLess(energy[-1], energy[0])

    def test_inputs_are_kept_verbatim_with_their_digest(self):
        heights = "P2\n3 3\n100\n" + "0 10 0 10 50 10 0 10 0\n"
        (self.dir / "hill.obj").write_text(
            "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
        del heights
        scene = SMALL_SCENE + ("  - {name: wedge, mass: 1, pose: {position: [0, 5, 1]}, "
                               "shapes: [{mesh: {file: hill.obj, scale: 0.1}}]}\n")
        self.scene.write_text(scene)
        amontons("run", self.scene, "-o", "a.h5", cwd=self.dir, check=0)
        with h5py.File(self.dir / "a.h5") as run:
            inputs = {run["inputs"][k].attrs["path"]: run["inputs"][k] for k in run["inputs"]}
            self.assertEqual(list(inputs), ["hill.obj"])
            data = bytes(inputs["hill.obj"][:])
            self.assertEqual(data, (self.dir / "hill.obj").read_bytes())
            self.assertEqual(inputs["hill.obj"].attrs["sha256"], hashlib.sha256(data).hexdigest())
        # The log alone suffices to verify.
        (self.dir / "hill.obj").unlink()
        amontons("verify", "a.h5", cwd=self.dir, check=0)

    def test_two_runs_give_the_same_bytes(self):
        for name in ("a.h5", "b.h5"):
            amontons("run", FIRST, "-o", name, cwd=self.dir, check=0)
        with h5py.File(self.dir / "a.h5") as a, h5py.File(self.dir / "b.h5") as b:
            for name in ("q", "v", "v_free", "contacts/impulse", "contacts/gap", "energy/kinetic"):
                self.assertEqual(a[name][:].tobytes(), b[name][:].tobytes(), name)

    def test_the_log_is_named_after_the_scene_unless_named_or_forbidden(self):
        amontons("run", self.scene, cwd=self.dir, check=0)
        self.assertTrue((self.dir / "small.h5").exists())
        self.assertTrue((self.dir / "small.checkpoint").exists())
        (self.dir / "small.h5").unlink()
        result = amontons("run", self.scene, "--no-log", cwd=self.dir, check=0)
        self.assertFalse((self.dir / "small.h5").exists())
        self.assertIn("log: none", result.stdout)
        self.assertIn("certificate: met", result.stdout)

    def test_options_change_the_scene_and_are_recorded(self):
        result = amontons("run", self.scene, "-o", "a.h5", "--step", "0.02", "--duration", "0.1",
                          "--set", "materials.wood.friction=0", "--set", "bodies.crate.mass=3",
                          "--json", cwd=self.dir, check=0)
        summary = json.loads(result.stdout)
        self.assertEqual(summary["steps"], 5)
        self.assertEqual(summary["missed_certificates"], 0)
        with h5py.File(self.dir / "a.h5") as run:
            np.testing.assert_allclose(run["v"][-1][3], 1.0, atol=1e-9)  # no friction, no loss
            np.testing.assert_allclose(run["energy/kinetic"][0], 1.5, rtol=1e-12)  # 3 kg at 1 m/s
        amontons("verify", "a.h5", cwd=self.dir, check=0)

    def test_friction_of_the_scene_slows_the_crate_at_mu_g(self):
        amontons("run", self.scene, "-o", "a.h5", cwd=self.dir, check=0)
        with h5py.File(self.dir / "a.h5") as run:
            t, v = run["time"][:], run["v"][:, 3]
        np.testing.assert_allclose(v, 1.0 - 0.4 * 9.81 * t, atol=1e-7)

    def test_ctrl_c_stops_cleanly(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen(
                [PROGRAM, "run", self.scene, "--duration", "1e6", "-o", "a.h5"], cwd=self.dir,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.wait_for(self.dir / "a.h5")
            time.sleep(0.5)
            amontons("repair", "a.h5", cwd=self.dir, check=5)  # not while it is being written
            process.send_signal(number)
            out, _ = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 130)
            self.assertIn("interrupted", out)
            with h5py.File(self.dir / "a.h5") as run:  # closed: any reader opens it
                self.assertGreater(run["time"].shape[0], 1)
            self.assertTrue((self.dir / "a.checkpoint").exists())
            amontons("info", "a.h5", cwd=self.dir, check=0)
            (self.dir / "a.h5").unlink()

    def rows_of_open_run(self):
        with h5py.File(self.dir / "a.h5", libver="latest", swmr=True) as run:
            return run["time"].shape[0]

    def test_a_killed_run_loses_at_most_its_last_second(self):
        process = subprocess.Popen(
            [PROGRAM, "run", self.scene, "--duration", "1e6", "-o", "a.h5"], cwd=self.dir,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait_for(self.dir / "a.h5")
        time.sleep(2.0)
        early = late = self.rows_of_open_run()
        deadline = time.monotonic() + 60.0  # on a busy machine; an idle one needs a second
        while late == early and time.monotonic() < deadline:
            time.sleep(0.2)
            late = self.rows_of_open_run()
        process.kill()
        process.wait()
        with h5py.File(self.dir / "a.h5", libver="latest", swmr=True) as run:
            rows = run["time"].shape[0]
            self.assertGreater(rows, 100)
            self.assertTrue(np.all(np.isfinite(run["time"][:])))
            self.assertTrue(np.all(np.isfinite(run["q"][:rows])))
            # Written rows stay in the file, and at most a second of rows is missing.
            self.assertGreaterEqual(rows, late)
            self.assertGreater(late, early)
        result = json.loads(amontons("info", "--json", "a.h5", cwd=self.dir, check=0).stdout)
        self.assertFalse(result["closed"])
        self.assertEqual(result["rows"], rows)
        # Repaired, any tool opens it, with datasets of rows of one length, and those of records.
        with self.assertRaises(OSError):
            h5py.File(self.dir / "a.h5")
        amontons("repair", "a.h5", cwd=self.dir, check=0)
        with h5py.File(self.dir / "a.h5") as run:
            record = run["record"][:]
            self.assertEqual({run[name].shape[0] for name in OF_ROWS}, {rows})
            self.assertEqual({run[name].shape[0] for name in ROWS if name not in OF_ROWS},
                             {max(record) + 1})
            self.assertEqual(run["contacts/offset"].shape[0], max(record) + 2)
            records = run["contacts/record"][:]
            self.assertEqual(len(records), run["contacts/offset"][-1])
            for name in CONTACTS:
                self.assertEqual(run[f"contacts/{name}"].shape[0], max(records) + 1)
        self.assertEqual(amontons("repair", "a.h5", cwd=self.dir, check=0).stdout,
                         f"a.h5: {rows} complete rows\n")

    def first_line(self, *words, check):
        return amontons(*words, cwd=self.dir, check=check).stdout.split("\n", 1)[0]

    def test_the_law_asked_is_the_claim(self):
        # A single iteration is too few for some steps of the crate on its corners.
        limited = ("run", FIRST, "-o", "a.h5", "--quiet", "--set", "simulation.max_iterations=1")
        line = self.first_line(*limited, check=3)
        self.assertRegex(line, r"^law asked, coulomb: in \d+ of 400 steps, .*without friction in "
                               r"\d+, the worst [0-9.e-]+ off at step \d+ \(t = [0-9.]+ s\), ground")
        plain = amontons(*limited, cwd=self.dir, check=3).stdout
        self.assertNotIn("met by every step", plain)
        # All readers of the log say so first, and their exit codes as well. Steps that miss the law
        # have rows besides the 200 of output.every.
        recorded = r"^law asked, coulomb: in \d+ of 20[1-9] recorded steps.*without friction in \d+"
        self.assertRegex(self.first_line("verify", "a.h5", "--quiet", check=3), recorded)
        self.assertRegex(self.first_line("info", "a.h5", check=0), recorded)
        self.assertRegex(self.first_line("resume", "a.h5", "--quiet", check=3), recorded)
        # The distance is that of the law asked, and large where friction is missing.
        with h5py.File(self.dir / "a.h5") as run:
            without = run["solver/status"][:] == 7
            self.assertTrue(without.any())
            self.assertGreater(run["certificate/law_distance"][without].min(), 1e-3)
            self.assertTrue((run["certificate/claimed"][:] == 1).all())
            self.assertLess(run["certificate/law_distance"][~without].max(), 1e-4)

    def test_accepted_answers_are_ordered_and_recorded(self):
        limited = ("run", FIRST, "-o", "a.h5", "--quiet", "--set", "simulation.max_iterations=1")
        amontons(*limited, "--accept", "convexified", cwd=self.dir, check=3)
        summary = json.loads(amontons(*limited, "--accept", "safe", "--json", cwd=self.dir,
                                      check=0).stdout)
        self.assertEqual(summary["law"]["accept"], "safe")
        self.assertTrue(summary["law"]["accepted"])
        self.assertLess(summary["law"]["with_law_asked"], summary["law"]["steps"])
        amontons("verify", "a.h5", "--quiet", cwd=self.dir, check=0)
        amontons("verify", "a.h5", "--quiet", "--accept", "exact", cwd=self.dir, check=3)
        self.assertIn("must be one of", amontons("verify", "a.h5", "--accept", "all", cwd=self.dir,
                                                 check=2).stderr)

    def test_an_overlap_that_friction_holds_is_named(self):
        # Both walls of a groove hold a box that starts 1 mm too deep.
        (self.dir / "groove.yaml").write_text("""amontons: 1
gravity: [1, 0, -9.7]
simulation: {step: 0.005, duration: 0.1, model: no-slip}
bodies:
  - name: groove
    fixed: true
    shapes:
      - {half_space: {normal: [0, 0.6, 0.8]}}
      - {half_space: {normal: [0, -0.6, 0.8]}}
  - {name: box, mass: 1, shapes: [{box: [0.3, 0.2, 0.1]}], pose: {position: [0, 0, 0.124]}}
""")
        run = ("run", "groove.yaml", "--no-log", "--quiet")
        self.assertRegex(amontons(*run, cwd=self.dir, check=3).stdout,
                         r"\noverlap: friction may hold what had to open in 1 steps without friction, "
                         r"the deepest 8\.00e-04 m between groove and box at t = 0\.005 s\n")
        held = json.loads(amontons(*run, "--json", cwd=self.dir, check=3).stdout)["unmet"]["held"]
        self.assertEqual((held["steps"], held["between"]), (1, "groove and box"))

    def test_acceptable_steps_have_the_law_asked_and_can_be_switched_off(self):
        limited = ("run", FIRST, "-o", "a.h5", "--quiet", "--json",
                   "--set", "simulation.max_iterations=4")
        law = json.loads(amontons(*limited, cwd=self.dir, check=0).stdout)["law"]
        self.assertGreater(law["acceptable"], 0)
        self.assertEqual(law["with_law_asked"], law["steps"])
        self.assertLess(law["answers"]["Acceptable"]["distance"], 1e-4)
        amontons("verify", "a.h5", "--quiet", cwd=self.dir, check=0)
        strict = json.loads(amontons(*limited, "--set", "simulation.acceptable_tolerance=0",
                                     cwd=self.dir, check=3).stdout)["law"]
        self.assertEqual(strict["acceptable"], 0)

    def test_a_missed_certificate_is_exit_3_and_leaves_its_problem(self):
        # Rounding alone exceeds this tolerance: every step with friction misses it.
        strict = ("--set", "simulation.tolerance=1e-20")
        result = amontons("run", FIRST, "-o", "a.h5", *strict, "--json", cwd=self.dir, check=3)
        summary = json.loads(result.stdout)
        self.assertEqual(summary["steps"], 400)  # marked, but completed
        self.assertGreater(summary["missed_certificates"], 3)
        self.assertEqual(len(summary["failures"]), 3)
        problem = json.loads(
            amontons("info", "--json", summary["failures"][0], cwd=self.dir, check=0).stdout)
        self.assertGreater(problem["contacts"], 0)
        self.assertIn("MISSED", amontons("run", FIRST, "-o", "a.h5", *strict, cwd=self.dir,
                                         check=3).stdout)
        with h5py.File(self.dir / "a.h5") as run:
            self.assertTrue(np.any(run["certificate/claimed"][:] == 0))
        amontons("verify", "a.h5", cwd=self.dir, check=1)
        result = amontons("run", FIRST, "-o", "b.h5", *strict, "--strict-steps", "--json",
                          cwd=self.dir, check=3)
        stopped = json.loads(result.stdout)
        self.assertEqual(stopped["missed_certificates"], 1)
        self.assertLess(stopped["steps"], 400)

    def test_a_full_disk_is_exit_5_and_keeps_what_was_written(self):
        limit = 8_000_000

        def small_disk():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        result = amontons("run", self.scene, "--duration", "1e6", "-o", "a.h5", cwd=self.dir,
                          preexec_fn=small_disk)
        self.assertEqual(result.returncode, 5, result.stderr)
        # A slow machine may have printed its progress first.
        said = [line for line in result.stderr.splitlines() if line.startswith("a.h5: ")]
        self.assertEqual(len(said), 1, result.stderr)
        self.assertTrue(said[0].endswith("make room, then amontons resume a.h5"), said)
        result = json.loads(amontons("info", "--json", "a.h5", cwd=self.dir, check=0).stdout)
        self.assertGreater(result["rows"], 0)

    def test_an_unwritable_output_is_exit_5(self):
        result = amontons("run", self.scene, "-o", "none/a.h5", cwd=self.dir, check=5)
        self.assertEqual(len(result.stderr.splitlines()), 1)
        self.assertTrue(result.stderr.startswith("none/a.h5: "))
        if os.geteuid() != 0:
            os.chmod(self.dir, 0o500)
            amontons("run", self.scene, "-o", "a.h5", cwd=self.dir, check=5)
            os.chmod(self.dir, 0o700)

    def test_unreadable_input_is_exit_2_and_names_the_place(self):
        self.scene.write_text(SMALL_SCENE.replace("mass: 2", "mas: 2"))
        result = amontons("run", self.scene, cwd=self.dir, check=2)
        line = result.stderr.splitlines()[0]
        self.assertTrue(line.startswith(f"{self.scene}:"), line)
        self.assertIn("mass", line)
        self.assertTrue(amontons("run", "none.yaml", cwd=self.dir, check=2).stderr
                        .startswith("none.yaml"))
        result = amontons("run", self.scene, "--set", "nonsense", cwd=self.dir, check=2)
        self.assertIn("--set nonsense", result.stderr)
        self.scene.write_text(SMALL_SCENE)
        result = amontons("run", self.scene, "--model", "anitescu-heart", cwd=self.dir, check=2)
        self.assertIn("anitescu-hart", result.stderr)

    def test_a_run_stops_where_its_infeasibility_reaches_the_limit_and_says_so(self):
        drifting = """amontons: 1
simulation: {step: 0.01, duration: 5.0, gamma: 0, stop_at_infeasibility: 0.02}
bodies:
  - {name: bob, mass: 1, inertia: [0.01, 0.01, 0.01], center_of_mass: [0, 0, 0], pose: {position: [1, 0, 0]}}
joints:
  - {name: rod, type: distance, parent: world, child: bob, at: [0, 0, 0], to: [1, 0, 0]}
"""
        self.scene.write_text(drifting)
        result = amontons("run", self.scene, "-o", "stopped.h5", "--quiet", cwd=self.dir, check=0)
        self.assertIn("stopped early", result.stdout)
        amontons("verify", "stopped.h5", cwd=self.dir, check=0)
        summary = json.loads(amontons("run", self.scene, "--no-log", "--json", "--quiet",
                                      check=0).stdout)
        self.assertTrue(summary["stopped_at_infeasibility"])
        self.assertLess(summary["time"], 5.0)
        worst = summary["certificate"]["infeasibility"]
        self.assertGreaterEqual(worst["value"], 0.02)
        self.assertEqual(worst["time"], summary["time"])
        self.scene.write_text(drifting.replace("gamma: 0", "gamma: 1"))
        summary = json.loads(amontons("run", self.scene, "--no-log", "--json", "--quiet",
                                      check=0).stdout)
        self.assertFalse(summary["stopped_at_infeasibility"])
        self.assertAlmostEqual(summary["time"], 5.0)

    def test_usage_errors_suggest_the_nearest_word(self):
        self.assertIn("did you mean verify?", amontons("verfy", check=2).stderr)
        self.assertIn("did you mean --duration?",
                      amontons("run", self.scene, "--duratoin", "2", check=2).stderr)
        amontons(check=2)
        amontons("run", check=2)

    def test_progress_goes_to_stderr_and_results_to_stdout(self):
        result = amontons("run", self.scene, "--no-log", "--json", "--quiet", check=0)
        self.assertEqual(result.stderr, "")
        json.loads(result.stdout)
        version = amontons("--version", check=0).stdout
        self.assertRegex(version, r"^amontons \d+\.\d+\.\d+ \(.+, .+\)\n$")

    def test_answers_that_are_kept_are_no_work_of_a_solver(self):
        (self.dir / "rest.yaml").write_text("""amontons: 1
simulation: {step: 0.01, duration: 1}
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - {name: box, mass: 1, shapes: [{box: [1, 1, 1]}], pose: {position: [0, 0, 0.5]}}
""")
        result = json.loads(amontons("run", "rest.yaml", "--no-log", "--json", cwd=self.dir,
                                     check=0).stdout)
        solved = sum(entry["attempts"] for entry in result["solvers"].values())
        self.assertGreater(result["reused_answers"], result["steps"] // 2)
        self.assertLess(solved, result["steps"] // 2)

    def test_a_profile_says_where_the_time_went(self):
        (self.dir / "small.yaml").write_text(SMALL_SCENE)
        text = amontons("run", "small.yaml", "--profile", cwd=self.dir, check=0).stdout
        for part in ("collision", "dynamics", "assembly", "solve", "certificate", "log", "other"):
            self.assertRegex(text, rf"\n  {part} .* s +[0-9.]+ %\n")
        result = json.loads(amontons("run", "small.yaml", "--profile", "--json", cwd=self.dir,
                                     check=0).stdout)
        parts = result["profile"]["parts"]
        self.assertGreater(parts["log"], 0)
        self.assertGreaterEqual(sum(parts.values()), result["step_time_s"])
        self.assertEqual(sum(entry["tried"] for entry in result["profile"]["attempts"]),
                         sum(entry["attempts"] for entry in result["solvers"].values()))
        self.assertNotIn("profile", json.loads(
            amontons("run", "small.yaml", "--json", cwd=self.dir, check=0).stdout))

    def test_realtime_is_not_faster_than_the_clock(self):
        began = time.monotonic()
        amontons("run", self.scene, "--no-log", "--quiet", "--duration", "0.7", "--realtime",
                 cwd=self.dir, check=0)
        self.assertGreaterEqual(time.monotonic() - began, 0.7)

    def wait_for(self, path):
        deadline = time.time() + 60
        while not path.exists() and time.time() < deadline:
            time.sleep(0.05)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
