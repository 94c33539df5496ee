// Contact points, force arrows, friction cones and force chains of one run at one frame.

import {
  BufferGeometry, Color, ConeGeometry, CylinderGeometry, DoubleSide, FrontSide,
  InstancedMesh, Material, Matrix4, MeshBasicMaterial, Quaternion, Scene, SphereGeometry, Vector3,
} from 'three';
import { Contact, Run, drawnSide, hasDot } from './data';
import { CHAIN_COLORS, MODE_COLORS } from './palette';

export interface ContactDisplay {
  points: boolean;
  forces: boolean;
  cones: boolean;
  chains: boolean;
  onTop: boolean; // drawn through the bodies
  scale: number; // scale of the arrows
}

const UP = new Vector3(0, 0, 1);

/** Returns the radius [m] of the dots of contacts. */
export function dotRadius(extent: { radius: number; bodyRadius: number }): number {
  return Math.min(0.011 * extent.radius, 0.14 * extent.bodyRadius);
}

/**
 * The force [N] of an arrow of unit scale at its full length: most forces are below it. Impulses of
 * impacts [N s] have a measure of their own.
 */
function typicalSize(run: Run, isImpulse: boolean): number {
  const contact = run.newContact();
  const stride = Math.max(1, Math.floor(run.numStoredContacts / 20000));
  const sizes: number[] = [];
  for (let i = 0; i < run.numStoredContacts; i += stride) {
    const size = run.readContact(i, contact).force.length();
    if (contact.isImpulse === isImpulse && size > 0 && Number.isFinite(size)) sizes.push(size);
  }
  sizes.sort((a, b) => a - b);
  return sizes.length > 0 ? sizes[Math.floor(0.9 * (sizes.length - 1))] : 1;
}

/** Meshes of one kind of mark, as many as are needed. */
class Marks {
  private mesh: InstancedMesh;
  private count = 0;

  constructor(
    private readonly scene: Scene, geometry: BufferGeometry, opacity: number, order: number,
  ) {
    const material = new MeshBasicMaterial({
      transparent: true, opacity, side: opacity < 0.5 ? DoubleSide : FrontSide,
      depthWrite: opacity >= 0.5, toneMapped: false,
    });
    this.mesh = this.make(geometry, material, order, 64);
  }

  private make(
    geometry: BufferGeometry, material: Material, order: number, capacity: number,
  ): InstancedMesh {
    const mesh = new InstancedMesh(geometry, material, capacity);
    mesh.frustumCulled = false;
    mesh.renderOrder = order;
    mesh.setColorAt(0, new Color());
    mesh.count = 0;
    this.scene.add(mesh);
    return mesh;
  }

  set visible(visible: boolean) {
    this.mesh.visible = visible;
  }

  begin(most: number): void {
    this.count = 0;
    const { geometry, material, renderOrder, visible } = this.mesh;
    let capacity = this.mesh.instanceMatrix.count;
    if (most <= capacity) return;
    while (capacity < most) capacity *= 2;
    this.scene.remove(this.mesh);
    this.mesh.dispose();
    this.mesh = this.make(geometry, material as Material, renderOrder, capacity);
    this.mesh.visible = visible;
  }

  add(matrix: Matrix4, color: Color): void {
    this.mesh.setMatrixAt(this.count, matrix);
    this.mesh.setColorAt(this.count++, color);
  }

  finish(onTop: boolean): void {
    this.mesh.count = this.count;
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
    (this.mesh.material as Material).depthTest = !onTop;
  }
}

export class ContactView {
  private readonly points: Marks;
  private readonly shafts: Marks;
  private readonly heads: Marks;
  private readonly cones: Marks;
  private readonly chains: Marks;
  private typical = 1; // [N]
  private typicalImpulse = 1; // [N s]
  private numMeasured = 0; // number of contacts that `typical` is computed from
  private readonly colors = MODE_COLORS.map((color) => new Color(color));
  private readonly chainColors = CHAIN_COLORS.map((color) => new Color(color));

  constructor(
    scene: Scene, private readonly run: Run, private readonly radius: number,
    private readonly bodyRadius: number,
  ) {
    this.points = new Marks(scene, new SphereGeometry(1, 12, 8), 0.95, 12);
    const rod = () => new CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0).rotateX(Math.PI / 2);
    this.shafts = new Marks(scene, rod(), 0.9, 11);
    this.chains = new Marks(scene, rod(), 0.9, 11);
    this.heads = new Marks(
      scene, new ConeGeometry(1, 1, 14).translate(0, 0.5, 0).rotateX(Math.PI / 2), 0.9, 11);
    this.cones = new Marks(
      scene, new ConeGeometry(1, 1, 32, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5), 0.26,
      10);
  }

  private get all(): Marks[] {
    return [this.points, this.shafts, this.heads, this.cones, this.chains];
  }

  /** The length [m] of the arrow of the typical force, at scale 1. */
  private get reach(): number {
    return 0.32 * Math.min(this.radius, 4 * this.bodyRadius);
  }

  /** Returns the force [N] of an arrow of 1 m, at a scale. */
  newtonsPerMeter(scale: number): number {
    return this.typical / (this.reach * scale);
  }

  /** Returns the scale at which an arrow of 1 m is a force [N]. */
  scaleOf(newtonsPerMeter: number): number {
    return this.typical / (this.reach * newtonsPerMeter);
  }

  setVisible(visible: boolean): void {
    for (const marks of this.all) marks.visible = visible;
  }

  show(frame: number, display: ContactDisplay): void {
    // A growing run is measured again whenever its number of contacts has doubled.
    if (this.run.numStoredContacts > 2 * this.numMeasured) {
      this.numMeasured = this.run.numStoredContacts;
      this.typical = typicalSize(this.run, false);
      this.typicalImpulse = typicalSize(this.run, true);
    }
    const [begin, end] = this.run.contactRange(frame);
    const most = end - begin;
    this.points.begin(display.points ? most : 0);
    this.shafts.begin(display.forces ? most : 0);
    this.heads.begin(display.forces ? most : 0);
    this.cones.begin(display.cones ? most : 0);
    this.chains.begin(display.chains ? 2 * most : 0);
    const contact = this.run.newContact();
    const dot = dotRadius({ radius: this.radius, bodyRadius: this.bodyRadius });
    const reach = this.reach * display.scale;
    const longest = 0.7 * this.radius;
    const direction = new Vector3();
    const turn = new Quaternion();
    const place = new Vector3();
    const size = new Vector3();
    const matrix = new Matrix4();
    for (let i = begin; i < end; ++i) {
      this.run.readContact(i, contact);
      if (!hasDot(contact, dot)) continue;
      const color = this.colors[contact.mode];
      const { sign } = drawnSide(this.run.bodies, contact);
      const typical = contact.isImpulse ? this.typicalImpulse : this.typical;
      if (display.points) {
        matrix.compose(contact.position, turn.identity(), size.setScalar(dot));
        this.points.add(matrix, color);
      }
      const force = contact.force.length();
      if (display.forces && force > 1e-3 * typical && Number.isFinite(force)) {
        // Proportional to the force, except for the few that would leave the picture.
        const wanted = (reach * force) / typical;
        const length = (longest * wanted) / (longest + wanted);
        const head = Math.min(0.45 * length, 4.2 * dot);
        const thickness = Math.min(0.42 * dot, 0.12 * length);
        turn.setFromUnitVectors(UP, direction.copy(contact.force).multiplyScalar(sign / force));
        matrix.compose(contact.position, turn, size.set(thickness, thickness, length - head));
        this.shafts.add(matrix, color);
        place.copy(contact.position).addScaledVector(direction, length - head);
        matrix.compose(place, turn, size.set(2.6 * thickness, 2.6 * thickness, head));
        this.heads.add(matrix, color);
      }
      if (display.cones && contact.friction > 0) {
        // The slant height is the same for every friction, so that mu shows as the opening alone.
        const slant = 0.9 * Math.min(this.bodyRadius, 0.25 * this.radius);
        const height = slant / Math.hypot(1, contact.friction);
        const width = height * Math.min(contact.friction, 1e3);
        turn.setFromUnitVectors(UP, direction.copy(contact.normal).multiplyScalar(sign));
        matrix.compose(contact.position, turn, size.set(width, width, height));
        this.cones.add(matrix, color);
      }
      if (display.chains) this.addChain(frame, contact, typical, dot);
    }
    // Chains lie inside of the bodies.
    for (const marks of this.all) marks.finish(display.onTop || marks === this.chains);
  }

  /** Adds rods from the contact to its moving bodies, as thick as its normal force is great. */
  private addChain(frame: number, contact: Contact, typical: number, dot: number): void {
    const share = contact.force.dot(contact.normal) / typical;
    if (!(share > 1e-3)) return;
    const strength = Math.min(1, share);
    const color = this.chainColors[0].clone().lerp(this.chainColors[1], strength);
    const thickness = dot * Math.max(0.08, 0.9 * Math.min(1.5, share));
    for (const body of [contact.bodyA, contact.bodyB]) {
      if (this.run.bodies[body].fixed) continue;
      const rod = this.run.readPosition(frame, body, new Vector3()).sub(contact.position);
      const length = rod.length();
      if (!(length > 0)) continue;
      const turn = new Quaternion().setFromUnitVectors(UP, rod.divideScalar(length));
      this.chains.add(
        new Matrix4().compose(contact.position, turn, new Vector3(thickness, thickness, length)),
        color);
    }
  }
}
