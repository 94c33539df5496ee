"""Drives a headless Chromium through its debugging pipe, without port or library."""

import base64
import itertools
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

CANDIDATES = ("chromium", "chromium-browser", "google-chrome")


def find_browser():
    """Returns the path of a Chromium, or None."""
    return next((path for path in map(shutil.which, CANDIDATES) if path), None)


class Browser:
    """Holds one page in one browser, and records all requests for anything but the page itself."""

    def __init__(self, executable, width=1280, height=800, timeout_s=580.0):
        self._deadline = time.monotonic() + timeout_s
        self._profile = tempfile.mkdtemp(prefix="amontons-browser-")
        to_browser, self._output = os.pipe()
        self._input, from_browser = os.pipe()

        def connect_pipes():  # the browser reads descriptor 3 and writes descriptor 4
            low_read, low_write = os.dup(to_browser), os.dup(from_browser)
            os.dup2(low_read, 3, inheritable=True)
            os.dup2(low_write, 4, inheritable=True)

        self._process = subprocess.Popen(
            [executable, "--headless=new", "--no-sandbox", "--use-angle=swiftshader",
             "--enable-unsafe-swiftshader", "--remote-debugging-pipe", "--no-first-run",
             "--disable-background-networking", "--hide-scrollbars",
             f"--user-data-dir={self._profile}", f"--window-size={width},{height}", "about:blank"],
            close_fds=False, preexec_fn=connect_pipes, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._buffer = b""
        self._ids = itertools.count(1)
        self._session = None
        self.requests = []
        self.errors = []
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        self._session = self.call(
            "Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Network", "Runtime", "Page"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def _read_message(self):
        while b"\0" not in self._buffer:
            remaining = self._deadline - time.monotonic()
            if remaining <= 0 or not select.select([self._input], [], [], remaining)[0]:
                raise TimeoutError("the browser did not answer in time")
            chunk = os.read(self._input, 1 << 16)
            if not chunk:
                raise RuntimeError("the browser ended")
            self._buffer += chunk
        text, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(text)

    def _note_event(self, message):
        if message.get("method") == "Network.requestWillBeSent":
            self.requests.append(message["params"]["request"]["url"])
        elif (message.get("method") == "Runtime.consoleAPICalled"
              and message["params"]["type"] in ("error", "warning")):
            self.errors.append(str(message["params"]["args"]))
        elif message.get("method") == "Runtime.exceptionThrown":
            details = message["params"]["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))

    def call(self, method, **params):
        """Returns the result of one protocol command."""
        number = next(self._ids)
        request = {"id": number, "method": method, "params": params}
        if self._session:
            request["sessionId"] = self._session
        os.write(self._output, json.dumps(request).encode() + b"\0")
        while True:
            message = self._read_message()
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self._note_event(message)

    def evaluate(self, expression):
        """Returns the value of a JavaScript expression (or of its promise)."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def open(self, url):
        """Loads a replay page and waits until it is drawn."""
        self.call("Page.navigate", url=url)
        while True:
            state = self.evaluate(
                "document.body && (document.body.dataset.amontonsReady || "
                "document.body.dataset.amontonsError)")
            if state:
                return state
            time.sleep(0.1)

    def press(self, key, code=0, text=""):
        """Presses and releases one key."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key,
                      windowsVirtualKeyCode=code, text=text if kind == "keyDown" else "")

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left",
                      buttons=1, clickCount=1)

    def screenshot(self, box=None, scale=1.0):
        """Returns a PNG of the window, or of its part (left, top, right, bottom) at another scale."""
        part = {}
        if box:
            left, top, right, bottom = box
            part["clip"] = {"x": left, "y": top, "width": right - left, "height": bottom - top,
                            "scale": scale}
        shot = self.call("Page.captureScreenshot", format="png", **part)
        return base64.b64decode(shot["data"])

    def close(self):
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._output)
        os.close(self._input)
        shutil.rmtree(self._profile, ignore_errors=True)
