#!/usr/bin/python3
"""Checks the plots of runs against numbers that are computed another way: closed forms, balances of
momentum, the simulator's own sensors.  usage: plots_test.py PROGRAM"""
import contextlib
import pathlib
import tempfile
import warnings

import matplotlib
import numpy as np

import amontons as am
from amontons import plots
from harness import FIRST, raises, run_tests

matplotlib.use("Agg")
G = 9.81


def ground(friction=0.5, restitution=0.0):
    return [{"name": "m", "friction": friction, "restitution": restitution}], {
        "name": "ground", "fixed": True,
        "shapes": [{"half_space": {"normal": [0, 0, 1]}, "material": "m"}]}


def scene_of(bodies, materials=(), step=0.005, duration=0.5, **more):
    settings = {"step": step, "duration": duration, **more.pop("simulation", {})}
    return am.make_scene({"amontons": 1, "simulation": settings, "materials": list(materials),
                          "bodies": bodies, **more})


@contextlib.contextmanager
def run_of(scene, watch=lambda sim: None):
    """Simulates and records a scene; yields the run and what `watch` returned after each step."""
    with tempfile.TemporaryDirectory() as folder:
        sim, seen = am.Simulator(scene), []
        with am.record(sim, scene, pathlib.Path(folder) / "run.h5") as recorder:
            while not sim.finished:
                sim.step()
                seen.append(watch(sim))
        with am.open_run(recorder.path) as run:
            yield run, seen
    import matplotlib.pyplot as plt
    plt.close("all")


def box(size, friction_name="m", **more):
    return {"name": "box", "mass": 2.0, "shapes": [{"box": size, "material": friction_name}], **more}


def curves(figure, axes=0):
    return {line.get_label(): line.get_ydata() for line in figure.axes[axes].lines}


def slide(mu, speed, size, gravity=(0, 0, -G), **more):
    materials, floor = ground(mu)
    body = box(size, pose={"position": [0, 0, size[2] / 2]}, velocity={"linear": [speed, 0, 0]})
    return scene_of([body, floor], materials, gravity=list(gravity), **more)


def test_the_plots_show_the_numbers_of_the_run():
    with run_of(am.load_scene(FIRST)) as (run, _), tempfile.TemporaryDirectory() as folder:
        total = curves(plots.energy(run))["sum"]
        assert np.array_equal(total, run["energy/kinetic"] + run["energy/potential"])
        force = plots.contact_force(run, "crate").axes[0].lines[0].get_ydata()
        assert abs(force[-1] - 2.0 * G) < 1e-6  # the crate's weight, at rest
        shown = np.concatenate(list(curves(plots.contact_impulses(run, "ball")).values()))
        ball, every = run.body_index("ball"), 0.0
        for row in range(1, len(run)):
            table = run.contacts(row)
            mine = (table["body_a"] == ball) | (table["body_b"] == ball)
            every += table["impulse"][mine, 2].sum()
        assert abs(shown.sum() - every) < 1e-9 and shown.min() > 0.0
        assert set(curves(plots.path(run))) == {"crate", "ball"}
        for plot in (plots.certificate, plots.joints, plots.force_chains):
            plot(run).savefig(pathlib.Path(folder) / "figure.svg")
        for name, shown in curves(plots.certificate(run)).items():
            values = np.abs(run["certificate/" + name.replace(" ", "_")])
            assert np.array_equal(shown[values > 0], values[values > 0])
            assert np.isnan(shown[values == 0]).all()
        assert "no joint" in plots.joints(run).axes[0].texts[0].get_text()


def test_a_plot_of_many_names_the_first_of_them():
    many = [{"name": f"ball {i}", "mass": 1, "shapes": [{"sphere": 0.1}],
             "pose": {"position": [i, 0, 1]}} for i in range(30)]
    with run_of(scene_of(many, duration=0.05)) as (run, _):
        axes = plots.path(run).axes[0]
        names = [text.get_text() for text in axes.get_legend().get_texts()]
        assert names == [f"ball {i}" for i in range(plots.MOST_NAMED)] + ["and 18 more"]
        assert sum(len(line.get_xdata()) > 0 for line in axes.lines) == 30
        # No two of the lines with a name look alike.
        assert len({(line.get_color(), line.get_linestyle()) for line in axes.lines[:30]}) == 30


def test_friction_is_all_used_while_a_box_slides_and_none_of_it_at_rest():
    for mu, size in ((0.3, [0.2, 0.2, 0.1]), (0.7, [0.02, 0.03, 0.01])):
        speed = 0.25 * mu * G  # it stops after a quarter of a second
        with run_of(slide(mu, speed, size)) as (run, _):
            shown = curves(plots.friction(run, "box"))
            moving, resting = (run.time > 0) & (run.time < 0.24), run.time > 0.26
            assert np.isnan(shown["friction"][0])
            assert np.allclose(shown["friction"][moving], mu * 2 * G, rtol=1e-6)
            assert np.allclose(shown["friction"][resting], 0, atol=1e-6)
            assert np.allclose(shown["most friction"][1:], mu * 2 * G, rtol=1e-6)
            assert np.allclose(curves(plots.friction(run, "box", "ground"))["friction"][1:],
                               shown["friction"][1:])
            least = curves(plots.slip_margin(run, "box"))["least"]
            assert np.allclose(least[moving], 0, atol=1e-6)
            each = curves(plots.slip_margin(run, body="box", each=True))
            assert set(each) == {f"ground {k}" for k in range(1, 5)}
            for row in (5, len(run) - 1):
                table, h = run.contacts(row), run["step"][row]
                table = table[table["impulse"][:, 2] > 0]
                left = mu * table["impulse"][:, 2] - np.hypot(*table["impulse"][:, :2].T)
                assert np.allclose(sorted(shown[row] for shown in each.values()), np.sort(left / h))
            assert np.allclose(np.min(list(each.values()), axis=0)[1:], least[1:])
            assert "it has box, ground" in raises(KeyError, plots.friction, run, "bx")
            assert "another body" in raises(ValueError, plots.friction, run, "box", "box")


def test_the_slip_margin_on_a_slope_is_what_friction_has_left():
    angle, mu = 0.2, 0.5
    gravity = [G * np.sin(angle), 0, -G * np.cos(angle)]
    with run_of(slide(mu, 0.0, [0.2, 0.2, 0.02], gravity, duration=0.1)) as (run, _):
        left = 2 * G * (mu * np.cos(angle) - np.sin(angle))
        shown = curves(plots.friction(run, "box"))
        assert np.allclose(shown["friction"][1:], 2 * G * np.sin(angle), rtol=1e-6)
        assert np.allclose((shown["most friction"] - shown["friction"])[1:], left, rtol=1e-6)
        each = curves(plots.slip_margin(run, "box", each=True))
        # Corners that push against each other leave less.
        assert (sum(each.values())[1:] <= left + 1e-6).all()
        assert (curves(plots.slip_margin(run, "box"))["least"][1:] <= left / 4 + 1e-6).all()


def test_the_wrench_is_the_change_of_momentum_and_what_the_sensor_reads():
    materials, floor = ground(0.4, 0.2)
    side, mass = 0.1, 2.0
    die = box([side] * 3, pose={"position": [0, 0, 0.2], "rpy_deg": [20, 30, 10]},
              velocity={"linear": [1, 0.5, -1], "angular": [3, -5, 2]})
    with run_of(scene_of([die, floor], materials, step=0.002),
                lambda sim: np.concatenate(sim.contact_wrench("box"))) as (run, seen):
        figure = plots.wrench(run, "box")
        force, torque = (np.column_stack([curves(figure, k)[letter] for letter in "xyz"])
                         for k in (0, 1))
        seen = np.array(seen)
        assert np.abs(seen).max() > 100
        assert np.allclose(force[1:], seen[:, :3], atol=1e-9)
        assert np.allclose(torque[1:], seen[:, 3:], atol=1e-9)
        twist, h = run.twist("box"), run["step"][1:, None]
        assert np.allclose(mass * np.diff(twist[:, 3:], axis=0),
                           h * (force[1:] + [0, 0, -mass * G]), atol=1e-12)
        # The inertia of a cube is the same about every axis.
        assert np.allclose(mass * side**2 / 6 * np.diff(twist[:, :3], axis=0), h * torque[1:],
                           atol=1e-12)
        other = plots.wrench(run, "ground")
        assert np.allclose(curves(other, 0)["z"][1:], -force[1:, 2])


def test_impulses_of_impacts_are_those_of_the_law_of_restitution():
    for method, e in (("event-driven", 0.6), ("time-stepping", 0.5)):
        materials, floor = ground(0.0, e)
        ball = {"name": "ball", "mass": 3.0, "pose": {"position": [0, 0, 0.5]},
                "shapes": [{"sphere": 0.1, "material": "m"}]}
        with run_of(scene_of([ball, floor], materials, step=0.001, duration=0.4,
                             simulation={"method": method})) as (run, _):
            shown = curves(plots.contact_impulses(run))
            assert list(shown) == ["impacts"] and len(shown["impacts"]) == 1
            expected = 3.0 * (1 + e) * np.sqrt(2 * G * 0.4)
            assert np.isclose(shown["impacts"][0], expected, rtol=1e-2), (method, shown, expected)
            force = curves(plots.contact_force(run, "ball"))["ball"]
            assert np.isnan(force[run["step"] == 0]).all()
            assert curves(plots.contact_impulses(run, "ball"))["impacts"] == shown["impacts"]


def falling(heights, x=0.0):
    return [{"name": f"b{x}-{i}", "mass": 1.0 + i, "inertia": [1, 1, 1],
             "pose": {"position": [x, 0, z]}} for i, z in enumerate(heights)]


def test_the_flow_counts_what_falls_through_a_plane():
    h, heights = 0.01, [0.3, 0.1, 0.7, 0.2, 5.0]
    bodies = falling(heights) + falling([0.4], 2.0) + [
        {"name": "up", "mass": 9, "inertia": [1, 1, 1], "pose": {"position": [0, 0, -0.05]},
         "velocity": {"linear": [0, 0, 2.0]}}, ground()[1]]
    with run_of(scene_of(bodies, ground()[0], step=h, duration=0.6)) as (run, _):
        step = np.arange(len(run))
        # The steps of a fall are known: z = z0 - g h^2 k (k + 1) / 2.
        fallen = G * h**2 * step * (step + 1) / 2
        passed = sum((z - fallen <= 0).astype(int) for z in heights)
        down = dict(point=[0, 0, 0], normal=[0, 0, -2.0])
        near = {"radius": 0.1, **down}
        there = -0.05 + 2.0 * h * step - fallen > 0
        shown = curves(plots.flow(run, **near))["passed"]
        assert np.array_equal(shown, passed - there)
        assert shown[-1] == 4 and shown.min() == -1
        named = curves(plots.flow(run, bodies=run.body_names[:5], **near))["passed"]
        assert np.array_equal(named, passed)
        assert curves(plots.flow(run, **down))["passed"][-1] == 5  # also that far from the point
        kilograms = curves(plots.flow(run, mass=True, **near))["passed"]
        assert np.isclose(kilograms[-1], 1 + 2 + 3 + 4)
        rate = curves(plots.flow(run, mass=True, window=0.6, **near))["mean over 0.6 s"]
        assert np.isclose(rate[30], 10 / 0.6) and np.isnan(rate[0]) and np.isnan(rate[-1])
        rate = curves(plots.flow(run, window=0.1, **near))["mean over 0.1 s"]
        assert np.allclose(rate[5:-5], (shown[10:] - shown[:-10]) / 0.1)
        assert "the length of the run" in raises(ValueError, plots.flow, run, window=1.0, **down)
        assert "three numbers" in raises(ValueError, plots.flow, run, [0, 0, 0], [0, 0, 0])


def labels_are_free(axes):
    """Checks that the labels of axes in space lie in the picture, beside the labels of the ticks."""
    axes.figure.canvas.draw()
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        label = axis.label.get_window_extent()
        assert np.all(label.min >= 0) and np.all(label.max <= axes.figure.bbox.max)
        for tick in axis.get_majorticklabels():
            assert not tick.get_text() or not label.overlaps(tick.get_window_extent())


def test_force_chains_of_a_tower_carry_what_is_above():
    materials, floor = ground()
    tower = [{"name": f"b{i}", "mass": 1.5, "shapes": [{"box": [0.1, 0.1, 0.1], "material": "m"}],
              "pose": {"position": [0, 0, 0.05 + 0.1 * i]}} for i in range(3)]
    with run_of(scene_of(tower + [floor], materials, duration=0.1)) as (run, _):
        assert np.array_equal(run.masses, [1.5, 1.5, 1.5, np.inf])
        for plane, vertical in (("xz", 1), ("yz", 1), ("xyz", 2)):
            figure = plots.force_chains(run, plane=plane)
            chains, = figure.axes[0].collections
            forces, lines = chains.get_array(), (
                chains.get_segments() if plane != "xyz" else list(chains._segments3d))
            lowest = np.array([np.asarray(line)[:, vertical].min() for line in lines])
            for level in range(3):
                # Lines of a level begin at the center below, the lowest ones at the ground.
                mine = np.isclose(lowest, 0.1 * level - 0.05 if level else 0.0, atol=1e-6)
                assert np.isclose(forces[mine].sum(), (3 - level) * 1.5 * G, rtol=1e-6), level
            widths = np.array(chains.get_linewidths())
            assert np.allclose(widths / widths.max(), forces / forces.max())
        # In space a meter is as long along each axis, and the chains fill them.
        space = plots.force_chains(run, plane="xyz").axes[0]
        limits = np.array([space.get_xlim(), space.get_ylim(), space.get_zlim()])
        scale = np.ptp(limits, axis=1) / space._box_aspect
        assert np.allclose(scale, scale[0]) and np.ptp(limits, axis=1).max() < 1.0, limits
        labels_are_free(space)
        assert "0.05 s" in plots.force_chains(run, time=0.051).axes[0].get_title()
        assert "two of x, y and z" in raises(ValueError, plots.force_chains, run, plane="xx")
    row = [{**body, "pose": {"position": [0.1 * i, 0, 0.05]}} for i, body in enumerate(tower)]
    with run_of(scene_of(row + [floor], materials, duration=0.1)) as (run, _):
        labels_are_free(plots.force_chains(run, plane="xyz").axes[0])
    with run_of(scene_of(tower[2:], materials, duration=0.02)) as (run, _):
        assert "no contact" in plots.force_chains(run).axes[0].texts[0].get_text()


def test_contact_points_lie_on_the_bodies_of_their_row():
    materials, floor = ground(0.1)
    crate = box([0.2, 0.3, 0.1], pose={"position": [0, 0, 0.05]}, velocity={"linear": [5, 0, 0]})
    with run_of(scene_of([crate, floor], materials, duration=0.1)) as (run, _):
        for row in (5, -1):
            arms = run.contact_points(row) - run["bodies/position"][row, 0]
            assert np.allclose(np.abs(arms), [0.1, 0.15, 0.05], atol=1e-6)
            way = run.contact_points(row)[:, 0] - run.contacts(row)["position"][:, 0]
            step = run["step"][row]
            assert np.allclose(way, step * run.twist("box")[row, 3], rtol=1e-3)
            # Force chains go through them.
            chains, = plots.force_chains(run, time=run.time[row]).axes[0].collections
            ends = np.concatenate(chains.get_segments())
            for point in run.contact_points(row)[:, [0, 2]]:
                assert np.isclose(ends, point).all(axis=1).any()
        assert run.contact_points(0).shape == (0, 3)
        assert "rows 0 to" in raises(IndexError, run.contact_points, 99999)


def test_many_plots_leave_few_figures_open_and_warn_of_none():
    import matplotlib.pyplot as plt
    materials, floor = ground()
    with run_of(scene_of([box([0.1] * 3), floor], materials, duration=0.02)) as (run, _), \
            tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error")
        figures = [plot(run) for _ in range(7) for plot in
                   (plots.energy, plots.contact_impulses, lambda run: plots.wrench(run, "box"))]
        assert len(figures) == 21 and len(plt.get_fignums()) <= 10
        assert plt.gcf() is figures[-1]
        # The first is no longer that of pyplot, but can still be saved.
        figures[0].savefig(pathlib.Path(folder) / "first.svg")
        assert (pathlib.Path(folder) / "first.svg").stat().st_size > 5000


def test_a_run_without_contacts_shows_none():
    materials, floor = ground()
    scene = scene_of([box([0.1] * 3, pose={"position": [0, 0, 0.05]}), floor], materials,
                     output={"contacts": "none"})
    with run_of(scene) as (run, _):
        assert not run.has_contacts[1:].any()
        assert np.isnan(curves(plots.contact_force(run, "box"))["box"]).all()
        assert np.isnan(curves(plots.wrench(run, "box"))["x"]).all()
        for plot in (plots.force_chains, lambda run: plots.slip_margin(run, "box"),
                     plots.contact_impulses):
            assert "no contact" in plot(run).axes[0].texts[0].get_text()


def test_phase_portraits_are_ellipses_of_springs_and_parabolas_of_falls():
    k, mass, start = 50.0, 2.0, 0.3
    bodies = [{"name": "slider", "mass": mass, "inertia": [1, 1, 1]},
              {"name": "ball", "mass": 1, "inertia": [1, 1, 1], "pose": {"position": [0, 0, 4]},
               "velocity": {"linear": [1, 0, 0]}}]
    joints = [{"name": "spring", "type": "prismatic", "parent": "world", "child": "slider",
               "axis": [1, 0, 0], "stiffness": k, "position": start}]
    with run_of(scene_of(bodies, step=0.0005, duration=1.0, joints=joints),
                lambda sim: sim.bodies["ball"].twist.copy()) as (run, seen):
        # The free ball's coordinates follow those of the joint, and are no part of it.
        assert run.joint("spring").shape == (len(run), 1) == run.joint_velocity("spring").shape
        curve, dot = plots.phase(run).axes[0].lines
        x, v = curve.get_data()
        assert np.array_equal(dot.get_data(), [[start], [0.0]])
        # Half an implicit step of damping: first order in the step.
        assert np.allclose(x**2 + mass / k * v**2, start**2, rtol=0.02)
        assert np.ptp(x) > 1.9 * start
        height, speed = plots.body_phase(run, "ball").axes[0].lines[0].get_data()
        assert np.allclose(speed**2, 2 * G * (4 - height), atol=2 * G * 0.0005 * 10)
        _, along = plots.body_phase(run, "ball", along=[2, 0, 0]).axes[0].lines[0].get_data()
        assert np.allclose(along, 1)
        assert np.allclose(run.twist("ball")[1:], seen, atol=1e-14)
        assert "no joint elbow" in raises(KeyError, plots.phase, run, ["elbow"])


def test_a_wall_that_moves_has_the_velocity_of_its_motion():
    materials, floor = ground()
    motion = {"sinusoid": {"axis": [2, 0, 0], "amplitude": 0.1, "period": 0.5}}
    with run_of(scene_of([floor], materials, step=0.001,
                         actuators=[{"body": "ground", "motion": motion}])) as (run, _):
        expected = 0.1 * 4 * np.pi * np.cos(4 * np.pi * run.time)
        moved = np.gradient(run.body("ground")[0][:, 0], run.time, edge_order=2)
        assert np.allclose(run.twist("ground")[:, 3], moved, atol=1e-4)
        assert np.allclose(run.twist("ground")[:, 3], expected, atol=1e-9)


def test_histories_of_residuals_are_drawn_without_zeros():
    drawn = plots.residuals({"one": [1.0, 0.1, 0.0], "other": np.array([1e-3, 1e-9])})
    lines = drawn.axes[0].lines
    assert [line.get_label() for line in lines] == ["one", "other"]
    assert lines[0].get_ydata()[1] == 0.1 and np.isnan(lines[0].get_ydata()[2])
    assert drawn.axes[0].get_yscale() == "log"
    assert plots.residuals([2.0, 1.0]).axes[0].lines[0].get_ydata().tolist() == [2.0, 1.0]
    assert "one axis" in raises(ValueError, plots.residuals, [[1.0]])


def test_directions_points_and_axes_that_are_none_are_refused():
    import matplotlib.pyplot as plt
    with tempfile.TemporaryDirectory() as folder:
        scene = am.load_scene(FIRST, {"simulation.duration": 0.02})
        sim = am.Simulator(scene)
        with am.record(sim, scene, f"{folder}/run.h5") as recorder:
            sim.step()
        assert "record() begins another" in raises(ValueError, recorder.__enter__)
        with am.open_run(f"{folder}/run.h5") as run:
            up, flat = [0, 0, 1], plt.subplots()[1]
            for call, said in (
                    (lambda: plots.path(run, plane="xx"), "plane must be two of"),
                    (lambda: plots.path(run, plane=3), "plane must be two of"),
                    (lambda: plots.body_phase(run, "crate", [np.inf, 0, 0]), "along must be"),
                    (lambda: plots.flow(run, 0.2, up), "point must be three"),
                    (lambda: plots.flow(run, [np.nan] * 3, up), "point must be three"),
                    (lambda: plots.flow(run, up, up, radius=-1.0), "radius must be positive"),
                    (lambda: plots.force_chains(run, time=np.nan), "time must be finite"),
                    (lambda: plots.force_chains(run, plane="xyz", axes=flat), "axes must be"),
                    (lambda: plots.wrench(run, "crate", axes=flat), "axes must be two")):
                assert said in raises(ValueError, call), said
            raises(TypeError, run.contacts, 0.5)
    plt.close("all")


if __name__ == "__main__":
    run_tests(globals())
