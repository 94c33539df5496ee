// The three-dimensional part of the page: the stage, and the bodies and contacts of every run.

import { Color, Mesh, MeshBasicMaterial, Plane, SphereGeometry, Vector3 } from 'three';
import { BodyView } from './bodies';
import { ContactDisplay, ContactView } from './contacts';
import type { Run } from './data';
import { lowestTerrain, measureExtent } from './extent';
import type { Extent } from './extent';
import { GridStyle, roundSpacing } from './ground';
import { byId, showMessage } from './options';
import { SELECTED_COLOR } from './palette';
import type { Selection } from './selection';
import { Stage } from './stage';

const GRID: Record<'dark' | 'light', GridStyle> = {
  dark: { base: new Color('#2c343f'), line: new Color('#5d6d82') },
  light: { base: new Color('#eef1f4'), line: new Color('#9fadbd') },
};

export class View {
  private readonly bodies: BodyView[];
  private readonly contacts: ContactView[];
  private readonly axisLength: number;
  private readonly halo: Mesh; // around the contact that was clicked

  /** Absent, with a message, where the browser has no WebGL. */
  static make(runs: Run[]): View | null {
    const extent = measureExtent(runs);
    try {
      return new View(runs, new Stage(byId<HTMLCanvasElement>('scene'), extent), extent);
    } catch (error) {
      showMessage(`The scene cannot be drawn: ${error}. The charts below still work.`);
      return null;
    }
  }

  private constructor(
    runs: Run[], readonly stage: Stage,
    readonly extent: Extent & { bodyRadius: number },
  ) {
    const spacing = roundSpacing(extent.radius / 6);
    this.bodies = runs.map((run, i) => new BodyView(stage.scene, run, i, extent, spacing));
    if (!this.bodies.some((view) => view.hasFloor)) {
      stage.addReferenceGrid(spacing, Math.min(...runs.map(lowestTerrain)));
    }
    this.contacts = runs.map(
      (run) => new ContactView(stage.scene, run, extent.radius, extent.bodyRadius));
    this.axisLength = 1.6 * extent.bodyRadius;
    this.halo = new Mesh(new SphereGeometry(1, 16, 12), new MeshBasicMaterial({
      color: SELECTED_COLOR, transparent: true, opacity: 0.6, depthTest: false, toneMapped: false,
    }));
    this.halo.scale.setScalar(Math.min(0.02 * extent.radius, 0.26 * extent.bodyRadius));
    this.halo.renderOrder = 13;
    this.halo.visible = false;
    stage.scene.add(this.halo);
  }

  /** @param colors  colors of the ghosts: all runs except the leading one. */
  setLeader(leader: number, visible: boolean[], colors: string[], seeThrough: boolean): void {
    this.bodies.forEach((view, i) => {
      view.setGhost(i === leader ? null : new Color(colors[i]));
      view.root.visible = visible[i];
    });
    this.bodies[leader].setSeeThrough(seeThrough);
  }

  setSeeThrough(leader: number, on: boolean): void {
    this.bodies[leader].setSeeThrough(on);
  }

  get hasLooks(): boolean {
    return this.bodies.some((view) => view.hasLooks);
  }

  showCollisions(on: boolean): void {
    for (const view of this.bodies) view.showCollisions(on);
    this.stage.requestRender();
  }

  restyle(theme: 'dark' | 'light'): void {
    for (const view of this.bodies) view.restyle(GRID[theme]);
    this.stage.restyle(GRID[theme], theme === 'dark');
  }

  /** Shows a frame of each run. @param follow  a body that the camera follows. */
  showBodies(frames: number[], visible: boolean[], follow: Selection | null): void {
    const before = follow && this.positionOf(follow);
    frames.forEach((frame, i) => {
      if (visible[i]) this.bodies[i].show(frame);
    });
    if (follow && before) this.stage.shift(this.positionOf(follow).sub(before));
    this.stage.requestRender();
  }

  showContacts(leader: number, frame: number, display: ContactDisplay): void {
    this.contacts.forEach((contacts, i) => {
      contacts.setVisible(i === leader);
      if (i === leader) contacts.show(frame, display);
    });
    this.stage.requestRender();
  }

  /** Updates the poses of the moving bodies of a run. */
  fit(run: number): void {
    const box = this.bodies[run].currentBox();
    if (!box.isEmpty()) this.stage.fit(box);
  }

  /** Shows one body in the middle, as large as it fits. */
  frame({ run, body }: Selection): void {
    const box = this.bodies[run].boxOf(body);
    if (!box.isEmpty()) this.stage.fit(box);
  }

  setSection(plane: Plane | null): void {
    for (const view of this.bodies) view.setSection(plane);
    this.stage.requestRender();
  }

  hide({ run, body }: Selection): void {
    this.bodies[run].setHidden(body, true);
  }

  showAll(): void {
    for (const view of this.bodies) view.showAll();
  }

  get numHidden(): number {
    return this.bodies.reduce((sum, view) => sum + view.numHidden, 0);
  }

  /** Marks the place of a contact; null: none. */
  markContact(place: Vector3 | null): void {
    this.halo.visible = place !== null;
    if (place) this.halo.position.copy(place);
    this.stage.requestRender();
  }

  /** Returns the force [N] of an arrow of 1 m. */
  newtonsPerMeter(leader: number, scale: number): number {
    return this.contacts[leader].newtonsPerMeter(scale);
  }

  scaleOf(leader: number, newtonsPerMeter: number): number {
    return this.contacts[leader].scaleOf(newtonsPerMeter);
  }

  pickAt(x: number, y: number, leader: number, visible: boolean[]): Selection | null {
    const ray = this.stage.rayAt(x, y);
    let best: (Selection & { distance: number }) | null = null;
    this.bodies.forEach((view, run) => {
      const hit = visible[run] ? view.pick(ray) : null;
      // The solid run takes precedence over a ghost where both are hit.
      if (!hit || (best && (best.run === leader || hit.distance >= best.distance)
        && run !== leader)) return;
      best = { run, ...hit };
    });
    return best;
  }

  select(selection: Selection | null): void {
    this.bodies.forEach((view, run) => {
      view.select(selection?.run === run ? selection.body : -1);
    });
    this.stage.requestRender();
  }

  /** Shows axes at the selected body. */
  showAxes(selection: Selection | null): void {
    const { triad } = this.stage;
    triad.visible = selection !== null;
    if (!selection) return;
    triad.matrix.copy(this.bodies[selection.run].poseOf(selection.body))
      .scale(new Vector3(this.axisLength, this.axisLength, this.axisLength));
    triad.matrixWorldNeedsUpdate = true;
  }

  private positionOf({ run, body }: Selection): Vector3 {
    return new Vector3().setFromMatrixPosition(this.bodies[run].poseOf(body));
  }
}
