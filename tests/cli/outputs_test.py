#!/usr/bin/python3
"""Writes outputs over files of another origin and over symbolic links.  usage: outputs_test.py PROGRAM"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import h5py

from program import PROGRAM, SMALL_SCENE, amontons

# What each verb writes: its words, the file, and the kind that messages name.
OUTPUTS = (
    (("run", "small.yaml", "-o", "new.h5"), "new.h5", "run"),
    (("run", "small.yaml", "-o", "new.h5"), "new.checkpoint", "checkpoint"),
    (("run", "small.yaml", "-o", "new.h5"), "new.failure-3.h5", "contact problem"),
    (("export", "small.h5", "-o", "a.csv"), "a.csv", "table"),
    (("export", "small.h5", "--contacts", "-o", "c.csv"), "c.csv", "table"),
    (("replay", "small.h5", "-o", "a.html"), "a.html", "page"),
    (("replay", "small.h5", "--still", "0,0.1", "--size", "64x64", "-o", "a.png"), "a-2.png", "picture"),
    (("replay", "small.h5", "--video", "film/", "--fps", "10", "--size", "64x64"), "film/00002.png", "picture"),
    (("replay", "small.h5", "--video", "film.webm", "--fps", "10", "--size", "64x64"), "film.webm", "video"),
    (("replay", "small.h5", "--video", "film.mp4", "--fps", "10", "--size", "64x64"), "film.mp4", "video"),
    (("contest", "small.yaml", "--models", "coulomb", "--html", "c.html"), "c.html", "page"),
    (("reproduce", "signed-distance", "-o", "out"), "out/report.html", "page"),
    (("reproduce", "signed-distance", "-o", "out", "--markdown", "r.md"), "r.md", "report"),
)
FOREIGN = (b"time is short\n", b"<!doctype html>\n<title>Amontons</title>\n", b"\x89PNG\r\n\x1a\n not ours",
           b"# Written by hand\n", b"AMONTONS")


class OutputsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)
        (self.dir / "small.yaml").write_text(SMALL_SCENE)
        amontons("run", "small.yaml", "--quiet", cwd=self.dir, check=0)
        (self.dir / "film").mkdir()
        (self.dir / "out").mkdir()

    def files(self):
        return {path: path.read_bytes() for path in self.dir.rglob("*") if path.is_file()}

    def refused(self, *words):
        """Returns the one line that the program prints; every file must be as it was."""
        before = self.files()
        result = amontons(*words, cwd=self.dir, check=2)
        self.assertEqual(before, self.files(), words)
        self.assertEqual((result.stdout, result.stderr.count("\n")), ("", 1), result)
        return result.stderr

    def outputs(self):
        for words, name, kind in OUTPUTS:
            if kind == "video" and not shutil.which("ffmpeg"):
                continue
            with self.subTest(file=name):
                yield words, self.dir / name, kind

    def test_files_of_another_origin_are_replaced_only_by_force(self):
        for words, path, kind in self.outputs():
            for text in FOREIGN:
                path.write_bytes(text)
                self.assertIn(f"a file of this name is no {kind} of this program; name another one, "
                              "or replace it with --force", self.refused(*words))
            amontons(*words, "--quiet", "--force", cwd=self.dir, check=0)
            if kind == "contact problem":
                self.assertEqual(path.read_bytes(), text)  # that step has not failed
                path.unlink()
            amontons(*words, "--quiet", cwd=self.dir, check=0)  # its own file
            path.write_bytes(b"")
            amontons(*words, "--quiet", cwd=self.dir, check=0)

    @unittest.skipUnless(shutil.which("ffmpeg"), "needs ffmpeg")
    def test_an_interrupted_video_ends_at_once_and_leaves_nothing(self):
        before = self.files()
        for name, delay in (("film.mp4", 0.3), ("film.webm", 0.8), ("film.mp4", 1.5)):
            words = ["replay", "small.h5", "--video", name, "--speed", "0.001", "--fps", "60",
                     "--size", "1280x720", "--quiet"]
            process = subprocess.Popen([str(PROGRAM), *words], cwd=self.dir, text=True,
                                       stderr=subprocess.PIPE, start_new_session=True)
            time.sleep(delay)
            self.assertIsNone(process.poll())
            begin = time.monotonic()
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=60)[1]
            self.assertLess(time.monotonic() - begin, 10.0)  # the film takes minutes
            self.assertEqual((process.returncode, said.count("\n")), (130, 1), said)
            self.assertEqual(self.files(), before)
            # Its ffmpeg is gone: nothing has the name of the unfinished film as an argument.
            self.assertFalse([entry for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline")
                              if str(self.dir) in self.command_of(entry)])

    @staticmethod
    def command_of(entry):
        """Returns the command and the working folder of a process, as far as they can be read."""
        try:
            folder = os.readlink(entry.with_name("cwd"))
            return f"{folder} {entry.read_bytes()!r}" if b"ffmpeg" in entry.read_bytes() else ""
        except OSError:
            return ""

    def test_no_film_or_still_takes_the_place_of_a_pipe(self):
        for words, path, kind in self.outputs():
            if kind not in ("video", "checkpoint", "contact problem"):
                continue
            path.unlink(missing_ok=True)
            os.mkfifo(path)
            result = amontons(*words, "--force", cwd=self.dir, check=5)
            self.assertIn("it is a device or pipe", result.stderr)
            self.assertTrue(path.is_fifo())
            path.unlink()

    def test_hdf5_files_of_others_are_no_runs(self):
        with h5py.File(self.dir / "data.h5", "w") as file:
            file["measured"] = [1.0, 2.0]
        self.assertIn("no run of this program", self.refused("run", "small.yaml", "-o", "data.h5"))
        shutil.copy(self.dir / "data.h5", self.dir / "new.failure-7.h5")
        self.assertIn("no contact problem", self.refused("run", "small.yaml", "-o", "new.h5"))

    def test_no_output_is_written_through_a_symbolic_link(self):
        target = self.dir / "target"
        for words, path, _ in self.outputs():
            for text in (None, b"mine\n", b""):
                if text is not None:
                    target.write_bytes(text)
                path.unlink(missing_ok=True)
                path.symlink_to(target)
                for force in ((), ("--force",)):
                    self.assertIn("a symbolic link cannot be the output; name the file itself",
                                  self.refused(*words, *force))
                self.assertEqual((path.is_symlink(), target.exists()), (True, text is not None))
                path.unlink()
                target.unlink(missing_ok=True)
        os.symlink("small.h5", self.dir / "link.h5")
        self.assertIn("a symbolic link cannot be the output", self.refused("resume", "link.h5"))

    def test_a_link_to_a_pipe_takes_a_table(self):
        result = amontons("export", "small.h5", "-o", "/dev/stdout", "--quiet", cwd=self.dir, check=0)
        self.assertTrue(result.stdout.startswith("time,step_count,"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
