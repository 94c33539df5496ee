import { Color, Quaternion, Vector3 } from 'three';
import { BodyView } from './bodies';
import { Charts } from './charts';
import { ContactDisplay, ContactView } from './contacts';
import { MODES, Run, readRuns } from './data';
import { GridStyle, roundSpacing } from './ground';
import { GHOST_COLORS, MODE_COLORS } from './palette';
import { Player } from './player';
import { Selection, describe } from './selection';
import { Stage, measureExtent } from './stage';
import { Timeline } from './timeline';

function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no element "${id}".`);
  return found as T;
}

/** The three-dimensional part, absent where the browser has no WebGL. */
interface View {
  stage: Stage;
  bodies: BodyView[];
  contacts: ContactView[];
  axisLength: number;
}

const GRID: Record<'dark' | 'light', GridStyle> = {
  dark: { base: new Color('#2c343f'), line: new Color('#5d6d82') },
  light: { base: new Color('#eef1f4'), line: new Color('#9fadbd') },
};

/** Options in the address, such as #theme=dark&frame=20&cones=1. */
const options = new URLSearchParams(location.hash.slice(1));

class App {
  private readonly view: View | null;
  private readonly player: Player;
  private readonly timeline: Timeline;
  private readonly charts: Charts;
  private readonly visible: boolean[];
  private primary = 0;
  private selection: Selection | null = null;
  private theme: 'dark' | 'light';
  private readonly display: ContactDisplay;

  constructor(readonly runs: Run[]) {
    const fewBodies = runs[0].bodies.length <= 100;
    this.visible = runs.map(() => true);
    this.display = {
      points: options.get('points') !== '0', forces: options.get('forces') !== '0',
      cones: options.get('cones') === '1', onTop: fewBodies, scale: 1,
    };
    this.theme = matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark';
    const asked = options.get('theme');
    if (asked === 'dark' || asked === 'light') this.theme = asked;
    this.view = this.makeView();
    this.player = new Player(
      runs[0], (frame, time) => this.showFrame(frame, time),
      (isRunning) => { byId('play').classList.toggle('is-playing', isRunning); });
    this.timeline = new Timeline(byId<HTMLCanvasElement>('timeline'), runs[0]);
    this.charts = new Charts(byId('charts'), (time) => this.player.seek(time));
    document.title = `${runs.map((run) => run.title).join(' | ')} – Amontons`;
    this.connectTransport();
    this.connectDisplay();
    this.connectPicking();
    this.connectKeys();
    this.setTheme(this.theme);
    this.setPrimary(0);
    this.player.setFrame(Number(options.get('frame') ?? 0));
  }

  get frame(): number {
    return this.player.frame;
  }

  setFrame(frame: number): void {
    this.player.setFrame(frame);
  }

  /** Position and quaternion (w, x, y, z) as decoded, for tests. */
  pose(run: number, body: number, frame: number): number[] {
    const q = this.runs[run].readRotation(frame, body, new Quaternion());
    return [
      ...this.runs[run].readPosition(frame, body, new Vector3()).toArray(), q.w, q.x, q.y, q.z];
  }

  /** Where the camera stands, seen from what it looks at, for tests. */
  direction(): number[] {
    return this.view?.stage.direction() ?? [];
  }

  render(): void {
    this.view?.stage.render();
  }

  private makeView(): View | null {
    const extent = measureExtent(this.runs);
    const spacing = roundSpacing(extent.radius / 6);
    let stage: Stage;
    try {
      stage = new Stage(byId<HTMLCanvasElement>('scene'), extent);
    } catch (error) {
      showMessage(`The scene cannot be drawn: ${error}. The charts below still work.`);
      return null;
    }
    const bodies = this.runs.map(
      (run, i) => new BodyView(stage.scene, run, i, extent, spacing));
    if (!bodies.some((view) => view.hasFloor)) stage.addReferenceGrid(spacing);
    const contacts = this.runs.map(
      (run) => new ContactView(stage.scene, run, extent.radius, extent.bodyRadius));
    return { stage, bodies, contacts, axisLength: 1.6 * extent.bodyRadius };
  }

  private showFrame(frame: number, time: number): void {
    const run = this.runs[this.primary];
    const followed = this.followedPosition();
    this.runs.forEach((other, i) => {
      if (this.visible[i]) this.view?.bodies[i].show(other.frameAt(time));
    });
    this.showContacts();
    const now = this.followedPosition();
    if (followed && now) this.view?.stage.shift(now.sub(followed));
    byId<HTMLInputElement>('slider').value = String(
      Math.round((1e4 * (time - run.times[0])) / this.span()));
    const clock = byId('clock');
    clock.textContent = '';
    const seconds = document.createElement('b');
    seconds.textContent = `${time.toFixed(run.times[run.numFrames - 1] < 100 ? 3 : 2)} s`;
    const count = document.createElement('span');
    count.className = 'quiet';
    count.textContent = `frame ${frame + 1} of ${run.numFrames}`;
    clock.append(seconds, count);
    MODES.forEach((mode, m) => {
      byId(`count-${mode}`).textContent = String(run.modeCounts[m * run.numFrames + frame]);
    });
    this.timeline.setTime(time);
    this.charts.setTime(time);
    this.showSelection();
    document.body.dataset.amontonsFrame = String(frame);
    this.view?.stage.requestRender();
  }

  private span(): number {
    const { times, numFrames } = this.runs[this.primary];
    return Math.max(times[numFrames - 1] - times[0], 1e-12);
  }

  private showContacts(): void {
    this.view?.contacts.forEach((contacts, i) => {
      contacts.setVisible(i === this.primary && this.visible[i]);
      if (i === this.primary) contacts.show(this.player.frame, this.display);
    });
    this.view?.stage.requestRender();
  }

  private setPrimary(index: number): void {
    this.primary = index;
    this.visible[index] = true;
    const run = this.runs[index];
    let ghosts = 0;
    this.view?.bodies.forEach((view, i) => {
      view.setGhost(
        i === index ? null : new Color(GHOST_COLORS[ghosts++ % GHOST_COLORS.length]));
      view.root.visible = this.visible[i];
    });
    this.view?.bodies[index].setSeeThrough(byId<HTMLInputElement>('see-through').checked);
    this.showRuns();
    byId('steps').textContent = `${run.steps.toLocaleString('en')} steps · ${
      run.bodies.length.toLocaleString('en')} bodies`;
    const verdict = byId('verdict');
    verdict.hidden = run.verdict === '';
    verdict.textContent =
      (run.certified === null ? '' : run.certified ? '✓ ' : '✗ ') + run.verdict;
    verdict.className = run.certified === null ? 'none' : run.certified ? 'pass' : 'fail';
    const list = byId('summary').querySelector('ul') as HTMLElement;
    list.textContent = '';
    for (const line of run.summary) {
      const item = document.createElement('li');
      item.textContent = line;
      list.append(item);
    }
    byId('summary').hidden = run.summary.length === 0;
    const note = byId('contact-note');
    note.hidden = run.numStoredContacts === run.numContacts;
    const share = (100 * run.numStoredContacts) / Math.max(1, run.numContacts);
    note.textContent =
      `Shows the strongest ${share.toFixed(0)} % of the contacts of each frame, to limit the size ` +
      'of this page. The counts are of all.';
    this.timeline.setRun(run);
    this.charts.setRuns(this.runs, index, this.visible);
    this.player.setRun(run);
  }

  private showRuns(): void {
    const box = byId('runs');
    box.textContent = '';
    let ghosts = 0;
    this.runs.forEach((run, i) => {
      const chip = document.createElement('span');
      chip.className = i === this.primary ? 'run is-primary' : 'run';
      const title = document.createElement('button');
      title.textContent = run.title;
      title.title = run.title;
      title.addEventListener('click', () => this.setPrimary(i));
      if (this.runs.length > 1) {
        const dot = document.createElement('span');
        dot.className = 'dot';
        dot.style.background =
          i === this.primary ? 'var(--accent)' : GHOST_COLORS[ghosts++ % GHOST_COLORS.length];
        const box = document.createElement('input');
        box.type = 'checkbox';
        box.checked = this.visible[i];
        box.disabled = i === this.primary;
        box.setAttribute('aria-label', 'Show this run');
        box.addEventListener('change', () => {
          this.visible[i] = box.checked;
          this.setPrimary(this.primary);
        });
        chip.append(dot, box);
      }
      chip.append(title);
      box.append(chip);
    });
  }

  private connectTransport(): void {
    const slider = byId<HTMLInputElement>('slider');
    slider.max = '10000';
    slider.addEventListener('input', () => {
      this.player.pause();
      this.player.seek(this.runs[this.primary].times[0] + (Number(slider.value) / 1e4) * this.span());
    });
    const strip = byId('timeline');
    const seek = (event: PointerEvent) => {
      const box = strip.getBoundingClientRect();
      const share = (event.clientX - box.left - Timeline.INSET) / (box.width - 2 * Timeline.INSET);
      this.player.seek(this.runs[this.primary].times[0] + share * this.span());
    };
    strip.addEventListener('pointerdown', (event) => {
      strip.setPointerCapture(event.pointerId);
      seek(event);
    });
    strip.addEventListener('pointermove', (event) => {
      if (event.buttons & 1) seek(event);
    });
    byId('play').addEventListener('click', () => this.player.toggle());
    byId('back').addEventListener('click', () => this.step(-1));
    byId('forward').addEventListener('click', () => this.step(1));
    const speed = byId<HTMLSelectElement>('speed');
    speed.addEventListener('change', () => { this.player.speed = Number(speed.value); });
    byId('theme').addEventListener('click', () => this.toggleTheme());
  }

  private step(count: number): void {
    this.player.pause();
    this.player.setFrame(this.player.frame + count);
  }

  private toggleTheme(): void {
    this.setTheme(this.theme === 'dark' ? 'light' : 'dark');
    this.timeline.draw();
    this.charts.rebuild();
  }

  private setTheme(theme: 'dark' | 'light'): void {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    this.view?.bodies.forEach((view) => view.restyle(GRID[theme]));
    this.view?.stage.restyle(GRID[theme], theme === 'dark');
  }

  private connectDisplay(): void {
    const toggle = (id: string, initial: boolean, apply: (on: boolean) => void) => {
      const box = byId<HTMLInputElement>(id);
      box.checked = initial;
      box.addEventListener('change', () => {
        apply(box.checked);
        this.showContacts();
      });
    };
    toggle('show-points', this.display.points, (on) => { this.display.points = on; });
    toggle('show-forces', this.display.forces, (on) => { this.display.forces = on; });
    toggle('show-cones', this.display.cones, (on) => { this.display.cones = on; });
    toggle('show-on-top', this.display.onTop, (on) => { this.display.onTop = on; });
    toggle('see-through', options.get('glass') === '1', (on) => {
      this.view?.bodies[this.primary].setSeeThrough(on);
    });
    const scale = byId<HTMLInputElement>('force-scale');
    scale.addEventListener('input', () => {
      this.display.scale = 10 ** Number(scale.value);
      this.showContacts();
    });
    byId('reset-view').addEventListener('click', () => this.view?.stage.resetCamera());
    byId('fit-view').addEventListener('click', () => {
      const box = this.view?.bodies[this.primary].currentBox();
      if (box && !box.isEmpty()) this.view?.stage.fit(box);
    });
    for (const view of ['usual', 'front', 'side', 'top'] as const) {
      byId(`view-${view}`).addEventListener('click', () => this.view?.stage.lookFrom(view));
    }
    const legend = byId('modes');
    MODES.forEach((mode, m) => {
      const row = document.createElement('div');
      const dot = document.createElement('span');
      dot.className = 'dot';
      dot.style.background = MODE_COLORS[m];
      const name = document.createElement('span');
      name.textContent = mode;
      const count = document.createElement('b');
      count.id = `count-${mode}`;
      row.append(dot, name, count);
      legend.append(row);
    });
  }

  private connectPicking(): void {
    const canvas = byId('scene');
    let down: PointerEvent | null = null;
    canvas.addEventListener('pointerdown', (event) => { down = event; });
    canvas.addEventListener('pointerup', (event) => {
      const moved = down
        ? Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) : Infinity;
      if (event.button === 0 && moved < 4) this.pickAt(event.clientX, event.clientY);
    });
  }

  private pickAt(x: number, y: number): void {
    if (!this.view) return;
    const ray = this.view.stage.rayAt(x, y);
    let best: (Selection & { distance: number }) | null = null;
    this.view.bodies.forEach((view, run) => {
      const hit = this.visible[run] ? view.pick(ray) : null;
      // A ghost yields to the solid run where both are hit.
      if (!hit || (best && (best.run === this.primary || hit.distance >= best.distance)
        && run !== this.primary)) return;
      best = { run, ...hit };
    });
    this.select(best);
  }

  select(selection: Selection | null): void {
    this.selection = selection;
    this.view?.bodies.forEach((view, run) => {
      view.select(selection?.run === run ? selection.body : -1);
    });
    this.showSelection();
    this.view?.stage.requestRender();
  }

  private followedPosition(): Vector3 | null {
    if (!this.selection || !this.view || !byId<HTMLInputElement>('follow').checked) return null;
    return new Vector3().setFromMatrixPosition(
      this.view.bodies[this.selection.run].poseOf(this.selection.body));
  }

  private showSelection(): void {
    const card = byId('selection');
    card.hidden = this.selection === null;
    if (this.view) this.view.stage.triad.visible = this.selection !== null;
    if (!this.selection) return;
    const { run: r, body } = this.selection;
    const run = this.runs[r];
    const frame = run.frameAt(this.runs[this.primary].times[this.player.frame]);
    card.textContent = '';
    const head = document.createElement('header');
    const name = document.createElement('h2');
    name.textContent = run.bodies[body].name;
    const close = document.createElement('button');
    close.textContent = '×';
    close.title = 'Clear the selection (Escape)';
    close.addEventListener('click', () => this.select(null));
    head.append(name, close);
    const list = document.createElement('dl');
    const rows = describe(run, body, frame);
    if (this.runs.length > 1) rows.unshift(['Run', run.title]);
    for (const [term, text] of rows) {
      const dt = document.createElement('dt');
      const dd = document.createElement('dd');
      dt.textContent = term;
      dd.textContent = text;
      list.append(dt, dd);
    }
    card.append(head, list);
    if (this.view) {
      const scale = this.view.axisLength;
      this.view.stage.triad.matrix.copy(this.view.bodies[r].poseOf(body))
        .scale(new Vector3(scale, scale, scale));
      this.view.stage.triad.matrixWorldNeedsUpdate = true;
    }
  }

  private connectKeys(): void {
    const click = (id: string) => byId(id).click();
    const changeSpeed = (by: number) => {
      const speed = byId<HTMLSelectElement>('speed');
      speed.selectedIndex =
        Math.min(speed.options.length - 1, Math.max(0, speed.selectedIndex + by));
      speed.dispatchEvent(new Event('change'));
    };
    const actions: Record<string, (event: KeyboardEvent) => void> = {
      ' ': () => this.player.toggle(),
      ArrowLeft: (event) => this.step(event.shiftKey ? -10 : -1),
      ArrowRight: (event) => this.step(event.shiftKey ? 10 : 1),
      Home: () => this.step(-Infinity),
      End: () => this.step(Infinity),
      '+': () => changeSpeed(1),
      '-': () => changeSpeed(-1),
      c: () => click('show-points'),
      f: () => click('show-forces'),
      k: () => click('show-cones'),
      g: () => click('see-through'),
      1: () => click('view-usual'),
      2: () => click('view-front'),
      3: () => click('view-side'),
      4: () => click('view-top'),
      r: () => click('reset-view'),
      z: () => click('fit-view'),
      t: () => click('theme'),
      Escape: () => this.select(null),
    };
    // In the capture phase: a focused button or slider would otherwise act a second time.
    window.addEventListener('keydown', (event) => {
      const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      const isTyping = event.target instanceof HTMLSelectElement;
      if (!action || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      action(event);
    }, { capture: true });
    window.addEventListener('keyup', (event) => {
      if (event.key === ' ') event.preventDefault();
    }, { capture: true });
  }
}

function showMessage(text: string): void {
  const message = byId('message');
  message.hidden = false;
  message.textContent = text;
}

/** What tests and the browser's console may use. */
interface Handle {
  ready: boolean;
  frame: number;
  runs: Run[];
  setFrame: (frame: number) => void;
  select: (selection: Selection | null) => void;
  pose: (run: number, body: number, frame: number) => number[];
  direction: () => number[];
  render: () => void;
}

async function start(): Promise<void> {
  const app = new App(await readRuns());
  const selected = options.get('select');
  if (selected !== null) app.select({ run: 0, body: Number(selected) });
  app.render();
  const handle: Handle = {
    ready: true,
    get frame() { return app.frame; },
    set frame(frame: number) { app.setFrame(frame); },
    runs: app.runs,
    setFrame: (frame) => app.setFrame(frame),
    select: (selection) => app.select(selection),
    pose: (run, body, frame) => app.pose(run, body, frame),
    direction: () => app.direction(),
    render: () => app.render(),
  };
  (window as unknown as { amontons: Handle }).amontons = handle;
  document.body.dataset.amontonsReady = 'true';
}

start().catch((error) => {
  showMessage(error instanceof Error ? error.message : String(error));
  document.body.dataset.amontonsError = String(error);
});
