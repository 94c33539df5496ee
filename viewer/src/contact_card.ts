// The contact that was clicked: its data at each frame.

import { Vector3 } from 'three';
import { Contact, MODES, Run, drawnSide, hasDot } from './data';
import { formatExact } from './format';
import { byId, element } from './options';
import { MODE_COLORS } from './palette';
import { triple, worldPlace } from './selection';
import type { Stage } from './stage';

const REACH = 12; // [pixels] from the pointer to the middle of a contact point
const JUMP = 0.25; // greatest distance, in radii of the scene, of a contact from where it was

/**
 * Forces of a contact along its normal and across it, and what is left until it slides [N]; impulses
 * [N s] in an impact.
 */
export function measureForce(contact: Contact) {
  const normal = contact.force.dot(contact.normal);
  const friction = contact.force.clone().addScaledVector(contact.normal, -normal).length();
  return { normal, friction, margin: contact.friction * normal - friction };
}

export function describeContact(run: Run, contact: Contact): [string, string][] {
  const { normal, friction, margin } = measureForce(contact);
  const { letter, sign } = drawnSide(run.bodies, contact);
  const [name, Name, unit] = contact.isImpulse
    ? ['impulse', 'Impulse', 'N s'] : ['force', 'Force', 'N'];
  return [
    ['Body A', run.bodies[contact.bodyA].name],
    ['Body B', run.bodies[contact.bodyB].name],
    ['Mode', MODES[contact.mode]],
    ['Position [m]', worldPlace(run, contact.position)],
    ['Normal, A to B', triple(contact.normal)],
    ['Gap [m]', formatExact(contact.gap)],
    [`${Name} on ${letter} [${unit}]`, triple(contact.force.clone().multiplyScalar(sign))],
    [`Normal ${name} [${unit}]`, formatExact(normal)],
    [`Friction ${name} [${unit}]`, formatExact(friction)],
    ['Coefficient', formatExact(contact.friction)],
    [`Slip margin [${unit}]`, formatExact(margin)],
  ];
}

/** Follows a contact over the frames: contacts have no names, so it is the one of the same bodies
 * that is nearest to where it was. */
export class ContactCard {
  private run: Run | null = null;
  private bodies: [number, number] = [0, 0];
  private readonly place = new Vector3();

  /** @param dot  radius of a contact's dot [m]. */
  constructor(
    private readonly radius: number, private readonly dot: number,
    private readonly onClose: () => void,
  ) {}

  /** Takes the contact point under the pointer. Returns false if there is none. */
  pick(stage: Stage, run: Run, frame: number, clientX: number, clientY: number): boolean {
    const [begin, end] = run.contactRange(frame);
    const contact = run.newContact();
    let best = REACH;
    let found = false;
    for (let i = begin; i < end; ++i) {
      if (!hasDot(run.readContact(i, contact), this.dot)) continue;
      const [x, y] = stage.placeOf(contact.position);
      const distance = Math.hypot(x - clientX, y - clientY);
      if (distance >= best) continue;
      best = distance;
      found = true;
      this.place.copy(contact.position);
      this.bodies = [contact.bodyA, contact.bodyB];
    }
    if (found) this.run = run;
    return found;
  }

  close(): void {
    this.run = null;
    byId('contact').hidden = true;
    this.onClose();
  }

  private find(run: Run, frame: number): Contact | null {
    const [begin, end] = run.contactRange(frame);
    const contact = run.newContact();
    let best = -1;
    let least = JUMP * this.radius;
    for (let i = begin; i < end; ++i) {
      run.readContact(i, contact);
      const [a, b] = this.bodies;
      if (contact.bodyA !== a || contact.bodyB !== b) continue;
      const distance = contact.position.distanceTo(this.place);
      if (distance > least) continue;
      least = distance;
      best = i;
    }
    return best < 0 ? null : run.readContact(best, contact);
  }

  /** Shows the contact at a frame of the leading run, and returns its place, if it is there. */
  show(leader: Run, frame: number): Vector3 | null {
    const card = byId('contact');
    card.hidden = this.run === null;
    if (this.run === null) return null;
    if (this.run !== leader) {
      this.close();
      return null;
    }
    const contact = this.find(leader, frame);
    const head = element('header', '');
    const dot = element('span', 'dot');
    dot.style.background = contact ? MODE_COLORS[contact.mode] : 'transparent';
    const close = element('button', '', '×');
    close.setAttribute('aria-label', 'Close');
    close.addEventListener('click', () => this.close());
    head.append(dot, element('h2', '', 'Contact'), close);
    const list = element('dl', '');
    const [a, b] = this.bodies;
    const rows: [string, string][] = contact ? describeContact(leader, contact) : [
      ['Body A', leader.bodies[a].name], ['Body B', leader.bodies[b].name],
      ['At this time', 'no contact'],
    ];
    for (const [term, text] of rows) list.append(element('dt', '', term), element('dd', '', text));
    card.replaceChildren(head, list);
    if (!contact) return null;
    this.place.copy(contact.position);
    return this.place;
  }
}
