// The bodies of one run: one instanced mesh per form, all meshes of files together in one batch, and
// half-spaces as grid planes. The number of draw calls does not grow with the number of bodies.

import {
  BatchedMesh, Box3, Color, DoubleSide, FrontSide, Group, InstancedMesh, Matrix4,
  MeshStandardMaterial, Plane as CutPlane, Quaternion, Scene, Vector3,
} from 'three';
import type { BufferGeometry, Intersection, Material, Raycaster } from 'three';
import type { Body, Run, Shape } from './data';
import type { Extent } from './extent';
import { bodyColors, ownColor } from './body_colors';
import { GridPlane, GridStyle, gridPlane, placePlane } from './ground';
import { SELECTED_COLOR } from './palette';
import { detailOf, partsOf, shapeMatrix, shapeReach } from './shapes';
import { terrainMaterial } from './terrain';

interface Instance {
  body: number;
  local: Matrix4;
  color: Color;
}

/** When a shape is drawn: always, or while the page shows looks, or collision shapes. */
type Layer = 'always' | 'looks' | 'collisions';

interface Batch {
  mesh: InstancedMesh | BatchedMesh; // place i shows instance i
  instances: Instance[];
  layer: Layer;
}

interface Form {
  instances: Instance[];
  make: () => BufferGeometry;
  layer: Layer;
  kind: 'form' | 'mesh' | 'terrain';
}

/** A body that has looks is drawn by them, or by its collision shapes; any other by its shapes. */
function layerOf(body: Body, shape: Shape): Layer {
  if (shape.visual) return 'looks';
  return body.shapes.some((other) => other.visual) ? 'collisions' : 'always';
}

/** Draws all meshes of different geometries in one draw call. */
function batchOf(groups: Form[], material: Material, layer: Layer): Batch {
  const geometries = groups.map(({ make }) => make());
  const instances = groups.flatMap((group) => group.instances);
  const numVertices = geometries.reduce((sum, g) => sum + g.getAttribute('position').count, 0);
  const mesh = new BatchedMesh(instances.length, numVertices, 0, material);
  mesh.perObjectFrustumCulled = false;
  mesh.sortObjects = false;
  geometries.forEach((geometry, g) => {
    const id = mesh.addGeometry(geometry);
    for (let k = 0; k < groups[g].instances.length; ++k) mesh.addInstance(id);
  });
  return { mesh, instances, layer };
}

const NOTHING = new Matrix4().makeScale(0, 0, 0);

interface Plane {
  body: number;
  grid: GridPlane;
}

export class BodyView {
  readonly root = new Group();
  private readonly batches: Batch[] = [];
  private readonly planes: Plane[] = [];
  private readonly poses: Matrix4[];
  private readonly materials: MeshStandardMaterial[]; // materials of meshes and batch
  private readonly hidden = new Set<number>();
  private selected = -1;
  private ghost: Color | null = null;

  constructor(
    scene: Scene, readonly run: Run, readonly runIndex: number, extent: Extent, spacing: number,
  ) {
    this.materials = [0, 1].map(() => new MeshStandardMaterial({
      vertexColors: true, roughness: 0.5, metalness: 0.04, side: FrontSide,
    }));
    this.poses = run.bodies.map(() => new Matrix4());
    this.makeBatches();
    this.makePlanes(extent, spacing);
    scene.add(this.root);
  }

  private makeBatches(): void {
    const detail = detailOf(this.run);
    const colors = bodyColors(this.run.bodies);
    const forms = new Map<string, Form>();
    this.run.bodies.forEach((body, b) => {
      for (const shape of body.shapes) {
        if (shape.type === 'half_space') continue;
        const color = ownColor(shape) ?? colors[b];
        const layer = layerOf(body, shape);
        const kind = shape.terrain ? 'terrain' : shape.type === 'mesh' ? 'mesh' : 'form';
        for (const part of partsOf(this.run, this.runIndex, shape, detail)) {
          const key = `${layer} ${kind} ${part.key}`;
          const form = forms.get(key) ?? { instances: [], make: part.make, layer, kind };
          form.instances.push({ body: b, local: shapeMatrix(shape).multiply(part.local), color });
          forms.set(key, form);
        }
      }
    });
    for (const { instances, make, layer, kind } of forms.values()) {
      if (kind === 'mesh') continue;
      const geometry = make();
      let material = this.materials[0];
      if (kind === 'terrain') {
        material = terrainMaterial(geometry);
        this.materials.push(material);
      }
      const mesh = new InstancedMesh(geometry, material, instances.length);
      this.batches.push({ mesh, instances, layer });
    }
    for (const layer of ['always', 'looks', 'collisions'] as const) {
      const meshes = [...forms.values()].filter((f) => f.kind === 'mesh' && f.layer === layer);
      if (meshes.length > 0) this.batches.push(batchOf(meshes, this.materials[1], layer));
    }
    for (const { mesh } of this.batches) {
      mesh.frustumCulled = false;
      this.root.add(mesh);
    }
    this.showCollisions(false);
    this.recolor();
  }

  get hasLooks(): boolean {
    return this.batches.some(({ layer }) => layer === 'looks');
  }

  /** Draws collision shapes in place of looks, or looks. */
  showCollisions(on: boolean): void {
    for (const { mesh, layer } of this.batches) {
      mesh.visible = layer === 'always' || (layer === 'collisions') === on;
    }
  }

  private makePlanes(extent: Extent, spacing: number): void {
    const position = new Vector3();
    const rotation = new Quaternion();
    this.run.bodies.forEach((body, b) => {
      for (const shape of body.shapes) {
        if (shape.type !== 'half_space') continue;
        const normal = new Vector3(shape.size[0], shape.size[1], shape.size[2]);
        const inBody = shapeMatrix(shape);
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
    for (const material of this.materials) {
      material.transparent = color !== null;
      material.opacity = color ? 0.3 : 1;
      material.depthWrite = color === null;
      // Where a ghost coincides with the solid run, the solid one shows.
      material.polygonOffset = color !== null;
      material.polygonOffsetFactor = material.polygonOffsetUnits = 2;
      material.needsUpdate = true;
    }
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
    for (const material of this.materials) {
      material.transparent = on;
      material.opacity = on ? 0.35 : 1;
      material.depthWrite = !on;
      material.needsUpdate = true;
    }
  }

  /** Cuts the bodies open, so that their insides show; null: not. */
  setSection(plane: CutPlane | null): void {
    for (const material of this.materials) {
      material.clippingPlanes = plane ? [plane] : null;
      material.side = plane ? DoubleSide : FrontSide;
      material.needsUpdate = true;
    }
  }

  /** Hides a body, or shows it; show() then draws it so. */
  setHidden(body: number, isHidden: boolean): void {
    if (isHidden) this.hidden.add(body);
    else this.hidden.delete(body);
  }

  /** Returns the number of hidden bodies. */
  get numHidden(): number {
    return this.hidden.size;
  }

  showAll(): void {
    this.hidden.clear();
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
      if (mesh instanceof InstancedMesh && mesh.instanceColor) {
        mesh.instanceColor.needsUpdate = true;
      }
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
      for (let i = 0; i < instances.length; ++i) {
        const { body, local } = instances[i];
        if (this.hidden.has(body)) mesh.setMatrixAt(i, NOTHING);
        else mesh.setMatrixAt(i, matrix.multiplyMatrices(this.poses[body], local));
      }
      if (mesh instanceof InstancedMesh) mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null; // picking recomputes it
    }
    for (const { body, grid } of this.planes) {
      grid.object.visible = this.ghost === null && !this.hidden.has(body);
      grid.object.matrix.copy(this.poses[body]);
      grid.object.matrixWorldNeedsUpdate = true;
    }
  }

  poseOf(body: number): Matrix4 {
    return this.poses[body];
  }

  /** Returns the box of one body at the shown frame; empty for a half-space. */
  boxOf(body: number): Box3 {
    const box = new Box3();
    const reach = Math.max(
      0, ...this.run.bodies[body].shapes.map((shape) => shapeReach(this.run, shape)));
    if (reach === 0) return box;
    const center = new Vector3().setFromMatrixPosition(this.poses[body]);
    box.expandByPoint(center.clone().addScalar(reach));
    return box.expandByPoint(center.addScalar(-reach));
  }

  /** Returns the box of the moving bodies at the shown frame; empty without any. */
  currentBox(): Box3 {
    const box = new Box3();
    this.run.bodies.forEach((body, b) => {
      if ((body.fixed && this.run.isResting(b)) || this.hidden.has(b)) return;
      box.union(this.boxOf(b));
    });
    return box;
  }

  pick(raycaster: Raycaster): { body: number; distance: number } | null {
    let best: { body: number; distance: number } | null = null;
    for (const { mesh, instances } of this.batches) {
      if (!mesh.visible) continue;
      const hits: Intersection[] = [];
      mesh.raycast(raycaster, hits);
      for (const hit of hits) {
        const place = hit.instanceId ?? hit.batchId;
        if (place === undefined || (best && hit.distance >= best.distance)) continue;
        best = { body: instances[place].body, distance: hit.distance };
      }
    }
    return best;
  }
}
