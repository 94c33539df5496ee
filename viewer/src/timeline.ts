// The strip under the slider: the number of contacts that are open, sticking, sliding or in impact.

import type { Run } from './data';
import { MODE_COLORS } from './palette';

// Drawn from the bottom up: sticking contacts, then sliding ones, then the rest.
const STACK = [1, 2, 3, 0];

export class Timeline {
  static readonly INSET = 7; // px, half the slider's thumb
  private time = 0;
  private width = 0; // [px]; reading it triggers a layout of the page

  constructor(
    private readonly canvas: HTMLCanvasElement, private readonly head: HTMLElement,
    private run: Run,
  ) {
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  setRun(run: Run): void {
    this.run = run;
    this.draw();
  }

  setTime(time: number): void {
    this.time = time;
    this.head.style.transform = `translateX(${this.places()(time)}px)`;
  }

  /** Returns the positions of times on the strip [px]. */
  private places(): (time: number) => number {
    const start = this.run.times[0];
    const inner = this.width - 2 * Timeline.INSET;
    const scale = inner / Math.max(this.run.lastTime - start, 1e-12);
    return (time) => Timeline.INSET + (time - start) * scale;
  }

  /** Redraws the strip; also after a change of theme, whose color it uses, and as a run grows. */
  draw(): void {
    const ratio = Math.min(window.devicePixelRatio, 2);
    const width = this.canvas.clientWidth;
    this.width = width;
    const height = this.canvas.clientHeight;
    if (width === 0 || height === 0) return;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const pen = this.canvas.getContext('2d') as CanvasRenderingContext2D;
    pen.scale(ratio, ratio);
    pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--well');
    pen.beginPath();
    pen.roundRect(0, 0, width, height, 6);
    pen.fill();
    pen.clip();

    const { run } = this;
    const { times, numFrames } = run;
    const place = this.places();
    let most = 1;
    for (let f = 0; f < numFrames; ++f) {
      most = Math.max(most, STACK.reduce((sum, mode) => sum + run.modeCount(mode, f), 0));
    }
    const unit = (height - 5) / most;
    const base = new Float64Array(numFrames);
    for (const mode of STACK) {
      pen.beginPath();
      pen.moveTo(place(times[0]), height - base[0] * unit);
      for (let f = 0; f < numFrames; ++f) {
        pen.lineTo(place(times[f]), height - (base[f] + run.modeCount(mode, f)) * unit);
      }
      for (let f = numFrames - 1; f >= 0; --f) {
        pen.lineTo(place(times[f]), height - base[f] * unit);
      }
      for (let f = 0; f < numFrames; ++f) base[f] += run.modeCount(mode, f);
      pen.fillStyle = MODE_COLORS[mode];
      pen.globalAlpha = mode === 0 ? 0.45 : 0.85;
      pen.fill();
    }
    this.setTime(this.time);
  }
}
