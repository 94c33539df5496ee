// The keyboard.

import type { Controls } from './controls';
import { byId } from './options';

export function connectKeys(page: Controls): void {
  const click = (id: string) => byId(id).click();
  const changeSpeed = (by: number) => {
    const speed = byId<HTMLSelectElement>('speed');
    speed.selectedIndex =
      Math.min(speed.options.length - 1, Math.max(0, speed.selectedIndex + by));
    speed.dispatchEvent(new Event('change'));
  };
  const actions: Record<string, (event: KeyboardEvent) => void> = {
    ' ': () => page.player.toggle(),
    ArrowLeft: (event) => page.step(event.shiftKey ? -10 : -1),
    ArrowRight: (event) => page.step(event.shiftKey ? 10 : 1),
    Home: () => page.step(-Infinity),
    End: () => page.step(Infinity),
    '+': () => changeSpeed(1),
    '-': () => changeSpeed(-1),
    c: () => click('show-points'),
    a: () => click('show-forces'),
    f: () => page.frameSelection(),
    h: (event) => (event.shiftKey ? page.showAll() : page.hideSelection()),
    x: () => page.nextSection(),
    k: () => click('show-cones'),
    n: () => click('show-chains'),
    g: () => click('see-through'),
    v: () => click('show-collisions'),
    l: () => click('live'),
    1: () => click('view-usual'),
    2: () => click('view-front'),
    3: () => click('view-side'),
    4: () => click('view-top'),
    r: () => click('reset-view'),
    z: () => click('fit-view'),
    t: () => click('theme'),
    Escape: () => page.select(null),
  };
  // In the capture phase: a focused button or slider would otherwise act a second time.
  window.addEventListener('keydown', (event) => {
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    const { target } = event;
    const isTyping = target instanceof HTMLSelectElement
      || (target instanceof HTMLInputElement && target.type === 'number');
    if (!action || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    action(event);
  }, { capture: true });
  // A select that has been changed gives the keys back to the page.
  document.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLSelectElement) target.blur();
  });
  window.addEventListener('keyup', (event) => {
    if (event.key === ' ') event.preventDefault();
  }, { capture: true });
}
