// Reads the runs that amontons/io/replay/replay_encode.cc wrote into the page. Layout and encodings
// are described in amontons/io/replay/replay_sections.h.

import { Quaternion, Vector3 } from 'three';
import { Body, Contact, Curve, Mesh, Run } from './data';

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

/** Decodes a number in [-1, 1] of encode_half(). */
function half(code: number): number {
  const exponent = (code >>> 10) & 31;
  const mantissa = code & 1023;
  const size = exponent === 0 ? mantissa * 2 ** -40 : (1024 + mantissa) * 2 ** (exponent - 41);
  return code & 0x8000 ? -size : size;
}

/** Decodes one of the three components of a unit quaternion that are not its largest. */
function smallPart(code: number): number {
  return ((code & 0x7fff) - 16384) / (Math.SQRT2 * 16383);
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

function splitMeshes(
  sizes: EncodedRun['meshes'], vertices: Float32Array, triangles: Uint32Array,
): Mesh[] {
  let v = 0;
  let t = 0;
  return sizes.map((size) => {
    const mesh = {
      vertices: vertices.subarray(v, v + size.vertices),
      triangles: triangles.subarray(t, t + size.triangles),
    };
    v += size.vertices;
    t += size.triangles;
    return mesh;
  });
}

/** A complete run, decoded from the page itself. */
export class RecordedRun extends Run {
  readonly numFrames: number;
  readonly times: Float64Array;
  readonly numContacts: number;
  readonly numStoredContacts: number;
  readonly maxContacts: number;
  readonly curveTimes: Float64Array;

  private readonly modeCounts: Uint32Array;
  private readonly curveValues: Float32Array;
  private readonly ranges: Float64Array;
  private readonly poses: Uint16Array;
  private readonly velocityScales: Float64Array; // linear and angular, by body; empty: unknown
  private readonly velocities: Uint16Array;
  private readonly impacts: Uint8Array; // by frame
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

  static async read(encoded: EncodedRun): Promise<RecordedRun> {
    return new RecordedRun(encoded, await inflate(encoded.data));
  }

  private constructor(encoded: EncodedRun, bytes: Uint8Array) {
    const section = (name: string) => decodeSection(bytes, encoded.sections[name]);
    super({
      title: encoded.title, summary: encoded.summary, bodies: encoded.bodies,
      meshes: splitMeshes(
        encoded.meshes, new Float32Array(section('mesh_vertices')),
        new Uint32Array(section('mesh_triangles'))),
      curves: encoded.series.curves,
    });
    this.steps = encoded.steps;
    this.verdict = encoded.verdict;
    this.certified = encoded.certified;
    this.numFrames = encoded.frames;
    this.numContacts = encoded.contacts;
    this.times = new Float64Array(section('times'));
    this.modeCounts = new Uint32Array(section('mode_counts'));
    this.ranges = new Float64Array(section('pose_ranges'));
    this.poses = new Uint16Array(section('poses'));
    const hasVelocities = encoded.sections.velocities !== undefined;
    const none = new ArrayBuffer(0);
    this.velocityScales = new Float64Array(hasVelocities ? section('velocity_scales') : none);
    this.velocities = new Uint16Array(hasVelocities ? section('velocities') : none);
    this.impacts = new Uint8Array(section('impacts'));
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
  }

  modeCount(mode: number, frame: number): number {
    return this.modeCounts[mode * this.numFrames + frame];
  }

  readPosition(frame: number, body: number, out: Vector3): Vector3 {
    const n = this.numFrames;
    const at = 6 * body * n + frame;
    const r = this.ranges;
    const k = 6 * body;
    return out.set(
      r[k] + ((r[k + 1] - r[k]) * this.poses[at]) / 65535,
      r[k + 2] + ((r[k + 3] - r[k + 2]) * this.poses[at + n]) / 65535,
      r[k + 4] + ((r[k + 5] - r[k + 4]) * this.poses[at + 2 * n]) / 65535);
  }

  readRotation(frame: number, body: number, out: Quaternion): Quaternion {
    const n = this.numFrames;
    const at = (6 * body + 3) * n + frame;
    const first = this.poses[at];
    const second = this.poses[at + n];
    const third = this.poses[at + 2 * n];
    const largest = (first >>> 15) | ((second >>> 15) << 1);
    const a = smallPart(first);
    const b = smallPart(second);
    const c = smallPart(third);
    const rest = Math.sqrt(Math.max(0, 1 - a * a - b * b - c * c));
    switch (largest) { // in the order w, x, y, z
      case 0: return out.set(a, b, c, rest);
      case 1: return out.set(rest, b, c, a);
      case 2: return out.set(b, rest, c, a);
      default: return out.set(b, c, rest, a);
    }
  }

  readVelocity(frame: number, body: number, linear: Vector3, angular: Vector3): boolean {
    if (this.velocities.length === 0) return false;
    const n = this.numFrames;
    [linear, angular].forEach((out, part) => {
      const at = (6 * body + 3 * part) * n + frame;
      out.set(
        half(this.velocities[at]), half(this.velocities[at + n]), half(this.velocities[at + 2 * n]))
        .multiplyScalar(this.velocityScales[2 * body + part]);
    });
    return true;
  }

  /** Makes places relative to a point near the scene, since drawing has single precision alone. */
  setOrigin(origin: Vector3): void {
    const shift = this.origin.clone().sub(origin).toArray();
    for (let i = 0; i < this.ranges.length; ++i) this.ranges[i] += shift[(i >> 1) % 3];
    this.origin.copy(origin);
  }

  isResting(body: number): boolean {
    const r = 6 * body;
    return [0, 2, 4].every((k) => this.ranges[r + k] === this.ranges[r + k + 1]);
  }

  contactRange(frame: number): [number, number] {
    return [this.contactStarts[frame], this.contactStarts[frame + 1]];
  }

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
    out.isImpulse = this.impacts[this.contactFrames[i]] !== 0;
    out.gap = shortFloat(this.contactGaps[i]);
    out.friction = shortFloat(this.contactFrictions[i]);
    out.mode = this.contactModes[i];
    return out;
  }

  curve(index: number): Float32Array {
    const n = this.curveTimes.length;
    return this.curveValues.subarray(index * n, (index + 1) * n);
  }
}

/** The input of the page: its runs, and the source of the frames of a running simulation. */
export interface PageData {
  runs: RecordedRun[];
  live: string | null;
}

export async function readPage(): Promise<PageData> {
  const element = document.getElementById('amontons-data');
  if (!element) throw new Error('This page is the empty template: it holds no run.');
  const page = JSON.parse(element.textContent ?? '') as {
    format: number; runs: EncodedRun[]; live?: string;
  };
  if (page.format !== 1) throw new Error(`The data has format ${page.format}; this page reads 1.`);
  return {
    runs: await Promise.all(page.runs.map((run) => RecordedRun.read(run))), live: page.live ?? null,
  };
}
