"""Reads the measured tosses of a cube of ContactNets (Pfrommer, Halm and Posa, 2020).

They are public as data/tosses_processed/*.pt of github.com/DAIRLab/contact-nets: tensors [1, n, 19] of
PyTorch, a row a frame, lengths in half widths of the cube. PyTorch is not needed. A file tosses.h5
with the same tosses in SI units is read, too: one dataset per toss, with columns t, x y z,
qw qx qy qz, vx vy vz (world axes) and wx wy wz (axes of the body).
"""
import io
import pathlib
import pickle
import zipfile

import amontons as am
import numpy as np

WIDTH = 0.1048  # of the cube [m]
FRAMES = 148.0  # a second
TYPES = {"FloatStorage": "<f4", "DoubleStorage": "<f8"}
MAGIC = 0x1950a86a20f9469cfc6c  # of torch.save before PyTorch 1.6
COLUMNS = 14  # of a toss in SI units


class TossError(Exception):
    """Says which file cannot be read, and why."""


class _Tensor:
    """Stands for a tensor whose numbers come later."""

    def __init__(self, storage, offset, size, stride, *_):
        self.storage, self.offset, self.size, self.stride = storage, offset, size, stride


class _Unpickler(pickle.Unpickler):
    """Reads the pickle of a tensor; every other class is refused."""

    def find_class(self, module, name):
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _Tensor
        if module == "torch" and name in TYPES:
            return name
        if (module, name) == ("collections", "OrderedDict"):
            return dict
        raise pickle.UnpicklingError(f"{module}.{name} is no part of a tensor of numbers")

    def persistent_load(self, identity):
        return identity[1], str(identity[2]), int(identity[4])  # type, key, numbers


def _tensor(found, numbers_of):
    """Returns the array of an unpickled tensor; `numbers_of` gives the bytes of a storage."""
    if not isinstance(found, _Tensor):
        raise ValueError("the file holds no tensor")
    kind, key, count = found.storage
    storage = np.frombuffer(numbers_of(key, count, np.dtype(TYPES[kind])), TYPES[kind], count)
    strides = tuple(storage.itemsize * stride for stride in found.stride)
    last = found.offset + sum((n - 1) * s for n, s in zip(found.size, found.stride))
    if min(found.size, default=0) < 1 or min(found.stride) < 0 or not 0 <= last < count:
        raise ValueError("the tensor does not fit its numbers")
    return np.lib.stride_tricks.as_strided(storage[found.offset:], found.size, strides).astype(float)


def read_tensor(path):
    """Returns the tensor of a file that torch.save wrote, old (pickle) or new (zip) format."""
    data = pathlib.Path(path).read_bytes()
    stream = io.BytesIO(data)
    if zipfile.is_zipfile(stream):
        archive = zipfile.ZipFile(stream)
        root = next(name for name in archive.namelist() if name.endswith("data.pkl"))[:-8]
        found = _Unpickler(io.BytesIO(archive.read(root + "data.pkl"))).load()
        return _tensor(found, lambda key, *_: archive.read(f"{root}data/{key}"))
    stream.seek(0)
    if _Unpickler(stream).load() != MAGIC:
        raise ValueError("the file is not one of torch.save")
    _Unpickler(stream).load()  # version of the format
    _Unpickler(stream).load()  # sizes of types
    found, keys = _Unpickler(stream).load(), _Unpickler(stream).load()

    def numbers_of(key, count, kind):
        if keys != [key] or int.from_bytes(stream.read(8), "little") != count:
            raise ValueError("the tensor does not fit its numbers")
        return stream.read(count * kind.itemsize)

    return _tensor(found, numbers_of)


def _toss_of_tensor(tensor):
    """Returns the table [n, 14] of a toss in SI units."""
    rows = tensor.reshape(-1, tensor.shape[-1])
    if rows.shape[1] != 19:
        raise ValueError(f"a toss has 19 columns, not {rows.shape[1]}")
    # Position, orientation, velocity and angular velocity; six controls, which are zero, follow.
    scale = np.repeat([0.5 * WIDTH, 1.0, 0.5 * WIDTH, 1.0], [3, 4, 3, 3])
    return np.column_stack([np.arange(len(rows)) / FRAMES, rows[:, :13] * scale])


def _tables(folder):
    """Returns {name: table [n, 14]} of a folder."""
    packed = folder / "tosses.h5"
    if packed.exists():
        import h5py
        try:
            with h5py.File(packed) as file:
                return packed, {name: np.array(file[name], float) for name in sorted(file)}
        except OSError as error:
            raise TossError(f"{packed} cannot be read: {error}") from error
    files = sorted(folder.glob("*.pt"), key=lambda path: (len(path.stem), path.stem))
    if not files:
        raise TossError(f"{folder} has no tosses.h5 and no *.pt; give the folder of the tosses")
    tables = {}
    for path in files:
        try:
            tables[path.stem] = _toss_of_tensor(read_tensor(path))
        except (OSError, ValueError, KeyError, TypeError, EOFError, StopIteration, IndexError,
                pickle.UnpicklingError, zipfile.BadZipFile) as error:
            raise TossError(f"{path} cannot be read: {error}") from error
    return folder, tables


def _turned(quaternion, vector):
    """Returns a vector of body axes in world axes."""
    w, axis = quaternion[0], quaternion[1:]
    return vector + 2.0 * np.cross(axis, np.cross(axis, vector) + w * vector)


def motion_of(table, name):
    """Returns a toss. The mean velocity of its first interval, in free flight, is that of the
    interval's middle; half an interval earlier the cube fell more slowly."""
    fall = np.array([0.0, 0.0, -9.81]) * table[1, 0]
    start = {"bodies.cube.pose": {"position": table[0, 1:4], "quat_wxyz": table[0, 4:8]},
             "bodies.cube.velocity": {"linear": table[1, 8:11] - 0.5 * fall,
                                      "angular": _turned(table[0, 4:8], table[1, 11:14])}}
    return am.Motion(table[:, 0], bodies={"cube": (table[:, 1:4], table[:, 4:8])},
                     overrides=start, name=f"toss {name}")


def read_tosses(folder):
    """Returns the tosses of a folder as motions of the body `cube`. Raises TossError."""
    source, tables = _tables(pathlib.Path(folder))
    motions = []
    for name, table in tables.items():
        if table.ndim != 2 or table.shape[1] != COLUMNS or len(table) < 2:
            raise TossError(f"{source}: toss {name} has the shape {table.shape}, not (n, {COLUMNS})")
        if not np.all(np.isfinite(table)):
            raise TossError(f"{source}: toss {name} has numbers that are not finite")
        try:
            motions.append(motion_of(table, name))
        except ValueError as error:
            raise TossError(f"{source}: toss {name}: {error}") from error
    return motions
