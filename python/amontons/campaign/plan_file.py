"""Plans of campaigns as files (YAML): what am.campaign takes, with the line of each fault."""
import difflib
import importlib.util
import math
import pathlib
import sys

import numpy as np

from .plan import SAMPLERS, Range

KEYS = ("amontons_campaign", "scene", "parameters", "metrics", "seeds", "samples", "sampler",
        "sampler_seed", "start", "python", "file", "report", "keep", "on", "workers", "timeout",
        "slurm")
REDUCTIONS = {"max": max, "min": min, "sum": sum}


class PlanError(ValueError):
    """A plan cannot be read or understood; starts with file:line:column."""


class _Reader:
    """Reads the nodes of a YAML file, and names their places in errors."""

    def __init__(self, file):
        self.file = file

    def fail(self, node, text):
        mark = getattr(node, "start_mark", node)
        place = f":{mark.line + 1}:{mark.column + 1}" if mark is not None else ""
        raise PlanError(f"{self.file}{place}: {text}") from None

    def root(self):
        """Returns the node of the file."""
        try:
            import yaml
        except ImportError as error:
            raise PlanError(f"{self.file}: a plan needs PyYAML (Debian's python3-yaml)") from error
        try:
            text = pathlib.Path(self.file).read_text(encoding="utf-8")
            node = yaml.compose(text, Loader=yaml.SafeLoader)
        except OSError as error:
            raise PlanError(f"{self.file}: {error.strerror or error}") from error
        except UnicodeDecodeError as error:
            raise PlanError(f"{self.file}: is no text in UTF-8") from error
        except yaml.MarkedYAMLError as error:
            self.fail(error.problem_mark, error.problem or "is no YAML")
        except yaml.YAMLError as error:
            raise PlanError(f"{self.file}: is no YAML: {' '.join(str(error).split())}") from error
        if node is None:
            raise PlanError(f"{self.file}: is empty; a plan begins with `amontons_campaign: 1`")
        return node

    def mapping(self, node, what):
        """Returns {key: (node of the key, node of the value)} of a mapping."""
        if node.id != "mapping":
            self.fail(node, f"{what} must be a mapping, with a key and a value per line")
        found = {}
        for key, value in node.value:
            name = key.value if key.id == "scalar" else None
            if name is None or key.tag not in ("tag:yaml.org,2002:str",):
                self.fail(key, f"a key of {what} must be a text")
            if name in found:
                self.fail(key, f"key '{name}' of {what} is given twice")
            found[name] = key, value
        return found

    def value(self, node):
        """Returns the plain value of a node."""
        import yaml
        try:
            return yaml.SafeLoader("").construct_document(node)
        except yaml.MarkedYAMLError as error:
            self.fail(error.problem_mark, error.problem)

    def text(self, node, what):
        value = self.value(node)
        if not isinstance(value, str) or not value:
            self.fail(node, f"{what} must be a text")
        return value


def _expression(reader, node, names, what):
    """Returns the function of the simulator `sim` that a Python expression gives."""
    text = reader.text(node, what)
    try:
        code = compile(f"lambda sim: ({text})", what, "eval")
    except (SyntaxError, ValueError) as error:
        reader.fail(node, f"{what} is no Python expression of `sim`: {error.args[0]}")
    function = eval(code, names)  # a plan is a program, as a script is
    function.__module__ = "amontons_plan"  # it is sent to workers by value
    return function


def _metrics(reader, node, names):
    """Returns the metrics: expressions at the end, or {max, min or sum: expression} over steps."""
    metrics = {}
    for name, (_, value) in reader.mapping(node, "metrics").items():
        if value.id != "mapping":
            metrics[name] = _expression(reader, value, names, f"metric {name}")
            continue
        pairs = reader.mapping(value, f"metric {name}")
        if len(pairs) != 1 or next(iter(pairs)) not in REDUCTIONS:
            reader.fail(value, f"metric {name} must be an expression of `sim`, or one of max, min "
                               "and sum with an expression: {max: \"abs(sim.v).max()\"}")
        (how, (_, inner)), = pairs.items()
        metrics[name] = REDUCTIONS[how], _expression(reader, inner, names, f"metric {name}")
    return metrics


def _range(reader, node, path):
    """Returns the am.Range of {range: [low, high]} or {log_range: [low, high]}."""
    pairs = reader.mapping(node, f"parameter {path}")
    if len(pairs) != 1 or next(iter(pairs)) not in ("range", "log_range"):
        reader.fail(node, f"parameter {path} must be a list of values, or {{range: [low, high]}}, "
                          "or {log_range: [low, high]}")
    (kind, (_, ends)), = pairs.items()
    values = reader.value(ends)
    if not isinstance(values, list) or len(values) != 2 \
            or not all(isinstance(end, (int, float)) and not isinstance(end, bool)
                       for end in values):
        reader.fail(ends, f"{kind} of parameter {path} must be two numbers: [low, high]")
    try:
        return Range(*values, log=kind == "log_range")
    except ValueError as error:
        reader.fail(ends, f"parameter {path}: {error}")


def _parameters(reader, node):
    parameters = {}
    for path, (_, value) in reader.mapping(node, "parameters").items():
        if value.id == "mapping":
            parameters[path] = _range(reader, value, path)
            continue
        parameters[path] = reader.value(value)
        if not isinstance(parameters[path], list) or not parameters[path]:
            reader.fail(value, f"parameter {path} must be a list of values, or "
                               "{range: [low, high]}, or {log_range: [low, high]}")
    return parameters


def _module(reader, node, folder):
    """Returns (names, text) of the Python file whose functions expressions may use."""
    path = folder / reader.text(node, "python")
    try:
        text = path.read_text(encoding="utf-8")
        spec = importlib.util.spec_from_file_location("amontons_plan_functions", path)
        module = importlib.util.module_from_spec(spec)
        sys.path.insert(0, str(path.parent.absolute()))
        spec.loader.exec_module(module)  # not in sys.modules: it is sent to workers by value
    except OSError as error:
        reader.fail(node, f"python: {path}: {error.strerror or error}")
    except Exception as error:
        reader.fail(node, f"python: {path} fails: {type(error).__name__}: {error}")
    return vars(module), text


def _checked(reader, pairs, key, is_right, what):
    """Returns the value of a key that has a simple form; None where it is not given."""
    if key not in pairs:
        return None
    value = reader.value(pairs[key][1])
    if isinstance(value, bool) or not is_right(value):
        reader.fail(pairs[key][1], f"{key} must be {what}, not {value!r}")
    return value


def _settings(reader, pairs):
    """Returns the settings that need no other file."""
    def is_count(value):
        return isinstance(value, int) and value >= 1

    def is_seeds(value):
        return is_count(value) or (isinstance(value, list) and value and all(
            isinstance(one, int) and not isinstance(one, bool) and one >= 0 for one in value))

    def is_text(value):
        return isinstance(value, str) and value != ""

    forms = {"seeds": (is_seeds, "a number of at least 1, or a list of numbers"),
             "samples": (is_count, "a whole number of at least 1"),
             "sampler": (lambda v: v in SAMPLERS, f"one of {', '.join(SAMPLERS)}"),
             "sampler_seed": (lambda v: isinstance(v, int) and v >= 0, "a whole number"),
             "keep": (lambda v: v in ("none", "failures", "all"), "one of none, failures, all"),
             "on": (is_text, "local, dask, dask://HOST:PORT or slurm"),
             "workers": (is_count, "a whole number of at least 1"),
             "timeout": (lambda v: isinstance(v, (int, float)) and v > 0 and math.isfinite(v),
                         "a positive time [s]"),
             "slurm": (lambda v: isinstance(v, dict), "a mapping of sbatch's options"),
             "file": (is_text, "the name of a table"), "report": (is_text, "the name of a page")}
    found = {key: _checked(reader, pairs, key, *form) for key, form in forms.items()}
    return {key: value for key, value in found.items() if value is not None}


class PlanFile:
    """Holds a plan that was read: the arguments of am.campaign, and the lines of its keys."""

    def __init__(self, file):
        self._reader = reader = _Reader(file)
        folder = pathlib.Path(file).parent
        root = reader.root()
        pairs = self._pairs = reader.mapping(root, "a plan")
        for name, (key, _) in pairs.items():
            if name not in KEYS:
                near = difflib.get_close_matches(name, KEYS, 1)
                reader.fail(key, f"a plan has no key '{name}'"
                            + (f"; did you mean '{near[0]}'?" if near else
                               f"; its keys are {', '.join(KEYS)}"))
        if "amontons_campaign" not in pairs:
            reader.fail(root, "a plan begins with `amontons_campaign: 1`")
        _checked(reader, pairs, "amontons_campaign", lambda v: v == 1, "1")
        if "scene" not in pairs:
            reader.fail(root, "a plan needs `scene`, the file of a scene or robot")
        self.scene = folder / reader.text(pairs["scene"][1], "scene")
        self.settings, self.code = _settings(reader, pairs), ()
        for name in ("file", "report"):
            if name in self.settings:
                self.settings[name] = folder / self.settings[name]
        names = {"np": np, "math": math}
        if "python" in pairs:
            functions, text = _module(reader, pairs["python"][1], folder)
            names, self.code = {**functions, **names}, (text,)
        self.parameters = _parameters(reader, pairs["parameters"][1]) \
            if "parameters" in pairs else {}
        self.metrics = _metrics(reader, pairs["metrics"][1], names) if "metrics" in pairs else {}
        self.start = self._start(names)

    def _start(self, names):
        if "start" not in self._pairs:
            return None
        node = self._pairs["start"][1]
        name = self._reader.text(node, "start")
        if not callable(names.get(name)):
            self._reader.fail(node, f"start must name a function (random, simulator) of the file "
                                    f"`python`, not '{name}'")
        return names[name]

    def place_of(self, text):
        """Returns "file:line:column: " of the parameter that an error names, else "file: "."""
        if "parameters" in self._pairs:
            for path, (key, _) in self._reader.mapping(self._pairs["parameters"][1],
                                                       "parameters").items():
                if path in text:
                    mark = key.start_mark
                    return f"{self._reader.file}:{mark.line + 1}:{mark.column + 1}: "
        return f"{self._reader.file}: "
