"""Scenes built in code."""
import json
import os
from typing import Mapping, Optional, Union

import numpy as np

from ._core import Scene, _load_scene, parse_scene

Path = Union[str, os.PathLike]


def _plain(value):
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a scene holds numbers, texts, lists and dicts, not {type(value).__name__}")


def load_scene(file: Path, overrides: Optional[Mapping[str, object]] = None,
               packages: Optional[Mapping[str, Path]] = None) -> Scene:
    """Reads a scene (YAML), robot or world file (URDF, SDF, MJCF).

        am.load_scene("first.yaml", {"simulation.step": 0.002, "materials.wood.friction": 0.3})

    `overrides` are those of `amontons run --set PATH=VALUE`: values, or their texts; `packages`
    resolve package:// and model://. Raises ParseError naming file, line and remedy.
    """
    texts = {path: value if isinstance(value, str) else json.dumps(value, default=_plain)
             for path, value in (overrides or {}).items()}
    return _load_scene(file, texts, packages or {})


def make_scene(contents: dict, folder=".", packages=None) -> Scene:
    """Makes a scene from the keys of a scene file (docs/scene-format.md), as dicts and lists.

    NumPy arrays are lists. Files that it names are relative to `folder`.

        am.make_scene({"amontons": 1, "simulation": {"step": 0.01, "duration": 1},
                       "bodies": [{"name": "ball", "mass": 1, "shapes": [{"sphere": 0.1}]}]})

    Raises ParseError where a scene file would be refused: each key has a line of its own in
    Scene.text, which the error names.
    """
    text = json.dumps(contents, indent=1, default=_plain)
    return parse_scene(text, folder=folder, packages=packages or {})
