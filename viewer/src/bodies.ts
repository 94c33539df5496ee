// The bodies of one run: one instanced mesh per form, half-spaces as grid planes.

import {
  Box3, Color, FrontSide, Group, InstancedMesh, Matrix4, Mesh, MeshStandardMaterial, Quaternion, Scene,
  Vector3,
} from 'three';
import type { Intersection, Raycaster } from 'three';
import type { Body, Run, Shape } from './data';
import { GridPlane, GridStyle, gridPlane, placePlane } from './ground';
import { BODY_COLORS, FIXED_COLOR, SELECTED_COLOR } from './palette';
import { formOf, segmentsFor, shapeMatrix, shapeReach } from './shapes';

interface Instance {
  body: number;
  local: Matrix4;
  color: Color;
}

interface Batch {
  mesh: InstancedMesh;
  instances: Instance[];
}

interface Plane {
  body: number;
  grid: GridPlane;
}

/** Where the moving bodies are: a box, its center and half its diagonal. */
export interface Extent {
  center: Vector3;
  radius: number;
  box: Box3;
}

function colorOf(body: Body, index: number, shape: Shape): Color {
  if (shape.color) return new Color().setRGB(shape.color[0], shape.color[1], shape.color[2], 'srgb');
  return new Color(body.fixed ? FIXED_COLOR : BODY_COLORS[index % BODY_COLORS.length]);
}

export class BodyView {
  readonly root = new Group();
  private readonly batches: Batch[] = [];
  private readonly planes: Plane[] = [];
  private readonly poses: Matrix4[];
  private readonly material: MeshStandardMaterial;
  private selected = -1;
  private ghost: Color | null = null;

  constructor(
    scene: Scene, readonly run: Run, readonly runIndex: number, extent: Extent, spacing: number,
  ) {
    this.material = new MeshStandardMaterial({
      vertexColors: true, roughness: 0.5, metalness: 0.04, side: FrontSide,
    });
    this.poses = run.bodies.map(() => new Matrix4());
    this.makeBatches();
    this.makePlanes(extent, spacing);
    scene.add(this.root);
  }

  private makeBatches(): void {
    const numShapes = this.run.bodies.reduce((sum, body) => sum + body.shapes.length, 0);
    const groups = new Map<string, { instances: Instance[]; make: () => Mesh['geometry'] }>();
    let movingIndex = 0;
    this.run.bodies.forEach((body, b) => {
      const colorIndex = body.fixed ? 0 : movingIndex++;
      for (const shape of body.shapes) {
        if (shape.type === 'half_space') continue;
        const form = formOf(this.run, this.runIndex, shape, segmentsFor(numShapes));
        const group = groups.get(form.key) ?? { instances: [], make: form.make };
        group.instances.push({
          body: b, local: shapeMatrix(shape, form.scale), color: colorOf(body, colorIndex, shape),
        });
        groups.set(form.key, group);
      }
    });
    for (const { instances, make } of groups.values()) {
      const mesh = new InstancedMesh(make(), this.material, instances.length);
      mesh.frustumCulled = false;
      this.batches.push({ mesh, instances });
      this.root.add(mesh);
    }
    this.recolor();
  }

  private makePlanes(extent: Extent, spacing: number): void {
    const position = new Vector3();
    const rotation = new Quaternion();
    this.run.bodies.forEach((body, b) => {
      for (const shape of body.shapes) {
        if (shape.type !== 'half_space') continue;
        const normal = new Vector3(shape.size[0], shape.size[1], shape.size[2]);
        const inBody = shapeMatrix(shape, new Vector3(1, 1, 1));
        const toWorld = new Matrix4().compose(
          this.run.readPosition(0, b, position), this.run.readRotation(0, b, rotation),
          new Vector3(1, 1, 1)).multiply(inBody);
        const up = normal.clone().transformDirection(toWorld).z;
        const isFloor = up > 0.7;
        const grid = gridPlane(
          (isFloor ? 5 : 1.6) * extent.radius, spacing, isFloor ? 1 : 0.14);
        placePlane(
          grid.object, normal, shape.size[3],
          extent.center.clone().applyMatrix4(toWorld.clone().invert()), spacing);
        grid.object.updateMatrix();
        const patch = grid.object.children[0];
        patch.applyMatrix4(new Matrix4().multiplyMatrices(inBody, grid.object.matrix));
        grid.object.matrixAutoUpdate = false;
        this.planes.push({ body: b, grid });
        this.root.add(grid.object);
      }
    });
  }

  get hasFloor(): boolean {
    return this.planes.length > 0;
  }

  /** A ghost is drawn translucent in one color, without shadow. */
  setGhost(color: Color | null): void {
    this.ghost = color;
    this.material.transparent = color !== null;
    this.material.opacity = color ? 0.3 : 1;
    this.material.depthWrite = color === null;
    // Where a ghost coincides with the solid run, the solid one shows.
    this.material.polygonOffset = color !== null;
    this.material.polygonOffsetFactor = this.material.polygonOffsetUnits = 2;
    this.material.needsUpdate = true;
    for (const { mesh } of this.batches) {
      mesh.castShadow = color === null;
      mesh.receiveShadow = color === null;
      mesh.renderOrder = color ? 2 : 0;
    }
    for (const { grid } of this.planes) grid.object.visible = color === null;
    this.recolor();
  }

  setSeeThrough(on: boolean): void {
    if (this.ghost) return;
    this.material.transparent = on;
    this.material.opacity = on ? 0.35 : 1;
    this.material.depthWrite = !on;
    this.material.needsUpdate = true;
  }

  restyle(style: GridStyle): void {
    for (const { grid } of this.planes) grid.restyle(style);
  }

  select(body: number): void {
    this.selected = body;
    this.recolor();
  }

  private recolor(): void {
    const selected = new Color(SELECTED_COLOR);
    for (const { mesh, instances } of this.batches) {
      instances.forEach((instance, i) => {
        const own = this.ghost ?? instance.color;
        mesh.setColorAt(i, instance.body === this.selected ? selected : own);
      });
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  show(frame: number): void {
    const position = new Vector3();
    const rotation = new Quaternion();
    const one = new Vector3(1, 1, 1);
    this.poses.forEach((pose, b) => {
      this.run.readPosition(frame, b, position);
      this.run.readRotation(frame, b, rotation);
      pose.compose(position, rotation, one);
    });
    const matrix = new Matrix4();
    for (const { mesh, instances } of this.batches) {
      instances.forEach((instance, i) => {
        mesh.setMatrixAt(i, matrix.multiplyMatrices(this.poses[instance.body], instance.local));
      });
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null; // picking measures it anew
    }
    for (const { body, grid } of this.planes) {
      grid.object.matrix.copy(this.poses[body]);
      grid.object.matrixWorldNeedsUpdate = true;
    }
  }

  poseOf(body: number): Matrix4 {
    return this.poses[body];
  }

  /** The box of the moving bodies as they are shown now; empty without any. */
  currentBox(): Box3 {
    const box = new Box3();
    const point = new Vector3();
    this.run.bodies.forEach((body, b) => {
      if (body.fixed && this.run.isResting(b)) return;
      const reach = Math.max(0, ...body.shapes.map((shape) => shapeReach(this.run, shape)));
      if (reach === 0) return;
      point.setFromMatrixPosition(this.poses[b]);
      box.expandByPoint(point.clone().addScalar(reach));
      box.expandByPoint(point.addScalar(-reach));
    });
    return box;
  }

  pick(raycaster: Raycaster): { body: number; distance: number } | null {
    let best: { body: number; distance: number } | null = null;
    for (const { mesh, instances } of this.batches) {
      const hits: Intersection[] = [];
      mesh.raycast(raycaster, hits);
      for (const hit of hits) {
        if (hit.instanceId === undefined || (best && hit.distance >= best.distance)) continue;
        best = { body: instances[hit.instanceId].body, distance: hit.distance };
      }
    }
    return best;
  }
}
