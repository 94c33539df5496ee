// A run that grows while it is shown: frames arrive one by one (amontons/io/replay/live_replay.h).
// They are kept until they fill the allowed memory; the oldest are then dropped.

import { Quaternion, Vector3 } from 'three';
import { Contact, MODES, Run } from './data';

const POSE = 7; // x, y, z, then the quaternion w, x, y, z
const VELOCITY = 6; // linear, angular
const CONTACT = 14; // bodies A and B, position, normal, force, gap, friction, mode
const MEMORY = 256e6; // [bytes]

/**
 * A frame of the stream: arrays of single precision, those of poses and contacts of double
 * precision, little endian, as base64.
 */
export interface LiveFrame {
  time: number;
  steps: number;
  accepted: boolean; // every step so far has an answer that is accepted
  verdict: string; // how the steps so far answered the law asked
  impact: boolean; // the step took no time: contacts have impulses
  poses: string;
  velocities: string;
  contacts: string;
  curves: string;
  joints: string; // positions [rad or m], in the order of LiveStatus.joints
  targets: string; // of their servos; NaN without one
}

type Numbers = Float64Array | Float32Array | Uint32Array;

/** An array that grows at its end and drops at its front. */
class Growing<T extends Numbers> {
  length = 0;
  private data: T;

  constructor(private readonly make: (size: number) => T) {
    this.data = make(1024);
  }

  append(values: ArrayLike<number>): void {
    const length = this.length + values.length;
    if (length > this.data.length) {
      const larger = this.make(2 * length);
      larger.set(this.view());
      this.data = larger;
    }
    this.data.set(values, this.length);
    this.length = length;
  }

  forget(count: number): void {
    this.data.copyWithin(0, count, this.length);
    this.length -= count;
  }

  at(i: number): number {
    return this.data[i];
  }

  view(): T {
    return this.data.subarray(0, this.length) as T;
  }

  get bytes(): number {
    return this.length * this.data.BYTES_PER_ELEMENT;
  }
}

function bufferOf(base64: string): ArrayBuffer {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes.buffer;
}

/** Returns the numbers of single precision that a text holds. */
export function floats(base64: string): Float32Array {
  return new Float32Array(bufferOf(base64));
}

/**
 * Returns rows of numbers of double precision in single precision, their places relative to an origin.
 * @param length  of a row. @param at  of the place in a row.
 */
function placed(base64: string, length: number, at: number, origin: Vector3): Float32Array {
  const rows = new Float64Array(bufferOf(base64));
  for (let i = at; i < rows.length; i += length) {
    rows[i] -= origin.x;
    rows[i + 1] -= origin.y;
    rows[i + 2] -= origin.z;
  }
  return new Float32Array(rows);
}

export class LiveRun extends Run {
  maxContacts = 0;
  private readonly frameTimes = new Growing((n) => new Float64Array(n));
  private readonly poses = new Growing((n) => new Float32Array(n));
  private readonly velocities = new Growing((n) => new Float32Array(n));
  private readonly impacts = new Growing((n) => new Uint32Array(n)); // by contact
  private readonly contacts = new Growing((n) => new Float32Array(n));
  private readonly contactEnds = new Growing((n) => new Uint32Array(n));
  private readonly modeCounts = new Growing((n) => new Uint32Array(n));
  private readonly values = new Growing((n) => new Float32Array(n));

  /** @param start  the constant data, and the first frame. */
  constructor(start: Run) {
    super(start);
    this.certified = null;
    this.verdict = 'live';
    this.origin.copy(start.origin);
    const poses: number[] = [];
    const velocities: number[] = [];
    const p = new Vector3();
    const q = new Quaternion();
    const linear = new Vector3();
    const angular = new Vector3();
    start.bodies.forEach((_, b) => {
      start.readVelocity(0, b, linear, angular);
      velocities.push(...linear.toArray(), ...angular.toArray());
      start.readPosition(0, b, p);
      start.readRotation(0, b, q);
      poses.push(p.x, p.y, p.z, q.w, q.x, q.y, q.z);
    });
    const none = new Float32Array(start.curves.length).fill(NaN);
    this.take(start.times[0], new Float32Array(poses), new Float32Array(velocities), false,
      new Float32Array(0), none);
  }

  /** @returns how many of the oldest frames were dropped: all where the time was set back. */
  append(frame: LiveFrame): number {
    this.steps = frame.steps;
    this.certified = frame.accepted;
    this.verdict = frame.verdict;
    const isSetBack = frame.time < this.lastTime;
    const dropped = isSetBack ? this.forget(this.numFrames) : 0;
    this.take(frame.time, placed(frame.poses, POSE, 0, this.origin),
      floats(frame.velocities), frame.impact,
      placed(frame.contacts, CONTACT, 2, this.origin), floats(frame.curves));
    const used = this.poses.bytes + this.velocities.bytes + this.contacts.bytes + this.values.bytes;
    return dropped + (used > MEMORY ? this.forget(this.numFrames >> 1) : 0);
  }

  private take(
    time: number, poses: Float32Array, velocities: Float32Array, isImpact: boolean,
    contacts: Float32Array, values: Float32Array,
  ): void {
    const count = contacts.length / CONTACT;
    const modes = new Uint32Array(MODES.length);
    for (let i = 0; i < count; ++i) ++modes[contacts[CONTACT * i + 13]];
    this.frameTimes.append([time]);
    this.poses.append(poses);
    this.velocities.append(velocities);
    this.contacts.append(contacts);
    this.impacts.append(new Uint32Array(count).fill(isImpact ? 1 : 0));
    this.contactEnds.append([this.contacts.length / CONTACT]);
    this.modeCounts.append(modes);
    this.values.append(values);
    this.maxContacts = Math.max(this.maxContacts, count);
  }

  private forget(frames: number): number {
    if (frames === 0) return 0;
    const contacts = this.contactEnds.at(frames - 1);
    this.frameTimes.forget(frames);
    this.poses.forget(frames * POSE * this.bodies.length);
    this.velocities.forget(frames * VELOCITY * this.bodies.length);
    this.contacts.forget(contacts * CONTACT);
    this.impacts.forget(contacts);
    this.contactEnds.forget(frames);
    const ends = this.contactEnds.view();
    for (let f = 0; f < ends.length; ++f) ends[f] -= contacts;
    this.modeCounts.forget(frames * MODES.length);
    this.values.forget(frames * this.curves.length);
    return frames;
  }

  get numFrames(): number {
    return this.frameTimes.length;
  }

  get times(): Float64Array {
    return this.frameTimes.view();
  }

  get numContacts(): number {
    return this.contacts.length / CONTACT;
  }

  get numStoredContacts(): number {
    return this.numContacts;
  }

  modeCount(mode: number, frame: number): number {
    return this.modeCounts.at(MODES.length * frame + mode);
  }

  private poseAt(frame: number, body: number): number {
    return POSE * (frame * this.bodies.length + body);
  }

  readPosition(frame: number, body: number, out: Vector3): Vector3 {
    const at = this.poseAt(frame, body);
    return out.set(this.poses.at(at), this.poses.at(at + 1), this.poses.at(at + 2));
  }

  readRotation(frame: number, body: number, out: Quaternion): Quaternion {
    const at = this.poseAt(frame, body);
    return out.set(
      this.poses.at(at + 4), this.poses.at(at + 5), this.poses.at(at + 6), this.poses.at(at + 3));
  }

  readVelocity(frame: number, body: number, linear: Vector3, angular: Vector3): boolean {
    const at = VELOCITY * (frame * this.bodies.length + body);
    const v = this.velocities;
    linear.set(v.at(at), v.at(at + 1), v.at(at + 2));
    angular.set(v.at(at + 3), v.at(at + 4), v.at(at + 5));
    return true;
  }

  isResting(body: number): boolean {
    const first = this.poseAt(0, body);
    const last = this.poseAt(this.numFrames - 1, body);
    return [0, 1, 2].every((k) => this.poses.at(first + k) === this.poses.at(last + k));
  }

  contactRange(frame: number): [number, number] {
    return [frame === 0 ? 0 : this.contactEnds.at(frame - 1), this.contactEnds.at(frame)];
  }

  readContact(place: number, out: Contact): Contact {
    const at = CONTACT * place;
    const c = this.contacts;
    out.bodyA = c.at(at);
    out.bodyB = c.at(at + 1);
    out.position.set(c.at(at + 2), c.at(at + 3), c.at(at + 4));
    out.normal.set(c.at(at + 5), c.at(at + 6), c.at(at + 7));
    out.force.set(c.at(at + 8), c.at(at + 9), c.at(at + 10));
    out.isImpulse = this.impacts.at(place) !== 0;
    out.gap = c.at(at + 11);
    out.friction = c.at(at + 12);
    out.mode = c.at(at + 13);
    return out;
  }

  get curveTimes(): Float64Array {
    return this.times;
  }

  curve(index: number): Float32Array {
    const result = new Float32Array(this.numFrames);
    for (let f = 0; f < result.length; ++f) {
      result[f] = this.values.at(f * this.curves.length + index);
    }
    return result;
  }
}
