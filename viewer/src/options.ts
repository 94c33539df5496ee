/**
 * Options in the address, such as #theme=dark&frame=20&cones=1: theme, frame, view, select (a body),
 * points, forces, cones, chains, glass, collisions (1 or 0), and bare=1 for the scene alone.
 */
export const options = new URLSearchParams(location.hash.slice(1));

export const isBare = options.get('bare') === '1';

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no element "${id}".`);
  return found as T;
}

export function element(tag: string, className: string, text = ''): HTMLElement {
  const result = document.createElement(tag);
  result.className = className;
  result.textContent = text;
  return result;
}

export function showMessage(text: string): void {
  const message = byId('message');
  message.hidden = false;
  message.textContent = text;
}
