// What the page asks of a running simulation (tools/amontons/live/live_requests.h).

export interface PullRequest {
  body: number;
  at: number[]; // pulled point of the body [m]
  target: number[]; // where the pointer is, in the world [m]
  rate: number; // natural frequency of spring and point [rad/s]
}

export type LiveRequest =
  | { pause: boolean }
  | { steps: number }
  | { speed: number } // simulated time by wall time; 0: as fast as possible
  | { restart: true }
  | { pull: PullRequest | null }
  | { target: { joint: number; value: number } }
  | { position: { joint: number; value: number } }; // in a pause

/** Requests of the same kind replace each other while they wait. */
function kindOf(request: LiveRequest): string {
  if ('target' in request) return `target ${request.target.joint}`;
  if ('position' in request) return `position ${request.position.joint}`;
  return 'steps' in request ? '' : Object.keys(request)[0];
}

/** Sends requests one after the other, in their order. */
export class LiveRequests {
  private waiting: LiveRequest[] = [];
  private isSending = false;

  constructor(private readonly address: string) {}

  ask(request: LiveRequest): void {
    const kind = kindOf(request);
    if (kind !== '') this.waiting = this.waiting.filter((other) => kindOf(other) !== kind);
    this.waiting.push(request);
    if (!this.isSending) this.send().catch(() => undefined); // a lost connection shows by itself
  }

  private async send(): Promise<void> {
    this.isSending = true;
    try {
      for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
        await fetch(`${this.address}/ask`, { method: 'POST', body: JSON.stringify(next) });
      }
    } finally {
      this.isSending = false;
    }
  }
}
