// The card that acts on a running simulation: pause, step, restart, speed, pulls, and the joints.

import type { LiveState } from './live';
import { LiveRequests } from './live_requests';
import { LiveFrame, floats } from './live_run';
import { byId, element } from './options';
import { formatNumber } from './format';

const INTERVAL = 100; // [ms] between two updates of the joints
const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 0]; // 0: as fast as possible

export interface LiveJoint {
  name: string;
  unit: string; // rad or m
  low: number;
  high: number;
  servo: boolean; // its target can be set
  pose: boolean; // it can be placed in a pause
}

/** What the stream says besides frames. */
export interface LiveStatus {
  paused: boolean;
  speed: number;
  restarts: boolean; // the simulation can return to its start
  joints: LiveJoint[];
  joints_in_all: number; // listed or not
}

/** A drag on a body may pull it. */
interface Puller {
  isOn: boolean;
  isEnabled: boolean;
  end(): void;
  draw(): void;
}

interface JointRow {
  slider: HTMLInputElement;
  text: HTMLElement;
  unit: string;
  isHeld: boolean; // the reader moves the slider
  takesPose: boolean; // it places its joint while the simulation is paused
}

function button(id: string, text: string, title: string, onClick: () => void): HTMLButtonElement {
  const result = element('button', '', text) as HTMLButtonElement;
  result.id = id;
  result.title = title;
  result.addEventListener('click', onClick);
  return result;
}

export class LiveControls {
  private readonly requests: LiveRequests;
  private readonly card = element('section', 'card');
  private readonly pause: HTMLButtonElement;
  private readonly step: HTMLButtonElement;
  private readonly restart: HTMLButtonElement;
  private readonly speed = document.createElement('select');
  private readonly joints = element('div', 'joints');
  private rows: JointRow[] = [];
  private status: LiveStatus | null = null;
  private puller: Puller | null = null;
  private state: LiveState | null = null;
  private updated = 0;

  constructor(address: string) {
    this.requests = new LiveRequests(address);
    this.card.id = 'simulation';
    this.pause = button('sim-pause', 'Pause', 'Pause the simulation', () => {
      this.requests.ask({ pause: !this.status?.paused });
    });
    this.step = button('sim-step', 'Step', 'Pause, and take one step', () => this.takeStep());
    this.restart = button('sim-restart', 'Restart', 'Return to the start of the simulation', () => {
      this.requests.ask({ restart: true });
    });
    this.speed.id = 'sim-speed';
    this.speed.title = 'Speed of the simulation; the clock has 1×';
    this.speed.addEventListener('change', () => {
      this.requests.ask({ speed: Number(this.speed.value) });
    });
    const buttons = element('div', 'sim-buttons');
    buttons.append(this.pause, this.step, this.restart, this.speed);
    this.card.append(element('h2', '', 'Simulation'), buttons, this.joints);
    byId('side').prepend(this.card);
  }

  /** Lets drags pull bodies. @param make  makes the tool, which sends its requests here. */
  usePuller(make: (requests: LiveRequests) => Puller): void {
    const puller = make(this.requests);
    this.puller = puller;
    const box = document.createElement('input');
    box.type = 'checkbox';
    box.id = 'pull-bodies';
    box.addEventListener('change', () => { puller.isOn = box.checked; });
    const label = element('label', '');
    label.title = 'Without this, a drag with the control key pulls';
    label.append(box, element('span', '', 'A drag on a body pulls it'), element('kbd', '', 'Ctrl'));
    this.joints.before(label);
  }

  private takeStep(): void {
    if (!this.status?.paused) this.requests.ask({ pause: true });
    this.requests.ask({ steps: 1 });
  }

  private get isOver(): boolean {
    return this.state === 'ended' || this.state === 'lost';
  }

  setState(state: LiveState): void {
    if (state === this.state) return;
    this.state = state;
    if (this.isOver) this.puller?.end();
    if (this.puller) this.puller.isEnabled = !this.isOver;
    for (const input of this.card.querySelectorAll<HTMLInputElement>('button, select, input')) {
      input.disabled = this.isOver || (input.dataset.locked === 'true');
    }
  }

  setStatus(status: LiveStatus): void {
    const isFirst = this.status === null;
    this.status = status;
    this.pause.textContent = status.paused ? 'Continue' : 'Pause';
    this.restart.hidden = !status.restarts;
    const speeds = SPEEDS.includes(status.speed) ? SPEEDS : [status.speed, ...SPEEDS];
    this.speed.replaceChildren(...speeds.map(
      (speed) => new Option(speed === 0 ? 'max' : `${speed}×`, String(speed))));
    this.speed.value = String(status.speed);
    if (isFirst) this.makeJoints(status);
    for (const row of this.rows) {
      if (!row.takesPose) continue;
      row.slider.dataset.locked = String(!status.paused);
      row.slider.disabled = !status.paused || this.isOver;
      row.slider.title = status.paused ? 'Position' : 'Position; a pause lets it be set';
    }
    document.body.dataset.amontonsPaused = String(status.paused);
  }

  private makeJoints(status: LiveStatus): void {
    this.rows = status.joints.map((joint, index) => {
      const slider = document.createElement('input');
      const row = {
        slider, text: element('output', ''), unit: joint.unit, isHeld: false,
        takesPose: joint.pose && status.restarts,
      };
      slider.type = 'range';
      slider.min = String(joint.low);
      slider.max = String(joint.high);
      slider.step = 'any';
      slider.disabled = !joint.servo;
      slider.dataset.locked = String(!joint.servo);
      slider.title = joint.servo ? 'Target of the servo' : 'Position';
      slider.setAttribute('aria-label', joint.name);
      slider.addEventListener('input', () => {
        row.isHeld = true;
        const asked = { joint: index, value: Number(slider.value) };
        this.requests.ask(row.takesPose ? { position: asked } : { target: asked });
      });
      slider.addEventListener('change', () => { row.isHeld = false; });
      const name = element('span', '', joint.name);
      name.title = joint.name;
      this.joints.append(name, row.text, slider);
      return row;
    });
    const left = status.joints_in_all - status.joints.length;
    if (left > 0) this.joints.append(element('p', 'quiet', `and ${left} more joints`));
  }

  /** Shows the joints of the newest frame. */
  showFrame(frame: LiveFrame): void {
    const now = performance.now();
    if (this.rows.length === 0 || now - this.updated < INTERVAL) return;
    this.updated = now;
    const positions = floats(frame.joints);
    const targets = floats(frame.targets);
    this.rows.forEach((row, i) => {
      const hasServo = !Number.isNaN(targets[i]);
      const target = hasServo ? ` → ${formatNumber(targets[i])}` : '';
      row.text.textContent = `${formatNumber(positions[i])}${target} ${row.unit}`;
      if (!row.isHeld) row.slider.value = String(hasServo ? targets[i] : positions[i]);
    });
  }

  /** Follows the shown frame. */
  grow(): void {
    this.puller?.draw();
  }
}
