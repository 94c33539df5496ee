// The contact force and the slip margin of the selected body over time.

import uPlot from 'uplot';
import { measureForce } from './contact_card';
import { MODES, Run } from './data';
import { formatNumber, formatTicks } from './format';
import { byId, element } from './options';
import { CURVE_COLORS } from './palette';
import type { Selection } from './selection';

/** The sums over the contacts of a body at each frame [N]; null where it has none. */
export interface BodyForces {
  normal: (number | null)[]; // sum of the normal forces
  friction: (number | null)[]; // sum of the friction forces, each by its size
  margin: (number | null)[]; // the least slip margin, mu times normal less friction force
  least: number; // of all three, and the greatest, outside of impacts
  most: number;
}

export function measureBody(run: Run, body: number): BodyForces {
  const forces: BodyForces = { normal: [], friction: [], margin: [], least: 0, most: 0 };
  const contact = run.newContact();
  for (let f = 0; f < run.numFrames; ++f) {
    const [begin, end] = run.contactRange(f);
    let normal = 0;
    let friction = 0;
    let margin = Infinity;
    let hasImpact = false;
    for (let i = begin; i < end; ++i) {
      run.readContact(i, contact);
      // An impact has impulses, and no forces.
      if (contact.isImpulse || (contact.bodyA !== body && contact.bodyB !== body)) continue;
      const force = measureForce(contact);
      normal += force.normal;
      friction += force.friction;
      hasImpact ||= MODES[contact.mode] === 'impact';
      if (force.normal > 0) margin = Math.min(margin, force.margin);
    }
    const isTouching = margin < Infinity;
    forces.normal.push(isTouching ? normal : null);
    forces.friction.push(isTouching ? friction : null);
    forces.margin.push(isTouching ? margin : null);
    // The mean force of a step with an impact would hide all other forces.
    if (!isTouching || hasImpact) continue;
    forces.least = Math.min(forces.least, margin);
    forces.most = Math.max(forces.most, normal, friction);
  }
  return forces;
}

const NAMES = ['normal force', 'friction force', 'least slip margin'];

export class BodyChart {
  private plot: uPlot | null = null;
  private readonly playhead = element('div', 'chart-playhead');
  private shown: Selection | null = null;
  private numFrames = 0; // of the run when it was measured
  private values: HTMLElement[] = [];
  private forces: BodyForces | null = null;
  private time = 0;

  constructor(private readonly seek: (time: number) => void) {}

  /** Lets the next show() draw the chart again, after a change of theme. */
  rebuild(): void {
    this.numFrames = 0;
  }

  show(run: Run | null, selection: Selection | null, frame: number): void {
    const card = byId('body-chart');
    card.hidden = run === null || selection === null;
    if (run === null || selection === null) {
      this.shown = null;
      this.plot?.destroy();
      this.plot = null;
      card.textContent = '';
      return;
    }
    const isOther = this.shown?.run !== selection.run || this.shown?.body !== selection.body;
    // A run that grows is measured again when it has grown by a tenth.
    if (isOther || run.numFrames > 1.1 * this.numFrames || run.numFrames < this.numFrames) {
      this.shown = { ...selection };
      this.numFrames = run.numFrames;
      this.forces = measureBody(run, selection.body);
      this.draw(card, run, this.forces);
    }
    const forces = this.forces as BodyForces;
    [forces.normal, forces.friction, forces.margin].forEach((values, k) => {
      const value = values[frame];
      this.values[k].textContent = value === null || value === undefined ? '–' : formatNumber(value);
    });
    this.time = run.times[frame];
    this.movePlayhead();
  }

  private movePlayhead(): void {
    const x = this.plot?.valToPos(this.time, 'x') ?? 0;
    this.playhead.style.transform = `translateX(${x}px)`;
  }

  private draw(card: HTMLElement, run: Run, forces: BodyForces): void {
    this.plot?.destroy();
    const head = element('header', 'chart-head');
    head.append(element('b', '', 'Contacts of the body [N]'));
    this.values = NAMES.map((name, k) => {
      const label = element('span', 'chart-label');
      const swatch = element('i', 'swatch');
      swatch.style.background = CURVE_COLORS[k];
      const value = element('b', 'chart-value');
      label.append(swatch, element('span', '', name), value);
      head.append(label);
      return value;
    });
    const body = element('div', 'chart');
    card.replaceChildren(head, body);
    const style = getComputedStyle(document.documentElement);
    const axis = {
      stroke: style.getPropertyValue('--muted').trim(), font: '10px system-ui, sans-serif',
      grid: { stroke: style.getPropertyValue('--rule').trim(), width: 1 }, ticks: { show: false },
    };
    this.plot = new uPlot({
      width: Math.max(120, body.clientWidth), height: 110, legend: { show: false },
      cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
      padding: [6, 8, 0, 0],
      scales: {
        x: { time: false },
        y: {
          range: () => uPlot.rangeNum(
            forces.least, forces.most > forces.least ? forces.most : forces.least + 1, 0.06, true),
        },
      },
      hooks: { draw: [() => this.movePlayhead()] },
      axes: [
        { ...axis, size: 20, space: 50, values: (_u, splits) => splits.map(formatNumber) },
        { ...axis, size: 46, space: 24, values: (_u, splits) => formatTicks(splits, false) },
      ],
      series: [{}, ...NAMES.map((name, k): uPlot.Series => ({
        label: name, stroke: CURVE_COLORS[k], width: 1.5, points: { show: false },
      }))],
    }, [Array.from(run.times.subarray(0, run.numFrames)), forces.normal, forces.friction,
      forces.margin] as uPlot.AlignedData, body);
    const { over } = this.plot;
    over.append(this.playhead);
    over.addEventListener('pointerdown', (event) => {
      const area = over.getBoundingClientRect();
      this.seek((this.plot as uPlot).posToVal(event.clientX - area.left, 'x'));
    });
  }
}
