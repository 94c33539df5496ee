// The page: the runs, their visible parts, and the actions of the reader.

import { BodyChart } from './body_chart';
import { Charts } from './charts';
import { ContactCard } from './contact_card';
import { ContactDisplay, dotRadius } from './contacts';
import type { Controls } from './controls';
import type { Run } from './data';
import { connectKeys } from './keys';
import { LiveState, connectLive, stopLive } from './live';
import { LiveControls } from './live_controls';
import { LiveRun } from './live_run';
import { byId, options } from './options';
import {
  connectVerdict, makeLegend, runColors, showBody, showClock, showLive, showRuns, showSummary,
  showVerdict,
} from './panels';
import { Player } from './player';
import { PullTool } from './pull';
import { Section } from './section';
import type { Selection } from './selection';
import type { ViewName } from './stage';
import { Timeline } from './timeline';
import { View } from './view';

const GROWTH_INTERVAL = 250; // [ms] between two drawings of a growing run's charts

export class App implements Controls {
  readonly view: View | null;
  readonly player: Player;
  private readonly timeline: Timeline;
  private readonly charts: Charts;
  private readonly bodyChart: BodyChart;
  private readonly contactCard: ContactCard;
  private readonly section: Section | null;
  private readonly visible: boolean[];
  private primary = 0;
  private selection: Selection | null = null;
  private theme: 'dark' | 'light';
  private readonly display: ContactDisplay;
  private liveState: LiveState | null = null;
  private lastGrowth = 0;

  /** @param live  source of the frames of a running simulation; null: the runs are complete. */
  constructor(readonly runs: Run[], live: string | null) {
    const fewBodies = runs[0].bodies.length <= 100;
    this.visible = runs.map(() => true);
    this.display = {
      points: options.get('points') !== '0', forces: options.get('forces') !== '0',
      cones: options.get('cones') === '1', chains: options.get('chains') === '1',
      onTop: fewBodies, scale: 1,
    };
    this.theme = matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark';
    const asked = options.get('theme');
    if (asked === 'dark' || asked === 'light') this.theme = asked;
    this.view = View.make(runs);
    this.player = new Player(
      runs[0], () => this.isGrowing, (frame, time) => this.showFrame(frame, time),
      (isPlaying) => {
        byId('play').classList.toggle('is-playing', isPlaying);
        this.showLive();
      });
    this.timeline = new Timeline(
      byId<HTMLCanvasElement>('timeline'), byId('strip-head'), runs[0]);
    this.charts = new Charts(byId('charts'), (time) => this.player.seek(time));
    this.bodyChart = new BodyChart((time) => this.player.seek(time));
    this.contactCard = new ContactCard(
      this.view?.extent.radius ?? 1, this.view ? dotRadius(this.view.extent) : 0,
      () => this.view?.markContact(null));
    this.section = this.view && new Section(
      this.view.extent, runs[0].origin, (plane) => this.view?.setSection(plane));
    document.title = `${runs.map((run) => run.title).join(' | ')} – Amontons`;
    this.connectTransport();
    this.connectDisplay();
    this.connectPicking();
    connectVerdict();
    connectKeys(this);
    this.setTheme(this.theme);
    this.setPrimary(0);
    this.player.setFrame(Number(options.get('frame') ?? 0));
    this.lookAsAsked();
    if (live !== null && runs[0] instanceof LiveRun) this.goLive(live, runs[0]);
  }

  private lookAsAsked(): void {
    const view = options.get('view');
    if (view !== null) this.view?.stage.lookFrom(view as ViewName);
    const body = options.get('select');
    if (body !== null) this.select({ run: 0, body: Number(body) });
  }

  private goLive(address: string, run: LiveRun): void {
    byId('live').addEventListener('click', () => this.player.follow());
    byId('stop').addEventListener('click', () => {
      stopLive(address).catch(() => undefined); // a lost connection shows by itself
    });
    const controls = new LiveControls(address);
    const { view } = this;
    if (view) {
      controls.usePuller((requests) => new PullTool(
        byId<HTMLCanvasElement>('scene'), view, run, this.player, requests));
    }
    connectLive(address, run, (forgotten) => this.grow(forgotten), (state, reason) => {
      this.liveState = state;
      if (state === 'ended') {
        this.grow(0);
        this.player.pause();
      }
      showLive(state, reason, this.player.isFollowing);
      controls.setState(state);
    }, controls);
    this.player.follow();
  }

  private get isGrowing(): boolean {
    return this.liveState === 'waiting' || this.liveState === 'running';
  }

  private grow(forgotten: number): void {
    this.player.grow(forgotten);
    const now = performance.now();
    if (this.isGrowing && now - this.lastGrowth < GROWTH_INTERVAL) return;
    this.lastGrowth = now;
    showVerdict(this.runs[this.primary]);
    this.timeline.draw();
    this.charts.grow();
  }

  private showLive(): void {
    if (this.liveState) showLive(this.liveState, '', this.player.isFollowing);
  }

  private showFrame(frame: number, time: number): void {
    const run = this.runs[this.primary];
    const follow = byId<HTMLInputElement>('follow').checked ? this.selection : null;
    this.view?.showBodies(this.framesAt(frame), this.visible, follow);
    this.showContacts();
    byId<HTMLInputElement>('slider').value = String(
      Math.round((1e4 * (time - run.times[0])) / this.span()));
    showClock(run, frame);
    this.timeline.setTime(time);
    this.charts.setTime(time, frame);
    this.showSelection();
    document.body.dataset.amontonsFrame = String(frame);
  }

  /** The frame of each run at one of the leading run; several frames may have one time. */
  private framesAt(frame: number): number[] {
    const time = this.runs[this.primary].times[frame];
    return this.runs.map((run, i) => (i === this.primary ? frame : run.frameAt(time)));
  }

  private span(): number {
    const run = this.runs[this.primary];
    return Math.max(run.lastTime - run.times[0], 1e-12);
  }

  private showContacts(): void {
    this.view?.showContacts(this.primary, this.player.frame, this.display);
    this.view?.markContact(this.contactCard.show(this.runs[this.primary], this.player.frame));
    this.showNewtons();
  }

  /** Shows the force of an arrow of 1 m, unless it is being typed. */
  private showNewtons(): void {
    const field = byId<HTMLInputElement>('force-newtons');
    if (!this.view || document.activeElement === field) return;
    field.value = String(Number(
      this.view.newtonsPerMeter(this.primary, this.display.scale).toPrecision(3)));
  }

  private setPrimary(index: number): void {
    this.primary = index;
    this.visible[index] = true;
    const run = this.runs[index];
    const colors = runColors(this.runs.length, index);
    this.view?.setLeader(
      index, this.visible, colors, byId<HTMLInputElement>('see-through').checked);
    showRuns(this.runs, index, this.visible, (i) => this.setPrimary(i), (i, on) => {
      this.visible[i] = on;
      this.setPrimary(this.primary);
    });
    showVerdict(run);
    showSummary(run);
    this.timeline.setRun(run);
    this.charts.setRuns(this.runs, index, this.visible);
    this.player.setRun(run);
  }

  private connectTransport(): void {
    const slider = byId<HTMLInputElement>('slider');
    slider.max = '10000';
    slider.addEventListener('input', () => {
      this.player.pause();
      this.player.seek(this.runs[this.primary].times[0] + (Number(slider.value) / 1e4) * this.span());
    });
    const strip = byId('strip');
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

  step(count: number): void {
    this.player.pause();
    this.player.setFrame(this.player.frame + count);
  }

  private toggleTheme(): void {
    this.setTheme(this.theme === 'dark' ? 'light' : 'dark');
    this.timeline.draw();
    this.charts.rebuild();
    this.bodyChart.rebuild();
    this.showSelection();
  }

  private setTheme(theme: 'dark' | 'light'): void {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    this.view?.restyle(theme);
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
    toggle('show-chains', this.display.chains, (on) => { this.display.chains = on; });
    toggle('show-on-top', this.display.onTop, (on) => { this.display.onTop = on; });
    toggle('see-through', options.get('glass') === '1', (on) => {
      this.view?.setSeeThrough(this.primary, on);
    });
    toggle('show-collisions', options.get('collisions') === '1', (on) => {
      this.view?.showCollisions(on);
    });
    this.view?.showCollisions(options.get('collisions') === '1');
    byId('show-collisions').closest('label')!.hidden = !this.view?.hasLooks;
    const scale = byId<HTMLInputElement>('force-scale');
    scale.addEventListener('input', () => {
      this.display.scale = 10 ** Number(scale.value);
      this.showContacts();
    });
    const newtons = byId<HTMLInputElement>('force-newtons');
    newtons.addEventListener('change', () => {
      const asked = Number(newtons.value);
      if (this.view && asked > 0 && Number.isFinite(asked)) {
        this.display.scale = this.view.scaleOf(this.primary, asked);
        scale.value = String(Math.log10(this.display.scale));
      }
      newtons.blur();
      this.showContacts();
    });
    byId('show-all').addEventListener('click', () => this.showAll());
    byId('reset-view').addEventListener('click', () => this.view?.stage.resetCamera());
    byId('fit-view').addEventListener('click', () => this.view?.fit(this.primary));
    for (const view of ['usual', 'front', 'side', 'top'] as const) {
      byId(`view-${view}`).addEventListener('click', () => this.view?.stage.lookFrom(view));
    }
    makeLegend();
  }

  private connectPicking(): void {
    const canvas = byId('scene');
    let down: PointerEvent | null = null;
    canvas.addEventListener('pointerdown', (event) => { down = event; });
    canvas.addEventListener('pointerup', (event) => {
      const moved = down
        ? Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) : Infinity;
      if (event.button !== 0 || moved >= 4) return;
      if (!this.view) return;
      const hasMarks = this.display.points || this.display.forces;
      const isContact = hasMarks && this.contactCard.pick(
        this.view.stage, this.runs[this.primary], this.player.frame, event.clientX, event.clientY);
      if (isContact) return this.showContacts();
      this.select(
        this.view?.pickAt(event.clientX, event.clientY, this.primary, this.visible) ?? null);
    });
  }

  frameSelection(): void {
    if (this.selection) this.view?.frame(this.selection);
    else this.view?.fit(this.primary);
  }

  hideSelection(): void {
    if (!this.selection) return;
    this.view?.hide(this.selection);
    this.select(null);
    this.showHidden();
  }

  showAll(): void {
    this.view?.showAll();
    this.showHidden();
  }

  nextSection(): void {
    this.section?.next();
  }

  private showHidden(): void {
    const count = this.view?.numHidden ?? 0;
    byId('show-all').hidden = count === 0;
    byId('show-all').textContent = `Show ${count} hidden`;
    this.view?.showBodies(this.framesAt(this.player.frame), this.visible, null);
  }

  select(selection: Selection | null): void {
    this.selection = selection;
    if (selection === null) this.contactCard.close();
    this.view?.select(selection);
    this.showSelection();
  }

  private showSelection(): void {
    const card = byId('selection');
    card.hidden = this.selection === null;
    this.view?.showAxes(this.selection);
    if (!this.selection) {
      this.bodyChart.show(null, null, 0);
      return;
    }
    const run = this.runs[this.selection.run];
    const frame = this.framesAt(this.player.frame)[this.selection.run];
    showBody(
      run, this.selection, frame, this.runs.length > 1 ? run.title : null, () => this.select(null));
    this.bodyChart.show(run, this.selection, frame);
  }
}
