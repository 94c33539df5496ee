"""The table of a campaign: cells as texts, columns as arrays, its files, and its journal."""
import csv
import fcntl
import io
import os
import pathlib

import numpy as np

from ..outputs import refuse_link, replacement

OWN_COLUMNS = ("seed", "time", "steps", "steps_that_hold", "law_asked", "steps_with_law",
               "iterations", "effort", "error")
# First cells of lines that are no rows, from workers elsewhere: a warning, an error that ends all.
WARNING, FAILED = "!", "!!"


def _cell(value):
    """Returns a value as the text of a cell, from which the same value can be read."""
    if value is None:
        return ""
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return " ".join(str(value).split())


def _lines(rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _column(cells):
    """Returns cells as an array of whole numbers, of numbers (missing ones are nan) or of texts."""
    for kind in (np.int64, np.float64):
        try:
            return np.array([np.nan if cell == "" and kind is np.float64 else kind(cell)
                             for cell in cells], kind)
        except (ValueError, OverflowError):
            continue
    return np.array(cells, object)


def _columns(header, rows):
    columns = {name: _column([row[k] for row in rows]) for k, name in enumerate(header)}
    for name in ("run", "law_asked", "error"):  # texts, also where all are empty or digits
        columns[name] = np.array([row[header.index(name)] for row in rows], object)
    return columns


def _is_hdf5(path):
    return path.suffix in (".h5", ".hdf5")


def _h5py(path):
    try:
        import h5py  # CSV does not need it
    except ImportError as error:
        raise ImportError(f"{path} needs h5py (Debian's python3-h5py); a .csv does not") from error
    return h5py


def _is_parquet(path):
    return path.suffix == ".parquet"


def _pyarrow(path):
    try:
        import pyarrow.parquet  # no package of Debian 12 has it
    except ImportError as error:
        raise ImportError(f"{path} needs pyarrow (pip install pyarrow); .csv and .h5 do "
                          "not") from error
    return pyarrow


def _check_format(path):
    """Raises ValueError for an ending that names no format, ImportError where its library lacks."""
    if _is_hdf5(path):
        _h5py(path)
    elif _is_parquet(path):
        _pyarrow(path)
    elif path.suffix != ".csv":
        raise ValueError(f"the table must end in .csv, .h5, .hdf5 or .parquet, not {path}")


def _read_table(path):
    """Returns the header and rows of texts of a table; raises ValueError where it is none."""
    if _is_parquet(path):
        try:
            table = _pyarrow(path).parquet.read_table(path)
        except (OSError, ValueError) as error:
            raise ValueError(f"{path} is no table of a campaign: name another file") from error
        columns = [[_cell(item) for item in column.to_pylist()] for column in table.columns]
        return table.column_names, [list(row) for row in zip(*columns)]
    if _is_hdf5(path):
        try:
            with _h5py(path).File(path, "r") as file:
                header = [name for name in file.attrs["columns"].tolist()]
                columns = [file[f"columns/{k}"][()] for k in range(len(header))]
        except (OSError, KeyError) as error:
            raise ValueError(f"{path} is no table of a campaign: name another file") from error
        cells = [[item.decode() if isinstance(item, bytes) else _cell(item) for item in column]
                 for column in columns]
        return header, [list(row) for row in zip(*cells)]
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".journal":  # its last line may be one that a killed program began
            text = text[:text.rfind("\n") + 1]
        rows = [row for row in csv.reader(io.StringIO(text)) if row]
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{path} is no table of a campaign: name another file") from error
    return (rows[0] if rows else []), rows[1:]


def _whole_rows(path, begin=0):
    """Returns (rows of a CSV file, the byte behind its last whole line), from byte `begin` on."""
    try:
        with open(path, "rb") as file:
            file.seek(begin)
            data = file.read()
    except FileNotFoundError:
        return [], begin
    data = data[:data.rfind(b"\n") + 1]
    return list(csv.reader(io.StringIO(data.decode()))), begin + len(data)


def _write_table(path, header, rows):
    """Writes a table under another name, then puts it in its place."""
    with replacement(path) as unfinished:
        _fill_table(unfinished, path, header, rows)


def _fill_table(unfinished, path, header, rows):
    """Writes a table to the file `unfinished`, in the format that the name of `path` says."""
    if _is_parquet(path):
        pyarrow = _pyarrow(path)
        pyarrow.parquet.write_table(pyarrow.table(_columns(header, rows)), unfinished)
    elif _is_hdf5(path):
        h5py = _h5py(path)
        with h5py.File(unfinished, "w") as file:
            # The names of columns may have dots and slashes, which names of datasets may not.
            file.attrs.create("columns", header, dtype=h5py.string_dtype())
            for k, column in enumerate(_columns(header, rows).values()):
                kind = h5py.string_dtype() if column.dtype == object else column.dtype
                file.create_dataset(f"columns/{k}", data=column, dtype=kind)
    else:
        pathlib.Path(unfinished).write_text(_lines([header, *rows]), encoding="utf-8")


class _Store:
    """Keeps the rows of a campaign: in a journal beside the table while it runs, then in the table.

    `done` has the rows of former programs by the digest of their run. Only one program at a time
    may hold the journal. Without a file it keeps nothing. With `force` it replaces a file that
    holds anything else.
    """

    def __init__(self, file, header, keys, force=False):
        self.path = None if file is None else pathlib.Path(file)
        self.header, self.done, self._file = header, {}, None
        if self.path is None:
            return
        _check_format(self.path)
        refuse_link(self.path)
        self._journal = self.path.with_name(self.path.name + ".journal")
        refuse_link(self._journal)
        self._file = open(self._journal, "a", encoding="utf-8")
        try:
            self._claim()
            self._read(set(keys), force)
        except BaseException:
            self.close()
            raise

    def _claim(self):
        """Makes the journal this program's alone."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ValueError(self._others()) from None
        if not self._journal.exists() or not os.path.samestat(os.fstat(self._file.fileno()),
                                                              self._journal.stat()):
            raise ValueError(self._others())  # it ended between the two lines above

    def _rows_of(self, path, keys):
        """Returns the rows of a file by the digests of their runs."""
        header, rows = _read_table(path) if path.exists() else ([], [])
        if header and (header != self.header or any(row[0] not in keys for row in rows)):
            raise ValueError(
                f"{path} holds rows of another campaign (other parameters, metrics, scene, "
                "functions or version): name another file, or remove it")
        return {row[0]: row for row in rows if len(row) == len(header)}

    def _read(self, keys, force):
        """Reads the rows of table and journal, and readies the journal for more."""
        try:
            for path in (self.path, self._journal):
                try:
                    self.done.update(self._rows_of(path, keys))
                except ValueError:
                    if not force:
                        raise
                    if path == self._journal:
                        self._file.truncate(0)
        except BaseException:
            if self._journal.stat().st_size == 0:
                self._journal.unlink()
            raise
        # Rows follow the last whole line: what a killed program left of another one is cut.
        whole = self._journal.read_bytes().rfind(b"\n") + 1
        self._file.truncate(whole)
        if whole == 0:
            self.add(self.header)

    def _others(self):
        return f"another program works on {self.path}: wait for it, or name another file"

    def add(self, row):
        """Adds the row of a run, which a program killed after this call has not lost."""
        if self._file is not None:
            self._file.write(_lines([row]))
            self._file.flush()

    def finish(self, rows):
        """Writes the table of all rows and removes the journal."""
        if self._file is not None:
            _write_table(self.path, self.header, rows)
            self._journal.unlink()

    def close(self):
        """Gives the journal free; its rows stay."""
        if self._file is not None:
            self._file.close()
