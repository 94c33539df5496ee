// The data of the selected body.

import { Euler, Quaternion, Vector3 } from 'three';
import type { Run } from './data';
import { formatNumber } from './format';

export interface Selection {
  run: number;
  body: number;
}

export function triple(v: Vector3): string {
  return v.toArray().map((x) => formatNumber(Math.abs(x) < 5e-7 ? 0 : x)).join('  ');
}

/** Returns velocities from the neighboring frames: those of the motion in the picture. */
export function measureMotion(run: Run, body: number, frame: number) {
  const before = Math.max(0, frame - 1);
  const after = Math.min(run.numFrames - 1, frame + 1);
  const span = run.times[after] - run.times[before];
  const linear = new Vector3();
  const angular = new Vector3();
  if (!(span > 0)) return { linear, angular };
  const start = run.readPosition(before, body, new Vector3());
  run.readPosition(after, body, linear).sub(start).divideScalar(span);
  const turn = run.readRotation(after, body, new Quaternion())
    .multiply(run.readRotation(before, body, new Quaternion()).invert());
  if (turn.w < 0) turn.set(-turn.x, -turn.y, -turn.z, -turn.w);
  const sine = Math.hypot(turn.x, turn.y, turn.z);
  if (sine > 1e-12) {
    angular.set(turn.x, turn.y, turn.z)
      .multiplyScalar((2 * Math.atan2(sine, turn.w)) / (sine * span));
  }
  return { linear, angular };
}

function measureContacts(run: Run, body: number, frame: number) {
  const [begin, end] = run.contactRange(frame);
  const contact = run.newContact();
  const force = new Vector3();
  let count = 0;
  let worst = Infinity;
  for (let i = begin; i < end; ++i) {
    run.readContact(i, contact);
    if (contact.bodyA !== body && contact.bodyB !== body) continue;
    ++count;
    worst = Math.min(worst, contact.gap);
    force.addScaledVector(contact.force, contact.bodyB === body ? 1 : -1);
  }
  return { count, force, worst };
}

export function describe(run: Run, body: number, frame: number): [string, string][] {
  const position = run.readPosition(frame, body, new Vector3());
  const rotation = run.readRotation(frame, body, new Quaternion());
  // Extrinsic x, y, z is what three.js calls the intrinsic order ZYX.
  const angles = new Euler().setFromQuaternion(rotation, 'ZYX');
  const degrees = new Vector3(angles.x, angles.y, angles.z).multiplyScalar(180 / Math.PI);
  const { linear, angular } = measureMotion(run, body, frame);
  const contacts = measureContacts(run, body, frame);
  const rows: [string, string][] = [
    ['Position [m]', triple(position)],
    ['Roll pitch yaw [°]', triple(degrees.set(...degrees.toArray().map(
      (x) => Math.round(100 * x) / 100) as [number, number, number]))],
    ['Velocity [m/s]', triple(linear)],
    ['Speed [m/s]', formatNumber(linear.length())],
    ['Turning [rad/s]', triple(angular)],
    ['Contacts', String(contacts.count)],
  ];
  if (contacts.count > 0) {
    rows.push(['Contact force [N]', triple(contacts.force)]);
    rows.push(['Least gap [m]', formatNumber(contacts.worst)]);
  }
  return rows;
}
