// The strip under the slider: how many contacts are open, sticking, sliding or in impact.

import type { Run } from './data';
import { MODE_COLORS } from './palette';

// Drawn from the bottom up: what holds, then what slips, then the rest.
const STACK = [1, 2, 3, 0];

export class Timeline {
  static readonly INSET = 7; // px, half the slider's thumb
  private run: Run;
  private time = 0;

  constructor(private readonly canvas: HTMLCanvasElement, run: Run) {
    this.run = run;
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  setRun(run: Run): void {
    this.run = run;
    this.draw();
  }

  setTime(time: number): void {
    this.time = time;
    this.draw();
  }

  draw(): void {
    const ratio = Math.min(window.devicePixelRatio, 2);
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    if (width === 0 || height === 0) return;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const pen = this.canvas.getContext('2d') as CanvasRenderingContext2D;
    pen.scale(ratio, ratio);
    const style = getComputedStyle(document.documentElement);
    pen.fillStyle = style.getPropertyValue('--well');
    pen.beginPath();
    pen.roundRect(0, 0, width, height, 6);
    pen.fill();
    pen.clip();

    const { times, numFrames, modeCounts } = this.run;
    const start = times[0];
    const span = Math.max(times[numFrames - 1] - start, 1e-12);
    const x = (t: number) =>
      Timeline.INSET + ((t - start) / span) * (width - 2 * Timeline.INSET);
    let most = 1;
    for (let f = 0; f < numFrames; ++f) {
      most = Math.max(most, STACK.reduce((sum, m) => sum + modeCounts[m * numFrames + f], 0));
    }
    const unit = (height - 5) / most;
    const base = new Float64Array(numFrames);
    for (const mode of STACK) {
      pen.beginPath();
      pen.moveTo(x(times[0]), height - base[0] * unit);
      for (let f = 0; f < numFrames; ++f) {
        pen.lineTo(x(times[f]), height - (base[f] + modeCounts[mode * numFrames + f]) * unit);
      }
      for (let f = numFrames - 1; f >= 0; --f) pen.lineTo(x(times[f]), height - base[f] * unit);
      for (let f = 0; f < numFrames; ++f) base[f] += modeCounts[mode * numFrames + f];
      pen.fillStyle = MODE_COLORS[mode];
      pen.globalAlpha = mode === 0 ? 0.45 : 0.85;
      pen.fill();
    }
    pen.globalAlpha = 1;
    const head = x(this.time);
    pen.fillStyle = style.getPropertyValue('--playhead');
    pen.fillRect(head - 1, 0, 2, height);
  }
}
