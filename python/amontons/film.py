"""Stills and films of runs and of simulators, drawn without a browser."""
import contextlib
import pathlib
import shutil
import subprocess
import tempfile
from numbers import Integral, Real

import numpy as np

from ._core import (Camera, OutputError, Simulator, _encode_png, _RunPainter, _SimulatorPainter)
from .arguments import file_path, names_of, one_of, shown
from .outputs import (FILM_MARK, refuse_foreign_film, refuse_foreign_picture, replacement)
from .run import Run

# The encoding of tools/amontons/replay/video_writer.cc.
_ENCODINGS = {
    ".webm": ["-c:v", "libvpx-vp9", "-crf", "24", "-b:v", "0", "-deadline", "good", "-cpu-used",
              "4", "-row-mt", "1"],
    ".mp4": ["-c:v", "libx264", "-crf", "18", "-preset", "medium", "-movflags", "+faststart"],
}


def _painter(source, scene, camera, overlays, size, theme, visuals):
    """Returns what draws a source, and True if it is a run."""
    theme = one_of(theme, "theme", ("light", "dark"))
    if camera is not None and not isinstance(camera, Camera):
        raise TypeError(f"camera must be a Camera, such as Camera(view='front'), not {camera!r}")
    is_pair = hasattr(size, "__len__") and len(size) == 2
    if not is_pair or not all(isinstance(pixels, Integral) for pixels in size):
        raise ValueError(f"size must be (width, height), whole numbers of pixels, not {shown(size)}")
    width, height = size
    style = (width, height, theme == "dark", Camera() if camera is None else camera,
             names_of(overlays, "overlays"))
    if isinstance(source, Simulator):
        return _SimulatorPainter(source, scene if visuals else None, *style), False
    if scene is not None:
        raise ValueError("a run has its scene: scene is that of a simulator")
    path = source.path if isinstance(source, Run) else file_path(source, "a run")
    return _RunPainter(pathlib.Path(path), *style, visuals), True


class _Video:
    """Writes pictures as a film by ffmpeg; it takes its place when it is whole."""

    def __init__(self, path, size, fps, force):
        width, height = size
        if width % 2 or height % 2:
            raise ValueError(f"a film needs an even width and height, not {width} x {height}")
        self.path = path
        program = shutil.which("ffmpeg")
        if program is None:
            raise OutputError(f"{path}: films are written by ffmpeg, which is not in PATH: install "
                              "the package ffmpeg, or give a folder (a name that ends in /)")
        refuse_foreign_film(path, force)
        self.place = contextlib.ExitStack()
        try:
            self.partial = self.place.enter_context(replacement(path))
        except OSError as error:
            raise OutputError(f"{path}: {error.strerror}") from None
        self.messages = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [program, "-y", "-loglevel", "error", "-f", "rawvideo", "-pixel_format", "rgb24",
             "-video_size", f"{width}x{height}", "-framerate", str(fps), "-i", "-",
             *_ENCODINGS[path.suffix], "-pix_fmt", "yuv420p", "-metadata", f"comment={FILM_MARK}",
             "-f", path.suffix[1:], f"file:{self.partial}"],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self.messages,
            start_new_session=True)  # Ctrl-C in the terminal is for this program alone

    def add(self, pixels):
        try:
            self.process.stdin.write(pixels.tobytes())
        except BrokenPipeError:
            self.finish()
            raise OutputError(f"{self.path}: ffmpeg has ended early") from None

    def finish(self):
        """Completes the film."""
        # What raises in this block removes what was written.
        with self.place:
            try:
                self.process.stdin.close()
            except BrokenPipeError:
                pass  # its code says more
            try:
                code = self.process.wait()
            except BaseException:
                self.process.kill()
                self.process.wait()
                raise
            if code != 0:
                self.messages.seek(0)
                text = self.messages.read().decode(errors="replace").strip()
                raise OutputError(f"{self.path}: ffmpeg fails ({code}): {text}")

    def drop(self):
        """Ends ffmpeg, without a film."""
        with contextlib.suppress(_Dropped), self.place:
            self.process.kill()
            self.process.wait()
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.close()
            raise _Dropped


class _Dropped(Exception):
    """Leaves the block of a film that is not wanted."""


class _Folder:
    """Writes pictures as numbered PNG files."""

    def __init__(self, path, force):
        self.path = path
        self.force = force
        path.mkdir(parents=True, exist_ok=True)
        self.num_frames = 0

    def add(self, pixels):
        self.num_frames += 1
        _write_png(self.path / f"{self.num_frames:05}.png", pixels, self.force)

    def finish(self):
        pass

    def drop(self):
        pass


class Film:
    """Draws a simulator while it steps, or a run, and writes a film.

        with am.Film(sim, "fall.mp4", camera=am.Camera(follow="ball", orbit=30)) as film:
            while not sim.finished:
                sim.step()
                if sim.time >= film.num_frames / film.fps:
                    film.frame()

    source: a Simulator, a Run, or the path of one.
    scene: that of the simulator; robots are then drawn as their files say, else as their collision
    shapes.
    path: FILE.mp4 or FILE.webm (by ffmpeg), or a name that ends in "/" for numbered PNG files;
    None: no film, only `array()` and `still()`.
    overlays: what is drawn of contacts, of "contacts", "forces", "cones" and "chains".
    size: width and height [pixels]. theme: "light" or "dark".
    fps: pictures in a second of the film.
    visuals: False draws collision shapes in place of what the files of models draw.
    force: True replaces any file; else a file that Amontons has not written is refused.

    The film takes its place when its with block ends; an exception within leaves none. Raises
    ValueError for what makes no sense or is refused, OutputError where nothing can be written.
    """

    def __init__(self, source, path=None, *, scene=None, camera=None,
                 overlays=("contacts", "forces"), size=(1280, 720), theme="light", fps=30,
                 visuals=True, force=False):
        _require_positive(fps, "fps")
        path = None if path is None else file_path(path, "path")
        self._writer = None
        if path is not None and not path.endswith("/"):
            if pathlib.Path(path).suffix not in _ENCODINGS:
                raise ValueError(f"{path}: must end in .webm or .mp4, or in / for PNG files")
        self._painter, self._is_run = _painter(source, scene, camera, overlays, size, theme,
                                               visuals)
        if path is not None:
            self._writer = (_Folder(pathlib.Path(path), force) if path.endswith("/")
                            else _Video(pathlib.Path(path), size, fps, force))
        self._force = force
        #: Pictures in a second of the film.
        self.fps = fps
        #: Number of pictures in the film so far.
        self.num_frames = 0

    def array(self, time=None):
        """Returns the picture as an array of red, green and blue [height, width, 3] (uint8).

        time: of a run [s]; its nearest row is drawn. A simulator is drawn in its state."""
        if not self._is_run:
            if time is not None:
                raise ValueError("a simulator is drawn in its state: it takes no time")
            return self._painter.draw()
        if time is None:
            raise ValueError("a run needs a time [s]")
        if not isinstance(time, Real):
            raise TypeError(f"time must be a number [s], not {time!r}")
        return self._painter.draw(time)

    def frame(self, time=None):
        """Adds a picture to the film. time: as of array(); of a run None continues by 1/fps."""
        if self._writer is None:
            raise ValueError("this film has no path, or is closed")
        if self._is_run and time is None:
            time = self._painter.span[0] + self.num_frames / self.fps
        self._writer.add(self.array(time))
        self.num_frames += 1

    def frames(self, speed=1.0):
        """Adds a whole run to the film; speed 0.1 is ten times slower."""
        if not self._is_run:
            raise ValueError("a simulator has no end: step it, and add each frame()")
        _require_positive(speed, "speed")
        first, last = self._painter.span
        for k in range(int(np.floor((last - first) * self.fps / speed + 1e-9)) + 1):
            self.frame(first + k * speed / self.fps)

    def still(self, path, time=None):
        """Writes the picture as a PNG file. time: as of array()."""
        _write_png(path, self.array(time), self._force)

    def close(self):
        """Completes the film."""
        writer, self._writer = self._writer, None
        if writer is None:
            return
        if self.num_frames == 0:
            writer.drop()
            raise ValueError("the film has no picture: add each by frame()")
        writer.finish()

    def __enter__(self):
        return self

    def __exit__(self, kind, *error):
        if kind is None:
            self.close()
        elif self._writer is not None:
            self._writer.drop()
            self._writer = None


def _require_positive(number, name):
    if not isinstance(number, Real) or not 0 < number < np.inf:
        raise ValueError(f"{name} must be positive, not {number!r}")


def _write_png(path, pixels, force):
    path = file_path(path, "path")
    if pathlib.Path(path).suffix != ".png":
        raise ValueError(f"{path}: a still is a PNG file: its name must end in .png")
    refuse_foreign_picture(path, force)
    try:
        with replacement(path) as aside:
            pathlib.Path(aside).write_bytes(_encode_png(pixels))
    except OSError as error:
        raise OutputError(f"{path}: {error.strerror}") from None


def picture(source, time=None, path=None, *, scene=None, camera=None,
            overlays=("contacts", "forces"), size=(1280, 720), theme="light", visuals=True, force=False):
    """Returns a picture of a run at a time [s], or of a simulator in its state, as an array
    [height, width, 3] of red, green and blue (uint8), and writes it as a PNG file.

        am.picture("first.h5", 0.8, "still.png", camera=am.Camera(azimuth=30, elevation=20))

    source, scene, camera, overlays, size, theme, visuals and force: as of Film. path: FILE.png;
    None: no file.
    """
    film = Film(source, scene=scene, camera=camera, overlays=overlays, size=size, theme=theme,
                visuals=visuals)
    pixels = film.array(time)
    if path is not None:
        _write_png(path, pixels, force)
    return pixels
