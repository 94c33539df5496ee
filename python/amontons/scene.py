"""Scenes built in code."""
import os
from typing import Mapping, Optional, Union

import numpy as np

from ._core import Scene, _load_scene, _parse_scene, _with_overrides
from .arguments import json_text, kind

Path = Union[str, os.PathLike]


def _plain(value):
    if np.ma.is_masked(value):
        raise TypeError("a scene holds numbers, not arrays with masked entries")
    if isinstance(value, (np.ndarray, np.generic)):
        # A long double stays one in a list.
        return (value.astype(float) if value.dtype.kind == "f" else value).tolist()
    raise TypeError(f"a scene holds numbers, texts, lists and dicts, not {type(value).__name__}")


def _texts(overrides):
    """Returns overrides with their values as texts, as `--set` takes them."""
    if overrides is not None and not isinstance(overrides, Mapping):
        raise TypeError("overrides must be a dict, such as {\"simulation.step\": 0.01}, not "
                        f"{kind(overrides)}")
    for path in overrides or {}:
        if not isinstance(path, str):
            raise TypeError("the keys of overrides are paths, such as \"simulation.step\", not "
                            f"{path!r}")
    return {path: value if isinstance(value, str) else json_text(value, path, _plain)
            for path, value in (overrides or {}).items()}


def _folders(packages):
    """Returns packages as a dict of names and folders."""
    if packages is not None and not isinstance(packages, Mapping):
        raise TypeError("packages must be a dict, such as {\"robot\": \"robots/robot\"}, not "
                        f"{kind(packages)}")
    for name, folder in (packages or {}).items():
        if not isinstance(name, str) or not isinstance(folder, (str, os.PathLike)):
            raise TypeError("packages has names and their folders, such as {\"robot\": "
                            f"\"robots/robot\"}}, not {{{name!r}: {folder!r}}}")
    return packages or {}


def _path_part(name: str) -> str:
    """Returns a name as a part of a path of overrides: in quotes where it has dots."""
    return f'"{name}"' if "." in name else name


def _override_scene(scene: Scene, overrides: Mapping[str, object], meshes=None) -> Scene:
    """Returns a copy of a scene with further overrides, from the texts that it keeps.

    `meshes`, a _Meshes of this scene alone, keeps its meshes from copy to copy.
    """
    return _with_overrides(scene, list(_texts(overrides).items()), meshes)


def load_scene(file: Path, overrides: Optional[Mapping[str, object]] = None,
               packages: Optional[Mapping[str, Path]] = None) -> Scene:
    """Reads a scene (YAML), robot or world file (URDF, SDF, MJCF).

        am.load_scene("first.yaml", {"simulation.step": 0.002, "materials.wood.friction": 0.3})

    `overrides` are those of `amontons run --set PATH=VALUE`: values, or their texts; `packages`
    resolve package:// and model://. Raises ParseError naming file, line and remedy.
    """
    if not isinstance(file, (str, os.PathLike)):
        raise TypeError(f"load_scene: file must be a path, not {kind(file)}")
    return _load_scene(file, list(_texts(overrides).items()), _folders(packages))


def parse_scene(text: str, folder: Path = ".", name: str = "scene",
                packages: Optional[Mapping[str, Path]] = None,
                overrides: Optional[Mapping[str, object]] = None) -> Scene:
    """Reads a scene from text (YAML; JSON is YAML).

        am.parse_scene(run.scene_text, overrides=run.overrides)   # the scene that was simulated

    Files that it names are relative to `folder`; errors call it `name`. `overrides` and `packages`
    are those of load_scene(). Raises ParseError naming the line and the remedy.
    """
    for what, value in (("text", text), ("name", name)):
        if not isinstance(value, str):
            raise TypeError(f"parse_scene: {what} must be a text, not {kind(value)}")
    if not isinstance(folder, (str, os.PathLike)):
        raise TypeError(f"parse_scene: folder must be a path, not {kind(folder)}")
    return _parse_scene(text, folder, name, list(_texts(overrides).items()), _folders(packages))


def make_scene(contents: dict, folder=".", packages=None) -> Scene:
    """Makes a scene from the keys of a scene file (docs/scene-format.md), as dicts and lists. NumPy
    arrays count as lists. Files that it names are relative to `folder`.

        am.make_scene({"amontons": 1, "simulation": {"step": 0.01, "duration": 1},
                       "bodies": [{"name": "ball", "mass": 1, "shapes": [{"sphere": 0.1}]}]})

    Raises ParseError where a scene file would be refused. Each key is on a line of its own in
    Scene.text, and the error names that line.
    """
    text = json_text(contents, "make_scene: contents", _plain, indent=1)
    return parse_scene(text, folder=folder, packages=packages)
