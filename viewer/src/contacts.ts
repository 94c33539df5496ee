// Contact points, force arrows and friction cones of one run at one frame.

import {
  BufferGeometry, Color, ConeGeometry, CylinderGeometry, DoubleSide, InstancedMesh, Matrix4,
  MeshBasicMaterial, Quaternion, Scene, SphereGeometry, Vector3,
} from 'three';
import type { Run } from './data';
import { MODE_COLORS } from './palette';

export interface ContactDisplay {
  points: boolean;
  forces: boolean;
  cones: boolean;
  onTop: boolean; // drawn through the bodies
  scale: number; // of the arrows
}

const UP = new Vector3(0, 0, 1);

/** The force that an arrow of unit scale shows at its full length: most forces are below it. */
function typicalForce(run: Run): number {
  const contact = run.newContact();
  const stride = Math.max(1, Math.floor(run.numStoredContacts / 20000));
  const sizes: number[] = [];
  for (let i = 0; i < run.numStoredContacts; i += stride) {
    const size = run.readContact(i, contact).force.length();
    if (size > 0 && Number.isFinite(size)) sizes.push(size);
  }
  sizes.sort((a, b) => a - b);
  return sizes.length > 0 ? sizes[Math.floor(0.9 * (sizes.length - 1))] : 1;
}

export class ContactView {
  private readonly points: InstancedMesh;
  private readonly shafts: InstancedMesh;
  private readonly heads: InstancedMesh;
  private readonly cones: InstancedMesh;
  private readonly typical: number;
  private readonly colors = MODE_COLORS.map((color) => new Color(color));

  constructor(
    scene: Scene, private readonly run: Run, private readonly radius: number,
    private readonly bodyRadius: number,
  ) {
    const capacity = Math.max(1, run.maxContacts);
    const make = (geometry: BufferGeometry, opacity: number, order: number) => {
      const material = new MeshBasicMaterial({
        transparent: true, opacity, side: opacity < 0.5 ? DoubleSide : undefined,
        depthWrite: opacity >= 0.5, toneMapped: false,
      });
      const mesh = new InstancedMesh(geometry, material, capacity);
      mesh.frustumCulled = false;
      mesh.renderOrder = order;
      mesh.setColorAt(0, new Color());
      scene.add(mesh);
      return mesh;
    };
    this.points = make(new SphereGeometry(1, 12, 8), 0.95, 12);
    this.shafts = make(
      new CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0).rotateX(Math.PI / 2), 0.9, 11);
    this.heads = make(
      new ConeGeometry(1, 1, 14).translate(0, 0.5, 0).rotateX(Math.PI / 2), 0.9, 11);
    this.cones = make(
      new ConeGeometry(1, 1, 32, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5), 0.26, 10);
    this.typical = typicalForce(run);
  }

  setVisible(visible: boolean): void {
    for (const mesh of [this.points, this.shafts, this.heads, this.cones]) mesh.visible = visible;
  }

  show(frame: number, display: ContactDisplay): void {
    const [begin, end] = this.run.contactRange(frame);
    const contact = this.run.newContact();
    const dot = Math.min(0.011 * this.radius, 0.14 * this.bodyRadius);
    const reach = 0.32 * Math.min(this.radius, 4 * this.bodyRadius) * display.scale;
    const longest = 2 * this.radius;
    const direction = new Vector3();
    const turn = new Quaternion();
    const place = new Vector3();
    const size = new Vector3();
    const matrix = new Matrix4();
    let numPoints = 0;
    let numArrows = 0;
    let numCones = 0;
    for (let i = begin; i < end; ++i) {
      this.run.readContact(i, contact);
      const color = this.colors[contact.mode];
      if (display.points) {
        matrix.compose(contact.position, turn.identity(), size.setScalar(dot));
        this.points.setMatrixAt(numPoints, matrix);
        this.points.setColorAt(numPoints++, color);
      }
      const force = contact.force.length();
      if (display.forces && force > 1e-3 * this.typical && Number.isFinite(force)) {
        const length = Math.min(longest, (reach * force) / this.typical);
        const head = Math.min(0.45 * length, 4.2 * dot);
        const thickness = Math.min(0.42 * dot, 0.12 * length);
        turn.setFromUnitVectors(UP, direction.copy(contact.force).divideScalar(force));
        matrix.compose(contact.position, turn, size.set(thickness, thickness, length - head));
        this.shafts.setMatrixAt(numArrows, matrix);
        this.shafts.setColorAt(numArrows, color);
        place.copy(contact.position).addScaledVector(direction, length - head);
        matrix.compose(place, turn, size.set(2.6 * thickness, 2.6 * thickness, head));
        this.heads.setMatrixAt(numArrows, matrix);
        this.heads.setColorAt(numArrows++, color);
      }
      if (display.cones && contact.friction > 0) {
        // The slant height is the same for every friction, so that mu shows as the opening alone.
        const slant = 0.9 * Math.min(this.bodyRadius, 0.25 * this.radius);
        const height = slant / Math.hypot(1, contact.friction);
        const width = height * Math.min(contact.friction, 1e3);
        turn.setFromUnitVectors(UP, contact.normal);
        matrix.compose(contact.position, turn, size.set(width, width, height));
        this.cones.setMatrixAt(numCones, matrix);
        this.cones.setColorAt(numCones++, color);
      }
    }
    this.finish(this.points, numPoints, display.onTop);
    this.finish(this.shafts, numArrows, display.onTop);
    this.finish(this.heads, numArrows, display.onTop);
    this.finish(this.cones, numCones, display.onTop);
  }

  private finish(mesh: InstancedMesh, count: number, onTop: boolean): void {
    mesh.count = count;
    mesh.instanceMatrix.needsUpdate = true;
    if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    const material = mesh.material as MeshBasicMaterial;
    material.depthTest = !onTop;
  }
}
