#!/usr/bin/python3
"""Checks that scenes built in code equal scenes of files."""
import pathlib
import tempfile

import numpy as np

import amontons as am
from harness import FIRST, raises, run_tests

BALL = {"amontons": 1, "simulation": {"step": 0.001, "duration": 0.1},
        "bodies": [{"name": "ball", "mass": 1, "shapes": [{"sphere": 0.1}],
                    "pose": {"position": np.array([0.0, 0.0, 1.0])}}]}


def test_a_ball_built_in_code_falls():
    sim = am.Simulator(am.make_scene(BALL))
    while not sim.finished:
        sim.step()
    # Semi-implicit Euler: z = -g h^2 n (n + 1) / 2.
    position, quat_wxyz = sim.body_poses()["ball"]
    assert abs(position[2] - (1.0 - 9.81 * 1e-6 * 100 * 101 / 2)) < 1e-12
    assert np.allclose(quat_wxyz, [1, 0, 0, 0])


def test_a_mistake_has_the_message_of_a_file():
    complaint = raises(am.ParseError, am.make_scene, BALL | {"gravitation": [0, 0, -1]})
    assert "gravitation" in complaint and "gravity" in complaint, complaint


def test_overrides_are_values_or_their_texts():
    gravity = np.array([0.0, 0.0, -1.5])
    as_values = am.load_scene(FIRST, {"gravity": gravity, "simulation.duration": 0.25})
    as_texts = am.load_scene(FIRST, {"gravity": "[0, 0, -1.5]", "simulation.duration": "0.25"})
    for scene in (as_values, as_texts):
        assert scene.duration == 0.25 and np.array_equal(scene.gravity, gravity)
    assert "must be a finite number" in raises(am.ParseError, am.load_scene, FIRST,
                                               {"simulation.step": float("nan")})


def test_filters_and_the_choice_of_what_collides_are_overrides_like_others():
    contents = {"amontons": 1, "simulation": {"step": 0.01, "duration": 0.2}, "bodies": [
        {"name": "ground", "fixed": True, "shapes": [{"half_space": {"normal": [0, 0, 1]}}]},
        {"name": "ball", "mass": 1, "shapes": [{"sphere": 0.1}],
         "pose": {"position": [0, 0, 0.1]}}]}
    excluded = {**contents, "collision_filters": [{"exclude": ["ground", "ball"]}]}
    falls = {**contents, "collide": {"ball": "none"}}
    contacts = []
    for scene in (am.make_scene(one) for one in (contents, excluded, falls)):
        sim = am.Simulator(scene)
        contacts.append(sim.step().problem.num_contacts)
    assert contacts == [1, 0, 0]
    scene = am.load_scene(FIRST, {"collision_filters": [{"exclude": ["*", "*"]}]})
    sim = am.Simulator(scene)
    assert sim.step().problem.num_contacts == 0
    assert "did you mean 'ball'?" in raises(am.ParseError, am.make_scene,
                                            {**contents, "collide": {"bal": "none"}})


def test_a_limit_of_vertices_is_an_override_like_others():
    # A cube lies on the ground with four corners; a tetrahedron of its corners has fewer there.
    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    faces = ["1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4"]
    lines = ["v %g %g %g" % corner for corner in corners] + ["f " + face for face in faces]
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "cube.obj").write_text("\n".join(lines) + "\n")
        file = pathlib.Path(folder, "scene.yaml")
        file.write_text("amontons: 1\nsimulation: {step: 0.01, duration: 0.1}\nbodies:\n"
                        "  - {name: ground, fixed: true,\n"
                        "     shapes: [{half_space: {normal: [0, 0, 1]}}]}\n"
                        "  - {name: cube, density: 1, shapes: [{mesh: {file: cube.obj}}]}\n")
        contacts = [am.Simulator(am.load_scene(file, overrides)).step().problem.num_contacts
                    for overrides in ({}, {"max_hull_vertices": 4},
                                      {"max_hull_vertices": {"ground": 4, "cube": 8}})]
        assert contacts[0] == contacts[2] == 4 and contacts[1] < 4, contacts
        assert "at least 4, or -1" in raises(am.ParseError, am.load_scene, file,
                                             {"max_hull_vertices": {"cube": 3}})


def test_the_text_of_a_scene_gives_the_scene_again():
    scene = am.load_scene(FIRST)
    again = am.parse_scene(scene.text, folder=FIRST.parent, name=FIRST.name)
    bits = []
    for one in (scene, again):
        one.duration = 0.2
        sim = am.Simulator(one)
        while not sim.finished:
            sim.step()
        bits.append(sim.q.tobytes())
    assert bits[0] == bits[1]


def test_what_an_import_leaves_out_is_found():
    scene = am.load_scene(FIRST.parent / "quadruped" / "quadruped.urdf")
    assert all(isinstance(line, str) for line in scene.findings)
    assert am.Simulator(scene).body_names


if __name__ == "__main__":
    run_tests(globals())
