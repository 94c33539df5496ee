"""Views: a simulation in the browser while a loop of Python steps it."""
import os
import sys
import webbrowser
from typing import Callable, Iterator, Optional

from ._core import Scene, Simulator, _View
from .arguments import number, positive, shown

_PATIENCE_S = 10.0  # for a browser that was opened


def _can_open_browser() -> bool:
    """Returns False where a browser would take over the terminal."""
    return (sys.platform in ("darwin", "win32") or "BROWSER" in os.environ
            or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ)


class View:
    """Shows a simulator in browsers on this machine: see view()."""

    def __init__(self, simulator: Simulator, scene: Optional[Scene] = None, *, port: int = 0,
                 speed: Optional[float] = 1.0, open_browser: bool = True,
                 restart: Optional[Callable[[Simulator], object]] = None, paused: bool = False):
        speed = None if speed is None else positive(speed, "view: speed")
        if not isinstance(paused, bool):
            raise TypeError(f"view: paused must be True or False, not {shown(paused)}")
        self._view = _View(simulator, scene, port, speed or 0.0, restart, paused)
        print(f"view: {self.address} shows it to browsers on this machine", flush=True)
        if open_browser and _can_open_browser() and webbrowser.open(self.address):
            self._view.wait(_PATIENCE_S)

    def update(self) -> bool:
        """Carries out what the page asks for, and waits until the next step is due.

        Pauses, the speed and pulls are those of the page. Without a browser it returns at once.
        Returns `running`. Ctrl-C is heard within a tenth of a second."""
        self._view.update()
        return self.running

    def wait(self, seconds: float = 30.0) -> bool:
        """Waits until a browser looks, at most that long. Returns True if one does. Raises
        ValueError for a time that is negative."""
        if number(seconds, "View.wait: seconds") < 0:
            raise ValueError(f"View.wait: seconds must be at least 0, not {seconds!r}")
        return self._view.wait(seconds)

    def close(self) -> None:
        """Shows the last state and ends the page's connection; later steps are not shown."""
        self._view.close()

    @property
    def running(self) -> bool:
        """False once the page's Stop was pressed, the simulator is at its scene's end, or the view
        is closed."""
        return self._view.running

    @property
    def paused(self) -> bool:
        """True while the page pauses the simulation."""
        return self._view.paused

    @property
    def num_viewers(self) -> int:
        """Number of browsers that look."""
        return self._view.num_viewers

    @property
    def address(self) -> str:
        """Address of the page, "http://127.0.0.1:PORT/"."""
        return self._view.address

    @property
    def simulator(self) -> Simulator:
        """The simulator that is shown."""
        return self._view.simulator

    def __iter__(self) -> Iterator[Simulator]:
        """Gives the simulator before each step, while the view is running; the loop steps it."""
        while self.update():
            yield self.simulator

    def __enter__(self) -> "View":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<View {self.address}: {self.num_viewers} browsers>"


def view(simulator: Simulator, scene: Optional[Scene] = None, *, port: int = 0,
         speed: Optional[float] = 1.0, open_browser: bool = True,
         restart: Optional[Callable[[Simulator], object]] = None, paused: bool = False) -> View:
    """Shows a simulator in a browser while a loop steps it, and prints the address of the page.

        with am.view(sim) as view:
            while view.running:
                sim.step()
                view.update()

    `for sim in view: sim.step()` is the same loop. The page pauses, steps, restarts and stops the
    simulation, sets its speed, pulls bodies and sets targets of servos. Without a browser the loop
    does not wait. The page comes from 127.0.0.1 and answers only browsers of this machine. The
    motion has the same bits as without a view, unless the page commands; runs record its commands.

    With its `scene` the page has the scene's name, and draws robots as their files say; ValueError
    is raised for another scene. Without it the page draws collision shapes.
    `speed` is simulated time by wall time, None as fast as possible, until the page sets another.
    `restart(simulator)` is called for the page's Restart; without it the state at the call of view()
    comes back. `port` 0 is a free one; OSError is raised where a port is taken. `open_browser`
    opens the page where there is a desktop, and waits at most ten seconds for it. `paused` begins
    in a pause, in which the page's sliders place joints without a servo; it waits for a browser.
    """
    return View(simulator, scene, port=port, speed=speed, open_browser=open_browser,
                restart=restart, paused=paused)
