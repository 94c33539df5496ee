// The texts of the page: header, certificate, clock, legend, and the card of a body.

import { MODES, Run } from './data';
import type { LiveState } from './live';
import { byId, element } from './options';
import { GHOST_COLORS, MODE_COLORS } from './palette';
import { Selection, describe } from './selection';

const MOST_RUNS_BESIDE = 3; // more runs than these have rows of their own in the header

/** The color of each run: the accent for the one that is solid. */
export function runColors(count: number, primary: number): string[] {
  let ghosts = 0;
  return Array.from({ length: count }, (_, i) => (
    i === primary ? 'var(--accent)' : GHOST_COLORS[ghosts++ % GHOST_COLORS.length]));
}

export function showRuns(
  runs: Run[], primary: number, visible: boolean[], onLead: (run: number) => void,
  onVisible: (run: number, on: boolean) => void,
): void {
  const box = byId('runs');
  box.textContent = '';
  byId('top').classList.toggle('has-many-runs', runs.length > MOST_RUNS_BESIDE);
  const colors = runColors(runs.length, primary);
  runs.forEach((run, i) => {
    const chip = element('span', i === primary ? 'run is-primary' : 'run');
    const title = element('button', '', run.title);
    title.title = run.title;
    title.addEventListener('click', () => onLead(i));
    if (runs.length > 1) {
      const dot = element('span', 'dot');
      dot.style.background = colors[i];
      const check = document.createElement('input');
      check.type = 'checkbox';
      check.checked = visible[i];
      check.disabled = i === primary;
      check.setAttribute('aria-label', 'Show this run');
      check.addEventListener('change', () => onVisible(i, check.checked));
      chip.append(dot, check);
    }
    chip.append(title);
    box.append(chip);
  });
}

/** Lets a click on the verdict show all of it, where it has no room on its line. */
export function connectVerdict(): void {
  const verdict = byId('verdict');
  verdict.addEventListener('click', () => {
    const isOpen = verdict.getAttribute('aria-expanded') === 'true';
    verdict.setAttribute('aria-expanded', String(!isOpen));
  });
}

export function showVerdict(run: Run): void {
  byId('steps').textContent =
    `${run.steps.toLocaleString('en')} steps · ${run.bodies.length.toLocaleString('en')} bodies`;
  const verdict = byId('verdict');
  verdict.hidden = run.verdict === '';
  verdict.textContent =
    (run.certified === null ? '' : run.certified ? '✓ ' : '✗ ') + run.verdict;
  verdict.title = verdict.textContent;
  verdict.className = run.certified === null ? 'none' : run.certified ? 'pass' : 'fail';
}

export function showSummary(run: Run): void {
  const list = byId('summary').querySelector('ul') as HTMLElement;
  list.replaceChildren(...run.summary.map((line) => element('li', '', line)));
  byId('summary').hidden = run.summary.length === 0;
  const note = byId('contact-note');
  note.hidden = run.numStoredContacts === run.numContacts;
  const share = (100 * run.numStoredContacts) / Math.max(1, run.numContacts);
  note.textContent =
    `Shows the strongest ${share.toFixed(0)} % of the contacts of each frame, to limit the size ` +
    'of this page. The counts are of all.';
}

/** Makes the legend of the modes of contacts; showClock sets its numbers. */
export function makeLegend(): void {
  const legend = byId('modes');
  MODES.forEach((mode, m) => {
    const row = element('div', '');
    const dot = element('span', 'dot');
    dot.style.background = MODE_COLORS[m];
    const count = element('b', '');
    count.id = `count-${mode}`;
    row.append(dot, element('span', '', mode), count);
    legend.append(row);
  });
}

export function showClock(run: Run, frame: number): void {
  const clock = byId('clock');
  const time = run.times[frame];
  clock.replaceChildren(
    element('b', '', `${time.toFixed(run.lastTime < 100 ? 3 : 2)} s`),
    element('span', 'quiet', `frame ${frame + 1} of ${run.numFrames}`));
  MODES.forEach((mode, m) => {
    byId(`count-${mode}`).textContent = String(run.modeCount(m, frame));
  });
}

/** @param title  of the run, where there are several. */
export function showBody(
  run: Run, selection: Selection, frame: number, title: string | null, onClose: () => void,
): void {
  const head = element('header', '');
  const close = element('button', '', '×');
  close.title = 'Clear the selection (Escape)';
  close.addEventListener('click', onClose);
  head.append(element('h2', '', run.bodies[selection.body].name), close);
  const list = element('dl', '');
  const rows = describe(run, selection.body, frame);
  if (title !== null) rows.unshift(['Run', title]);
  for (const [term, text] of rows) list.append(element('dt', '', term), element('dd', '', text));
  byId('selection').replaceChildren(head, list);
}

const LIVE_TEXT: Record<LiveState, string> = {
  waiting: 'Waiting', running: 'Live', ended: 'Ended', lost: 'Connection lost',
};

/** The state of a running simulation. @param reason  why it has ended, in words. */
export function showLive(state: LiveState, reason: string, isFollowing: boolean): void {
  const button = byId<HTMLButtonElement>('live');
  button.hidden = false;
  button.disabled = state === 'ended' || state === 'lost';
  const stop = byId<HTMLButtonElement>('stop');
  stop.hidden = false;
  stop.disabled = button.disabled;
  button.classList.toggle('is-following', isFollowing && state === 'running');
  byId('live-state').textContent =
    state === 'running' && !isFollowing ? 'Paused: follow' : LIVE_TEXT[state];
  if (reason !== '') button.title = reason;
  document.body.dataset.amontonsLive =
    state === 'running' && !isFollowing ? 'paused' : state;
}
