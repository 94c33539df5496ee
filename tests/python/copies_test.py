#!/usr/bin/python3
"""Checks which objects follow the simulation, and which can be copied or sent to other processes."""
import copy
import multiprocessing
import pickle

import numpy as np

import amontons as am
from harness import FIRST, ROOT, raises, run_tests


def run_on(sim, steps):
    for _ in range(steps):
        sim.step()
    return sim.q.tobytes(), sim.v.tobytes(), sim.time


def everything(report):
    """Returns the content of a report, but for wall times, as bytes and numbers."""
    certificate, energy, problem = report.certificate, report.energy, report.problem
    return (report.step, report.contacts.tobytes(), report.solver.impulses.tobytes(),
            report.solver.velocity.tobytes(), report.solver.status, problem.M.tobytes(),
            problem.J.tobytes(), problem.free_velocity.tobytes(), certificate.normal,
            certificate.friction, certificate.infeasibility, energy.kinetic, energy.gravity)


def test_a_report_that_is_kept_does_not_change():
    # From flight through impacts to a rest whose steps repeat each other bit for bit.
    sim = am.Simulator(am.load_scene(FIRST))
    kept, as_it_was = [], []
    for _ in range(300):
        report = sim.step()
        kept.append(report)
        as_it_was.append(everything(report))
    assert [everything(report) for report in kept] == as_it_was
    assert len({says[2] for says in as_it_was}) > 50, "the steps differ"


def test_reports_are_the_same_whether_they_are_kept_or_not():
    scene = am.load_scene(FIRST)
    keeping, dropping, holding_parts = (am.Simulator(scene) for _ in range(3))
    kept, parts = [], []
    while not keeping.finished:
        kept.append(keeping.step())
        report = dropping.step()
        parts.append(holding_parts.step().solver.impulses)
        assert everything(kept[-1]) == everything(report)
        assert parts[-1].tobytes() == report.solver.impulses.tobytes()
        if len(kept) == 40:
            kept, parts = kept[::7], parts[::7]
    assert keeping.q.tobytes() == dropping.q.tobytes() == holding_parts.q.tobytes()


def test_the_last_report_is_at_hand_for_controllers_and_rewards():
    sim = am.Simulator(am.load_scene(FIRST))
    assert sim.report is None
    seen = []
    sim.set_controller(lambda s: seen.append(s.report and s.report.solver.impulses.tobytes()))
    reports = [sim.step() for _ in range(100)]
    assert sim.report is reports[-1]
    assert seen == [None] + [report.solver.impulses.tobytes() for report in reports[:-1]]


def test_a_part_of_a_report_outlives_its_report():
    sim = am.Simulator(am.load_scene(FIRST))
    while len((report := sim.step()).contacts) < 4:
        pass
    impulses, problem = report.solver.impulses, report.problem
    before = impulses.tobytes(), problem.J.tobytes()
    del report
    run_on(sim, 20)
    assert (impulses.tobytes(), problem.J.tobytes()) == before
    assert not impulses.flags.writeable


def test_views_follow_and_copies_stay():
    sim = am.Simulator(am.load_scene(FIRST))
    view, copied, state = sim.q, sim.q.copy(), sim.save()
    sim.step()
    assert np.shares_memory(view, sim.q) and view.tobytes() == sim.q.tobytes()
    assert copied.tobytes() == state.q.tobytes() != view.tobytes()
    report = sim.step()
    while len(report.contacts) == 0:
        report = sim.step()
    contacts = report.contacts
    contacts["gap"] = 7.0  # the table is a copy
    assert (report.contacts["gap"] != 7.0).all()
    problem = report.problem
    problem.M[:] = 0.0
    assert problem.M.any(), "M is a copy each time it is asked for"
    raises(ValueError, problem.free_velocity.__setitem__, 0, 1.0)


def test_states_are_copied_and_pickled_to_the_bit():
    sim = am.Simulator(am.load_scene(FIRST))
    run_on(sim, 160)
    state = sim.save()
    expected = run_on(sim, 60)
    for other in (copy.copy(state), copy.deepcopy([state])[0], pickle.loads(pickle.dumps(state)),
                  pickle.loads(pickle.dumps(state, protocol=2))):
        assert other is not state and other.step_count == 160
        assert other.q.tobytes() == state.q.tobytes() and other.time == state.time
        again = am.Simulator(am.load_scene(FIRST))
        again.restore(other)
        assert run_on(again, 60) == expected, "warm start and counters go with it"


def test_states_between_impacts_are_pickled_to_the_bit():
    sim = am.Simulator(am.load_scene(ROOT / "examples/events/bounce.yaml"))
    while not sim.step().events.impact:
        pass
    state = pickle.loads(pickle.dumps(sim.save()))
    expected = run_on(sim, 30)
    sim.restore(state)
    assert run_on(sim, 30) == expected


def test_scenes_are_copied_and_pickled_with_what_they_were_read_from():
    quadruped = am.load_scene(FIRST.parent / "quadruped" / "quadruped.urdf")
    changed = am.load_scene(FIRST, {"simulation.step": "0.002", "bodies.crate.mass": "3"})
    changed.duration = 0.25
    built = am.make_scene({"amontons": 1, "simulation": {"step": 0.01, "duration": 1},
                           "bodies": [{"name": "ball", "mass": 1, "shapes": [{"sphere": 0.1}]}]})
    for scene in (quadruped, changed, built):
        expected = run_on(am.Simulator(scene), 50)
        for other in (copy.copy(scene), copy.deepcopy(scene), pickle.loads(pickle.dumps(scene))):
            assert other.text == scene.text and other.duration == scene.duration
            assert run_on(am.Simulator(other), 50) == expected
            other.duration = 9.0
            assert scene.duration != 9.0


def reach(task):
    """Runs in another process."""
    scene, state, steps = task
    sim = am.Simulator(scene, threads=1)
    sim.restore(state)
    run_on(sim, steps)
    return sim.save()


def test_other_processes_go_on_from_scenes_and_states():
    scene = am.load_scene(FIRST)
    sim = am.Simulator(scene)
    states = []
    for _ in range(4):
        run_on(sim, 50)
        states.append(sim.save())
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        ends = pool.map(reach, [(scene, state, 50) for state in states[:3]])
    assert [end.q.tobytes() for end in ends] == [state.q.tobytes() for state in states[1:]]


def test_copies_of_values_of_a_simulator_are_not_to_be_written():
    sim = am.Simulator(am.load_scene(FIRST))
    while sim.step().problem.num_contacts == 0:
        pass
    crate, frame = sim.bodies["crate"], sim.frame("crate")
    arrays = [sim.gravity, sim.q, sim.v, sim.positions, sim.orientations, sim.effort_limits,
              sim.contacts, *crate.pose, *crate.contact_wrench, *crate.imu]
    arrays += [getattr(crate, name) for name in (
        "position", "quat_wxyz", "rotation", "velocity", "angular_velocity", "twist",
        "acceleration", "center_of_mass", "inertia")]
    arrays += [getattr(frame, name) for name in (
        "position", "quat_wxyz", "rotation", "velocity", "angular_velocity")]
    for array in arrays:
        assert not array.flags.writeable
        raises(ValueError, array.__setitem__, 0, array[0])
        array.copy()[0] = array[0]
    # What functions compute is the caller's.
    for array in (sim.jacobian("crate"), sim.mass_matrix(), sim.bias(), sim.imu("crate")[0],
                  sim.body_poses()["crate"][0], crate.point([0, 0, 0])):
        array[0] = 0.0


if __name__ == "__main__":
    run_tests(globals())
