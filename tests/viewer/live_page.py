"""Watches a simulation that is shown live as its page does, and asks for things."""

import http.client
import json
import threading
import time

from live_test import events

# A body that nothing holds: a pull alone moves it.
FLOATING = """amontons: 1
gravity: [0, 0, 0]
simulation: {step: 0.005, duration: 100000}
bodies:
  - {name: wall, fixed: true, shapes: [{box: [1, 1, 0.1]}], pose: {position: [0, 0, -3]}}
  - {name: brick, mass: 2, shapes: [{box: [0.4, 0.2, 0.1]}],
     pose: {position: [0.1, 0.2, 0.3], rpy_deg: [10, 20, 30]}}
"""
# Boxes at rest: a pull drags one over the ground and against the other.
RESTING = """amontons: 1
simulation: {step: 0.005, duration: 100000}
materials: [{name: default, friction: 0.5}]
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - {name: left, mass: 1, shapes: [{box: [0.2, 0.2, 0.2]}], pose: {position: [0, 0, 0.1]}}
  - {name: right, mass: 3, shapes: [{box: [0.2, 0.2, 0.2]}], pose: {position: [0.3, 0, 0.1]}}
"""
# An arm with a servo of position at one joint, none at the next, and a rail with one of rate.
ARM = """amontons: 1
simulation: {step: 0.002, duration: 100000}
bodies:
  - {name: base, fixed: true, shapes: [{box: [0.1, 0.1, 0.1]}]}
  - {name: upper, mass: 1, shapes: [{box: [0.1, 0.1, 0.5]}], pose: {position: [0, 0, -0.3]}}
  - {name: lower, mass: 0.5, shapes: [{box: [0.08, 0.08, 0.4]}], pose: {position: [0, 0, -0.8]}}
  - {name: slider, mass: 1, shapes: [{box: [0.1, 0.1, 0.1]}], pose: {position: [1, 0, 0]}}
joints:
  - {name: shoulder, type: revolute, parent: base, child: upper, axis: [0, 1, 0], at: [0, 0, 0],
     limits: [-1, 1.5]}
  - {name: elbow, type: revolute, parent: upper, child: lower, axis: [0, 1, 0], at: [0, 0, -0.6]}
  - {name: rail, type: prismatic, parent: world, child: slider, axis: [1, 0, 0], at: [1, 0, 0]}
actuators:
  - {joint: shoulder, position: {kp: 200, kd: 20, target: 0.25}}
  - {joint: rail, velocity: {kd: 20, target: 0.001}}
"""


class Page:
    """Watches a simulation as a page does, and asks for things."""

    def __init__(self, live):
        self.live = live
        self.stream = live.stream()
        self.ours = f"http://127.0.0.1:{live.port}"
        self.frames, self.statuses, self.ending = [], [], None
        response = live.get(self.stream)
        self.thread = threading.Thread(target=self.read, args=(response,), daemon=True)
        self.thread.start()

    def read(self, response):
        try:
            for name, data in events(response):
                {"message": self.frames, "status": self.statuses}.get(name, []).append(data)
                if name == "end":
                    self.ending = data
                    return
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            return  # the program was killed

    def ask(self, *requests, check=204):
        for request in requests:
            body = request if isinstance(request, (str, bytes)) else json.dumps(request)
            connection = http.client.HTTPConnection("127.0.0.1", self.live.port, timeout=60)
            connection.request("POST", self.stream + "/ask", body, {"Origin": self.ours})
            response = connection.getresponse()
            text = response.read().decode()
            connection.close()
            assert response.status == check, (request, response.status, text)
        return text

    def stop(self):
        response = self.live.get(self.stream + "/stop", method="POST", origin=self.ours)
        assert response.status == 204

    def wait_for(self, condition, seconds=60):
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, "waited in vain"
            time.sleep(0.01)

    def pull_for(self, seconds, pull):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.ask({"pull": pull})
            time.sleep(0.1)
        self.ask({"pull": None})
