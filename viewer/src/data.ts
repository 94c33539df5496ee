// Reads the runs that amontons/io/replay_encode.cc wrote into the page. Layout and encodings are
// described in amontons/io/replay_sections.h.

import { Quaternion, Vector3 } from 'three';

export type ShapeType =
  | 'sphere' | 'box' | 'capsule' | 'cylinder' | 'ellipsoid' | 'half_space' | 'mesh';

export interface Shape {
  type: ShapeType;
  size: number[];
  pose: number[]; // x, y, z, then the quaternion w, x, y, z
  color?: number[];
  mesh?: number;
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

interface Section {
  at: number;
  count: number;
  type: 'u8' | 'u16' | 'u32' | 'f32' | 'f64';
  row: number;
}

interface EncodedRun {
  title: string;
  summary: string[];
  steps: number;
  verdict: string;
  certified: boolean | null;
  frames: number;
  contacts: number;
  bodies: Body[];
  meshes: { vertices: number; triangles: number }[];
  series: { samples: number; curves: Curve[] };
  sections: Record<string, Section>;
  data: string;
}

export const MODES = ['open', 'stick', 'slide', 'impact'] as const;

export interface Mesh {
  vertices: Float32Array;
  triangles: Uint32Array;
}

/** Contact i of a run, decoded on demand. */
export interface Contact {
  bodyA: number;
  bodyB: number;
  position: Vector3;
  normal: Vector3;
  force: Vector3;
  gap: number;
  friction: number;
  mode: number;
}

async function inflate(base64: string): Promise<Uint8Array> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const WIDTHS = { u8: 1, u16: 2, u32: 4, f32: 4, f64: 8 };

function integers(type: Section['type'], buffer: ArrayBuffer) {
  if (type === 'u8') return new Uint8Array(buffer);
  return type === 'u16' ? new Uint16Array(buffer) : new Uint32Array(buffer);
}

function decodeSection(bytes: Uint8Array, section: Section): ArrayBuffer {
  const width = WIDTHS[section.type];
  const count = section.count;
  const joined = new Uint8Array(count * width);
  for (let plane = 0; plane < width; ++plane) {
    const start = section.at + plane * count;
    for (let i = 0; i < count; ++i) joined[i * width + plane] = bytes[start + i];
  }
  if (section.type === 'f64') return joined.buffer;
  const values = integers(section.type, joined.buffer);
  let previous = 0;
  for (let i = 0; i < count; ++i) {
    if (i % section.row === 0) previous = 0;
    const folded = values[i];
    values[i] = previous + ((folded >>> 1) ^ -(folded & 1));
    previous = values[i];
  }
  return joined.buffer;
}

const scratch = new DataView(new ArrayBuffer(4));

function shortFloat(code: number): number {
  scratch.setUint32(0, code << 16);
  return scratch.getFloat32(0);
}

function setDirection(u: number, v: number, out: Vector3): Vector3 {
  const a = (u - 2047) / 2047;
  const b = (v - 2047) / 2047;
  const z = 1 - Math.abs(a) - Math.abs(b);
  if (z >= 0) return out.set(a, b, z).normalize();
  const x = (1 - Math.abs(b)) * (a < 0 ? -1 : 1);
  const y = (1 - Math.abs(a)) * (b < 0 ? -1 : 1);
  return out.set(x, y, z).normalize();
}

export class Run {
  readonly title: string;
  readonly summary: string[];
  readonly steps: number;
  readonly verdict: string;
  readonly certified: boolean | null;
  readonly bodies: Body[];
  readonly meshes: Mesh[] = [];
  readonly numFrames: number;
  readonly times: Float64Array;
  readonly modeCounts: Uint32Array;
  readonly numContacts: number; // of the frames, before any were left out of the page
  readonly numStoredContacts: number;
  readonly maxContacts: number;
  readonly curves: Curve[];
  readonly numSamples: number;
  readonly curveTimes: Float64Array;
  readonly curveValues: Float32Array;

  private readonly ranges: Float64Array;
  private readonly poses: Uint16Array;
  private readonly contactStarts: Uint32Array; // by frame, into contactOrder
  private readonly contactOrder: Uint32Array;
  private readonly contactFrames: Uint32Array;
  private readonly contactBodies: Uint32Array;
  private readonly contactRanges: Float64Array;
  private readonly contactPoints: Uint16Array;
  private readonly contactNormals: Uint16Array;
  private readonly contactForces: Uint16Array;
  private readonly contactGaps: Uint16Array;
  private readonly contactFrictions: Uint16Array;
  private readonly contactModes: Uint8Array;

  static async read(encoded: EncodedRun): Promise<Run> {
    return new Run(encoded, await inflate(encoded.data));
  }

  private constructor(encoded: EncodedRun, bytes: Uint8Array) {
    const section = (name: string) => decodeSection(bytes, encoded.sections[name]);
    this.title = encoded.title;
    this.summary = encoded.summary;
    this.steps = encoded.steps;
    this.verdict = encoded.verdict;
    this.certified = encoded.certified;
    this.bodies = encoded.bodies;
    this.numFrames = encoded.frames;
    this.numContacts = encoded.contacts;
    this.times = new Float64Array(section('times'));
    this.modeCounts = new Uint32Array(section('mode_counts'));
    this.ranges = new Float64Array(section('pose_ranges'));
    this.poses = new Uint16Array(section('poses'));
    this.curves = encoded.series.curves;
    this.numSamples = encoded.series.samples;
    this.curveTimes = new Float64Array(section('series_times'));
    this.curveValues = new Float32Array(section('series_values'));
    this.contactFrames = new Uint32Array(section('contact_frames'));
    this.contactBodies = new Uint32Array(section('contact_bodies'));
    this.contactRanges = new Float64Array(section('contact_ranges'));
    this.contactPoints = new Uint16Array(section('contact_points'));
    this.contactNormals = new Uint16Array(section('contact_normals'));
    this.contactForces = new Uint16Array(section('contact_forces'));
    this.contactGaps = new Uint16Array(section('contact_gaps'));
    this.contactFrictions = new Uint16Array(section('contact_frictions'));
    this.contactModes = new Uint8Array(section('contact_modes'));
    this.numStoredContacts = this.contactFrames.length;

    this.contactStarts = new Uint32Array(this.numFrames + 1);
    for (const frame of this.contactFrames) ++this.contactStarts[frame + 1];
    this.maxContacts = this.contactStarts.reduce((a, b) => Math.max(a, b), 0);
    for (let f = 0; f < this.numFrames; ++f) this.contactStarts[f + 1] += this.contactStarts[f];
    const next = this.contactStarts.slice();
    this.contactOrder = new Uint32Array(this.numStoredContacts);
    this.contactFrames.forEach((frame, i) => {
      this.contactOrder[next[frame]++] = i;
    });

    const vertices = new Float32Array(section('mesh_vertices'));
    const triangles = new Uint32Array(section('mesh_triangles'));
    let v = 0;
    let t = 0;
    for (const mesh of encoded.meshes) {
      this.meshes.push({
        vertices: vertices.subarray(v, v + mesh.vertices),
        triangles: triangles.subarray(t, t + mesh.triangles),
      });
      v += mesh.vertices;
      t += mesh.triangles;
    }
  }

  readPosition(frame: number, body: number, out: Vector3): Vector3 {
    const at = 6 * body * this.numFrames + frame;
    const r = 6 * body;
    const axis = (k: number) => {
      const low = this.ranges[r + 2 * k];
      const high = this.ranges[r + 2 * k + 1];
      return low + ((high - low) * this.poses[at + k * this.numFrames]) / 65535;
    };
    return out.set(axis(0), axis(1), axis(2));
  }

  readRotation(frame: number, body: number, out: Quaternion): Quaternion {
    const at = (6 * body + 3) * this.numFrames + frame;
    const codes = [0, 1, 2].map((k) => this.poses[at + k * this.numFrames]);
    const largest = (codes[0] >>> 15) | ((codes[1] >>> 15) << 1);
    const small = codes.map((code) => ((code & 0x7fff) - 16384) / (Math.SQRT2 * 16383));
    const rest = Math.sqrt(Math.max(0, 1 - small.reduce((sum, c) => sum + c * c, 0)));
    small.splice(largest, 0, rest);
    return out.set(small[1], small[2], small[3], small[0]);
  }

  /** Whether the body keeps its position over all frames. */
  isResting(body: number): boolean {
    const r = 6 * body;
    return [0, 2, 4].every((k) => this.ranges[r + k] === this.ranges[r + k + 1]);
  }

  contactRange(frame: number): [number, number] {
    return [this.contactStarts[frame], this.contactStarts[frame + 1]];
  }

  newContact(): Contact {
    return {
      bodyA: 0, bodyB: 0, position: new Vector3(), normal: new Vector3(), force: new Vector3(),
      gap: 0, friction: 0, mode: 0,
    };
  }

  /** @param place  within contactRange(frame) of some frame. */
  readContact(place: number, out: Contact): Contact {
    const i = this.contactOrder[place];
    const n = this.numStoredContacts;
    out.bodyA = this.contactBodies[i];
    out.bodyB = this.contactBodies[n + i];
    const reference = this.bodies[out.bodyB].fixed ? out.bodyA : out.bodyB;
    this.readPosition(this.contactFrames[i], reference, out.position);
    const offset = (k: number) => {
      const low = this.contactRanges[2 * k];
      const high = this.contactRanges[2 * k + 1];
      return low + ((high - low) * this.contactPoints[k * n + i]) / 65535;
    };
    out.position.x += offset(0);
    out.position.y += offset(1);
    out.position.z += offset(2);
    setDirection(this.contactNormals[i], this.contactNormals[n + i], out.normal);
    out.force.set(
      shortFloat(this.contactForces[i]),
      shortFloat(this.contactForces[n + i]),
      shortFloat(this.contactForces[2 * n + i]),
    );
    out.gap = shortFloat(this.contactGaps[i]);
    out.friction = shortFloat(this.contactFrictions[i]);
    out.mode = this.contactModes[i];
    return out;
  }

  curve(index: number): Float32Array {
    const n = this.curveTimes.length;
    return this.curveValues.subarray(index * n, (index + 1) * n);
  }

  /** The last frame at or before a time; the first frame before the beginning. */
  frameAt(time: number): number {
    const tolerance = 1e-9 * (1 + Math.abs(time));
    let low = 0;
    let high = this.numFrames - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= time + tolerance) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

export async function readRuns(): Promise<Run[]> {
  const element = document.getElementById('amontons-data');
  if (!element) throw new Error('This page is the empty template: it holds no run.');
  const page = JSON.parse(element.textContent ?? '') as { format: number; runs: EncodedRun[] };
  if (page.format !== 1) throw new Error(`The data has format ${page.format}; this page reads 1.`);
  return Promise.all(page.runs.map((run) => Run.read(run)));
}
