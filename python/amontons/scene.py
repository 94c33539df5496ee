"""Scenes built in code."""
import json

import numpy as np

from ._core import Scene, parse_scene


def _plain(value):
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a scene holds numbers, texts, lists and dicts, not {type(value).__name__}")


def make_scene(contents: dict, folder=".", packages=None) -> Scene:
    """A scene from the same keys as a scene file (docs/scene-format.md), as dicts and lists; NumPy
    arrays are lists. Files that it names are relative to `folder`.

        am.make_scene({"amontons": 1, "simulation": {"step": 0.01, "duration": 1},
                       "bodies": [{"name": "ball", "mass": 1, "shapes": [{"sphere": 0.1}]}]})

    Raises ParseError where a scene file would be refused: each key stands on a line of its own in
    Scene.text, which the error names.
    """
    text = json.dumps(contents, indent=1, default=_plain)
    return parse_scene(text, folder=folder, packages=packages or {})
