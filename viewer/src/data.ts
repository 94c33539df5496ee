// The data of a run, independent of its source.

import { Quaternion, Vector3 } from 'three';

export type ShapeType =
  | 'sphere' | 'box' | 'capsule' | 'cylinder' | 'ellipsoid' | 'half_space' | 'mesh';

export interface Shape {
  type: ShapeType;
  size: number[];
  pose: number[]; // x, y, z, then the quaternion w, x, y, z
  color?: number[];
  mesh?: number;
  visual?: boolean; // a look of the body, drawn in place of its collision shapes
  terrain?: boolean; // drawn with lines of equal height
}

export interface Body {
  name: string;
  fixed: boolean;
  shapes: Shape[];
}

export interface Curve {
  name: string;
  unit: string;
  chart: string;
  log: boolean;
  limit?: number;
}

export interface Mesh {
  vertices: Float32Array;
  triangles: Uint32Array;
}

export const MODES = ['open', 'stick', 'slide', 'impact'] as const;

/** One contact, decoded on demand. */
export interface Contact {
  bodyA: number;
  bodyB: number;
  position: Vector3;
  normal: Vector3; // from A into B
  force: Vector3; // on B [N]; in an impact, which takes no time, the impulse [N s]
  isImpulse: boolean;
  gap: number;
  friction: number;
  mode: number;
}

/** The data that stay constant while a run is shown. */
export interface Header {
  title: string;
  summary: string[];
  bodies: Body[];
  meshes: Mesh[];
  curves: Curve[];
}

/**
 * The body whose share of a contact is drawn: B, unless B is fixed and A is not. The sign is that of
 * its force, and of the normal into it.
 */
export function drawnSide(bodies: Body[], contact: Contact): { letter: 'A' | 'B'; sign: 1 | -1 } {
  const isOnA = bodies[contact.bodyB].fixed && !bodies[contact.bodyA].fixed;
  return isOnA ? { letter: 'A', sign: -1 } : { letter: 'B', sign: 1 };
}

/**
 * Returns false for an open contact whose dot would hang between the bodies and reach neither.
 * @param dot  radius of a contact's dot [m].
 */
export function hasDot(contact: Contact, dot: number): boolean {
  return MODES[contact.mode] !== 'open' || contact.gap <= 2 * dot;
}

export abstract class Run implements Header {
  readonly title: string;
  readonly summary: string[];
  readonly bodies: Body[];
  readonly meshes: Mesh[];
  readonly curves: Curve[];
  /** The point that all places of this run are relative to, in the world [m]. */
  readonly origin = new Vector3();
  steps = 0;
  verdict = '';
  certified: boolean | null = null;

  protected constructor(header: Header) {
    this.title = header.title;
    this.summary = header.summary;
    this.bodies = header.bodies;
    this.meshes = header.meshes;
    this.curves = header.curves;
  }

  abstract get numFrames(): number;
  abstract get times(): Float64Array;
  /** The number of contacts of all frames, including those left out of the page. */
  abstract get numContacts(): number;
  abstract get numStoredContacts(): number;
  /** The largest number of contacts in any frame. */
  abstract get maxContacts(): number;
  abstract modeCount(mode: number, frame: number): number;
  abstract readPosition(frame: number, body: number, out: Vector3): Vector3;
  abstract readRotation(frame: number, body: number, out: Quaternion): Quaternion;
  /** @returns false if the run has no velocities. @param linear  of the body's origin. */
  abstract readVelocity(frame: number, body: number, linear: Vector3, angular: Vector3): boolean;
  /** Returns true if the body keeps its position over all frames. */
  abstract isResting(body: number): boolean;
  abstract contactRange(frame: number): [number, number];
  /** @param place  within contactRange(frame) of some frame. */
  abstract readContact(place: number, out: Contact): Contact;
  abstract get curveTimes(): Float64Array;
  abstract curve(index: number): Float32Array;

  get lastTime(): number {
    return this.times[this.numFrames - 1];
  }

  newContact(): Contact {
    return {
      bodyA: 0, bodyB: 0, position: new Vector3(), normal: new Vector3(), force: new Vector3(),
      isImpulse: false, gap: 0, friction: 0, mode: 0,
    };
  }

  /** Returns the last frame at or before a time; before the beginning, the first frame. */
  frameAt(time: number): number {
    const times = this.times;
    const tolerance = 1e-9 * (1 + Math.abs(time));
    let low = 0;
    let high = this.numFrames - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (times[middle] <= time + tolerance) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
