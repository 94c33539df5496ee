#!/usr/bin/python3
"""Checks that every call that takes a name refuses an unknown one with one kind of error."""
import pathlib
import tempfile

import numpy as np

import amontons as am
from amontons import plots
from harness import raises, run_tests

SCENE = {
    "amontons": 1, "simulation": {"step": 0.01, "duration": 0.1},
    "materials": [{"name": "wood", "friction": 0.5}],
    "bodies": [
        {"name": "ground", "fixed": True, "shapes": [{"half_space": {"normal": [0, 0, 1]}}]},
        {"name": "crate", "mass": 1, "shapes": [{"box": [0.2, 0.2, 0.2]}],
         "pose": {"position": [0, 0, 0.1]}},
        {"name": "arm", "mass": 1, "inertia": [1, 1, 1], "pose": {"position": [2, 0, 1]}}],
    "joints": [{"name": "hinge", "type": "revolute", "parent": "world", "child": "arm",
                "axis": [0, 1, 0], "at": [0, 0, 0]}],
    "actuators": [{"joint": "hinge", "position": {"target": 0.0, "kp": 1.0}}],
    "frames": [{"name": "tool", "body": "arm"}]}


def of_simulator(sim):
    """Returns calls with the names of bodies, joints, frames, sensors, muscles and materials."""
    model, q, zeros = sim.model, sim.q, [0.0, 0.0, 0.0]
    calls = {f"{kind}[]": lambda names=getattr(owner, kind): names["zz"]
             for owner in (sim, model) for kind in ("bodies", "joints", "frames")}
    for name, arguments in {
            "set_wrench": ("zz", zeros), "set_effort": ("zz", 0.0), "set_control": ("zz", 0.0),
            "set_servo_target": ("zz", 0.0), "set_servo_gains": ("zz",), "activation": ("zz",),
            "contact_wrench": ("zz",), "imu": ("zz",), "force_torque": ("zz",), "frame": ("zz",),
            "jacobian": ("zz",), "jacobian_rate": ("zz",), "forward_kinematics": (q, "zz"),
            "distance": ("crate", "zz"), "set_material": ("zz",), "mass": ("zz",),
            "set_material_pair": ("wood", "zz"), "material_pair": ("wood", "zz"),
            "set_mass": ("zz", 1.0), "set_collision": ("zz", "crate", True), "attach": ("zz",),
            "detach": ("zz",), "park": ("zz",), "release": ("zz",), "is_parked": ("zz",)}.items():
        calls[name] = lambda name=name, arguments=arguments: getattr(sim, name)(*arguments)
    calls["sensors[]"] = lambda: sim.sensors["zz"]
    calls["contact_wrench in a frame"] = lambda: sim.contact_wrench("crate", "zz")
    calls["cast_ray"] = lambda: sim.cast_ray([0, 0, 9], [0, 0, -1], exclude=["zz"])
    calls["Grasp.of"] = lambda: am.Grasp.of(sim, "zz")
    return calls


def of_scene(scene, sim):
    """Returns calls of the functions of scenes and problems."""
    times = np.array([0.0, 0.01])
    problem, motion = sim.report.problem, am.Motion(times, joints={"hinge": times})
    mass = {"bodies.crate.mass": (0.5, 2.0)}
    target = {"action": "target", "target_range": (-1, 1)}
    return {
        "rollout, sensors": lambda: am.rollout(scene, steps=1, parameters={
            "materials.wood.friction": [0.1]}, sensors=["zz"]),
        "rollout, sensors of bodies": lambda: am.rollout(scene, [sim.save()], steps=1,
                                                         sensors=["imu:zz"]),
        "rollout, servos": lambda: am.rollout(scene, [sim.save()], targets=np.zeros((1, 1, 1)),
                                              servos=["zz"]),
        "Env": lambda: am.Env(scene, joints=["zz"]),
        "Env of targets": lambda: am.Env(scene, joints=["zz"], **target),
        "VectorEnv": lambda: am.VectorEnv(scene, 2, joints=["zz"]),
        "fit": lambda: am.fit(scene, [am.Motion(times, joints={"zz": times})], mass),
        "fit, bodies": lambda: am.fit(scene, [am.Motion(times, {"zz": np.zeros((2, 3))})], mass),
        "fit, inertias": lambda: am.fit(scene, [motion], {}, inertias=["zz"]),
        "solve": lambda: problem.solve("zz"),
        "residual_history": lambda: problem.residual_history("zz"),
        "certify": lambda: am.certify(problem, np.zeros(3 * problem.num_contacts), "zz"),
        "register_model": lambda: am.register_model("mine", lambda p, s: s, law="zz"),
        "LocalProblem.solve": lambda: am.LocalProblem(np.eye(3), np.ones(3), [0.5]).solve("zz")}


def of_run(run):
    """Returns calls of runs and plots."""
    calls = {name: lambda name=name: getattr(run, name)("zz") for name in
             ("body_index", "body", "twist", "start_position", "joint", "joint_velocity",
              "__getitem__")}
    for name in ("contact_force", "friction", "slip_margin", "wrench", "contact_impulses",
                 "body_phase"):
        calls[f"plots.{name}"] = lambda name=name: getattr(plots, name)(run, "zz")
    for name in ("joints", "path", "phase"):
        calls[f"plots.{name}"] = lambda name=name: getattr(plots, name)(run, ["zz"])
    calls["plots.flow"] = lambda: plots.flow(run, [0, 0, 0], [0, 0, 1], ["zz"])
    return calls


def test_an_unknown_name_is_a_key_error_and_a_value_error_everywhere():
    assert issubclass(am.UnknownNameError, KeyError) and issubclass(am.UnknownNameError, ValueError)
    scene = am.make_scene(SCENE)
    sim = am.Simulator(scene)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "run.h5"
        with am.record(sim, scene, path):
            sim.step()
        with am.open_run(path) as run:
            for name, call in {**of_simulator(sim), **of_scene(scene, sim), **of_run(run)}.items():
                try:
                    call()
                except Exception as error:
                    assert type(error) is am.UnknownNameError and "zz" in str(error), (name, error)
                else:
                    raise AssertionError(f"{name} takes the name of nothing")


def test_messages_of_unknown_names_are_plain_and_have_the_nearest():
    sim = am.Simulator(am.make_scene(SCENE))
    for call in (lambda: sim.bodies["crte"], lambda: sim.set_wrench("crte", [0, 0, 0]),
                 lambda: sim.mass("crte")):
        said = raises(am.UnknownNameError, call)
        assert said == "there is no body 'crte'; did you mean 'crate'?", said
    assert "crte" not in sim.bodies


if __name__ == "__main__":
    run_tests(globals())
