"""Checks stills and videos of runs, drawn by a headless browser.

    pictures_test.py PROGRAM

Exit 77 (skipped) without a Chromium; the test of videos is skipped without ffmpeg.
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
from headless_browser import find_browser  # noqa: E402
from picture import colorful_share, decode_png  # noqa: E402
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
        self.draw("a.h5", "--still", "0,0.2", "-o", "t.png", *SIZE)  # another browser
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
                (["a.h5", "--still", "0", "--size", "10x10"], "from 64 to 4096"),
                (["a.h5", "--still", "0", "--size", "big"], "WIDTHxHEIGHT"),
                (["a.h5", "--still", "0", "--view", "back"], "usual, front, side, top"),
                (["a.h5", "--still", "0", "--theme", "red"], "dark, light"),
                (["a.h5", "--still", "0", "--fps", "20"], "--video"),
                (["a.h5", "--view", "top"], "--still"),
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
        for arguments, package in ((["a.h5", "--still", "0", "-o", "no.png"], "chromium"),
                                   (["a.h5", "--video", "no.webm"], "ffmpeg"),
                                   (["a.h5", "--video", "no/"], "chromium")):
            result = self.without_programs(*arguments)
            self.assertEqual(result.returncode, 5, result.stderr)
            self.assertIn(f"install the package {package}", result.stderr)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertFalse((self.folder / "no.png").exists())

    def test_a_browser_that_fails_is_an_error_and_no_picture(self):
        (self.folder / "bin").mkdir()
        fake = self.folder / "bin" / "chromium"
        fake.write_text("#!/bin/sh\nexit 1\n")
        fake.chmod(0o755)
        result = subprocess.run(
            [str(PROGRAM), "replay", "a.h5", "--still", "0", "-o", "no.png"], cwd=self.folder,
            check=False, capture_output=True, text=True,
            env=os.environ | {"PATH": f"{fake.parent}:/usr/bin:/bin"})
        self.assertEqual(result.returncode, 5)
        self.assertIn("no.png: Chromium has ended", result.stderr)
        self.assertFalse((self.folder / "no.png").exists())

    def test_a_browser_without_graphics_is_an_error_and_no_picture(self):
        folder = self.folder / "blind"
        folder.mkdir()
        fake = folder / "chromium"
        fake.write_text(f'#!/bin/sh\nexec {find_browser()} --disable-3d-apis "$@"\n')
        fake.chmod(0o755)
        result = subprocess.run(
            [str(PROGRAM), "replay", "a.h5", "--still", "0", "-o", "no.png"], cwd=self.folder,
            check=False, capture_output=True, text=True,
            env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"})
        self.assertEqual(result.returncode, 5, result.stderr)
        self.assertIn("no WebGL", result.stderr)
        self.assertFalse((self.folder / "no.png").exists())


if __name__ == "__main__":
    if not find_browser():
        print("SKIPPED: no Chromium is installed (package chromium)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
