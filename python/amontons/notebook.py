"""HTML of simulators and runs for notebooks."""
import html

from ._core import _replay_html

MAX_PAGE = 4_000_000  # [bytes]; a larger replay is not put into the notebook
HEIGHT = 560  # of the replay [px]


def table(caption: str, rows: list) -> str:
    """Returns a table of names and values, both texts."""
    body = "".join(f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
                   f"<td style='text-align:left'>{html.escape(value)}</td></tr>"
                   for name, value in rows)
    return (f"<table><caption style='text-align:left'><b>{html.escape(caption)}</b></caption>"
            f"<tbody>{body}</tbody></table>")


def replay(path: str) -> str:
    """Returns the replay page of a run as a frame without outside references, or a line that says
    how to make the page where it is larger than MAX_PAGE."""
    page = _replay_html(path, MAX_PAGE)
    size = len(page.encode())
    if size > MAX_PAGE:
        return (f"<p>The replay has {size / 1e6:.0f} MB, too many for a notebook: "
                f"<code>amontons replay {html.escape(path)}</code> writes it to a file.</p>")
    return (f"<iframe sandbox='allow-scripts' width='100%' height='{HEIGHT}' "
            f"style='border:0' title='Replay' srcdoc=\"{html.escape(page)}\"></iframe>")


def simulator_html(simulator) -> str:
    """Returns the table of a simulator: its size, time and last step."""
    rows = [("time", f"{simulator.time:g} s"),
            ("bodies", str(len(simulator.body_names))),
            ("velocities", str(len(simulator.v)))]
    report = simulator.report
    if report is not None:
        certificate = report.certificate
        rows += [("contacts", str(report.problem.num_contacts)),
                 ("last step", "certified" if certificate.holds else "misses its certificate")]
    return table("Simulator", rows)


def run_html(run) -> str:
    """Returns the table of a run, and its replay."""
    rows = [("file", run.path), ("rows", str(len(run))), ("end", f"{run.time[-1]:g} s"),
            ("bodies", str(len(run.body_names))), ("law", run.law)]
    return table("Run", rows) + replay(run.path)
