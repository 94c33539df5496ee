"""Checks stills and videos of runs.

    pictures_test.py PROGRAM

The tests of videos are skipped without ffmpeg.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "cli")]
from picture import colorful_share, count_changed, decode_png  # noqa: E402
from program import PROGRAM, SMALL_SCENE, amontons  # noqa: E402

SIZE = ("--size", "320x200")


def brightness(png):
    pixels = decode_png(png)
    return sum(map(sum, pixels)) / (3 * len(pixels))


class PicturesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="amontons-pictures-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        (cls.folder / "scene.yaml").write_text(SMALL_SCENE)
        amontons("run", "scene.yaml", "-o", "a.h5", "--quiet", cwd=cls.folder, check=0)
        amontons("run", "scene.yaml", "-o", "b.h5", "--quiet", "--set",
                 "materials.wood.friction=0", cwd=cls.folder, check=0)

    def draw(self, *arguments):
        return amontons("replay", *arguments, cwd=self.folder, check=0).stdout

    def bytes_of(self, name):
        return (self.folder / name).read_bytes()

    def test_the_same_still_is_the_same_bytes_and_another_time_is_not(self):
        result = json.loads(self.draw("a.h5", "--still", "0.2,0,0.2", "-o", "s.png", *SIZE,
                                      "--json"))
        self.assertEqual([still["file"] for still in result["stills"]],
                         ["s-1.png", "s-2.png", "s-3.png"])
        self.assertEqual([still["time"] for still in result["stills"]], [0.2, 0.0, 0.2])
        last, first, again = (self.bytes_of(still["file"]) for still in result["stills"])
        self.assertEqual(last, again)
        a, b = decode_png(first), decode_png(last)
        self.assertEqual(len(a), 320 * 200)
        self.assertGreater(sum(p != q for p, q in zip(a, b)), 200)  # the crate slides
        self.assertGreater(colorful_share(a), 0.01)
        self.draw("a.h5", "--still", "0,0.2", "-o", "t.png", *SIZE)
        self.assertEqual(self.bytes_of("t-1.png"), first)
        self.assertEqual(self.bytes_of("t-2.png"), last)

    def test_view_and_theme_are_as_asked(self):
        self.draw("a.h5", "--still", "0", *SIZE, "--theme", "dark")
        dark = self.bytes_of("a.png")
        self.draw("a.h5", "--still", "0", *SIZE, "--theme", "light")
        light = self.bytes_of("a.png")
        self.draw("a.h5", "--still", "0", *SIZE, "--view", "top", "-o", "top.png")
        self.assertLess(brightness(dark) + 60, brightness(light))
        self.assertNotEqual(light, self.bytes_of("top.png"))

    def test_a_robot_is_drawn_as_its_file_says_or_as_it_collides(self):
        # A red mesh of 2 m, in place of a ball of 0.2 m that collides.
        (self.folder / "look.obj").write_text(
            "v -1 0 -1\nv 1 0 -1\nv 1 0 1\nv -1 0 1\nf 1 2 3 4\nf 4 3 2 1\n")
        (self.folder / "robot.urdf").write_text(
            "<robot name='r'><link name='a'><inertial><mass value='1'/>"
            "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>"
            "<visual><geometry><mesh filename='look.obj'/></geometry><material name='red'>"
            "<color rgba='1 0 0 1'/></material></visual>"
            "<collision><geometry><sphere radius='0.2'/></geometry></collision></link></robot>")
        amontons("run", "robot.urdf", "--duration", "0.01", "-o", "robot.h5", "--quiet",
                 cwd=self.folder, check=0)
        (self.folder / "look.obj").unlink()  # the run has kept it

        def red_share(name):
            pixels = decode_png(self.bytes_of(name))
            return sum(r > 120 and r > 2 * max(g, b) for r, g, b in pixels) / len(pixels)
        self.draw("robot.h5", "--still", "0", *SIZE, "--view", "front", "-o", "looks.png")
        self.draw("robot.h5", "--still", "0", *SIZE, "--view", "front", "-o", "shapes.png",
                  "--no-visuals")
        self.assertGreater(red_share("looks.png"), 0.1)
        self.assertEqual(red_share("shapes.png"), 0)

    def still_of(self, name, scene):
        """Returns the pixels of a scene at 0.2 s."""
        (self.folder / f"{name}.yaml").write_text(scene)
        amontons("run", f"{name}.yaml", "-o", f"{name}.h5", "--quiet", cwd=self.folder, check=0)
        self.draw(f"{name}.h5", "--still", "0.2", *SIZE, "--overlays", "forces,cones", "-o",
                  f"{name}.png")
        return decode_png(self.bytes_of(f"{name}.png"))

    def test_a_scene_far_from_the_origin_looks_as_near_it(self):
        near, far = (self.still_of(f"at{x}", f"""amontons: 1
simulation: {{step: 0.01, duration: 0.2}}
bodies:
  - {{name: plate, fixed: true, shapes: [{{box: [1, 1, 0.1]}}], pose: {{position: [{x}, 0, -0.05]}}}}
  - {{name: box, mass: 1, shapes: [{{box: [0.2, 0.3, 0.1]}}], pose: {{position: [{x}, 0, 0.06]}}}}
  - {{name: ball, mass: 1, shapes: [{{sphere: 0.1}}], pose: {{position: [{x}, 0.3, 0.1]}}}}
""") for x in (0, 1_000_000))
        self.assertGreater(colorful_share(near), 0.01)
        self.assertLess(count_changed(near, far), 50)

    def test_arrows_are_those_of_the_moving_body_whatever_the_order_of_bodies(self):
        ground = "  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}\n"
        box = "  - {name: box, mass: 1, shapes: [{box: [1, 1, 1]}], pose: {position: [0, 0, 0.5]}}\n"
        start = "amontons: 1\nsimulation: {step: 0.01, duration: 0.2}\nbodies:\n"
        first = self.still_of("first", start + box + ground)
        last = self.still_of("last", start + ground + box)
        self.assertLess(count_changed(first, last), 50)

    def test_a_run_laid_over_another_is_seen(self):
        self.draw("a.h5", "--still", "0.2", *SIZE, "-o", "alone.png")
        self.draw("a.h5", "b.h5", "--still", "0.2", *SIZE, "-o", "both.png")
        self.assertNotEqual(self.bytes_of("alone.png"), self.bytes_of("both.png"))

    @unittest.skipUnless(shutil.which("ffmpeg"), "SKIPPED: no ffmpeg is installed (package ffmpeg)")
    def test_a_video_has_a_picture_for_every_interval_of_the_run(self):
        for name, codec in (("v.webm", "vp9"), ("v.mp4", "h264")):
            result = json.loads(self.draw("a.h5", "--video", name, "--fps", "20", *SIZE, "--json"))
            self.assertEqual(result["frames"], 5)  # 0, 0.05, ... 0.2 s
            probe = subprocess.run(
                ["ffprobe", "-v", "error", "-count_frames", "-show_entries",
                 "stream=codec_name,width,height,nb_read_frames", "-of", "json", name],
                cwd=self.folder, capture_output=True, text=True, check=True)
            self.assertEqual(json.loads(probe.stdout)["streams"], [
                {"codec_name": codec, "width": 320, "height": 200, "nb_read_frames": "5"}])
            self.assertFalse(list(self.folder.glob("*.part*")))

    def test_a_folder_takes_the_pictures_of_a_video_and_slow_motion_repeats_none(self):
        result = json.loads(self.draw("a.h5", "--video", "film/", "--fps", "10", "--speed", "0.5",
                                      *SIZE, "--json"))
        names = sorted(path.name for path in (self.folder / "film").iterdir())
        self.assertEqual(names, [f"{k:05}.png" for k in range(1, 6)])  # every 0.05 s
        self.assertEqual((result["frames"], result["duration_s"]), (5, 0.5))
        self.assertEqual(len({self.bytes_of(f"film/{name}") for name in names}), 5)

    def test_what_makes_no_sense_is_refused(self):
        for arguments, part in (
                (["a.h5", "--still", "0.3"], "outside of a.h5, which goes from 0 s to 0.2 s"),
                (["a.h5", "--still", "soon"], "must be a number"),
                (["a.h5", "--still", "0", "-o", "s.jpg"], ".png"),
                (["a.h5", "-o", "s.png"], "write --still TIME for a picture such as s.png"),
                (["a.h5", "-o", "s.mp4"], "write --video s.mp4 for a video"),
                (["a.h5", "--still", "0", "--size", "10x10"], "from 64 to 4096"),
                (["a.h5", "--still", "0", "--size", "big"], "WIDTHxHEIGHT"),
                (["a.h5", "--still", "0", "--view", "back"], "usual, front, side, top"),
                (["a.h5", "--still", "0", "--theme", "red"], "dark, light"),
                (["a.h5", "--still", "0", "--fps", "20"], "--video"),
                (["a.h5", "--view", "top"], "--still"),
                (["a.h5", "--camera", "zoom=2"], "--still"),
                (["a.h5", "--still", "0", "--camera", "azimut=2"],
                 "follow, zoom, orbit; did you mean 'azimuth'?"),
                (["a.h5", "--still", "0", "--camera", "zoom"], "must be KEY=VALUE"),
                (["a.h5", "--still", "0", "--camera", "zoom=0"], "zoom must be positive"),
                (["a.h5", "--still", "0", "--camera", "zoom=2,zoom=3"], "is given twice"),
                (["a.h5", "--still", "0", "--camera", "distance=-1"], "positive [m]"),
                (["a.h5", "--still", "0", "--camera", "elevation=100"], "between -90 and 90"),
                (["a.h5", "--still", "0", "--camera", "target=1:2"], "X:Y:Z"),
                (["a.h5", "--still", "0", "--camera", "target=1:2:x"], "must be a number"),
                (["a.h5", "--still", "0", "--camera", "orbit=fast"], "must be a number"),
                (["a.h5", "--still", "0", "--camera", "follow=crat"], "did you mean 'crate'?"),
                (["a.h5", "--still", "0", "--view", "top", "--camera", "azimuth=2"], "twice"),
                (["a.h5", "--still", "0", "--overlays", "force"], "did you mean 'forces'?"),
                (["a.h5", "--video", "v.gif"], ".webm or .mp4"),
                (["a.h5", "--video", "v.mp4", "--size", "321x200"], "even"),
                (["a.h5", "--video", "v.mp4", "-o", "x.mp4"], "without --output"),
                (["scene.yaml", "--still", "0"], "scene.yaml")):
            with self.subTest(arguments=arguments):
                result = amontons("replay", *arguments, cwd=self.folder, check=2)
                self.assertIn(part, result.stderr)
                self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)

    def without_programs(self, *arguments):
        return subprocess.run([str(PROGRAM), "replay", *arguments], cwd=self.folder, check=False,
                              capture_output=True, text=True, env=os.environ | {"PATH": "/nowhere"})

    def test_a_missing_program_is_named_with_its_package(self):
        result = self.without_programs("a.h5", "--video", "no.webm")
        self.assertEqual(result.returncode, 5, result.stderr)
        self.assertIn("install the package ffmpeg", result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        # Pictures need no other program.
        for arguments in (["--still", "0", "-o", "alone.png"], ["--video", "alone/"]):
            result = self.without_programs("a.h5", *arguments, *SIZE)
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_camera_is_where_it_is_asked(self):
        def crate(*arguments):
            """Returns the mean place and the number of the pixels of the blue crate."""
            self.draw("a.h5", *SIZE, "-o", "c.png", "--overlays", "none", *arguments)
            pixels = decode_png(self.bytes_of("c.png"))
            found = [k for k, (r, g, b) in enumerate(pixels) if b > r + 60 and b > g + 20]
            self.assertGreater(len(found), 20, arguments)
            return (sum(k % 320 for k in found) / len(found),
                    sum(k // 320 for k in found) / len(found), len(found))
        follow = "follow=crate,distance=5"
        # The crate slides, and stays in the middle of a camera that follows it.
        for time in ("0", "0.2"):
            x, y, count = crate("--still", time, "--camera", follow)
            self.assertLess(abs(x - 160) + abs(y - 100), 6)
        # Twice as near, or twice the zoom, is four times as large; from far away exactly.
        _, _, far = crate("--still", "0", "--camera", "follow=crate,distance=40,zoom=8")
        _, _, near = crate("--still", "0", "--camera", "follow=crate,distance=40,zoom=16")
        self.assertAlmostEqual(near / far, 4, delta=0.5)
        _, _, count_of_view = crate("--still", "0", "--view", "top", "--camera", follow)
        _, _, count_of_angles = crate(
            "--still", "0", "--camera", follow + ",azimuth=-90,elevation=90")
        self.assertEqual(count_of_view, count_of_angles)
        # A target to the right of the crate moves it to the left: +x is right from the front.
        left, _, _ = crate("--still", "0", "--view", "front", "--camera",
                           "target=1:0:0.2,distance=8")
        right, _, _ = crate("--still", "0", "--view", "front", "--camera",
                            "target=-1:0:0.2,distance=8")
        self.assertLess(left + 20, right)

    def test_an_orbit_turns_with_the_time_of_the_run(self):
        camera = "target=0:0:0.2,distance=6,elevation=20"
        self.draw("a.h5", "--video", "orbit/", "--fps", "10", *SIZE, "--camera",
                  camera + ",azimuth=10,orbit=100")
        self.draw("a.h5", "--still", "0.2", *SIZE, "--camera", camera + ",azimuth=30", "-o",
                  "turned.png")
        a, b = (decode_png(self.bytes_of(name)) for name in ("orbit/00003.png", "turned.png"))
        different = sum(max(abs(x - y) for x, y in zip(p, q)) > 40 for p, q in zip(a, b))
        self.assertLess(different / len(a), 0.02)

    def test_overlays_are_those_asked_for(self):
        def drawn(overlays):
            self.draw("a.h5", "--still", "0.2", *SIZE, "-o", "o.png", "--overlays", overlays)
            return decode_png(self.bytes_of("o.png"))
        bare, points, both, chains = map(drawn, ("none", "contacts", "contacts,forces", "chains"))
        changed = [sum(p != q for p, q in zip(bare, other)) for other in (points, both, chains)]
        self.assertGreater(changed[0], 20)
        self.assertGreater(changed[1], changed[0] + 20)
        self.assertGreater(changed[2], 20)
        self.draw("a.h5", "--still", "0.2", *SIZE, "-o", "c.png", "--overlays", "cones")
        self.assertNotEqual(self.bytes_of("c.png"), self.bytes_of("o.png"))

    def test_a_script_draws_models_light_and_dark_in_the_colours_of_their_files(self):
        green = "<material name='m'><color rgba='0 0.8 0 1'/></material>"
        box = "<geometry><box size='1 1 1'/></geometry>"
        (self.folder / "cube.urdf").write_text(
            "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'"
            " ixy='0' ixz='0' iyz='0'/></inertial>"
            f"<visual>{box}{green}</visual><collision>{box}</collision></link></robot>")
        script = HERE.parents[1] / "scripts/robot-pictures"
        subprocess.run([sys.executable, str(script), "cube.urdf", "-o", "drawn", "--amontons", str(PROGRAM),
                        *SIZE], cwd=self.folder, check=True, capture_output=True)
        light, dark = ((self.folder / "drawn" / f"cube-{theme}.png").read_bytes() for theme in ("light", "dark"))
        self.assertGreater(brightness(light), brightness(dark) + 50)
        for png in (light, dark):
            greens = [p for p in decode_png(png) if p[1] > 60 and p[1] > 2 * max(p[0], p[2])]
            self.assertGreater(len(greens), 2000)
        wrong = subprocess.run([sys.executable, str(script), "none.urdf", "--amontons", str(PROGRAM)],
                               cwd=self.folder, capture_output=True, text=True)
        self.assertNotEqual(wrong.returncode, 0)
        self.assertIn("none.urdf", wrong.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
