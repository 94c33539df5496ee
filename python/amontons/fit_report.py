"""HTML reports of fits and of their comparison."""
import html
import io

import numpy as np

from .outputs import MARK, refuse_foreign_page, replacement

MOST_NAMED = 9  # curves in a legend
MOST_MOTIONS = 12  # of which residuals are plotted
STYLE = ("body{font-family:sans-serif;max-width:62em;margin:2em auto;padding:0 1em}"
         "td,th{padding:0.2em 1em;text-align:left}svg{max-width:100%;height:auto}"
         "pre{overflow-x:auto}")


def write_page(path, title, body, force=False):
    """Writes a page of HTML. Raises OSError where the file cannot be written, and ParseError where
    it is a link, or without `force` a file that is no page of ours."""
    refuse_foreign_page(path, force)
    page = (f"<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'>{MARK}"
            f"<title>{title}</title><style>{STYLE}</style></head>"
            f"<body><h1>{title}</h1>{body}</body></html>")
    with replacement(path) as name, open(name, "w", encoding="utf-8") as file:
        file.write(page)


def new_figure(width, height):
    """Returns (figure, axes)."""
    from matplotlib.figure import Figure
    figure = Figure(figsize=(width, height), constrained_layout=True)
    return figure, figure.add_subplot()


def svg(figure):
    """Returns a figure as SVG, the same text for the same data."""
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    text = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "amontons"}):
        FigureCanvasSVG(figure).print_svg(text, metadata={"Date": None})
    return text.getvalue()[text.getvalue().index("<svg"):]


def table(head, rows):
    """Returns an HTML table of texts."""
    cells = [f"<tr>{''.join(f'<th>{html.escape(text)}</th>' for text in head)}</tr>"]
    cells += [f"<tr>{''.join(f'<td>{html.escape(text)}</td>' for text in row)}</tr>"
              for row in rows]
    return f"<table>{''.join(cells)}</table>"


def _curves(motion, residual):
    """Returns (curves, their names) of residuals over time, or (None, None).

    Parts of the default residual that have all their numbers are shown against time.
    """
    rows = motion.times.size
    if residual.size == 0 or residual.size % rows:
        return None, None
    width = 3 * (len(motion.positions) + len(motion.quaternions))
    if residual.size >= rows * width:
        blocks = residual[:rows * width].reshape(-1, rows, 3).transpose(0, 2, 1)
        curves = [*blocks.reshape(-1, rows), *residual[rows * width:].reshape(-1, rows)]
    else:
        curves = list(residual.reshape(-1, rows))
    names = [f"{body} {axis}" for body in motion.positions for axis in "xyz"]
    names += [f"{body} about {axis}" for body in motion.quaternions for axis in "xyz"]
    names += list(motion.joints)
    return curves, names if len(names) == len(curves) else None


def residual_plot(motion, residual, title):
    """Returns a plot of the residuals of one motion as SVG."""
    figure, axes = new_figure(8, 2.2)
    curves, names = _curves(motion, residual)
    if curves is None:
        axes.plot(residual, ".", markersize=3)
        axes.set_xlabel("number of the residual")
    else:
        for number, curve in enumerate(curves):
            axes.plot(motion.times, curve, linewidth=0.9, label=names[number] if names else None)
        if names and len(names) <= MOST_NAMED:
            axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize="x-small")
        axes.set_xlabel("time [s]")
    axes.axhline(0.0, color="gray", linewidth=0.5)
    axes.set_ylabel("residual")
    axes.set_title(title, fontsize="medium")
    return svg(figure)


def histogram(fit):
    """Returns a histogram of all residuals beside the normal distribution of their size, as SVG."""
    residual = np.concatenate(fit.residuals)
    figure, axes = new_figure(8, 2.2)
    bins = int(np.clip(np.sqrt(residual.size), 5, 60))
    axes.hist(residual, bins=bins, density=True, color="lightgray")
    if fit.rms > 0.0 and residual.size > 1:
        x = np.linspace(residual.min(), residual.max(), 300)
        axes.plot(x, np.exp(-0.5 * (x / fit.rms)**2) / (fit.rms * np.sqrt(2.0 * np.pi)),
                  linewidth=0.9, label="normal distribution of the same root mean square")
        axes.legend(fontsize="x-small")
    axes.set_xlabel("residual")
    axes.set_ylabel("density")
    axes.set_title("All residuals", fontsize="medium")
    return svg(figure)


def values_table(fit):
    """Returns the table of values, intervals and bounds."""
    return table(("parameter", "value", f"{100 * fit.confidence:g} % interval", "bounds"),
                 [(name, f"{value:.6g}",
                   f"{fit.intervals[name][0]:.6g} to {fit.intervals[name][1]:.6g}",
                   f"{fit.bounds[name][0]:g} to {fit.bounds[name][1]:g}")
                  for name, value in fit.values.items()])


def fit_body(fit):
    """Returns the contents of the page of one fit."""
    names = list(fit.values)
    numbers = [str(number) for number in range(1, len(names) + 1)]
    shown = list(zip(fit.data, fit.residuals))[:MOST_MOTIONS]
    parts = [values_table(fit), f"<pre>{html.escape(repr(fit))}</pre>"]
    if len(names) > 1:
        parts += ["<h2>Correlations</h2>",
                  table(("", *numbers),
                        [(f"{number} {name}", *(f"{value:+.2f}" for value in row)) for
                         number, name, row in zip(numbers, names, fit.correlations)])]
    if len(fit.descents) > 1:
        parts += ["<h2>Descents</h2>",
                  table(("half the sum of squares", *(names if len(names) < 4 else numbers)),
                        [(f"{one['cost']:.6g}",
                          *(f"{one['values'][name]:.6g}" for name in names))
                         for one in fit.descents])]
    parts += ["<h2>Residuals: simulated minus measured</h2>", histogram(fit),
              f"<p>Motions shown: {len(shown)} of {len(fit.data)}.</p>"]
    parts += [residual_plot(motion, residual, motion.name or f"motion {index}")
              for index, (motion, residual) in enumerate(shown)]
    return "".join(parts)
