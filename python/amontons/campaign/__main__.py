"""`amontons campaign PLAN.yaml`: runs a plan; `python3 -m amontons.campaign` is the same."""
import argparse
import json
import pathlib
import signal
import sys
import time
import warnings

import numpy as np

from .._core import OutputError, ParseError
from ..outputs import refuse_foreign_page
from ..scene import load_scene
from .campaign import KEPT, _check_options, _logs_of, _metric_pairs, _run, _show
from .plan import _Plan
from .plan_file import PlanError, PlanFile

OK, FAILED, USAGE, MISSED, OUTPUT, INTERRUPTED = 0, 1, 2, 3, 5, 130  # exit codes of the program
PAUSE = 10.0  # [s] between lines of progress where no terminal shows it


class _Fault(Exception):
    """Ends the program with a message and an exit code."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class _Arguments(argparse.ArgumentParser):
    def error(self, message):
        raise _Fault(USAGE, f"amontons campaign: {message}; see `amontons campaign --help`")


def _arguments(words):
    parser = _Arguments(prog="amontons campaign", description="Simulate a plan of many runs")
    parser.add_argument("plan", metavar="PLAN.yaml")
    parser.add_argument("-o", "--output", metavar="FILE")
    parser.add_argument("--on", metavar="ENGINE")
    parser.add_argument("--workers", type=int, metavar="N")
    parser.add_argument("--keep", choices=KEPT)
    parser.add_argument("--report", metavar="FILE.html")
    parser.add_argument("--timeout", type=float, metavar="S")
    parser.add_argument("--force", action="store_true")
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(words)


class _Lines:
    """Prints a line of progress now and then."""

    def __init__(self):
        self._last = time.monotonic()

    def __call__(self, done, total, failed, seconds_left):
        if sys.stderr.isatty():
            _show(done, total, failed, seconds_left)
        elif time.monotonic() - self._last >= PAUSE or done == total:
            self._last = time.monotonic()
            left = "" if seconds_left is None else f", {seconds_left:.0f} s left"
            print(f"{done} of {total} runs, {failed} failed{left}", file=sys.stderr, flush=True)


def _settings(plan, arguments):
    """Returns the settings of the plan under those of the command line."""
    settings = {"on": "local", "workers": None, "timeout": 86400.0, "keep": "none",
                "report": None, "slurm": {}, **plan.settings}
    given = {"on": arguments.on, "workers": arguments.workers, "timeout": arguments.timeout,
             "keep": arguments.keep, "file": arguments.output, "report": arguments.report}
    settings.update({key: value for key, value in given.items() if value is not None})
    settings.setdefault("file", pathlib.Path(arguments.plan).with_suffix(".csv"))
    return settings


def _refuse_page(report, force):
    """Refuses a page that would take the place of a file of another origin."""
    try:
        refuse_foreign_page(report, force, "--force")
    except ParseError as error:
        raise PlanError(str(error)) from None


def _simulate(arguments):
    """Runs a plan; returns (table, settings)."""
    plan = PlanFile(arguments.plan)
    settings = _settings(plan, arguments)
    file, keep, report = settings["file"], settings["keep"], settings["report"]
    try:
        _check_options(settings["on"], settings["workers"], settings["timeout"], keep, file,
                       report)
        if report is not None:
            _refuse_page(report, arguments.force)
        runs = _Plan(load_scene(plan.scene), plan.parameters, _metric_pairs(plan.metrics),
                     settings.get("seeds", 1), plan.start,
                     (settings.get("samples"), settings.get("sampler", "sobol"),
                      settings.get("sampler_seed", 0)),
                     plan.code, keep, _logs_of(file, keep))
        table = _run(runs, settings["on"], file, settings["workers"],
                     None if arguments.quiet else _Lines(), report,
                     settings["timeout"], settings["slurm"], arguments.force)
    except PlanError:
        raise
    except ValueError as error:  # of the scene, or of a parameter
        text = str(error)
        raise PlanError(text if text.startswith(str(plan.scene)) else
                        plan.place_of(text) + text) from error
    return table, settings


def _summary(table, settings):
    """Returns what --json prints."""
    failed = table["error"] != ""
    steps = np.asarray(table["steps"], float)
    missed = ~failed & ((np.asarray(table["steps_that_hold"], float) < steps)
                        | (np.asarray(table["steps_with_law"], float) < steps))
    return {"file": str(settings["file"]),
            "report": None if settings["report"] is None else str(settings["report"]),
            "runs": len(failed), "failed": int(failed.sum()), "missed": int(missed.sum())}


def _code_of(summary):
    if summary["failed"]:
        return FAILED
    return MISSED if summary["missed"] else OK


def _place(message):
    """Returns {"file", "line", "column"} of a message that starts with them."""
    parts = message.split(":", 3)
    if len(parts) == 4 and parts[1].isdigit() and parts[2].isdigit():
        return {"file": parts[0], "line": int(parts[1]), "column": int(parts[2])}
    return {}


def _attempt(arguments):
    """Returns the summary; raises _Fault for all that prevents the table."""
    try:
        table, settings = _simulate(arguments)
        return _summary(table, settings)
    except PlanError as error:
        raise _Fault(USAGE, str(error)) from error
    except ImportError as error:
        raise _Fault(USAGE, f"amontons campaign: {error}") from error
    except OutputError as error:
        raise _Fault(OUTPUT, str(error)) from error
    except TimeoutError as error:
        raise _Fault(FAILED, f"amontons campaign: {error}; run it again to continue") from error
    except OSError as error:
        raise _Fault(OUTPUT, f"{error.filename or 'amontons campaign'}: "
                             f"{error.strerror or error}") from error
    except RuntimeError as error:
        raise _Fault(FAILED, f"amontons campaign: {error}") from error
    except KeyboardInterrupt as error:
        raise _Fault(INTERRUPTED, "amontons campaign: interrupted; run it again to "
                                  "continue") from error


def main(words):
    """Runs the program; returns its exit code."""
    warnings.showwarning = lambda message, *_: print(f"amontons campaign: {message}",
                                                     file=sys.stderr, flush=True)
    is_json = "--json" in words
    try:
        summary = _attempt(_arguments(words))
    except _Fault as fault:
        print(fault, file=sys.stderr)
        if is_json:
            print(json.dumps({"error": str(fault), "exit_code": fault.code, **_place(str(fault))}))
        return fault.code
    if is_json:
        print(json.dumps(summary, indent=2))
    else:
        print(f"{summary['file']}: {summary['runs']} runs, {summary['failed']} failed, "
              f"{summary['missed']} with a step that misses its certificate or the law asked")
    return _code_of(summary)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main(sys.argv[1:]))
