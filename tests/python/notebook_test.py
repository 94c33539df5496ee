#!/usr/bin/python3
"""Checks what simulators and runs show in a notebook."""
import pathlib
import re
import tempfile

import amontons as am
from amontons import notebook
from harness import FIRST, run_tests


def test_notebooks_show_a_simulator_and_a_run():
    sim = am.Simulator(am.load_scene(FIRST, {"simulation.duration": 0.2}))
    assert "Simulator" in sim._repr_html_() and "0 s" in sim._repr_html_()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "a<b&c.h5"
        with am.record(sim, am.load_scene(FIRST, {"simulation.duration": 0.2}), path):
            while not sim.finished:
                sim.step()
        assert "certified" in sim._repr_html_()
        with am.open_run(path) as run:
            text = run._repr_html_()
            assert "a&lt;b&amp;c.h5" in text and "a<b" not in text
            frame = re.search(r"<iframe [^>]*sandbox='allow-scripts'[^>]* srcdoc=\"([^\"]*)\"", text)
            assert "amontons-data" in frame.group(1) and "<" not in frame.group(1)
            assert len(text) < 1.2 * notebook.MAX_PAGE
            limit = notebook.MAX_PAGE
            try:
                notebook.MAX_PAGE = 1000
                assert "iframe" not in run._repr_html_() and "amontons replay" in run._repr_html_()
            finally:
                notebook.MAX_PAGE = limit


if __name__ == "__main__":
    run_tests(globals())
