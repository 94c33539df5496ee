#!/usr/bin/python3
"""Checks am.Camera, am.picture and am.Film."""
import os
import pathlib
import shutil
import subprocess
import tempfile

import numpy as np

import amontons as am
from harness import FIRST, raises, run_tests

FOLDER = tempfile.TemporaryDirectory(prefix="amontons-film-")
PATH = pathlib.Path(FOLDER.name)
SIZE = (320, 180)
SCENE = """amontons: 1
simulation: {step: 0.01, duration: 0.2}
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - {name: ball, mass: 1, shapes: [{sphere: 0.1}], pose: {position: [2, 0, 0.3]}}
"""


def recorded():
    path = PATH / "first.h5"
    if not path.exists():
        scene = am.load_scene(FIRST)
        sim = am.Simulator(scene)
        with am.record(sim, scene, path):
            for _ in range(100):
                sim.step()
    return path


def colored(pixels):
    """Returns the places [n, 2] of pixels far from grey."""
    spread = pixels.max(axis=2).astype(int) - pixels.min(axis=2)
    return np.argwhere(spread > 90)


def test_a_picture_is_an_array_and_a_png_file():
    path = PATH / "still.png"
    pixels = am.picture(recorded(), 0.3, path, size=SIZE)
    assert pixels.shape == (180, 320, 3) and pixels.dtype == np.uint8
    assert len(colored(pixels)) > 50
    assert path.read_bytes().startswith(b"\x89PNG")
    with am.open_run(recorded()) as run:
        assert np.array_equal(pixels, am.picture(run, 0.3, size=SIZE))
    assert not np.array_equal(pixels, am.picture(recorded(), 0.1, size=SIZE))
    dark = am.picture(recorded(), 0.3, size=SIZE, theme="dark")
    assert dark.mean() + 60 < pixels.mean()


def test_a_simulator_is_drawn_in_its_state_also_after_it_was_set():
    sim = am.Simulator(am.parse_scene(SCENE))
    film = am.Film(sim, size=SIZE, overlays=[], camera=am.Camera(
        target=[2, 0, 0.3], distance=3, view="front"))
    start = colored(film.array())
    assert abs(start.mean(axis=0) - [90, 160]).max() < 3
    for _ in range(10):
        sim.step()
    fallen = colored(film.array())
    assert fallen[:, 0].mean() > start[:, 0].mean() + 1  # rows go down
    q = np.array(sim.q)
    q[4] += 0.5  # after the quaternion
    sim.set_state(q, sim.v)
    assert colored(film.array())[:, 1].mean() > start[:, 1].mean() + 20  # +x is right


def test_the_same_state_has_the_same_picture_live_and_recorded():
    scene = am.load_scene(FIRST)
    sim = am.Simulator(scene)
    for _ in range(60):
        sim.step()
    camera = am.Camera(target=[0, 0, 0.5], distance=8)
    live = am.picture(sim, size=SIZE, camera=camera, overlays=[])
    from_file = am.picture(recorded(), sim.time, size=SIZE, camera=camera, overlays=[])
    # The whole run has another extent, and so other grid lines; the bodies are the same pixels.
    a, b = ({tuple(place) for place in colored(pixels)} for pixels in (live, from_file))
    assert len(a) > 50 and len(a ^ b) <= 0.02 * len(a), (len(a), len(a ^ b))


def test_contacts_and_forces_of_the_last_step_are_drawn():
    sim = am.Simulator(am.load_scene(FIRST))
    for _ in range(100):
        sim.step()
    assert len(sim.contacts) > 0
    bare, both = (am.picture(sim, size=SIZE, overlays=names)
                  for names in ([], ["contacts", "forces"]))
    assert (bare != both).any(axis=2).sum() > 20


def test_a_film_has_its_frames():
    with am.Film(recorded(), f"{PATH}/film/", size=SIZE, fps=10) as film:
        film.frames()
    names = sorted(path.name for path in (PATH / "film").iterdir())
    assert len(names) == film.num_frames == 6  # 0 to 0.5 s
    if not shutil.which("ffmpeg"):
        print("SKIPPED: no ffmpeg")
        return
    for suffix, codec in ((".mp4", "h264"), (".webm", "vp9")):
        path = PATH / f"film{suffix}"
        sim = am.Simulator(am.parse_scene(SCENE))
        with am.Film(sim, path, size=SIZE, fps=25,
                     camera=am.Camera(follow="ball", orbit=90)) as film:
            for _ in range(4):
                sim.step()
                film.frame()
        shown = subprocess.run(
            ["ffprobe", "-v", "error", "-count_frames", "-show_entries",
             "stream=codec_name,width,height,nb_read_frames", "-of", "csv=p=0", path],
            capture_output=True, text=True, check=True).stdout.strip()
        assert shown == f"{codec},320,180,4", shown


def test_a_run_is_drawn_and_read_at_once_in_either_order():
    film = am.Film(recorded(), size=SIZE)
    with am.open_run(recorded()) as run:
        assert len(run) > 1
        other = am.Film(run, size=SIZE)
        assert np.array_equal(film.array(0.2), other.array(0.2))


def test_an_exception_leaves_no_film():
    if not shutil.which("ffmpeg"):
        return
    try:
        with am.Film(recorded(), PATH / "broken.mp4", size=SIZE) as film:
            film.frame()
            raise RuntimeError("stop")
    except RuntimeError:
        pass
    assert not list(PATH.glob("broken*"))


def test_what_makes_no_sense_is_refused():
    run, sim = recorded(), am.Simulator(am.parse_scene(SCENE))
    assert "zoom must be positive" in raises(ValueError, am.Camera, zoom=-1)
    assert "between -90 and 90" in raises(ValueError, am.Camera, elevation=100)
    assert "one of usual, front" in raises(ValueError, am.Camera, view="back")
    raises(TypeError, am.Camera, 1)
    raises(TypeError, am.Camera, azimut=1)
    follow = am.Camera(follow="bal")
    assert "did you mean 'ball'?" in raises(ValueError, am.picture, sim, camera=follow)
    assert "which goes from 0 s to 0." in raises(ValueError, am.picture, run, 0.7)
    assert "needs a time" in raises(ValueError, am.picture, run)
    assert "takes no time" in raises(ValueError, am.picture, sim, 0.1)
    assert "one of contacts, forces, cones, chains" in raises(
        ValueError, am.picture, sim, overlays=["force"])
    assert "['forces']" in raises(ValueError, am.picture, sim, overlays="forces")
    assert "'light' or 'dark'" in raises(ValueError, am.picture, sim, theme="red")
    assert "from 16 to 4096" in raises(ValueError, am.picture, sim, size=(1, 100))
    assert ".png" in raises(ValueError, am.picture, sim, None, PATH / "x.jpg")
    assert ".webm or .mp4" in raises(ValueError, am.Film, sim, PATH / "x.gif")
    assert "fps must be positive" in raises(ValueError, am.Film, sim, fps=0)
    assert "no path" in raises(ValueError, am.Film(sim, size=SIZE).frame)
    raises(am.ParseError, am.picture, PATH / "missing.h5", 0.0)
    path = os.environ["PATH"]
    os.environ["PATH"] = "/nowhere"
    try:
        assert "install the package ffmpeg" in raises(am.OutputError, am.Film, sim,
                                                      PATH / "x.mp4", size=SIZE)
    finally:
        os.environ["PATH"] = path
    if shutil.which("ffmpeg"):
        assert "even width" in raises(ValueError, am.Film, sim, PATH / "x.mp4", size=(321, 180))
        film = am.Film(sim, PATH / "x.mp4", size=SIZE)
        assert "no picture" in raises(ValueError, film.close)
        assert not (PATH / "x.mp4").exists()


def test_no_picture_replaces_a_file_of_another_origin_unless_it_is_forced_to():
    sim = am.Simulator(am.parse_scene(SCENE))
    strange = PATH / "strange.png"
    strange.write_text("my notes")
    assert "no picture of this program" in raises(ValueError, am.picture, sim, None, strange,
                                                  size=SIZE)
    assert strange.read_text() == "my notes"
    for force in (True, False):  # a picture of ours is replaced
        am.picture(sim, None, strange, size=SIZE, force=force)
    link = PATH / "link.png"
    link.symlink_to(strange)
    assert "symbolic link" in raises(ValueError, am.picture, sim, None, link, size=SIZE, force=True)
    folder = PATH / "stills"
    folder.mkdir()
    (folder / "00001.png").write_text("my notes")
    film = am.Film(sim, f"{folder}/", size=SIZE)
    assert "force=True" in raises(ValueError, film.frame)
    if not shutil.which("ffmpeg"):
        return
    film = PATH / "strange.mp4"
    film.write_text("my notes")
    assert "no film of this program" in raises(ValueError, am.Film, sim, film, size=SIZE)
    for force in (True, False):
        with am.Film(sim, film, size=SIZE, force=force) as writer:
            writer.frame()
    assert not list(PATH.glob("strange*.tmp"))


MODEL = """<robot name="lamp"><link name="shade">
  <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual><geometry><box size="1.2 0.1 1.2"/></geometry></visual>
  <collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>"""


def test_with_its_scene_a_simulator_is_drawn_as_its_models_say():
    (PATH / "lamp.urdf").write_text(MODEL)
    scene = am.make_scene({"amontons": 1, "simulation": {"step": 0.01, "duration": 0.1},
                           "models": [{"name": "lamp", "file": str(PATH / "lamp.urdf"),
                                       "base": "free"}]})
    sim = am.Simulator(scene)
    with am.record(sim, scene, PATH / "lamp.h5"):
        sim.step()
    view = {"size": SIZE, "camera": am.Camera(target=[0, 0, 0], distance=4, view="front")}
    plain, whole = am.picture(sim, **view), am.picture(sim, scene=scene, **view)
    assert len(colored(plain)) * 4 < len(colored(whole))
    for visuals, live in ((True, whole), (False, plain)):
        of_run = am.picture(PATH / "lamp.h5", sim.time, visuals=visuals, **view)
        assert (of_run == live).mean() > 0.999
    assert np.array_equal(am.picture(sim, scene=scene, visuals=False, **view), plain)
    other = am.parse_scene(SCENE)
    assert "not that of the simulator" in raises(ValueError, am.picture, sim, scene=other)
    assert "a run has its scene" in raises(ValueError, am.picture, PATH / "lamp.h5", 0.0,
                                           scene=scene)
    assert "Scene of the simulator" in raises(TypeError, am.Film, sim, scene="lamp.yaml")


if __name__ == "__main__":
    run_tests(globals())
