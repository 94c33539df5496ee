// The data of the selected body.

import { Euler, Quaternion, Vector3 } from 'three';
import type { Run } from './data';
import { formatExact } from './format';

const FAR_DIGITS = 10; // of places far from the world's origin

export interface Selection {
  run: number;
  body: number;
}

export function triple(v: Vector3): string {
  return v.toArray().map((x) => formatExact(x)).join('  ');
}

/** Returns a place in the world, with digits enough to tell the places of the scene apart. */
export function worldPlace(run: Run, place: Vector3): string {
  return place.toArray().map((x, k) => {
    const origin = run.origin.getComponent(k);
    return formatExact(x + origin, origin === 0 ? 4 : FAR_DIGITS);
  }).join('  ');
}

function measureContacts(run: Run, body: number, frame: number) {
  const [begin, end] = run.contactRange(frame);
  const contact = run.newContact();
  const force = new Vector3();
  let count = 0;
  let worst = Infinity;
  let isImpulse = false;
  for (let i = begin; i < end; ++i) {
    run.readContact(i, contact);
    if (contact.bodyA !== body && contact.bodyB !== body) continue;
    ++count;
    isImpulse = contact.isImpulse;
    worst = Math.min(worst, contact.gap);
    force.addScaledVector(contact.force, contact.bodyB === body ? 1 : -1);
  }
  return { count, force, isImpulse, worst };
}

export function describe(run: Run, body: number, frame: number): [string, string][] {
  const position = run.readPosition(frame, body, new Vector3());
  const rotation = run.readRotation(frame, body, new Quaternion());
  // Extrinsic x, y, z is what three.js calls the intrinsic order ZYX.
  const angles = new Euler().setFromQuaternion(rotation, 'ZYX');
  const degrees = new Vector3(angles.x, angles.y, angles.z).multiplyScalar(180 / Math.PI);
  const contacts = measureContacts(run, body, frame);
  const rows: [string, string][] = [
    ['Position [m]', worldPlace(run, position)],
    ['Roll pitch yaw [°]', triple(degrees.set(...degrees.toArray().map(
      (x) => Math.round(100 * x) / 100) as [number, number, number]))],
  ];
  const linear = new Vector3();
  const angular = new Vector3();
  if (run.readVelocity(frame, body, linear, angular)) {
    rows.push(
      ['Velocity [m/s]', triple(linear)], ['Speed [m/s]', formatExact(linear.length())],
      ['Turning [rad/s]', triple(angular)]);
  }
  rows.push(['Contacts', String(contacts.count)]);
  if (contacts.count > 0) {
    rows.push([
      contacts.isImpulse ? 'Contact impulse [N s]' : 'Contact force [N]', triple(contacts.force)]);
    rows.push(['Least gap [m]', formatExact(contacts.worst)]);
  }
  return rows;
}
