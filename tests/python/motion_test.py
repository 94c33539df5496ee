#!/usr/bin/python3
"""Checks the readers of measured motions, and the start that they give."""
import pathlib
import pickle
import struct
import sys
import tempfile
import zipfile

import amontons as am
import numpy as np
from amontons.motion import simulate
from harness import ROOT, raises, run_tests

sys.path.insert(0, str(ROOT / "examples/python/fit"))
import contactnets  # noqa: E402
import cube  # noqa: E402

FOLDER = tempfile.TemporaryDirectory()
BRICK = am.make_scene({
    "amontons": 1, "simulation": {"step": 0.001, "duration": 1},
    "bodies": [{"name": "brick", "mass": 1, "inertia": [0.01, 0.01, 0.01],
                "shapes": [{"box": [0.2, 0.1, 0.05]}]}]})


def written(text, name="motion.csv"):
    path = pathlib.Path(FOLDER.name) / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def flight(times, position, velocity, angular, quaternion=(1.0, 0.0, 0.0, 0.0)):
    """Returns (positions, quaternions) of a free flight with a constant angular velocity [rad/s]."""
    positions = position + np.outer(times, velocity) + 0.5 * np.outer(times**2, [0, 0, -9.81])
    rate = np.linalg.norm(angular)
    half = 0.5 * rate * times
    w0, v0 = quaternion[0], np.array(quaternion[1:])
    c, s = np.cos(half), np.outer(np.sin(half), np.array(angular) / rate)
    return positions, np.column_stack([c * w0 - s @ v0,
                                       np.outer(c, v0) + s * w0 + np.cross(s, v0)])


def test_a_csv_file_gives_the_poses_that_it_holds_in_any_unit_and_order_of_columns():
    times = np.array([5.0, 5.5, 6.25])
    p = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9.5]])
    q = np.array([[1, 0, 0, 0], [0.5, 0.5, 0.5, 0.5], [0, 0, 2.0, 0]])
    for separator in (",", ";", "\t"):
        for length, time in ((1.0, 1.0), (1e-3, 1e-9), (0.0254, 60.0)):
            head = ["elbow", "robot/hand.y", "robot/hand.x", "robot/hand.z", "T", "robot/hand.qx",
                    "robot/hand.qw", "robot/hand.qy", "robot/hand.qz"]
            lines = ["# a comment", separator.join(head), ""]
            for i in range(3):
                row = [0.1 * i, p[i, 1] / length, p[i, 0] / length, p[i, 2] / length,
                       times[i] / time, q[i, 1], q[i, 0], q[i, 2], q[i, 3]]
                lines.append(separator.join(repr(float(value)) for value in row))
            motion = am.Motion.from_csv(written("\ufeff" + "\r\n".join(lines)), length_unit=length,
                                        time_unit=time)
            assert np.allclose(motion.times, times - 5.0, rtol=1e-12, atol=0)
            assert np.allclose(motion.positions["robot/hand"], p, rtol=1e-14)
            assert np.allclose(motion.quaternions["robot/hand"][2], [0, 0, 1, 0])
            assert np.allclose(motion.joints["elbow"], [0, 0.1, 0.2]) and not motion.overrides


def test_nanoseconds_since_1970_keep_their_differences():
    # A double holds 1.7e18 to 256; the differences keep that, and no worse.
    start = 1700000000000000000
    path = written(f"t,x,y,z\n{start},0,0,0\n{start + 10_000_000},0,0,0\n")
    motion = am.Motion.from_csv(path, "ball", time_unit=1e-9)
    assert abs(motion.times[1] - 0.01) < 1e-6 and list(motion.positions) == ["ball"]


def test_velocities_of_a_csv_file_start_the_motion_and_empty_cells_are_missing():
    path = written("t,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n"
                   "0,1,2,3,1,0,0,0,4,5,6,0.1,0.2,0.3\n"
                   "0.5,,2,3,nan,0,0,0,0,0,0,0,0,0\n")
    motion = am.Motion.from_csv(path, "brick", length_unit=0.01, overrides={"simulation.step": 0.01})
    assert np.isnan(motion.positions["brick"][1, 0]) and np.isnan(motion.quaternions["brick"][1]).any()
    start = motion.overrides["bodies.brick.velocity"]
    assert np.allclose(start["linear"], [0.04, 0.05, 0.06])
    assert np.allclose(start["angular"], [0.1, 0.2, 0.3])
    simulated, _ = simulate(BRICK, motion, {})
    assert np.allclose(simulated.positions["brick"][0], [0.01, 0.02, 0.03])
    assert np.allclose(simulated.positions["brick"][1, :2], [0.03, 0.045], atol=1e-9)


def test_a_trajectory_of_tum_gives_the_poses_that_it_holds():
    path = written("# timestamp tx ty tz qx qy qz qw\n"
                   "1305031102.1758 1.3405 0.6266 1.6575 0.6574 0.6126 -0.2949 -0.3248\n"
                   "1305031102.2758 1.3303 0.6256 1.6464 0.6579 0.6161 -0.2932 -0.3189\n", "a.tum")
    motion = am.Motion.from_tum(path, "camera")
    assert motion.name == "a.tum" and motion.times[0] == 0.0
    assert abs(motion.times[1] - 0.1) < 1e-6
    assert np.allclose(motion.positions["camera"][1], [1.3303, 0.6256, 1.6464])
    expected = np.array([-0.3248, 0.6574, 0.6126, -0.2949])
    assert np.allclose(motion.quaternions["camera"][0], expected / np.linalg.norm(expected))


def test_a_simulated_motion_has_the_bits_of_its_steps():
    scene = am.make_scene({
        "amontons": 1, "simulation": {"step": 0.01, "duration": 1},
        "bodies": [{"name": "brick", "mass": 1, "inertia": [0.01, 0.02, 0.03],
                    "velocity": {"linear": [1, 0, 2], "angular": [5, 4, 3]}},
                   {"name": "arm", "mass": 1, "inertia": [1, 1, 1], "center_of_mass": [0.3, 0, 0]}],
        "joints": [{"name": "hinge", "type": "revolute", "parent": "world", "child": "arm",
                    "axis": [0, 1, 0], "at": [0, 0, 0]}]})

    def push(simulator):
        simulator.set_effort("hinge", float(np.sin(20 * simulator.time)))

    sim, rows = am.Simulator(scene), []
    for _ in range(20):
        push(sim)
        rows.append((sim.time, sim.bodies["brick"].position.copy(),
                     sim.bodies["brick"].quat_wxyz.copy(), sim.joints["hinge"].position))
        sim.step()
    times, positions, quaternions, angles = map(np.array, zip(*rows))
    shape = am.Motion(times, {"brick": (0 * positions, quaternions)}, {"hinge": angles},
                      controller=push)
    found, weaker = simulate(scene, shape, {})
    assert weaker == 0 and np.array_equal(found.positions["brick"], positions)
    assert np.array_equal(found.joints["hinge"], angles)
    signs = np.sign(np.sum(found.quaternions["brick"] * quaternions, axis=1))
    assert np.allclose(found.quaternions["brick"] * signs[:, None], quaternions, atol=1e-15)
    wrong = am.Motion([0, 1], joints={"hing": [0, 0]})
    assert "did you mean 'hinge'" in raises(KeyError, simulate, scene, wrong, {})
    ball = am.make_scene({
        "amontons": 1, "simulation": {"step": 0.01, "duration": 1},
        "bodies": [{"name": "arm", "mass": 1, "inertia": [1, 1, 1]}],
        "joints": [{"name": "socket", "type": "spherical", "parent": "world", "child": "arm",
                    "at": [0, 0, 0]}]})
    wrong = am.Motion([0, 1], joints={"socket": [0, 0]})
    assert "does not have one coordinate" in raises(ValueError, simulate, ball, wrong, {})


def test_the_start_of_a_free_flight_follows_from_its_first_poses():
    random = np.random.default_rng(3)
    for case in range(5):
        quaternion = random.normal(size=4)
        quaternion /= np.linalg.norm(quaternion)
        position, velocity, angular = random.normal(size=(3, 3)) * [[1], [2], [6]]
        times = np.sort(random.uniform(0.0, 0.3, 12)) + 0.02 * case
        positions, quaternions = flight(times, position, velocity, angular, quaternion)
        quaternions *= random.choice([-1.0, 1.0], size=(12, 1))
        positions[2] = np.nan
        motion = am.Motion(times, {"brick": (positions, quaternions)})
        # The flight turns by 0.3 s times 6 rad/s times a few units at most, below pi in six rows.
        start = motion.started(rows=4)
        assert np.allclose(start.overrides["bodies.brick.velocity"]["linear"], velocity, atol=1e-9)
        assert np.allclose(start.overrides["bodies.brick.velocity"]["angular"], angular, atol=1e-9)
        assert np.allclose(start.overrides["bodies.brick.pose"]["position"], position, atol=1e-9)
        assert abs(start.overrides["bodies.brick.pose"]["quat_wxyz"] @ quaternion) > 1 - 1e-12
        assert not motion.overrides
        # The step's own error is g h t / 2 in position, below 2 mm; the rotation has none.
        simulated, _ = simulate(BRICK, start, {})
        errors = np.delete(simulated.positions["brick"] - positions, 2, axis=0)
        assert np.abs(errors).max() < 0.003
        turned = np.abs(np.sum(simulated.quaternions["brick"] * quaternions, axis=1))
        assert np.all(turned > 1.0 - 1e-4), turned


def test_a_body_that_slides_evenly_starts_without_gravity():
    times = np.linspace(0, 0.1, 6)
    motion = am.Motion(times, {"brick": np.outer(times, [0.5, 0, 0])}).started(gravity=(0, 0, 0))
    assert np.allclose(motion.overrides["bodies.brick.velocity"]["linear"], [0.5, 0, 0])
    assert "quat_wxyz" not in motion.overrides["bodies.brick.pose"]
    short = am.Motion(times[:2], {"brick": np.zeros((2, 3))})
    assert "three whole measurements" in raises(ValueError, short.started)


def test_every_mistake_in_a_file_is_named_with_its_line():
    head = "t,x,y,z\n"
    cases = [
        ("", "has no rows"), (head, "has no rows"), ("0,1,2,3\n0,1,2,3\n", "first line holds numbers"),
        ("time,t,x,y,z\n0,0,0,0,0\n", "two columns of times"), ("x,y,z\n0,0,0\n", "no column t"),
        ("t,x,x,z\n0,0,0,0\n", ":1: column 'x' occurs twice"),
        ("t,x,y\n0,0,0\n", "no column 'z'"), ("t,x,y,z,qw\n0,0,0,0,1\n", "no column 'qx'"),
        ("t,x,y,z,wx,wy,wz\n0,0,0,0,1,1,1\n", "no quaternions"),
        ("t,x,y,z,vx,vy,vz\n0,,0,0,1,1,1\n", ":2: the first pose or velocity"),
        (head + "0,1,2\n", ":2: has 3 values for 4 columns"), (head + "0,1,2,zwei\n", "'zwei'"),
        (head + "0,1,2,inf\n", "finite number"), (head + ",1,2,3\n", ":2: has no time"),
        (head + "1,1,2,3\n1,1,2,3\n", ":3: the time 1"), ("t\n0\n", "a time and nothing else"),
        ("t,x,y,z,qw,qx,qy,qz\n0,0,0,0,0,0,0,0\n", ":2: the quaternion"),
        (b"\xff\xfe\x00t", "is not text")]
    for text, expected in cases:
        path = written(text)
        message = raises(am.ParseError, am.Motion.from_csv, path, "brick")
        assert path in message and expected in message, (text, message)
    assert "BODY.x" in raises(am.ParseError, am.Motion.from_csv, written(head + "0,1,2,3\n"))
    for text, expected in [("", "has no lines"), ("1 2 3\n", ":1: has 3 values"),
                           ("0 0 0 0 0 0 0 0\n", "quaternion"),
                           ("0 0 0 0 0 0 x 1\n", "qz must be a number, not 'x'")]:
        message = raises(am.ParseError, am.Motion.from_tum, written(text), "brick")
        assert expected in message, message
    assert "does not exist" in raises(am.ParseError, am.Motion.from_csv, "/none.csv", "brick")
    assert "is not a file" in raises(am.ParseError, am.Motion.from_tum, FOLDER.name, "brick")
    assert "time_unit" in raises(ValueError, am.Motion.from_csv, written(head), "b", time_unit=0)


class _Global:
    """Pickles as a global name of a module that is not there."""

    def __init__(self, module, name):
        self.module, self.name = module, name


class _Writer(pickle._Pickler):  # the Python version, whose opcodes can be written by hand
    def persistent_id(self, item):
        return item[1:] if isinstance(item, tuple) and item[:1] == ("persistent",) else None

    def save_global_by_hand(self, item):
        self.write(f"c{item.module}\n{item.name}\n".encode())

    dispatch = {**pickle._Pickler.dispatch, _Global: save_global_by_hand}


class _Call:
    def __init__(self, function, arguments):
        self.function, self.arguments = function, arguments


def _save_call(self, item):
    self.save(item.function)
    self.save(item.arguments)
    self.write(pickle.REDUCE)


_Writer.dispatch[_Call] = _save_call


def torch_file(array, is_zip, kind="DoubleStorage", function="_rebuild_tensor_v2"):
    """Returns a file as torch.save writes it, in its format before or since PyTorch 1.6."""
    numbers = array.astype("<f8" if kind == "DoubleStorage" else "<f4").tobytes()
    strides = tuple(stride // array.itemsize for stride in array.strides)
    storage = ("persistent", "storage", _Global("torch", kind), "7", "cpu", array.size)
    storage += () if is_zip else (None,)
    tensor = _Call(_Global("torch._utils", function),
                   (storage, 0, array.shape, strides, False, _Call(_Global("collections",
                                                                           "OrderedDict"), ())))
    path = pathlib.Path(FOLDER.name) / "tensor"
    with open(path, "wb") as file:
        if not is_zip:
            for part in (contactnets.MAGIC, 1001, {"little_endian": True}):
                pickle.dump(part, file, protocol=2)
            _Writer(file, protocol=2).dump(tensor)
            pickle.dump(["7"], file, protocol=2)
            file.write(struct.pack("<q", array.size) + numbers)
    if is_zip:
        with open(str(path) + ".pkl", "wb") as file:
            _Writer(file, protocol=2).dump(tensor)
        with zipfile.ZipFile(path, "w") as archive:
            archive.write(str(path) + ".pkl", "archive/data.pkl")
            archive.writestr("archive/data/7", numbers)
    return path.read_bytes()


def test_public_files_of_tosses_are_read_in_both_formats_of_pytorch():
    times = np.arange(40) / contactnets.FRAMES
    positions, quaternions = flight(times, [0.1, 0.2, 0.5], [1, 0, 0.5], [1.0, 2.0, -1.0])
    half = 0.5 * contactnets.WIDTH
    rows = np.zeros((1, 40, 19))
    rows[0, :, :3], rows[0, :, 3:7] = positions / half, quaternions
    rows[0, 1:, 7:10] = np.diff(positions, axis=0) * contactnets.FRAMES / half
    rows[0, :, 10:13] = [1.0, 2.0, -1.0]  # the axis of rotation is the same in axes of the body
    for is_zip in (False, True):
        for kind in ("DoubleStorage", "FloatStorage"):
            folder = pathlib.Path(FOLDER.name) / f"{is_zip}{kind}"
            folder.mkdir()
            (folder / "10.pt").write_bytes(torch_file(rows, is_zip, kind))
            (folder / "9.pt").write_bytes(torch_file(rows, is_zip, kind))
            tosses = contactnets.read_tosses(folder)
            assert [toss.name for toss in tosses] == ["toss 9", "toss 10"]
            assert np.allclose(tosses[1].positions["cube"], positions, atol=1e-6)
            start = tosses[0].overrides["bodies.cube.velocity"]
            assert np.allclose(start["linear"], [1, 0, 0.5], atol=1e-5)
            assert np.allclose(start["angular"], [1, 2, -1], atol=1e-5)
    # A toss that is written as CSV is the same motion, in a scene that lasts as long.
    table, scene = cube.write_toss(tosses, "09", pathlib.Path(FOLDER.name) / "a/toss")
    again = am.Motion.from_csv(table)
    assert np.allclose(again.times, tosses[0].times, atol=1e-12)
    assert np.allclose(again.positions["cube"], tosses[0].positions["cube"], rtol=1e-12)
    assert np.allclose(again.quaternions["cube"], tosses[0].quaternions["cube"], rtol=1e-9)
    for part in ("linear", "angular"):
        assert np.allclose(again.overrides["bodies.cube.velocity"][part],
                           tosses[0].overrides["bodies.cube.velocity"][part], rtol=1e-12)
    loaded = am.load_scene(scene)
    assert 0.0 <= loaded.duration - again.times[-1] <= cube.STEP * 1.001
    assert "there is no toss '7'; there are 9, 10" in raises(contactnets.TossError, cube.write_toss,
                                                             tosses, "7", FOLDER.name)
    folder = pathlib.Path(FOLDER.name) / "wrong"
    folder.mkdir()
    for content, expected in [
            (torch_file(rows, False, function="_evil"), "no part of a tensor"),
            (torch_file(rows, True)[:900], "cannot be read"), (b"", "cannot be read"),
            (torch_file(rows[:, :, :5].copy(), False), "19 columns"),
            (torch_file(rows, False)[:-8], "cannot be read"),
            (torch_file(np.full((1, 4, 19), np.nan), False), "not finite")]:
        (folder / "0.pt").write_bytes(content)
        message = raises(contactnets.TossError, contactnets.read_tosses, folder)
        assert expected in message, message
    assert "no tosses.h5" in raises(contactnets.TossError, contactnets.read_tosses, "/none")


if __name__ == "__main__":
    run_tests(globals())
