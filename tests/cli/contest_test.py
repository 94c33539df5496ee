#!/usr/bin/python3
"""Checks the contact models side by side.  usage: contest_test.py PROGRAM"""
import html
import json
import math
import pathlib
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

from program import ROOT, amontons

SCENES = ROOT / "examples" / "contest"
GRAVITY = 9.81
SVG = "{http://www.w3.org/2000/svg}"


def contest(scene, *options):
    """Returns the entries by model."""
    result = amontons("contest", SCENES / f"{scene}.yaml", "--json", "--quiet", *options, check=0)
    return {entry["model"]: entry for entry in json.loads(result.stdout)}


def said(entry):
    return " ".join(entry["explanation"])


class ContestTest(unittest.TestCase):
    def test_a_convex_contact_that_slides_lifts_by_h_mu_times_its_speed_and_an_exact_one_stays(self):
        entries = contest("lift", "--models", "coulomb,convex-relaxation,anitescu-hart")
        relaxed = entries["convex-relaxation"]
        lift = relaxed["departures"]
        self.assertAlmostEqual(lift["lift_m"], lift["predicted_lift_m"], delta=1e-10)
        self.assertGreater(lift["lift_m"], 0.01)
        self.assertGreaterEqual(relaxed["normal_force_apart_N"], 9.81)  # in the air it carries nothing
        self.assertGreaterEqual(relaxed["largest_distance_m"], lift["lift_m"])
        self.assertGreaterEqual(relaxed["largest_distance_m"], relaxed["distance_m"])
        self.assertIn("Lift", said(relaxed))
        for model in ("coulomb", "anitescu-hart"):
            self.assertEqual(entries[model]["departures"]["lift_m"], 0.0)
            # A box that always touches carries m g and mu m g; the lifted box falls and lands.
            self.assertLess(entries[model]["normal_force_apart_N"], 1e-7)
            self.assertLess(entries[model]["friction_force_apart_N"], 1e-7)
            self.assertLess(entries[model]["largest_distance_m"], 1e-9)
            self.assertIn("Satisfies Coulomb's law", said(entries[model]))
            self.assertLess(entries[model]["coulomb"], 1e-8)
            # Friction mu m g = 4.905 N works over the mean velocity of each step, while the box
            # moves with that at its end: h (v_0 - v_end)/2 less, v_0 - v_end = mu g T.
            distance = entries[model]["final_positions"]["box"][0]
            behind = 0.5 * 0.01 * 0.5 * GRAVITY * 0.5
            self.assertAlmostEqual(entries[model]["energy_change_J"],
                                   -0.5 * GRAVITY * (distance + behind), delta=1e-9)

    def test_the_error_against_a_measurement_is_least_for_the_law_that_was_measured(self):
        # A box that slides under Coulomb's law, in closed form; without friction it does not stop.
        with tempfile.TemporaryDirectory() as folder:
            scene = pathlib.Path(folder) / "slide.yaml"
            scene.write_text("""amontons: 1
simulation: {step: 0.0005, duration: 0.4}
materials: [{name: wood, friction: 0.3}]
bodies:
  - {name: box, mass: 1, shapes: [{box: [0.2, 0.2, 0.2], material: wood}],
     pose: {position: [0, 0, 0.1]}, velocity: {linear: [1, 0, 0]}}
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}, material: wood}]}
""")
            rows = ["time,box.x,box.y,box.z,box.qw,box.qx,box.qy,box.qz"]
            half = math.radians(5)  # measured as turned by ten degrees, which no law explains
            for i in range(21):
                t = 0.02 * i
                stop = min(t, 1 / (0.3 * GRAVITY))
                x = stop - 0.5 * 0.3 * GRAVITY * stop**2
                rows.append(f"{t},{x},0,0.1,{math.cos(half)},0,0,{math.sin(half)}")
            motion = pathlib.Path(folder) / "slide.csv"
            motion.write_text("\n".join(rows))
            options = ("--measured", motion, "--models", "coulomb,frictionless")
            result = amontons("contest", scene, "--json", "--quiet", *options, check=0)
            found = {entry["model"]: entry for entry in json.loads(result.stdout)}
            # The step errs by h v/2, below 0.25 mm.
            self.assertLess(found["coulomb"]["measured_error_m"], 3e-4)
            self.assertAlmostEqual(found["coulomb"]["measured_error_rad"], 2 * half, delta=1e-6)
            # Without friction x = v t: the mean of mu g t^2/2 over the instants.
            behind = sum(0.5 * 0.3 * GRAVITY * min(0.02 * i, 1 / (0.3 * GRAVITY))**2
                         + max(0.0, 0.02 * i - 1 / (0.3 * GRAVITY)) for i in range(21)) / 21
            self.assertAlmostEqual(found["frictionless"]["measured_error_m"], behind, delta=1e-5)
            table = amontons("contest", scene, "--quiet", *options, check=0).stdout
            self.assertIn("error against measurement m", table)
            # Positions alone have no angle, and without a measurement there is no error.
            motion.write_text("time,box.x,box.y,box.z\n0,,,\n0.1,0,0,0.1\n")
            entry = json.loads(amontons("contest", scene, "--json", "--quiet", *options,
                                        check=0).stdout)[0]
            self.assertIsNone(entry["measured_error_rad"])
            self.assertIsNone(entry["measured_error_joints"])
            self.assertAlmostEqual(entry["measured_error_m"], 0.1 - 0.015 * 0.3 * GRAVITY / 3,
                                   delta=3e-4)
            self.assertIsNone(contest("lift", "--models", "coulomb")["coulomb"]["measured_error_m"])
            for text, expected in [
                    ("time,bx.x,bx.y,bx.z\n0,0,0,0\n", "did you mean 'box'"),
                    ("time,box.x,box.y\n0,0,0\n", "body 'box' has no column 'z'"),
                    ("time,box.x,box.y,box.z,box.qw\n0,0,0,0,1\n", "no column 'qx'"),
                    ("time,box.x,box.y,box.z,speed\n0,0,0,0,1\n", "no joint 'speed'"),
                    ("time,box.x,box.y,box.z\n0,0,0,0\n9,0,0,0\n", "simulation.duration"),
                    ("time,box.x,box.y,box.z,box.qw,box.qx,box.qy,box.qz\n0,0,0,0,0,0,0,0\n",
                     ":2: the quaternion of 'box'"), ("0.1\n0.2\n", "the first line holds numbers"),
                    ("", "no rows")]:
                motion.write_text(text)
                refused = amontons("contest", scene, "--quiet", *options, check=2)
                self.assertIn(expected, refused.stderr)
                self.assertIn("slide.csv", refused.stderr)
            refused = amontons("contest", scene, "--quiet", "--measured", "/none.csv", check=2)
            self.assertIn("/none.csv", refused.stderr)

    def test_a_measured_motion_is_read_as_python_reads_it_whatever_its_form(self):
        with tempfile.TemporaryDirectory() as folder:
            scene, motion = pathlib.Path(folder) / "s.yaml", pathlib.Path(folder) / "motion"
            scene.write_text("""amontons: 1
simulation: {step: 0.001, duration: 0.5}
bodies: [{name: stone, mass: 1, inertia: [1, 1, 1]}, {name: rod, mass: 1, inertia: [1, 1, 1]},
  {name: post, fixed: true}]
joints: [{name: axle, type: revolute, parent: post, child: rod, axis: [0, 0, 1], at: [0, 0, 0],
  rate: 2}]
""")

            def errors(text, *options, code=0):
                motion.write_text(text)
                result = amontons("contest", scene, "--json", "--quiet", "--models", "coulomb",
                                  "--measured", motion, *options, check=code)
                if code:
                    return result.stderr
                entry = json.loads(result.stdout)[0]
                return [entry[f"measured_error_{kind}"] for kind in ("m", "rad", "joints")]

            # Stamps since 1970, no name of the body, an empty cell, and the velocity at the start.
            rows = ["timestamp;x;y;z;qw;qx;qy;qz;vx;vy;vz;wx;wy;wz;axle", "# a throw"]
            for i in range(5):
                t, y = 0.1 * i, "" if i == 2 else "2"
                half = 0.5 * 3 * t
                rows.append(f"{1.7e9 + t};{4 * t};{y};{5 + 6 * t - 0.5 * GRAVITY * t * t};"
                            f"{2 * math.cos(half)};0;0;{2 * math.sin(half)};4;0;6;0;0;3;{2 * t}")
            text = "\r\n".join(rows)
            distance, angle, joints = errors(text, "--measured-body", "stone")
            # Stamps are exact to 2^-22 s and the fall to g h t / 2.
            self.assertLess(distance, 0.5 * GRAVITY * 0.001 * 0.4 + 1e-5)
            self.assertLess(max(angle, joints), 1e-5)
            self.assertIn("does not name its body", errors(text, code=2))
            # Explicit changes of the scene come after the start in the file.
            distance, _, _ = errors(text, "--measured-body", "stone", "--set",
                                    "bodies.stone.velocity.linear=[0, 0, 6]")
            self.assertAlmostEqual(distance, 4 * (0.1 + 0.3 + 0.4) / 4, delta=0.01)
            # A trajectory has no header: the stone falls from the origin.
            tum = "# timestamp tx ty tz qx qy qz qw\n" + "".join(
                f"{1305031102.25 + 0.125 * i} 0 0 {-0.5 * GRAVITY * (0.125 * i)**2} 0 0 0 -1\n"
                for i in range(4))
            distance, angle, joints = errors(tum, "--measured-body", "stone")
            self.assertLess(distance, 0.5 * GRAVITY * 0.001 * 0.375)
            self.assertLess(angle, 1e-9)
            self.assertIsNone(joints)
            self.assertIn("--measured-body NAME", errors(tum, code=2))
            # A camera that writes milliseconds and millimetres, with decimal commas.
            small = "t;x;y;z\n" + "".join(
                f"{5 + 125 * i};0;0;{-500 * GRAVITY * (0.125 * i)**2:.9f}\n".replace(".", ",")
                for i in range(4))
            distance, _, _ = errors(small, "--measured-body", "stone", "--time-unit", "1e-3",
                                    "--length-unit", "0.001")
            self.assertLess(distance, 0.5 * GRAVITY * 0.001 * 0.375)
            self.assertIn("--time-unit", errors(small, "--measured-body", "stone", code=2))
            nanoseconds = "t,x,y,z\n1700000000000000000,0,0,0\n1700000000125000000,0,0,0\n"
            self.assertIn("--time-unit 1e-09", errors(nanoseconds, "--measured-body", "stone",
                                                      code=2))
            self.assertLess(errors(nanoseconds, "--measured-body", "stone", "--time-unit",
                                   "1e-9")[0], 0.1)
            for option, value in (("--measured-body", "stone"), ("--time-unit", "1e-3"),
                                  ("--length-unit", "0.001")):
                refused = amontons("contest", scene, option, value, check=2)
                self.assertIn(f"{option}: it belongs to --measured", refused.stderr)

    def test_what_cannot_be_compared_is_refused_by_its_file(self):
        with tempfile.TemporaryDirectory() as folder:
            scene, motion = pathlib.Path(folder) / "s.yaml", pathlib.Path(folder) / "motion"
            scene.write_text("""amontons: 1
simulation: {step: 0.001, duration: 0.5}
bodies: [{name: stone, mass: 1, inertia: [1, 1, 1]}, {name: post, fixed: true}]
""")
            for content, options, expected in [
                    (b"t,stone.x,stone.y,stone.z\n0,,,\n0.1,1,,2\n", (), "cells of every row are empty"),
                    (b"t,stone.x,stone.y,stone.z\n0,0,0,0\n", ("--measured-body", "post"),
                     "no column of 'post'"),
                    (b"\x89HDF\r\n\x1a\n\0\0", (), "UTF-16 or binary"),
                    ("t,x,y,z\n0,0,0,0\n".encode("utf-16"), (), "UTF-16 or binary")]:
                with self.subTest(expected=expected, options=options):
                    motion.write_bytes(content)
                    refused = amontons("contest", scene, "--quiet", "--measured", motion, *options,
                                       check=2)
                    self.assertIn(expected, refused.stderr)
                    self.assertIn(str(motion), refused.stderr)

    def test_a_bounce_is_no_lift(self):
        with tempfile.TemporaryDirectory() as folder:
            scene = pathlib.Path(folder) / "ball.yaml"
            scene.write_text("""amontons: 1
simulation: {step: 0.01, duration: 1.0}
materials: [{name: default, restitution: 0.5}]
bodies:
  - {name: ball, mass: 1, shapes: [{sphere: 0.1}], pose: {position: [0, 0, 0.5]}}
  - {name: floor, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
""")
            for entry in json.loads(amontons("contest", scene, "--quiet", "--json",
                                             check=0).stdout):
                self.assertEqual(entry["departures"]["lift_m"], 0.0, entry["model"])
                self.assertLess(entry["energy_change_J"], -1.0)

    def test_round_friction_stops_on_a_line_and_a_pyramid_curves_away(self):
        entries = contest("pyramid-bias")
        unit = 1.0 / (0.4 * GRAVITY)  # 1/(mu g)
        lag = 2.0 * 0.01  # the discrete motion is behind by h v/2
        x, y, _ = entries["coulomb"]["final_positions"]["box"]
        self.assertAlmostEqual(math.atan2(y, x), math.radians(30), delta=1e-9)
        self.assertAlmostEqual(math.hypot(x, y), 2.0 * unit, delta=lag)
        # Friction along -x until both components are 1 m/s, then 0.707 of it along the diagonal.
        for model in ("anitescu-potra", "anitescu-hart", "stewart-trinkle"):
            x, y, _ = entries[model]["final_positions"]["box"]
            self.assertAlmostEqual(x, 2.0 * unit, delta=lag)
            self.assertAlmostEqual(y, math.sqrt(3.0) * unit, delta=lag)
            self.assertGreater(entries[model]["coulomb"], 0.1)
            self.assertLess(entries[model]["residual"], 1e-8)  # its own law holds
            # On the diagonal friction is a corner of the square or lies on its side.
            found = entries[model]["departures"]
            self.assertAlmostEqual(found["friction_deficit"], 1.0 - math.sqrt(0.5), delta=1e-6)
            self.assertLessEqual(found["bias_rad"], found["to_direction_rad"] + 1e-6)
            self.assertGreater(found["bias_rad"], math.radians(29))
            self.assertIn("4 directions of its polygon", said(entries[model]))
        self.assertEqual(entries["coulomb"]["departures"]["bias_rad"], 0.0)

    def test_a_brake_that_presses_itself_on_brakes_unless_the_load_is_capped(self):
        entries = contest("kappa")
        # The load is m g L/(L - mu d); the plank moves with its speed at the end of each step.
        load = GRAVITY * 0.4 / (0.4 - 0.5 * 0.3)
        slowing = 0.5 * load / 5.0
        braked = 0.5 - slowing * 0.01 ** 2 * 50 * 51 / 2
        for model in ("coulomb", "anitescu-hart"):
            self.assertAlmostEqual(entries[model]["final_positions"]["plank"][0], -braked, delta=1e-9)
        capped = entries["maximum-dissipation"]
        self.assertAlmostEqual(capped["final_positions"]["plank"][0], -0.5, delta=1e-9)
        found = capped["departures"]
        self.assertEqual(found["cap_steps"], 50)
        self.assertGreater(found["cap_price_J_per_Ns"], 0.0)
        # Without friction the load is m g: mu m g times the 0.5 m that the plank has slid.
        self.assertAlmostEqual(found["missing_dissipation_J"], 0.5 * GRAVITY * 0.5, delta=1e-6)
        self.assertIn("Cap: in 50 of 50 steps", said(capped))
        # A box on the floor is at its cap as well, and loses nothing by it.
        lifted = contest("lift", "--models", "maximum-dissipation")["maximum-dissipation"]
        self.assertEqual(lifted["departures"]["cap_steps"], 0)

    def test_drag_never_stops_what_coulomb_friction_stops(self):
        entries = contest("viscous-versus-coulomb", "--models", "coulomb,viscous")
        share = 1.0 / (1.0 + 4 * 0.01 * 1.0)  # share of the speed after a step, four corners
        viscous = entries["viscous"]
        self.assertAlmostEqual(viscous["final_positions"]["box"][0],
                               sum(0.01 * 2.0 * share ** k for k in range(1, 101)), delta=1e-9)
        self.assertAlmostEqual(viscous["energy_change_J"], 2.0 * (share ** 200 - 1.0), delta=1e-9)
        self.assertAlmostEqual(viscous["departures"]["drag_Ns"], 0.01 * 2.0 * share, delta=1e-12)
        self.assertEqual(viscous["departures"]["friction_deficit"], 1.0)
        self.assertAlmostEqual(entries["coulomb"]["energy_change_J"], -2.0, delta=1e-12)
        self.assertLess(entries["coulomb"]["final_positions"]["box"][0],
                        viscous["final_positions"]["box"][0] - 0.2)
        self.assertIn("Satisfies Coulomb's law", said(entries["coulomb"]))
        self.assertIn("Drag", said(entries["coulomb"]))

    def test_friction_without_bound_slides_where_no_slip_does_not(self):
        entries = contest("infinite-friction", "--models", "coulomb,anitescu-hart,no-slip")
        for model in ("coulomb", "anitescu-hart"):
            self.assertIn("Satisfies Coulomb's law", said(entries[model]))
        # If its end sticks, the rod turns about that end and slows down.
        self.assertLess(entries["no-slip"]["final_positions"]["rod"][0],
                        entries["coulomb"]["final_positions"]["rod"][0] - 1e-3)
        held = entries["no-slip"]["departures"]
        self.assertGreater(held["friction_beyond_cone_Ns"], 0.3)
        self.assertEqual(held["cone_there_Ns"], 0.0)
        self.assertIn("Beyond the cone", said(entries["no-slip"]))

    def test_a_rod_dragged_into_its_contact_keeps_energy_where_the_load_is_relaxed_or_capped(self):
        entries = contest("rod", "--models", "coulomb,convex-relaxation,maximum-dissipation")
        lost = {model: -entry["energy_change_J"] for model, entry in entries.items()}
        self.assertLess(lost["maximum-dissipation"], 0.1 * lost["coulomb"])
        self.assertLess(lost["convex-relaxation"], 0.8 * lost["coulomb"])
        self.assertGreater(entries["maximum-dissipation"]["departures"]["cap_steps"], 0)
        self.assertGreater(entries["convex-relaxation"]["departures"]["lift_m"], 1e-3)

    def test_a_difference_of_steps_and_not_of_law_is_reported(self):
        entries = contest("rod", "--models", "coulomb,anitescu-potra,stewart-trinkle,anitescu-hart")
        self.assertIn("gamma 0", said(entries["anitescu-potra"]))
        self.assertIn("predicted position", said(entries["stewart-trinkle"]))
        self.assertNotIn("Steps unlike", said(entries["anitescu-hart"]))

    def test_the_page_shows_every_model_over_time_and_says_why(self):
        with tempfile.TemporaryDirectory() as folder:
            scene = pathlib.Path(folder) / "scene.yaml"
            scene.write_text((SCENES / "kappa.yaml").read_text().replace("plank", "<b>plank & co"))
            page = pathlib.Path(folder) / "page.html"
            entries = json.loads(amontons("contest", scene, "--quiet", "--json", "--html", page,
                                          check=0).stdout)
            text = page.read_text()
            self.assertNotIn("<b>plank", text)
            self.assertIn("&lt;b&gt;plank &amp; co", text)
            self.assertNotIn("<script", text)
            self.assertNotRegex(text, r'(src|href)="(?!#)')  # it needs no other file
            for entry in entries:
                self.assertIn(f"<h3>{entry['model']}</h3>", text)
                for sentence in entry["explanation"]:
                    self.assertIn(f"<li>{html.escape(sentence, quote=False)}</li>", text)
            figures = [xml.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", text, re.DOTALL)]
            titles = [figure.find(SVG + "title").text for figure in figures]
            for word in ("distance", "energy", "normal", "friction", "infeasibility", "certificate",
                         "time"):
                self.assertTrue(any(word in title.lower() for title in titles), word)
            for figure in figures:
                names = {text.text for text in figure.findall(SVG + "text")}
                self.assertIn("maximum-dissipation", names)
            self.assertIn("cannot write", amontons("contest", scene, "--quiet", "--html",
                                                   f"{folder}/none/page.html", check=5).stderr)

    def test_every_scene_here_is_shown_by_a_test(self):
        text = pathlib.Path(__file__).read_text()
        for scene in SCENES.glob("*.yaml"):
            self.assertIn(f'"{scene.stem}"', text)
            self.assertIn(f"amontons contest examples/contest/{scene.name}", scene.read_text())

    def test_the_first_model_is_the_reference_and_none_is_left_out(self):
        entries = contest("three-disks")
        first, *others = entries
        self.assertEqual(first, "coulomb")
        self.assertEqual(entries[first]["distance_m"], 0.0)
        self.assertIn("frictionless", others)
        self.assertGreater(entries["frictionless"]["distance_m"], 0.01)  # 0.3 > tan 15 degrees
        self.assertLess(entries["anitescu-hart"]["distance_m"], 1e-9)
        self.assertGreater(entries["maximum-dissipation"]["distance_m"], 0.01)
        self.assertEqual(entries["maximum-dissipation"]["departures"]["cap_steps"], 20)
        table = amontons("contest", SCENES / "rod.yaml", "--quiet", check=0).stdout
        for model in entries:
            self.assertIn(f"\n{model} ", table)

    def test_an_unknown_model_or_scene_is_exit_2(self):
        result = amontons("contest", SCENES / "rod.yaml", "--models", "coulomb,anitescu-heart",
                          check=2)
        self.assertIn("did you mean 'anitescu-hart'?", result.stderr)
        amontons("contest", "none.yaml", check=2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
