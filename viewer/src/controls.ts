// The actions that the keyboard can trigger.

import type { Player } from './player';
import type { Selection } from './selection';

export interface Controls {
  readonly player: Player;
  /** Pauses, and moves by a number of frames, forwards or back. */
  step(count: number): void;
  select(selection: Selection | null): void;
  /** Shows the selected body alone in the picture's middle; all bodies without a selection. */
  frameSelection(): void;
  /** Hides the selected body. */
  hideSelection(): void;
  showAll(): void;
  nextSection(): void;
}
