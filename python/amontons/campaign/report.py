"""The page of a campaign: failures with their replays, response curves, and the rows."""
import html
import os
import pathlib
import shutil
import subprocess

import numpy as np

from .._core import __version__
from ..fit_report import new_figure, svg, table, write_page
from .table import _columns

MOST_ROWS = 1000  # of the table on the page
MOST_CURVES = 24  # pairs of a metric and a parameter
MOST_REPLAYS = 20  # pages of replays made beside the logs
REPLAY_TIME = 120  # [s] for one of them
PARTS = 12  # of a range, each with a median


def _program():
    """Returns the path of the program `amontons`: beside this package, or in PATH; or None."""
    here = pathlib.Path(__file__).resolve().parents[3]
    for path in (here / "amontons", here / "bin" / "amontons"):
        if path.is_file() and os.access(path, os.X_OK):
            return str(path)
    return shutil.which("amontons")


def _rank(columns, index):
    """Returns 0 for a run with an error, 1 for one without certificate or law, 2 for the others."""
    if columns["error"][index]:
        return 0
    steps = columns["steps"][index]
    return 1 if min(columns["steps_that_hold"][index], columns["steps_with_law"][index]) < steps \
        else 2


def _replay_links(plan, order, page):
    """Returns {index: link} of the runs in `order` that have a log, to a replay or to the log.

    Makes the pages of the first MOST_REPLAYS replays that are not there, where the program is.
    """
    links, program, made = {}, _program(), 0
    for index in order:
        log = plan.log_of(index)
        if log is None or not log.exists():
            continue
        replay = log.with_suffix(".html")
        if program is not None and made < MOST_REPLAYS and not replay.exists():
            made += 1
            subprocess.run([program, "replay", str(log), "-o", str(replay), "--quiet"],
                           check=False, capture_output=True, timeout=REPLAY_TIME)
        target = os.path.relpath(replay if replay.exists() else log, page.absolute().parent)
        text = "replay" if replay.exists() else "log"
        links[index] = f"<a href='{html.escape(target, quote=True)}'>{text}</a>"
    return links


def _shown(value):
    if isinstance(value, (float, np.floating)):
        return f"{value:.6g}"
    return str(value)


def _rows_table(columns, names, order, links):
    """Returns an HTML table of runs, with their links."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in ("", *names))
    lines = []
    for index in order:
        cells = "".join(f"<td>{html.escape(_shown(columns[name][index]))}</td>" for name in names)
        lines.append(f"<tr><td>{links.get(index, '')}</td>{cells}</tr>")
    return ("<div style='overflow-x:auto;white-space:nowrap'>"
            f"<table><tr>{head}</tr>{''.join(lines)}</table></div>")


def _medians(x, y):
    """Returns (places, medians) of y over the values of x, or over parts of its range."""
    values = np.unique(x)
    if values.size <= 2 * PARTS and x.size > values.size:
        return values, np.array([np.median(y[x == value]) for value in values])
    edges = np.quantile(x, np.linspace(0, 1, PARTS + 1))
    parts = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, PARTS - 1)
    full = [part for part in range(PARTS) if np.any(parts == part)]
    return (np.array([np.median(x[parts == part]) for part in full]),
            np.array([np.median(y[parts == part]) for part in full]))


def _curve(columns, parameter, metric, group):
    """Returns the response of a metric to a parameter as SVG, a colour for each text of a group."""
    x, y = columns[parameter], columns[metric].astype(float)
    figure, axes = new_figure(6, 3)
    is_number = x.dtype != object
    names = np.array([str(text) for text in columns[group]]) if group else np.full(x.size, "")
    for name in sorted(set(names)):
        known = np.isfinite(y) & (names == name)
        if not known.any():
            continue
        if is_number:
            points = axes.plot(x[known], y[known], ".", markersize=3, alpha=0.5)[0]
            axes.plot(*_medians(x[known].astype(float), y[known]), color=points.get_color(),
                      linewidth=1.2, label=name or None)
        else:
            texts = sorted({str(text) for text in x})
            place = [texts.index(str(text)) for text in x[known]]
            axes.plot(place, y[known], ".", markersize=4, alpha=0.5, label=name or None)
            axes.set_xticks(range(len(texts)), texts, fontsize="small")
    if is_number and x.min() > 0 and x.max() > 100 * x.min():
        axes.set_xscale("log")
    if group and axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize="x-small", title=group, title_fontsize="x-small")
    axes.set_xlabel(parameter)
    axes.set_ylabel(metric)
    return svg(figure)


def _curves(plan, columns):
    """Returns the response curves of all metrics that are numbers to all parameters that vary."""
    varied = [name for name in plan.parameters if len(set(map(str, columns[name]))) > 1]
    texts = [name for name in varied if columns[name].dtype == object
             and len(set(map(str, columns[name]))) <= 8]
    metrics = [name for name in plan.metrics if columns[name].dtype != object]
    pairs = [(parameter, metric) for metric in metrics for parameter in varied]
    parts = []
    for parameter, metric in pairs[:MOST_CURVES]:
        group = next((name for name in texts if name != parameter), None)
        parts.append(_curve(columns, parameter, metric, group))
    if len(pairs) > MOST_CURVES:
        parts.append(f"<p>{MOST_CURVES} of {len(pairs)} curves.</p>")
    return "".join(parts) or "<p>No parameter varies, or no metric is a number.</p>"


def write_report(path, plan, header, rows, force):
    """Writes the page of a table. Raises errors as write_page()."""
    page, columns = pathlib.Path(path), _columns(header, rows)
    ranks = [_rank(columns, index) for index in range(len(rows))]
    order = sorted(range(len(rows)), key=lambda index: ranks[index])
    bad = [index for index in order if ranks[index] < 2]
    links = _replay_links(plan, order, page)
    file = plan.scene.__getstate__()[0]
    parts = [table(("scene", "version", "runs", "with an error", "misses certificate or law"),
                   [(file, __version__, str(len(rows)), str(ranks.count(0)),
                     str(ranks.count(1)))])]
    if bad:
        names = ["error", *plan.parameters, "seed", "steps", "steps_that_hold", "steps_with_law",
                 "run"]
        parts += ["<h2>Failures</h2>", _rows_table(columns, names, bad[:MOST_ROWS], links)]
    parts += ["<h2>Response</h2><p>Points are runs, lines their medians.</p>",
              _curves(plan, columns),
              f"<h2>Runs</h2><p>{min(len(rows), MOST_ROWS)} of {len(rows)}.</p>",
              _rows_table(columns, header[1:] + header[:1], order[:MOST_ROWS], links)]
    write_page(page, "Campaign", "".join(parts), force)
