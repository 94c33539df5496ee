// The region that the bodies of some runs occupy.

import { Box3, Matrix4, Quaternion, Vector3 } from 'three';
import type { Run } from './data';
import { roundSpacing } from './ground';
import type { RecordedRun } from './recorded';
import { shapeMatrix, shapeReach } from './shapes';

/** The region of the moving bodies: a box, its center and half its diagonal [m]. */
export interface Extent {
  center: Vector3;
  radius: number;
  box: Box3;
}

function percentile(sorted: number[], fraction: number): number {
  return sorted[Math.round(fraction * (sorted.length - 1))];
}

/**
 * Returns the region of the moving bodies over the runs: most of the first frame and 96 % of the
 * later positions. One body that flies away therefore does not shrink the picture.
 */
export function measureExtent(runs: Run[]): Extent & { bodyRadius: number } {
  const axes: [number[], number[], number[]] = [[], [], []];
  const first: [number[], number[], number[]] = [[], [], []];
  const reaches: number[] = [];
  const p = new Vector3();
  for (const run of runs) {
    const sized = run.bodies.map((_, b) => b).filter(
      (b) => run.bodies[b].shapes.some((shape) => shape.type !== 'half_space'));
    const moving = sized.filter((b) => !run.bodies[b].fixed || !run.isResting(b));
    const chosen = moving.length > 0 ? moving : sized;
    const stride = Math.max(1, Math.floor((chosen.length * run.numFrames) / 40000));
    for (const b of chosen) {
      const reach = Math.max(...run.bodies[b].shapes.map((shape) => shapeReach(run, shape)));
      reaches.push(reach);
      for (let f = 0; f < run.numFrames; f += f === 0 ? 1 : stride) {
        run.readPosition(f, b, p).toArray().forEach((x, k) => {
          (f === 0 ? first : axes)[k].push(x - reach, x + reach);
        });
      }
    }
  }
  if (reaches.length === 0) {
    const box = new Box3(new Vector3(-0.5, -0.5, 0), new Vector3(0.5, 0.5, 1));
    return { center: new Vector3(0, 0, 0.5), radius: 1, bodyRadius: 0.2, box };
  }
  const low = new Vector3();
  const high = new Vector3();
  axes.forEach((values, k) => {
    values.sort((a, b) => a - b);
    first[k].sort((a, b) => a - b);
    const later = values.length > 0 ? values : first[k];
    low.setComponent(k, Math.min(percentile(first[k], 0.08), percentile(later, 0.02)));
    high.setComponent(k, Math.max(percentile(first[k], 0.92), percentile(later, 0.98)));
  });
  reaches.sort((a, b) => a - b);
  return {
    center: low.clone().add(high).multiplyScalar(0.5),
    radius: Math.max(0.5 * low.distanceTo(high), 1e-6),
    bodyRadius: percentile(reaches, 0.5),
    box: new Box3(low, high),
  };
}

/**
 * Makes the places of runs relative to a point near them, where they are more than a thousand of
 * their radii from the world's origin. Lines of grids stay where they are.
 */
export function placeNearOrigin(runs: RecordedRun[]): void {
  const { center, radius } = measureExtent(runs);
  if (center.length() <= 1000 * radius) return;
  const step = 5 * roundSpacing(radius / 6);
  const origin = center.clone().divideScalar(step).round().multiplyScalar(step);
  for (const run of runs) run.setOrigin(origin);
}

/** Returns the lowest point [m] of fixed meshes, such as terrain; infinity without any. */
export function lowestTerrain(run: Run): number {
  let lowest = Infinity;
  const p = new Vector3();
  const q = new Quaternion();
  run.bodies.forEach((body, b) => {
    if (!body.fixed) return;
    for (const shape of body.shapes) {
      if (shape.type !== 'mesh') continue;
      const toWorld = new Matrix4().compose(
        run.readPosition(0, b, p), run.readRotation(0, b, q), new Vector3(1, 1, 1))
        .multiply(shapeMatrix(shape));
      const { vertices } = run.meshes[shape.mesh ?? 0];
      for (let i = 0; i < vertices.length; i += 3) {
        lowest = Math.min(lowest, p.fromArray(vertices, i).applyMatrix4(toWorld).z);
      }
    }
  });
  return lowest;
}
