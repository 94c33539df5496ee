"""The runs of a campaign: points of grids and samples, seeds, and the digest of each run."""
import hashlib
import itertools
import json
import math
import pathlib

import numpy as np

from .._core import __version__, _exp, _log
from ..arguments import number, shown
from ..interrupts import sobol_module
from ..scene import _texts
from .dependence import _dependence
from .table import _cell

SAMPLERS = ("sobol", "latin-hypercube", "random")


class Range:
    """Describes a parameter between two ends, from which am.campaign takes samples.

        am.Range(0.1, 0.9)               # uniform
        am.Range(1e-4, 1e-1, log=True)   # its logarithm is uniform

    Raises ValueError for ends that are not finite or not ascending, or not positive under `log`.
    """

    def __init__(self, low: float, high: float, log: bool = False):
        self.low, self.high = number(low, "Range: low"), number(high, "Range: high")
        self.log = bool(log)
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise ValueError(f"a range needs finite ends in ascending order, not {low!r}, {high!r}")
        if self.log and self.low <= 0.0:
            raise ValueError(f"a logarithmic range needs positive ends, not {low!r}")

    def at(self, part: float) -> float:
        """Returns the value at a part of the range. Raises ValueError for one off 0 to 1."""
        part = number(part, "Range.at: part")
        if not 0 <= part <= 1:
            raise ValueError(f"Range.at: part must be from 0 to 1, not {part!r}")
        if self.log:
            part = _log(self.low) + part * _log(self.high / self.low)
            return min(max(_exp(part), self.low), self.high)
        return self.low + part * (self.high - self.low)

    def __repr__(self):
        return f"Range({self.low}, {self.high}{', log=True' if self.log else ''})"


def _unit_samples(dimensions, samples, sampler, sampler_seed):
    """Returns samples of the unit cube [samples, dimensions]."""
    if not isinstance(sampler, str) or sampler not in SAMPLERS:
        raise ValueError(f"sampler must be one of {', '.join(SAMPLERS)}, not {shown(sampler)}")
    if sampler == "random":
        return np.random.default_rng(sampler_seed).random((samples, dimensions))
    try:
        qmc = sobol_module()  # SciPy is not needed for anything else
    except ImportError as error:
        raise ImportError(f"sampler {sampler!r} needs SciPy (Debian's python3-scipy); "
                          "sampler=\"random\" does not") from error
    if sampler == "sobol":
        # Blocks of a power of 2 keep the balance of the sequence, and its first points for any
        # number of samples.
        exponent = max(samples - 1, 0).bit_length()
        return qmc.Sobol(dimensions, seed=sampler_seed).random_base2(exponent)[:samples]
    return qmc.LatinHypercube(dimensions, seed=sampler_seed).random(samples)


def _is_whole(value):
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _points(parameters, samples, sampler, sampler_seed):
    """Returns the points of a campaign, a dict of parameters each: the grid of all lists, with
    every sample of the ranges."""
    if not isinstance(parameters, dict) or not all(isinstance(path, str) for path in parameters):
        raise ValueError("parameters must be a dict of a path to a list of values or an am.Range")
    ranges = {path: value for path, value in parameters.items() if isinstance(value, Range)}
    lists = {path: list(value) if isinstance(value, (list, tuple, np.ndarray)) else None
             for path, value in parameters.items() if path not in ranges}
    for path, values in lists.items():
        if not values:
            raise ValueError(f"parameter {path} needs a list of values or an am.Range, not "
                             f"{parameters[path]!r}")
    if ranges and not (_is_whole(samples) and samples >= 1):
        raise ValueError(f"samples must say how many points of the ranges to take, not {samples!r}")
    if samples is not None and not ranges:
        raise ValueError("samples needs a parameter that is an am.Range")
    sampled = [{}]
    if ranges:
        unit = _unit_samples(len(ranges), int(samples), sampler, sampler_seed)
        sampled = [{path: kind.at(float(u)) for (path, kind), u in zip(ranges.items(), row)}
                   for row in unit]
    grid = [dict(zip(lists, values)) for values in itertools.product(*lists.values())]
    return [{path: (own | sample)[path] for path in parameters}
            for own in grid for sample in sampled]


def _seed_list(seeds):
    found = list(range(int(seeds)) if _is_whole(seeds) else seeds if np.iterable(seeds) else [])
    if not found or not all(_is_whole(seed) and seed >= 0 for seed in found):
        raise ValueError(f"seeds must be a number of at least 1, or a list of numbers of at least "
                         f"0, not {seeds!r}")
    return [int(seed) for seed in found]


def _campaign_digest(scene, metrics, start, code):
    """Returns a SHA-256 that has read all that runs share: version, scene, files, functions."""
    digest = hashlib.sha256()
    file, text, overrides, inputs = scene.__getstate__()
    shared = [__version__, text, json.dumps(overrides), *_dependence(start), *code]
    for name, (reduce, function) in metrics.items():
        shared += [name, *_dependence(reduce), *_dependence(function)]
    for part in [item.encode() for item in shared] + [bytes(data) for _, data in inputs]:
        digest.update(len(part).to_bytes(8, "little") + part)
    return digest


class _Plan:
    """Holds the runs of a campaign, in the order of the table.

    `points` are parameters, `runs` pairs (point, seed) by index, and `keys` their digests. `code`
    are texts besides on which the functions depend. Logs of runs go to the folder `logs`, as `keep`
    says.
    """

    def __init__(self, scene, parameters, metrics, seeds, start, sampling, code=(), keep="none",
                 logs=None):
        self.scene, self.metrics, self.start = scene, metrics, start
        self.keep, self.logs = keep, logs
        self.points = _points(parameters, *sampling)
        self.parameters = list(parameters)
        self.runs = [(k, seed) for k in range(len(self.points)) for seed in _seed_list(seeds)]
        shared = _campaign_digest(scene, metrics, start, code)
        texts = [json.dumps(_texts(point)) for point in self.points]
        self.keys = []
        for k, seed in self.runs:
            digest = shared.copy()
            digest.update(f"{texts[k]} {seed}".encode())
            self.keys.append(digest.hexdigest()[:20])
        if len(set(self.keys)) != len(self.keys):
            raise ValueError("two runs have the same parameters and seed: remove the repeated one")

    def row(self, index, metrics, own, error):
        """Returns the texts of a row: digest, parameters, seed, metrics, own columns, error."""
        k, seed = self.runs[index]
        cells = [*self.points[k].values(), seed, *metrics, *own, error]
        return [self.keys[index], *(_cell(value) for value in cells)]

    def row_of_failure(self, index, error):
        """Returns the row of a run that has nothing but an error."""
        return self.row(index, [None] * len(self.metrics), [None] * 7, error)

    def log_of(self, index):
        """Returns the path of the log of a run; None where none are kept."""
        return None if self.logs is None else pathlib.Path(self.logs) / f"{self.keys[index]}.h5"
