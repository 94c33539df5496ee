// What the keyboard asks of the page.

import type { Player } from './player';
import type { Selection } from './selection';

export interface Controls {
  readonly player: Player;
  /** Pauses, and goes on by so many frames, or back. */
  step(count: number): void;
  select(selection: Selection | null): void;
}
