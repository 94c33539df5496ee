// Geometry of the shapes, shared between all bodies that look alike.

import {
  BoxGeometry, BufferAttribute, BufferGeometry, CylinderGeometry, Matrix4, Quaternion,
  SphereGeometry, Vector3,
} from 'three';
import { RoundedBoxGeometry } from 'three/addons/geometries/RoundedBoxGeometry.js';
import { toCreasedNormals } from 'three/addons/utils/BufferGeometryUtils.js';
import type { Run, Shape } from './data';

/** Gives every triangle one of two tones, so that rotation is visible on round bodies. */
function paint(geometry: BufferGeometry, isDark: (c: Vector3) => boolean): BufferGeometry {
  const flat = geometry.index ? geometry.toNonIndexed() : geometry;
  const position = flat.getAttribute('position');
  const colors = new Float32Array(position.count * 3);
  const center = new Vector3();
  const corner = new Vector3();
  for (let i = 0; i < position.count; i += 3) {
    center.set(0, 0, 0);
    for (let k = 0; k < 3; ++k) center.add(corner.fromBufferAttribute(position, i + k));
    colors.fill(isDark(center) ? 0.72 : 1, 3 * i, 3 * i + 9);
  }
  flat.setAttribute('color', new BufferAttribute(colors, 3));
  return flat;
}

const isOddOctant = (c: Vector3) => c.x > 0 !== (c.y > 0) !== c.z > 0;
const isOddQuadrant = (c: Vector3) => c.x > 0 !== c.y > 0;
const isNever = () => false;

/** The resolution of the shapes of a run: coarser when there are many. */
export interface Detail {
  segments: number; // around
  hasRoundBoxes: boolean; // a rounded box has a geometry of its own size, a plain one is scaled
}

const MOST_ROUND_BOXES = 16; // sizes

export function detailOf(run: Run): Detail {
  let numShapes = 0;
  const boxes = new Set<string>();
  for (const body of run.bodies) {
    numShapes += body.shapes.length;
    for (const shape of body.shapes) if (shape.type === 'box') boxes.add(shape.size.join(' '));
  }
  return {
    segments: numShapes > 400 ? 16 : numShapes > 100 ? 24 : 40,
    hasRoundBoxes: boxes.size <= MOST_ROUND_BOXES,
  };
}

/** A part of a shape: one geometry per key, and its pose in the shape's frame. */
export interface Part {
  key: string;
  local: Matrix4;
  make: () => BufferGeometry;
}

function scaled(x: number, y: number, z: number): Matrix4 {
  return new Matrix4().makeScale(x, y, z);
}

/** A tube between two half balls, so that capsules of any size share two geometries. */
function capsuleParts(radius: number, length: number, segments: number): Part[] {
  const dome = () => paint(
    new SphereGeometry(1, segments, segments / 4, 0, 2 * Math.PI, 0, Math.PI / 2)
      .rotateX(Math.PI / 2),
    isOddQuadrant);
  const end = scaled(radius, radius, radius).setPosition(0, 0, length / 2);
  return [
    {
      key: 'tube',
      local: scaled(radius, radius, length),
      make: () => paint(
        new CylinderGeometry(1, 1, 1, segments, 1, true).rotateX(Math.PI / 2), isOddQuadrant),
    },
    { key: 'dome', local: end, make: dome },
    { key: 'dome', local: new Matrix4().makeRotationX(Math.PI).multiply(end), make: dome },
  ];
}

function boxPart(size: number[], isRound: boolean): Part {
  const [a, b, c] = size;
  if (!isRound) {
    return {
      key: 'box', local: scaled(a, b, c), make: () => paint(new BoxGeometry(1, 1, 1), isNever),
    };
  }
  return {
    key: `box ${a} ${b} ${c}`,
    local: new Matrix4(),
    make: () => paint(
      new RoundedBoxGeometry(a, b, c, 2, 0.03 * Math.min(a, b, c)), isNever),
  };
}

export function partsOf(run: Run, runIndex: number, shape: Shape, detail: Detail): Part[] {
  const [a, b, c] = shape.size;
  const { segments, hasRoundBoxes } = detail;
  switch (shape.type) {
    case 'sphere':
    case 'ellipsoid':
      return [{
        key: 'ball',
        local: shape.type === 'sphere' ? scaled(a, a, a) : scaled(a, b, c),
        make: () => paint(
          new SphereGeometry(1, segments, segments / 2).rotateX(Math.PI / 2), isOddOctant),
      }];
    case 'cylinder':
      return [{
        key: 'cylinder',
        local: scaled(a, a, b),
        make: () => paint(
          new CylinderGeometry(1, 1, 1, segments, 1).rotateX(Math.PI / 2), isOddQuadrant),
      }];
    case 'capsule':
      return capsuleParts(a, b, segments);
    case 'box':
      return [boxPart(shape.size, hasRoundBoxes)];
    default: {
      const mesh = run.meshes[shape.mesh ?? 0];
      return [{
        key: `mesh ${runIndex} ${shape.mesh}`,
        local: new Matrix4(),
        make: () => {
          const geometry = new BufferGeometry();
          geometry.setAttribute('position', new BufferAttribute(mesh.vertices, 3));
          geometry.setIndex(new BufferAttribute(mesh.triangles, 1));
          return paint(toCreasedNormals(geometry, Math.PI / 5), isNever);
        },
      }];
    }
  }
}

/** Transforms from the shape's frame to its body's. */
export function shapeMatrix(shape: Shape): Matrix4 {
  const [x, y, z, qw, qx, qy, qz] = shape.pose;
  return new Matrix4().compose(
    new Vector3(x, y, z), new Quaternion(qx, qy, qz, qw), new Vector3(1, 1, 1));
}

/** Returns the radius [m] about the body's origin that encloses the shape; 0 for a half-space. */
export function shapeReach(run: Run, shape: Shape): number {
  const offset = Math.hypot(shape.pose[0], shape.pose[1], shape.pose[2]);
  const [a, b, c] = shape.size;
  switch (shape.type) {
    case 'half_space': return 0;
    case 'sphere': return offset + a;
    case 'box': return offset + 0.5 * Math.hypot(a, b, c);
    case 'capsule': return offset + a + b / 2;
    case 'cylinder': return offset + Math.hypot(a, b / 2);
    case 'ellipsoid': return offset + Math.max(a, b, c);
    case 'mesh': {
      const v = run.meshes[shape.mesh ?? 0].vertices;
      let reach = 0;
      for (let i = 0; i < v.length; i += 3) {
        reach = Math.max(reach, Math.hypot(v[i], v[i + 1], v[i + 2]));
      }
      return offset + reach;
    }
  }
}
