// Geometry of the shapes, shared between all bodies that look alike.

import {
  BufferAttribute, BufferGeometry, CapsuleGeometry, CylinderGeometry, Matrix4, Quaternion,
  SphereGeometry, Vector3,
} from 'three';
import { RoundedBoxGeometry } from 'three/addons/geometries/RoundedBoxGeometry.js';
import { toCreasedNormals } from 'three/addons/utils/BufferGeometryUtils.js';
import type { Run, Shape } from './data';

/** Every triangle gets one of two tones, so that rotation shows on round bodies. */
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

/** How finely curved shapes are tessellated: segments around, coarser when there are many. */
export function segmentsFor(numShapes: number): number {
  return numShapes > 400 ? 16 : numShapes > 100 ? 24 : 40;
}

/** What to draw for a shape: one geometry per key, and the scale that makes it this shape. */
export interface Form {
  key: string;
  scale: Vector3;
  make: () => BufferGeometry;
}

export function formOf(run: Run, runIndex: number, shape: Shape, segments: number): Form {
  const [a, b, c] = shape.size;
  switch (shape.type) {
    case 'sphere':
    case 'ellipsoid':
      return {
        key: 'ball',
        scale: shape.type === 'sphere' ? new Vector3(a, a, a) : new Vector3(a, b, c),
        make: () => paint(
          new SphereGeometry(1, segments, segments / 2).rotateX(Math.PI / 2), isOddOctant),
      };
    case 'cylinder':
      return {
        key: 'cylinder',
        scale: new Vector3(a, a, b),
        make: () => paint(
          new CylinderGeometry(1, 1, 1, segments, 1).rotateX(Math.PI / 2), isOddQuadrant),
      };
    case 'capsule':
      return {
        key: `capsule ${a} ${b}`,
        scale: new Vector3(1, 1, 1),
        make: () => paint(
          new CapsuleGeometry(a, b, segments / 4, segments, 1).rotateX(Math.PI / 2),
          isOddQuadrant),
      };
    case 'box':
      return {
        key: `box ${a} ${b} ${c}`,
        scale: new Vector3(1, 1, 1),
        make: () => paint(
          new RoundedBoxGeometry(a, b, c, 2, 0.03 * Math.min(a, b, c)), isNever),
      };
    default: {
      const mesh = run.meshes[shape.mesh ?? 0];
      return {
        key: `mesh ${runIndex} ${shape.mesh}`,
        scale: new Vector3(1, 1, 1),
        make: () => {
          const geometry = new BufferGeometry();
          geometry.setAttribute('position', new BufferAttribute(mesh.vertices, 3));
          geometry.setIndex(new BufferAttribute(mesh.triangles, 1));
          return paint(toCreasedNormals(geometry, Math.PI / 5), isNever);
        },
      };
    }
  }
}

export function shapeMatrix(shape: Shape, scale: Vector3): Matrix4 {
  const [x, y, z, qw, qx, qy, qz] = shape.pose;
  return new Matrix4().compose(new Vector3(x, y, z), new Quaternion(qx, qy, qz, qw), scale);
}

/** Radius about the body's origin that holds the shape; 0 for a half-space. */
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
