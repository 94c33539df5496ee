"""Makes damaged files for the tests: flipped bits, files cut short, datasets of other shapes."""
import shutil

import h5py
import numpy as np

# Exit codes that a verb may have on a damaged file: done, a comparison failed, an input that cannot
# be read, a certificate missed, an output that cannot be written.
ANSWERS = (0, 1, 2, 3, 5)


def flipped(data, random):
    """Returns the bytes with one bit flipped: one of the first 2048 bytes in a third of the cases."""
    place = random.randrange(min(2048, len(data)) if random.random() < 1 / 3 else len(data))
    flipped = bytearray(data)
    flipped[place] ^= 1 << random.randrange(8)
    return bytes(flipped)


def truncated(data, random):
    """Returns the first bytes of a file."""
    return data[:random.randrange(len(data))]


def numeric_datasets(path):
    """Returns the names of all datasets of numbers."""
    names = []

    def visit(name, item):
        if isinstance(item, h5py.Dataset) and item.dtype.kind in "iuf":
            names.append(name)

    with h5py.File(path, "r") as file:
        file.visititems(visit)
    return names


def replace(file, name, values, **options):
    """Puts another dataset in the place of one; its attributes stay."""
    attributes = dict(file[name].attrs)
    del file[name]
    file.create_dataset(name, data=values, **options)
    for key, value in attributes.items():
        file[name].attrs[key] = value


def with_another_shape(file, name, random):
    """Gives a dataset another shape, type or length."""
    values = file[name][()]
    kind = random.randrange(9)
    if kind == 0 and values.ndim > 0:
        replace(file, name, values[..., :max(0, values.shape[-1] - 1)])
    elif kind == 1 and values.ndim > 0:
        replace(file, name, np.concatenate([values, values[..., -1:]], axis=-1))
    elif kind == 2:
        axes = (1,) * random.choice([1, 2, 20, 31 - values.ndim])
        replace(file, name, values.reshape(values.shape + axes))
    elif kind == 3:
        with np.errstate(invalid="ignore"):
            values = values.astype(random.choice(["f4", "i2", "u8", ">f8", "f2", "S8"]))
        replace(file, name, values)
    elif kind == 4:
        del file[name]
    elif kind == 5:
        # Values without space in the file: a few bytes ask for gigabytes.
        shape = (random.choice([10**6, 10**9, 2**40]),) + values.shape[1:]
        del file[name]
        chunks = (1024,) + tuple(max(1, n) for n in shape[1:])
        file.create_dataset(name, shape=shape, dtype=values.dtype, chunks=chunks)
    elif kind == 6:
        del file[name]
        file[name] = h5py.ExternalLink("/etc/passwd", "/x")
    elif kind == 7:
        del file[name]
        file[name] = h5py.SoftLink("/" + name)
    else:
        replace(file, name, values[: values.shape[0] // 2] if values.ndim else np.zeros(3))


def with_another_number(file, name, random):
    """Writes one hostile number into a dataset."""
    dataset = file[name]
    if dataset.size == 0:
        return
    values = dataset[()].reshape(-1)
    hostile = [0, -1, -5, 1, 2**31 - 1, -2**31, 2**62, -2**62, 7]
    if dataset.dtype.kind == "f":
        hostile += [float("nan"), float("inf"), -float("inf"), 1e308, -1e308, 1e-320]
    value = random.choice(hostile)
    if dataset.dtype.kind != "f":
        info = np.iinfo(dataset.dtype)
        value = max(info.min, min(info.max, value))
    place = random.choice([0, values.size - 1, random.randrange(values.size)])
    values[place] = value
    dataset[...] = values.reshape(dataset.shape)


def changed(source, target, random):
    """Writes a copy of an HDF5 file with another shape or a hostile number; returns what it has."""
    shutil.copy(source, target)
    name = random.choice(numeric_datasets(source))
    change = random.choice([with_another_shape, with_another_number])
    with h5py.File(target, "r+") as file:
        change(file, name, random)
    return f"{change.__name__}: {name}"
