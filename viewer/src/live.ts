// The stream of a running simulation (amontons replay --live, am.view): server-sent events from the
// server that gave the page.

import type { LiveControls, LiveStatus } from './live_controls';
import type { LiveFrame, LiveRun } from './live_run';

export type LiveState = 'waiting' | 'running' | 'ended' | 'lost';

/** Asks the simulation to stop; the stream then says that it has ended. */
export async function stopLive(address: string): Promise<void> {
  await fetch(`${address}/stop`, { method: 'POST' });
}

/** Appends the arriving frames to the run, and notifies at most once per picture. */
export function connectLive(
  address: string, run: LiveRun, onGrowth: (forgotten: number) => void,
  onState: (state: LiveState, reason: string) => void, controls: LiveControls,
): void {
  const stream = new EventSource(address);
  let forgotten = 0;
  let isScheduled = false;
  const tell = () => {
    isScheduled = false;
    onGrowth(forgotten);
    controls.grow();
    forgotten = 0;
  };
  onState('waiting', '');
  stream.addEventListener('message', (event) => {
    const frame = JSON.parse(event.data) as LiveFrame;
    forgotten += run.append(frame);
    controls.showFrame(frame);
    onState('running', '');
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(tell);
  });
  stream.addEventListener('status', (event) => {
    controls.setStatus(JSON.parse((event as MessageEvent<string>).data) as LiveStatus);
  });
  stream.addEventListener('end', (event) => {
    stream.close();
    onState('ended', JSON.parse((event as MessageEvent<string>).data) as string);
  });
  // The browser reconnects by itself, unless the server has refused: then it is another server.
  stream.addEventListener('error', () => onState('lost', ''));
}
