// The curves of the runs, one chart per title, tied to the slider.

import uPlot from 'uplot';
import type { Curve, Run } from './data';
import { decades, formatNumber, formatTicks, sampleAt } from './format';
import { element } from './options';
import { CURVE_COLORS } from './palette';

const DASH = [9, 3]; // [px] of curves whose color is taken
const LEAST_LOGARITHMIC = 1e-17; // zero and below are drawn here

interface Line {
  run: Run;
  index: number; // index of the curve in its run
  curve: Curve;
  values: Float32Array;
  times: Float64Array;
  color: string;
  isDashed: boolean; // its color is that of another curve
  isGhost: boolean;
}

interface Chart {
  title: string;
  plot: uPlot;
  box: HTMLElement;
  head: HTMLElement;
  playhead: HTMLElement;
  lines: Line[];
  labels: HTMLElement[];
  more: HTMLElement; // the number of labels that do not fit
}

/** The columns that are drawn: times, then each line's values. */
function tabulate(lines: Line[], isLog: boolean): uPlot.AlignedData {
  const shown = (v: number) => (isLog ? Math.max(v, LEAST_LOGARITHMIC) : v);
  const tables = lines.map((line) => [
    Array.from(line.times),
    Array.from(line.values, (v) => (Number.isFinite(v) ? shown(v) : null)),
  ] as uPlot.AlignedData);
  const hasOneClock = lines.every((line) => line.times === lines[0].times);
  return hasOneClock
    ? ([tables[0][0], ...tables.map((table) => table[1])] as uPlot.AlignedData)
    : uPlot.join(tables);
}

export class Charts {
  private charts: Chart[] = [];
  private runs: Run[] = [];
  private primary = 0;
  private visible: boolean[] = [];
  private time = 0;
  private frame = 0; // of the leading run
  private expanded = '';
  /** The times shown; null: the whole run. */
  private window: [number, number] | null = null;

  // Observes the bodies of the charts: their heights also depend on how the labels wrap.
  private readonly observer = new ResizeObserver(() => this.resize());

  constructor(private readonly root: HTMLElement, private readonly seek: (t: number) => void) {}

  get titles(): string[] {
    return this.charts.map((chart) => chart.title);
  }

  setRuns(runs: Run[], primary: number, visible: boolean[]): void {
    this.runs = runs;
    this.primary = primary;
    this.visible = visible;
    this.rebuild();
  }

  /** Redraws the charts; also after a change of theme, as the canvases contain its colors. */
  rebuild(): void {
    this.observer.disconnect();
    for (const chart of this.charts) chart.plot.destroy();
    this.root.textContent = '';
    const main = this.runs[this.primary];
    const titles = [...new Set(main.curves.map((curve) => curve.chart))];
    this.charts = main.curveTimes.length > 0 ? titles.map((title) => this.make(title)) : [];
    this.root.hidden = this.charts.length === 0;
    this.expand(titles.includes(this.expanded) ? this.expanded : '');
    this.setTime(this.time, this.frame);
    for (const chart of this.charts) {
      this.observer.observe(chart.plot.root.parentElement as HTMLElement);
    }
  }

  /** Updates the charts after the runs have grown. */
  grow(): void {
    for (const chart of this.charts) {
      const times = chart.lines[0].run.curveTimes;
      for (const line of chart.lines) {
        line.times = times;
        line.values = line.run.curve(line.index);
      }
      chart.plot.setData(tabulate(chart.lines, chart.lines.some((line) => line.curve.log)));
    }
    this.setTime(this.time, this.frame);
  }

  private linesOf(title: string): Line[] {
    const main = this.runs[this.primary];
    const lines: Line[] = [];
    const times = main.curveTimes;
    main.curves.forEach((curve, i) => {
      if (curve.chart !== title) return;
      const color = CURVE_COLORS[lines.length % CURVE_COLORS.length];
      lines.push({
        run: main, index: i, curve, values: main.curve(i), times, color,
        isDashed: lines.length >= CURVE_COLORS.length, isGhost: false,
      });
    });
    const own = lines.slice();
    this.runs.forEach((run, r) => {
      if (r === this.primary || !this.visible[r]) return;
      const runTimes = run.curveTimes;
      run.curves.forEach((curve, i) => {
        const twin = own.find((line) => curve.chart === title && line.curve.name === curve.name);
        if (!twin) return;
        lines.push({
          run, index: i, curve, values: run.curve(i), times: runTimes, color: twin.color,
          isDashed: false, isGhost: true,
        });
      });
    });
    return lines;
  }

  private make(title: string): Chart {
    const lines = this.linesOf(title);
    const isLog = lines.some((line) => line.curve.log);
    const box = element('section', 'chart');
    const head = element('header', 'chart-head');
    const units = new Set(lines.map((line) => line.curve.unit));
    const unit = units.size === 1 ? lines[0].curve.unit : '';
    const name = element('button', 'chart-title', unit ? `${title} [${unit}]` : title);
    name.title = 'Enlarge or restore this chart';
    name.addEventListener('click', () => this.expand(this.expanded === title ? '' : title));
    const more = element('span', 'chart-more');
    more.title = 'Curves whose names have no room here: a click on the title enlarges the chart';
    head.append(name, more);
    const labels = lines.map((line) => {
      if (line.isGhost) return element('span', 'hidden');
      const label = element('span', 'chart-label');
      const swatch = element('i', 'swatch');
      swatch.style.background = line.isDashed
        ? `linear-gradient(90deg, ${line.color} 40%, transparent 40% 60%, ${line.color} 60%)`
        : line.color;
      const value = element('b', 'chart-value');
      label.append(swatch, element('span', '', line.curve.name), value);
      label.title = line.curve.unit ? `${line.curve.name} [${line.curve.unit}]` : line.curve.name;
      head.append(label);
      return value;
    });
    const body = element('div', 'chart-body');
    box.append(head, body);
    this.root.append(box);
    const plot = this.plot(body, lines, isLog);
    const playhead = element('div', 'chart-playhead');
    plot.over.append(playhead);
    const seek = (event: PointerEvent) => {
      const area = plot.over.getBoundingClientRect();
      this.seek(plot.posToVal(event.clientX - area.left, 'x'));
    };
    plot.over.addEventListener('pointerdown', (event) => {
      plot.over.setPointerCapture(event.pointerId);
      seek(event);
    });
    plot.over.addEventListener('pointermove', (event) => {
      if (event.buttons & 1) seek(event);
    });
    plot.over.title = 'Wheel: zoom the time; double click: the whole run';
    plot.over.addEventListener('wheel', (event) => {
      event.preventDefault();
      const area = plot.over.getBoundingClientRect();
      this.zoom(plot.posToVal(event.clientX - area.left, 'x'), 1.2 ** Math.sign(event.deltaY));
    }, { passive: false });
    plot.over.addEventListener('dblclick', () => this.show(null));
    return { title, plot, box, head, playhead, lines, labels, more };
  }

  private plot(body: HTMLElement, lines: Line[], isLog: boolean): uPlot {
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue('--muted').trim();
    const rule = style.getPropertyValue('--rule').trim();
    const data = tabulate(lines, isLog);
    const limits = lines.flatMap((line) => line.curve.limit ?? []);
    const axis = {
      stroke: ink, font: '10px system-ui, sans-serif', labelFont: '10px system-ui, sans-serif',
      grid: { stroke: rule, width: 1 }, ticks: { show: false },
    };
    const options: uPlot.Options = {
      width: Math.max(60, body.clientWidth),
      height: Math.max(60, body.clientHeight),
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
      padding: [6, 8, 0, 0],
      scales: {
        x: {
          time: false,
          range: () => this.window ?? this.wholeRun(),
        },
        y: isLog
          ? {
              distr: 3,
              range: (_u, min, max) => {
                const least = Math.min(min ?? 1, ...limits);
                const most = Math.max(max ?? 1, ...limits);
                return [10 ** Math.floor(Math.log10(least)), 10 ** Math.ceil(
                  Math.log10(most) + 1e-3)];
              },
            }
          : {
              range: (_u, min, max) => {
                const least = Math.min(min ?? 0, ...limits);
                const most = Math.max(max ?? 1, ...limits);
                return uPlot.rangeNum(least, most === least ? least + 1 : most, 0.06, true);
              },
            },
      },
      axes: [
        { ...axis, size: 20, space: 50, values: (_u, splits) => splits.map(formatNumber) },
        {
          ...axis, size: 46, space: 24,
          values: (_u, splits) => formatTicks(splits, isLog),
          ...(isLog
            ? {
                splits: (_u: uPlot, _i: number, min: number, max: number) => decades(min, max),
                filter: (_u: uPlot, splits: number[]) => splits,
              }
            : {}),
        },
      ],
      series: [
        {},
        ...lines.map((line): uPlot.Series => ({
          label: line.curve.name, stroke: line.color, width: line.isGhost ? 1 : 1.5,
          dash: line.isGhost ? [4, 4] : line.isDashed ? DASH : undefined, alpha: line.isGhost ? 0.6 : 1,
          points: { show: false },
        })),
      ],
      hooks: {
        draw: [
          (u) => {
            for (const limit of new Set(limits)) this.drawLimit(u, limit);
            this.movePlayheads();
          },
        ],
      },
    };
    return new uPlot(options, data, body);
  }

  private wholeRun(): [number, number] {
    const times = this.runs[this.primary].times;
    return [times[0], Math.max(times[times.length - 1], times[0] + 1e-9)];
  }

  /** Stretches the shown times by a factor, about a fixed time. */
  zoom(about: number, factor: number): void {
    const [first, last] = this.wholeRun();
    const [from, to] = this.window ?? [first, last];
    const least = 1e-4 * (last - first);
    if (factor < 1 && (to - from) * factor < least) return;
    const low = Math.max(first, about - (about - from) * factor);
    const high = Math.min(last, about + (to - about) * factor);
    this.show(low <= first && high >= last ? null : [low, high]);
  }

  private show(window: [number, number] | null): void {
    this.window = window;
    const [min, max] = window ?? this.wholeRun();
    for (const chart of this.charts) chart.plot.setScale('x', { min, max });
    this.movePlayheads();
  }

  private drawLimit(u: uPlot, limit: number): void {
    const y = u.valToPos(limit, 'y', true);
    u.ctx.save();
    u.ctx.strokeStyle = '#f0476f';
    u.ctx.globalAlpha = 0.8;
    u.ctx.lineWidth = uPlot.pxRatio;
    u.ctx.setLineDash([6 * uPlot.pxRatio, 4 * uPlot.pxRatio]);
    u.ctx.beginPath();
    u.ctx.moveTo(u.bbox.left, y);
    u.ctx.lineTo(u.bbox.left + u.bbox.width, y);
    u.ctx.stroke();
    u.ctx.fillStyle = u.ctx.strokeStyle;
    u.ctx.font = `${10 * uPlot.pxRatio}px system-ui, sans-serif`;
    u.ctx.textAlign = 'right';
    u.ctx.fillText('tolerance', u.bbox.left + u.bbox.width, y - 4 * uPlot.pxRatio);
    u.ctx.restore();
  }

  private expand(title: string): void {
    this.expanded = title;
    this.root.classList.toggle('has-expanded', title !== '');
    for (const chart of this.charts) {
      chart.box.classList.toggle('is-expanded', chart.title === title);
    }
    this.resize();
  }

  private resize(): void {
    for (const chart of this.charts) {
      const body = chart.plot.root.parentElement as HTMLElement;
      if (body.clientWidth > 60 && body.clientHeight > 40) {
        chart.plot.setSize({ width: body.clientWidth, height: body.clientHeight });
      }
      const end = chart.head.offsetTop + chart.head.clientHeight;
      const cut = [...chart.head.querySelectorAll<HTMLElement>('.chart-label')]
        .filter((label) => label.offsetTop + label.offsetHeight > end + 1).length;
      chart.more.textContent = cut > 0 ? `+${cut}` : '';
    }
    this.movePlayheads();
  }

  setTime(time: number, frame: number): void {
    this.time = time;
    this.frame = frame;
    for (const chart of this.charts) {
      chart.lines.forEach((line, i) => {
        if (line.isGhost) return;
        // Where each frame has its sample, those of one time are told apart.
        const sample = line.times.length === line.run.numFrames
          ? frame : sampleAt(line.times, time);
        chart.labels[i].textContent = formatNumber(line.values[sample]);
      });
    }
    this.movePlayheads();
  }

  private movePlayheads(): void {
    for (const chart of this.charts) {
      const [from, to] = this.window ?? this.wholeRun();
      chart.playhead.hidden = this.time < from || this.time > to;
      chart.playhead.style.transform = `translateX(${chart.plot.valToPos(this.time, 'x')}px)`;
    }
  }
}
