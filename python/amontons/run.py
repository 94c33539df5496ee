"""Runs (HDF5, docs/run-format.md) as arrays."""
import difflib
from functools import cached_property

import numpy as np

from . import notebook
from ._core import (UnknownNameError, _check_run, _contact_points_of_run, _joint_widths_of_run,
                    _law_of_run, _loop_motion_of_run, _masses_of_run, _motion_of_run)
from .arguments import file_path, shown, text, whole

# The datasets of rows; the others have one entry for all rows with the same record.
_OF_ROWS = frozenset(("time", "time_start", "step_count", "start_was_set", "record",
                      "solver/step_time_s", "solver/solve_time_s"))


class Run:
    """A run file, open for reading, also while it grows.

        with am.open_run("first.h5") as run:
            plt.plot(run.time, run["energy/kinetic"])
            run.contacts(17)["impulse"]

    `run["q"]` is the whole dataset as an array; the names are those of the file.
    `"q" in run` asks for a name, and `list(run)` lists them all. `len(run)` is the number of rows.
    """

    def __init__(self, path):
        import h5py  # only runs need it: the simulator works without
        self.path = file_path(path, "a run")
        _check_run(self.path)
        try:
            # A run that is being written is read by HDF5's SWMR mode.
            self._opened = h5py.File(self.path, "r", libver="latest", swmr=True)
        except OSError:
            # HDF5 opens a file once in a process: a film may have done so without that mode.
            self._opened = h5py.File(self.path, "r", libver="latest")
        # A run that is being written has more rows in some datasets than in others.
        self.num_rows = int(np.count_nonzero(~np.isnan(self._file["time"][:])))
        # Rows that repeat one before have its record.
        self._record = self._file["record"][:self.num_rows]

    @property
    def _file(self):
        if not self._opened:
            raise ValueError(f"{self.path}: the run is closed")
        return self._opened

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def __len__(self):
        return self.num_rows

    def __repr__(self):
        if not self._opened:
            return f"<Run {self.path}: closed>"
        return f"<Run {self.path}: {self.num_rows} rows to t = {self.time[-1]:g} s>"

    def _repr_html_(self):
        """Returns a table and the replay, for notebooks."""
        return notebook.run_html(self)

    def close(self):
        """Releases the file."""
        self._opened.close()

    def __getitem__(self, name):
        """Returns a dataset as an array, e.g. "q" with one entry per row of the run.

        Tables such as "contacts/impulse" have the entries of all rows, one row after the other, and
        "contacts/offset" says where each row begins; also entries that the file holds once, since
        rows or contacts repeat."""
        if name not in self:
            is_name = isinstance(name, str) and len(name) <= 60
            near = difflib.get_close_matches(name, self.keys(), 1) if is_name else []
            raise UnknownNameError(
                f"{self.path} has no dataset {name if is_name else shown(name)}; "
                + (f"did you mean '{near[0]}'?" if near else "docs/run-format.md lists them"))
        data = self._file[name]
        if data.maxshape[0] is not None:
            return data[:]  # names and numbers that no row changes
        if name in _OF_ROWS:
            return data[:self.num_rows]
        group = name.rpartition("/")[0]
        if f"{group}/offset" not in self:
            return _take(data, self._record)
        begin, size = self._entries(group)
        if name == f"{group}/offset":
            return np.concatenate([[0], np.cumsum(size)])
        entries = np.repeat(begin - np.cumsum(size) + size, size) + np.arange(size.sum())
        if group == "contacts" and name != "contacts/record":
            entries = _take(self._file["contacts/record"], entries)
        return _take(data, entries)

    def _entries(self, group):
        """Returns where the entries of each row begin in the tables of a group, and their number."""
        offset = self._file[f"{group}/offset"][:]
        return offset[self._record], offset[self._record + 1] - offset[self._record]

    def __contains__(self, name):
        """Returns True for the name of a dataset, False for a group or anything else."""
        return (isinstance(name, str) and name.isprintable() and name in self._file
                and hasattr(self._file[name], "shape"))

    def __iter__(self):
        """Iterates over the names of keys()."""
        return iter(self.keys())

    def keys(self):
        """Returns the names of all datasets, e.g. "certificate/normal", in the order of the file."""
        names = []
        self._file.visititems(
            lambda name, item: names.append(name) if hasattr(item, "shape") else None)
        return names

    @property
    def law(self):
        """How the recorded steps answered the law asked, as the summary of `amontons run` says it."""
        return _law_of_run(self.path)[0]

    @property
    def is_accepted(self):
        """True if each recorded step met its certificate with an answer that the scene accepts."""
        return _law_of_run(self.path)[1]

    @property
    def has_law_asked(self):
        """For each row [T], True where its step had the law asked and met its certificate.

        Row 0 is the initial state, which no solver has answered: it is True."""
        codes = str(self._file["solver/status"].attrs["names"])  # "0 NotRun, 1 Converged, ..."
        asked = [int(code) for code, name in (pair.split() for pair in codes.split(", "))
                 if name in ("Converged", "Acceptable")]
        result = np.isin(self["solver/status"], asked) & (self["certificate/claimed"] == 1)
        result[:1] = True
        return result

    @property
    def time(self):
        """Times [T] [s]; row 0 is the initial state."""
        return self["time"]

    @property
    def q(self):
        """Positions [T, nq]."""
        return self["q"]

    @property
    def v(self):
        """Velocities [T, nv]."""
        return self["v"]

    @property
    def scene_text(self):
        """Text of the scene file (YAML), without the overrides of the run."""
        return str(self._file.attrs["scene"])

    @property
    def overrides(self):
        """Overrides of the scene with which the run was simulated, {path: value as text}, in their
        order: am.parse_scene(run.scene_text, overrides=run.overrides) is the scene simulated."""
        return dict(text.split("=", 1) for text in self._file["overrides"].asstr()[:])

    @property
    def body_names(self):
        """Names in the order of body_a and body_b of contacts."""
        return list(self._file["bodies/name"].asstr()[:])

    @property
    def joint_names(self):
        """Names of all joints, including those that are rows of J."""
        return list(self._file["joints/name"].asstr()[:])

    def _place(self, kind, name, names):
        if text(name, f"the name of a {kind}") in names:
            return names.index(name)
        known = ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
        name = name if len(name) <= 60 else shown(name)
        raise UnknownNameError(f"{self.path} has no {kind} {name}; it has {known or 'none'}")

    def body_index(self, name):
        """Returns the number of a body in body_a and body_b of contacts."""
        return self._place("body", name, self.body_names)

    def body(self, name):
        """Returns (position [T, 3] [m], quat_wxyz [T, 4]) of a body in world axes."""
        index = self.body_index(name)
        return (_take(self._file["bodies/position"], self._record, index),
                _take(self._file["bodies/quat_wxyz"], self._record, index))

    @property
    def masses(self):
        """Masses of the bodies [nB] [kg], each with what is fixed to it; infinity for fixed ones."""
        return self._masses.copy()

    # The scene of a run is read once: it does not change while the run grows.
    @cached_property
    def _masses(self):
        return _masses_of_run(self.path)

    @cached_property
    def _joint_widths(self):
        return _joint_widths_of_run(self.path)

    def twist(self, name):
        """Returns the twists of a body [T, 6] in world axes: angular velocity [rad/s], then velocity
        of its origin [m/s]."""
        return _motion_of_run(self.path, self.body_index(name), self.num_rows)[0]

    def start_position(self, name):
        """Returns the positions [T, 3] [m] of a body's origin where the steps of the rows began."""
        return _motion_of_run(self.path, self.body_index(name), self.num_rows)[1]

    def joint(self, name):
        """Returns the position(s) [rad or m] of a joint with coordinates [T, its width]. A joint
        that is rows of J has one where a limit, force, coupling or motion refers to it. Raises
        UnknownNameError for a name that is missing, and for a joint without a coordinate."""
        return self._coordinates("q", name)

    def joint_velocity(self, name):
        """Returns the velocity(s) [rad/s or m/s] of a joint with coordinates [T, its width]; errors
        are those of joint()."""
        return self._coordinates("v", name)

    def _coordinates(self, dataset, name):
        index = self._place("joint", name, self.joint_names)
        first = self._file[f"joints/{dataset}_offset"][index]
        *widths, loop = self._joint_widths[index]
        if first < 0 and loop < 0:
            raise UnknownNameError(f"joint {name} is rows of J: it has no coordinates")
        column = int(dataset == "v")
        if first < 0:
            return _loop_motion_of_run(self.path, loop, self.num_rows)[:, column:column + 1]
        width = widths[column]
        return _take(self._file[dataset], self._record, slice(first, first + width))

    def contacts(self, row):
        """Returns the contacts of one row as a structured array; -1 is the last row.

        Positions are those that the solver had, before the bodies moved. It is empty where the run
        leaves them out (has_contacts). Raises IndexError for a row that the run does not have,
        TypeError for what is no whole number."""
        row = self._row(row, "contacts: row")
        group = self._file["contacts"]
        first, end = group["offset"][self._record[row]], group["offset"][self._record[row] + 1]
        names = [name for name in group if name not in ("offset", "record")]
        records = group["record"][first:end]
        columns = {name: _take(group[name], records) for name in names}
        dtype = [(name, data.dtype, data.shape[1:]) for name, data in columns.items()]
        table = np.empty(end - first, dtype)
        for name, data in columns.items():
            table[name] = data
        return table

    def contact_points(self, row):
        """Returns the points [n, 3] [m] of the contacts of one row on the bodies where they are at
        its end, as pictures show them; contacts(row) has them as the solver had them. Errors are
        those of contacts()."""
        return _contact_points_of_run(self.path, self._row(row, "contact_points: row"))

    def _row(self, row, what):
        row = whole(row, what)
        if not -self.num_rows <= row < self.num_rows:
            raise IndexError(f"{self.path} has rows 0 to {self.num_rows - 1}, not {row}")
        return row % self.num_rows

    @property
    def num_contacts(self):
        """Number of contacts of each row [T], recorded or not."""
        return self["num_contacts"]

    @property
    def has_contacts(self):
        """True where the contacts of a row are recorded [T]. Heaps record those of frames alone,
        unless the scene says `output: {contacts: all}`."""
        return self._entries("contacts")[1] == self.num_contacts


def _take(data, records, column=slice(None)):
    """Returns some records of a dataset, in their order, of one column or several; a record may be
    asked for repeatedly."""
    if records.size == 0:
        return data[:0] if data.ndim == 1 else data[:0, column]
    first = records.min()
    part = slice(first, records.max() + 1)
    return (data[part] if data.ndim == 1 else data[part, column])[records - first]


def open_run(path) -> Run:
    """Opens a run. Raises ParseError if the file is missing, or is no run."""
    return Run(path)
