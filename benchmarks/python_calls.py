#!/usr/bin/python3
"""Measures what the calls of the Python module cost on a robot, beside an empty call.

    PYTHONPATH=build/python benchmarks/python_calls.py [-o FOLDER] [--rounds N] [--panda URDF]

The robot is a quadruped of 13 links on the ground. Each time is that of one call in a
loop, the shortest of all rounds [us]; calls that answer from the kinematics of the state do so with
the kinematics known already, as the second and further questions after a step do. With -o the
result is also written, to python-calls.json and python-calls.md.
"""
import argparse
import contextlib
import copy
import datetime
import io
import json
import os
import pathlib
import pickle
import sys
import tempfile
import time

import numpy as np

import amontons as am

ROOT = pathlib.Path(__file__).resolve().parents[1]
LONGEST = 3.0  # time for one call, of all its rounds [s]
PANDA = (ROOT.parent / "shared/data/robots/example-robot-data/robots/panda_description/urdf"
         / "panda.urdf")


def robot():
    scene = am.load_scene(ROOT / "experiments/quadruped-no-slip/walk.yaml")
    scene.duration = 1e6
    return scene


def standing():
    sim = am.Simulator(robot(), threads=1)
    for _ in range(200):
        sim.step()
    return sim


def calls_of(sim):
    """Returns {title: function}, from light to heavy."""
    body = list(sim.bodies)[-1]
    joint = next(name for name in sim.joints if isinstance(sim.joints[name].position, float)
                 and sim.joints[name].index is not None)
    frame = sim.frame(body, [0.0, 0.0, -0.1], name="foot")
    q, v, vdot = sim.q.copy(), sim.v.copy(), np.zeros(sim.v.size)
    view, hinge, report = sim.bodies[body], sim.joints[joint], sim.report
    moving = [name for name in sim.bodies if not sim.bodies[name].fixed]
    state = sim.save()

    gravity = [-9.81]

    def changed():
        gravity[0] = -9.8 - (gravity[0] == -9.8) * 0.01     # each call changes it
        sim.set_gravity([0, 0, gravity[0]])

    free = q.copy()
    servo = next(name for name in sim.joints
                 if np.isfinite(sim.effort_limits[sim.joints[name].index or 0]))
    return {
        "sim.step()": sim.step,
        "sim.time (an empty call)": lambda: sim.time,
        "sim.q": lambda: sim.q,
        "sim.bodies[name]": lambda: sim.bodies[body],
        "body.position": lambda: view.position,
        "body.velocity": lambda: view.velocity,
        "body.pose": lambda: view.pose,
        "body.twist": lambda: view.twist,
        "body.acceleration": lambda: view.acceleration,
        "sim.joints[name]": lambda: sim.joints[joint],
        "sim.joint_names": lambda: sim.joint_names,
        "joint.position": lambda: hinge.position,
        "joint.velocity": lambda: hinge.velocity,
        "joint.index": lambda: hinge.index,
        "joint.limits": lambda: hinge.limits,
        "joint.effort": lambda: hinge.effort,
        "joint.wrench": lambda: hinge.wrench,
        "frame.position": lambda: frame.position,
        "frame.velocity": lambda: frame.velocity,
        "sim.frame(body, position)": lambda: sim.frame(body, [0, 0, -0.1]),
        "sim.positions": lambda: sim.positions,
        "sim.orientations": lambda: sim.orientations,
        "sim.body_poses()": sim.body_poses,
        "sim.jacobian(name)": lambda: sim.jacobian(body),
        "sim.jacobian(frame)": lambda: sim.jacobian(frame),
        "sim.jacobian_rate(frame)": lambda: sim.jacobian_rate(frame),
        "sim.mass_matrix()": sim.mass_matrix,
        "sim.bias()": sim.bias,
        "sim.forward_kinematics(q, frame)": lambda: sim.forward_kinematics(q, frame),
        "sim.inverse_dynamics(q, v, vdot)": lambda: sim.inverse_dynamics(q, v, vdot),
        "the same with contacts": lambda: sim.inverse_dynamics(q, v, vdot, contacts=True),
        "sim.imu(frame)": lambda: sim.imu(frame),
        "sim.force_torque(frame)": lambda: sim.force_torque(frame),
        "sim.contact_wrench(name)": lambda: sim.contact_wrench(body),
        "sim.contacts": lambda: sim.contacts,
        "sim.distance(a, b)": lambda: sim.distance(moving[0], moving[-1]),
        "sim.cast_ray(...)": lambda: sim.cast_ray([0, 0, 5], [0, 0, -1]),
        "report.certificate.residuals": lambda: report.certificate.residuals,
        "sim.save()": sim.save,
        "sim.restore(state)": lambda: sim.restore(state),
        "sim.set_effort(name, effort)": lambda: sim.set_effort(joint, 0.0),
        "sim.set_gravity(...)": changed,
        "sim.set_efforts(all)": lambda: sim.set_efforts(np.zeros(v.size)),
        "sim.set_servo_target(name, target)": lambda: sim.set_servo_target(servo, 0.0),
        "sim.set_servo_gains(name, kp)": lambda: sim.set_servo_gains(servo, kp=20.0),
        "sim.set_wrench(body, force)": lambda: sim.set_wrench(body, [0, 0, 0]),
        "sim.set_state(q, v)": lambda: sim.set_state(q, v),
        "sim.effort_limits": lambda: sim.effort_limits,
        "sim.gravity_compensation(q)": lambda: sim.gravity_compensation(free),
    }


def problem_calls(sim):
    """Returns the calls that ask the contact problem and the report of the last step."""
    report = sim.report
    problem, solution = report.problem, report.solution
    M, J, friction = problem.M, problem.J, problem.friction
    return {
        "sim.report": lambda: sim.report,
        "report.contacts": lambda: report.contacts,
        "report.has_law_asked": lambda: report.has_law_asked,
        "problem.M": lambda: problem.M,
        "problem.J": lambda: problem.J,
        "problem.A": lambda: problem.A,
        "problem.contact_velocities(v)": lambda: problem.contact_velocities(solution.velocity),
        "problem.solve()": problem.solve,
        "problem.residual_history()": problem.residual_history,
        "problem.linear_complementarity()": lambda: problem.linear_complementarity("frictionless"),
        "am.ContactProblem(M, J, ...)": lambda: am.ContactProblem(
            M, J, friction, problem.free_velocity),
        "problem.jams()": problem.jams,
        "am.certify(problem, impulses)": lambda: am.certify(problem, solution.impulses),
    }


def question_calls(sim):
    """Returns the calls that answer questions about contacts, and those on scenes and states."""
    q, v, still = sim.q.copy(), sim.v.copy(), np.zeros(sim.v.size)
    limits = np.full(v.size, 100.0)
    state, scene = sim.save(), robot()
    body = list(sim.bodies)[sim.report.contacts["body_b"][0]]
    name = body if not sim.bodies[body].fixed else (
        list(sim.bodies)[sim.report.contacts["body_a"][0]])
    controls = np.zeros((1, 10, v.size))
    fingers = [[-1, 0, 0], [1, 0, 0], [0, 1, 0]], [[1, 0, 0], [-1, 0, 0], [0, -1, 0]]
    return {
        "am.needed_efforts(sim, q, v, vdot)": lambda: am.needed_efforts(sim, q, v, still, limits),
        "am.find_jams(sim)": lambda: am.find_jams(sim),
        "am.Grasp.of(sim, body)": lambda: am.Grasp.of(sim, name, length=1.0),
        "Grasp(...).epsilon in the plane": lambda: am.Grasp(
            [[-1, 0], [1, 0]], [[1, 0], [-1, 0]], 0.5).epsilon,
        "Grasp(...).epsilon, three fingers": lambda: am.Grasp(*fingers, 0.5).epsilon,
        "grasp.hold(force), three fingers": lambda: am.Grasp(*fingers, 0.5).hold([0, 0, -1]),
        "pickle.dumps(state)": lambda: pickle.dumps(state),
        "copy.copy(scene)": lambda: copy.copy(scene),
        "am.Simulator(scene)": lambda: am.Simulator(scene, threads=1),
        "am.rollout, ten steps": lambda: am.rollout(scene, [state], controls, threads=1),
    }


def boxes():
    """Returns a scene of two boxes that a servo of the first lets slide, and a weld that detaches."""
    names = ("first", "second", "spare")
    return am.make_scene({
        "amontons": 1, "simulation": {"step": 0.001, "duration": 1e6},
        "materials": [{"name": "floor", "friction": 0.5}, {"name": "wood", "friction": 0.5}],
        "bodies": [{"name": "floor", "fixed": True, "shapes": [
            {"half_space": {"normal": [0, 0, 1]}, "material": "floor"}]}] + [
            {"name": name, "mass": 1.0, "shapes": [{"box": [0.2, 0.2, 0.2], "material": "wood"}],
             "pose": {"position": [k, 0, 0.1]}} for k, name in enumerate(names)],
        "joints": [{"name": "weld", "type": "fixed", "parent": "first", "child": "second",
                    "coordinates": "maximal"}]})


def change_calls(_):
    """Returns the calls that change a scene of boxes, pairs of calls where one undoes the other, and
    a step by a solver of the user."""
    sim = am.Simulator(boxes(), threads=1)
    sim.step()
    impulses = sim.report.solution.impulses
    turn = [0]

    def other():
        turn[0] = 1 - turn[0]  # each call changes it
        return turn[0]

    def attached():
        sim.detach("weld")
        sim.attach("weld")

    def parked():
        sim.park("spare")
        sim.release("spare")

    def solver(problem, gap_speeds):
        return np.zeros(3 * gap_speeds.size) if impulses.size < 3 * gap_speeds.size \
            else impulses[:3 * gap_speeds.size]

    return {
        "sim.set_material(name, friction)": lambda: sim.set_material(
            "wood", friction=0.5 + 0.1 * other()),
        "sim.set_material_pair(a, b, friction)": lambda: sim.set_material_pair(
            "wood", "floor", friction=0.5 + 0.1 * other()),
        "sim.set_mass(body, mass)": lambda: sim.set_mass("first", 1.0 + 0.1 * other()),
        "sim.set_collision(a, b, collide)": lambda: sim.set_collision("first", "spare", other() == 1),
        "sim.detach(joint), sim.attach(joint)": attached,
        "sim.park(body), sim.release(body)": parked,
        "sim.step() of the boxes": sim.step,
        "sim.step(solver=function) of the boxes": lambda: sim.step(solver=solver),
    }


def environment_calls(_):
    """Returns the steps of environments: of one, and of eight in one thread."""
    cart = am.make_scene({
        "amontons": 1, "simulation": {"step": 0.01, "duration": 1e6},
        "bodies": [{"name": "cart", "mass": 1, "inertia": [1, 1, 1]}],
        "joints": [{"name": "rail", "type": "prismatic", "parent": "world", "child": "cart",
                    "axis": [1, 0, 0]}]})
    options = {"joints": ["rail"], "max_effort": 1.0, "reward": lambda sim: -abs(sim.q[0])}
    env, envs = am.Env(cart, **options), am.VectorEnv(cart, 8, **options)
    env.reset(seed=1)
    envs.reset(seed=1)
    action, actions = np.zeros(1), np.zeros((8, 1))
    return {"env.step(action), a cart": lambda: env.step(action),
            "envs.step(actions), eight carts": lambda: envs.step(actions)}


def view_calls(sim, folder):
    """Returns the calls that draw, that show a simulator, and that read files."""
    path = pathlib.Path(folder)
    film = am.Film(sim, f"{folder}/frames/", scene=robot(), size=(320, 240), force=True)
    sim.report.problem.save(path / "problem.h5", force=True)
    with contextlib.redirect_stdout(io.StringIO()):
        view = am.view(sim, robot(), open_browser=False, speed=None)
    (path / "ball.xml").write_text(
        '<mujoco><worldbody><body name="ball"><freejoint/><geom size="0.1"/><site name="s"/></body>'
        '</worldbody><sensor><gyro name="gyro" site="s"/></sensor></mujoco>')
    ball = am.Simulator(am.load_scene(path / "ball.xml"), threads=1)
    gyro = list(ball.sensors)[0]
    return {
        "sim.sensors[name]": lambda: ball.sensors[gyro],
        "am.load_problem(file)": lambda: am.load_problem(path / "problem.h5"),
        "am.picture(sim, ...), 320 x 240": lambda: am.picture(
            sim, None, path / "still.png", scene=robot(), size=(320, 240), force=True),
        "film.frame(), 320 x 240": film.frame,
        "view.update(), nobody looks": view.update,
    }


def run_calls(sim, folder):
    """Returns the calls that read a run of 200 steps."""
    scene = robot()
    sim = am.Simulator(scene, threads=1)
    path = pathlib.Path(folder) / "run.h5"
    with am.record(sim, scene, path):
        for _ in range(200):
            sim.step()
    run = am.open_run(path)
    body = run.body_names[-1]

    def opened():
        with am.open_run(path) as other:
            return len(other)
    return {
        f"am.open_run(file), {len(run)} rows": opened,
        'run["q"]': lambda: run["q"],
        "run.body(name)": lambda: run.body(body),
        "run.contacts(row)": lambda: run.contacts(-1),
        "run.masses": lambda: run.masses,
        "run.twist(name)": lambda: run.twist(body),
    }


def shortest(function, rounds):
    """Returns the time of a call in the best of some rounds [us]."""
    number = 1
    while True:
        start = time.perf_counter()
        for _ in range(number):
            function()
        spent = time.perf_counter() - start
        if spent > 2e-3:
            break
        number *= 4
    best, begun = spent / number, time.perf_counter()
    for _ in range(rounds):
        if time.perf_counter() - begun > LONGEST:
            break
        start = time.perf_counter()
        for _ in range(number):
            function()
        best = min(best, (time.perf_counter() - start) / number)
    return 1e6 * best


def controller_us(urdf, rounds):
    """Returns the time of a step of a Panda [us]: alone, and with the calls of a controller."""
    sys.path.insert(0, str(ROOT / "examples/python/control"))
    from panda import TOOL, make_panda
    sim, arm = make_panda(urdf, duration=1e6)
    hand, state, steps = sim.bodies[TOOL], sim.save(), 200
    efforts = sim.bias().copy()

    def alone():
        for _ in range(steps):
            sim.step()

    def controlled():
        for _ in range(steps):
            # State of joints and hand, J, M, and the forces of gravity and motion.
            sim.time, sim.q, sim.v, hand.position, hand.rotation
            sim.jacobian(TOOL), sim.mass_matrix()
            efforts[arm] = sim.bias()[arm]
            sim.set_efforts(efforts)
            sim.step()

    best = {alone: np.inf, controlled: np.inf}
    for _ in range(rounds):
        for loop in best:
            sim.restore(state)
            sim.set_efforts(efforts)
            start = time.perf_counter()
            loop()
            best[loop] = min(best[loop], (time.perf_counter() - start) / steps)
    return [1e6 * seconds for seconds in best.values()]


def controller_text(result):
    if "panda_us" not in result:
        return ""
    alone, controlled = result["panda_us"]
    return (f"\nA Panda at 1 kHz: a step takes {alone:.1f} us, and {controlled:.1f} us in the loop of "
            "a controller that asks for time, q, v,\nthe pose of the hand, its Jacobian, M and the "
            f"bias, and sets all efforts: {controlled - alone:.1f} us more.\n")


def as_markdown(result):
    rows = "".join(f"| `{title}` | {value:.2f} |\n" for title, value in result["calls_us"].items())
    return (f"{result['date']}, {result['processors']} processors, load {result['load_at_start']:.2f} "
            f"to {result['load_at_end']:.2f}; {result['build']}\n\nA quadruped: {result['bodies']} bodies, "
            f"{result['velocities']} velocities, {result['contacts']} contacts.\n\n"
            f"| call | us |\n|---|---|\n{rows}{controller_text(result)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=pathlib.Path, help="folder to write into")
    parser.add_argument("--rounds", type=int, default=50, help="of which the best counts")
    parser.add_argument("--panda", type=pathlib.Path, default=PANDA, help="panda.urdf")
    options = parser.parse_args()
    sim = standing()
    result = {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
              "build": am.build, "processors": os.cpu_count(), "load_at_start": os.getloadavg()[0],
              "bodies": len(sim.bodies), "velocities": sim.v.size,
              "contacts": int(sim.contacts.size)}
    result["calls_us"] = {}
    with tempfile.TemporaryDirectory() as folder:
        for calls in (calls_of, problem_calls, question_calls, change_calls, environment_calls,
                      lambda own: view_calls(own, folder), lambda own: run_calls(own, folder)):
            # Each call has a simulator of its own, whose last step it finds.
            for title in calls(standing()):
                result["calls_us"][title] = shortest(calls(standing())[title], options.rounds)
    if options.panda.exists():
        result["panda_us"] = controller_us(options.panda, options.rounds)
    else:
        print(f"no controller is timed: there is no {options.panda}", file=sys.stderr)
    result["load_at_end"] = os.getloadavg()[0]
    print(as_markdown(result), end="")
    if options.output:
        (options.output / "python-calls.json").write_text(json.dumps(result, indent=2) + "\n")
        (options.output / "python-calls.md").write_text(as_markdown(result))


if __name__ == "__main__":
    main()
