// The actions that the keyboard can trigger.

import type { Player } from './player';
import type { Selection } from './selection';

export interface Controls {
  readonly player: Player;
  /** Pauses, and moves by a number of frames, forwards or back. */
  step(count: number): void;
  select(selection: Selection | null): void;
}
