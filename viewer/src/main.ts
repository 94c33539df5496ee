import { Quaternion, Vector3 } from 'three';
import { App } from './app';
import type { Run } from './data';
import { placeNearOrigin } from './extent';
import { LiveRun } from './live_run';
import { isBare, showMessage } from './options';
import { readPage } from './recorded';
import type { Selection } from './selection';

/** The state of a picture after it is drawn. */
interface Drawn {
  frame: number;
  time: number; // time of that frame [s]
  colors: number; // number of colors of the scene: 1 where it is empty, 0 without WebGL
}

/** The cost of drawing a frame. */
interface Cost {
  scriptMs: number; // JavaScript: motion and commands to WebGL; the least of some frames
  drawCalls: number;
}

/** The scripted interface: for `amontons replay --still`, tests and the browser's console. */
interface Handle {
  ready: boolean;
  runs: Run[];
  readonly frame: number;
  setFrame: (frame: number) => void;
  /** Shows the frame nearest to a time; resolves when it is on the screen. */
  showTime: (time: number) => Promise<Drawn>;
  select: (selection: Selection | null) => void;
  /** Position in the world and quaternion (w, x, y, z), as decoded. */
  pose: (run: number, body: number, frame: number) => number[];
  /** The camera's direction, seen from its target. */
  direction: () => number[];
  /** The body that is drawn at a place of the window [px], or null. */
  pick: (x: number, y: number) => number | null;
  target: () => number[];
  distance: () => number;
  /** Where a point is in the window [pixels]. @param point  relative to the origin of the runs. */
  placeOf: (point: Vector3) => number[];
  render: () => void;
  measure: (frames: number) => Cost;
}

function nextPicture(): Promise<void> {
  return new Promise((resolve) => { requestAnimationFrame(() => resolve()); });
}

function makeHandle(app: App): Handle {
  const { stage } = app.view ?? {};
  return {
    ready: true,
    runs: app.runs,
    get frame() { return app.player.frame; },
    setFrame: (frame) => app.player.setFrame(frame),
    showTime: async (time) => {
      app.player.seek(time);
      await nextPicture();
      stage?.render();
      const { frame } = app.player;
      const drawn = { frame, time: app.runs[0].times[frame], colors: stage?.countColors() ?? 0 };
      await nextPicture();
      return drawn;
    },
    select: (selection) => app.select(selection),
    pose: (run, body, frame) => {
      const q = app.runs[run].readRotation(frame, body, new Quaternion());
      const p = app.runs[run].readPosition(frame, body, new Vector3()).add(app.runs[run].origin);
      return [...p.toArray(), q.w, q.x, q.y, q.z];
    },
    direction: () => stage?.direction() ?? [],
    pick: (x, y) => app.view?.pickAt(x, y, 0, app.runs.map(() => true))?.body ?? null,
    target: () => stage?.controls.target.clone().add(app.runs[0].origin).toArray() ?? [],
    distance: () => stage?.camera.position.distanceTo(stage.controls.target) ?? 0,
    placeOf: (point) => stage?.placeOf(point) ?? [],
    render: () => stage?.render(),
    measure: (frames) => {
      let scriptMs = Infinity;
      for (let k = 0; k < frames; ++k) {
        stage?.finish(); // so that no call below waits for the graphics processor
        const start = performance.now();
        app.player.setFrame((app.player.frame + 1) % app.runs[0].numFrames);
        stage?.render();
        scriptMs = Math.min(scriptMs, performance.now() - start);
      }
      return { scriptMs, drawCalls: stage?.drawCalls ?? 0 };
    },
  };
}

async function start(): Promise<void> {
  const { runs, live } = await readPage();
  placeNearOrigin(runs);
  if (isBare) document.documentElement.dataset.bare = '';
  const app = new App(live === null ? runs : runs.map((run) => new LiveRun(run)), live);
  app.view?.stage.render();
  (window as unknown as { amontons: Handle }).amontons = makeHandle(app);
  document.body.dataset.amontonsReady = 'true';
}

start().catch((error) => {
  showMessage(error instanceof Error ? error.message : String(error));
  document.body.dataset.amontonsError = String(error);
});
