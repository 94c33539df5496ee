// Pulls a body of a running simulation by the pointer: the simulation has a spring and a damper
// between the pulled point and the pointer.

import {
  BufferGeometry, Float32BufferAttribute, Line, LineBasicMaterial, Plane, Quaternion, Vector3,
} from 'three';
import type { LiveRequests } from './live_requests';
import type { Player } from './player';
import type { Run } from './data';
import type { Selection } from './selection';
import type { View } from './view';

const INTERVAL = 30; // [ms] between two requests while the pointer moves
const REPEAT = 250; // [ms]; the simulation ends a pull that nobody repeats for a second
const GRAVITY = 9.81; // [m/s^2]
const SAG = 0.05; // of the picture's height, by which a free body hangs below the pointer

interface Pull {
  body: number;
  at: Vector3; // in the body [m]
  plane: Plane; // in which the pointer moves
  target: Vector3; // relative to the run's origin [m]
  rate: number; // [rad/s]
}

export class PullTool {
  /** True: a drag pulls; else one with the control key. */
  isOn = false;
  /** False: the simulation has ended. */
  isEnabled = true;
  private pull: Pull | null = null;
  private sent = 0;
  private timer = 0;
  private readonly line: Line;

  constructor(
    private readonly canvas: HTMLCanvasElement, private readonly view: View,
    private readonly run: Run, private readonly player: Player,
    private readonly requests: LiveRequests,
  ) {
    this.line = new Line(
      new BufferGeometry(), new LineBasicMaterial({ color: 0xffb02e, depthTest: false }));
    this.line.geometry.setAttribute('position', new Float32BufferAttribute(6, 3));
    this.line.renderOrder = 30;
    this.line.frustumCulled = false;
    this.line.visible = false;
    view.stage.scene.add(this.line);
    // In the capture phase, ahead of the camera and of the selection.
    const options = { capture: true };
    canvas.addEventListener('pointerdown', (event) => this.begin(event), options);
    canvas.addEventListener('pointermove', (event) => this.move(event), options);
    for (const type of ['pointerup', 'pointercancel', 'lostpointercapture'] as const) {
      canvas.addEventListener(type, (event) => this.finish(event), options);
    }
  }

  get isPulling(): boolean {
    return this.pull !== null;
  }

  private begin(event: PointerEvent): void {
    if (!this.isEnabled || event.button !== 0 || !(this.isOn || event.ctrlKey)) return;
    const hit = this.view.pickAt(event.clientX, event.clientY, 0, [true]) as
      (Selection & { distance: number }) | null;
    if (!hit || this.run.bodies[hit.body].fixed) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    this.canvas.setPointerCapture(event.pointerId);
    this.player.follow();
    const { camera } = this.view.stage;
    const point = this.view.stage.rayAt(event.clientX, event.clientY).ray
      .at(hit.distance, new Vector3());
    const towards = camera.getWorldDirection(new Vector3());
    const depth = point.clone().sub(camera.position).dot(towards);
    const height = 2 * depth * Math.tan((camera.fov * Math.PI) / 360);
    this.pull = {
      body: hit.body, at: this.toBody(hit.body, point), target: point,
      plane: new Plane().setFromNormalAndCoplanarPoint(towards, point),
      rate: Math.sqrt(GRAVITY / (SAG * height)),
    };
    this.canvas.style.cursor = 'grabbing';
    this.send();
    this.timer = window.setInterval(() => this.send(), REPEAT);
    this.draw();
  }

  private move(event: PointerEvent): void {
    if (!this.pull) return;
    event.stopImmediatePropagation();
    const { ray } = this.view.stage.rayAt(event.clientX, event.clientY);
    ray.intersectPlane(this.pull.plane, this.pull.target);
    this.draw();
    if (performance.now() - this.sent >= INTERVAL) this.send();
  }

  private finish(event: PointerEvent): void {
    if (!this.pull) return;
    event.stopImmediatePropagation();
    this.end();
  }

  /** Ends the pull, if there is one. */
  end(): void {
    if (!this.pull) return;
    this.pull = null;
    window.clearInterval(this.timer);
    this.canvas.style.cursor = '';
    this.line.visible = false;
    this.requests.ask({ pull: null });
    this.view.stage.requestRender();
  }

  private send(): void {
    if (!this.pull) return;
    this.sent = performance.now();
    const { body, at, target, rate } = this.pull;
    this.requests.ask({ pull: { body, at: at.toArray(), target: target.clone().add(this.run.origin).toArray(), rate } });
  }

  /** Draws the line from the pulled point to the pointer, at the shown frame. */
  draw(): void {
    if (!this.pull) return;
    const { body, at, target } = this.pull;
    const place = this.line.geometry.getAttribute('position');
    const from = at.clone().applyQuaternion(this.rotationOf(body)).add(this.positionOf(body));
    place.setXYZ(0, from.x, from.y, from.z);
    place.setXYZ(1, target.x, target.y, target.z);
    place.needsUpdate = true;
    this.line.geometry.setDrawRange(0, 2);
    this.line.visible = true;
    this.view.stage.requestRender();
  }

  private positionOf(body: number): Vector3 {
    return this.run.readPosition(this.player.frame, body, new Vector3());
  }

  private rotationOf(body: number): Quaternion {
    return this.run.readRotation(this.player.frame, body, new Quaternion());
  }

  private toBody(body: number, point: Vector3): Vector3 {
    return point.clone().sub(this.positionOf(body)).applyQuaternion(this.rotationOf(body).invert());
  }
}
