// Camera, light and renderer. Draws on demand: nothing runs while nothing changes.

import {
  AxesHelper, Box3, Color, DirectionalLight, Group, HemisphereLight, NeutralToneMapping,
  PCFShadowMap, PerspectiveCamera, Raycaster, Scene, Vector2, Vector3, WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { Extent } from './extent';
import { GridPlane, GridStyle, gridPlane, placePlane } from './ground';
import { isBare, showMessage } from './options';

/** The camera's direction, seen from its target. */
const VIEWS = {
  usual: new Vector3(0.5, -0.78, 0.42),
  front: new Vector3(0, -1, 0),
  side: new Vector3(1, 0, 0),
  // Not exactly: straight down, the up direction would be undefined.
  top: new Vector3(0, -1e-4, 1),
};
export type ViewName = keyof typeof VIEWS;

export class Stage {
  readonly scene = new Scene();
  readonly camera: PerspectiveCamera;
  readonly controls: OrbitControls;
  readonly triad = new Group();
  private readonly renderer: WebGLRenderer;
  private readonly sky: HemisphereLight;
  private readonly sun: DirectionalLight;
  private reference: GridPlane | null = null;
  private isScheduled = false;
  private view: ViewName = 'usual';
  private fitted: Box3;

  constructor(private readonly canvas: HTMLCanvasElement, private readonly extent: Extent) {
    this.fitted = extent.box;
    this.renderer = new WebGLRenderer({
      canvas, antialias: true, alpha: true, preserveDrawingBuffer: true,
    });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.localClippingEnabled = true; // for sections
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;

    const r = extent.radius;
    this.camera = new PerspectiveCamera(35, 1, 0.01 * r, 100 * r);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.minDistance = 0.05 * r;
    this.controls.maxDistance = 30 * r;
    this.controls.addEventListener('change', () => this.requestRender());

    this.sky = new HemisphereLight(0xffffff, 0x8d99a6, 1.5);
    this.sky.position.set(0, 0, 1);
    this.sun = new DirectionalLight(0xfff4e2, 2.6);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 3;
    this.sun.shadow.normalBias = 0.004 * r;
    this.sun.shadow.bias = -0.0004;
    const shade = this.sun.shadow.camera;
    shade.left = shade.bottom = -1.7 * r;
    shade.right = shade.top = 1.7 * r;
    shade.near = 0.1 * r;
    shade.far = 9 * r;
    const fill = new DirectionalLight(0xbcd3ff, 0.7);
    fill.position.set(-3, 2, 1.5);
    this.scene.add(this.sky, this.sun, this.sun.target, fill);

    canvas.addEventListener('webglcontextlost', () => {
      showMessage('The browser has taken the graphics away: load the page again.');
    });
    const axes = new AxesHelper(1);
    axes.renderOrder = 20;
    for (const material of [axes.material].flat()) {
      material.depthTest = false;
      material.transparent = true;
    }
    this.triad.add(axes);
    this.triad.matrixAutoUpdate = false;
    this.triad.visible = false;
    this.scene.add(this.triad);
    this.lightAround(extent.center);
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.resize();
    this.resetCamera();
  }

  /** A grid without a surface, below scenes that have no half-space. @param most  its height. */
  addReferenceGrid(spacing: number, most: number): void {
    this.reference = gridPlane(5 * this.extent.radius, spacing, 0);
    placePlane(
      this.reference.object, new Vector3(0, 0, 1),
      Math.min(most, this.extent.box.min.z) - 0.002 * this.extent.radius,
      this.extent.center, spacing);
    this.scene.add(this.reference.object);
  }

  restyle(style: GridStyle, isDark: boolean): void {
    this.reference?.restyle(style);
    this.sky.groundColor = new Color(isDark ? 0x3c4654 : 0xa9b2bd);
    this.sky.intensity = isDark ? 1.35 : 1.9;
    this.sun.intensity = isDark ? 2.4 : 2.3;
    this.requestRender();
  }

  /** Shows the whole run, from the usual direction. */
  resetCamera(): void {
    this.view = 'usual';
    this.fit(this.extent.box);
  }

  /** Shows the last fitted box from another direction. */
  lookFrom(view: ViewName): void {
    this.view = view;
    this.fit(this.fitted);
  }

  /** Shows a box from the last requested direction. */
  fit(box: Box3): void {
    this.fitted = box;
    const center = box.getCenter(new Vector3());
    const back = VIEWS[this.view].clone().normalize();
    const right = new Vector3(0, 0, 1).cross(back).normalize();
    const above = back.clone().cross(right);
    const slopeY = Math.tan((this.camera.fov * Math.PI) / 360);
    const slopeX = slopeY * this.camera.aspect;
    // Panels cover the sides of the scene, unless the page shows the scene alone or is narrow.
    const isClear = isBare || matchMedia('(max-width: 640px)').matches;
    const widthShare = isClear ? 0.92 : 0.72;
    // The least distance at which every corner of the box is in view, with a margin.
    let distance = 0;
    const corner = new Vector3();
    for (let k = 0; k < 8; ++k) {
      corner.set(
        k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y,
        k & 4 ? box.max.z : box.min.z).sub(center);
      const needed = Math.max(
        Math.abs(corner.dot(right)) / (widthShare * slopeX),
        Math.abs(corner.dot(above)) / (0.9 * slopeY));
      distance = Math.max(distance, needed + corner.dot(back));
    }
    this.camera.position.copy(center).addScaledVector(back, distance);
    this.controls.target.copy(center);
    this.controls.update();
    this.requestRender();
  }

  /** Returns the unit vector from the target to the camera. */
  direction(): number[] {
    return this.camera.position.clone().sub(this.controls.target).normalize().toArray();
  }

  /** Moves camera and light along with a body that is followed. */
  shift(displacement: Vector3): void {
    this.camera.position.add(displacement);
    this.controls.target.add(displacement);
    this.lightAround(this.controls.target);
    this.controls.update();
  }

  private lightAround(center: Vector3): void {
    this.sun.target.position.copy(center);
    this.sun.position.copy(center)
      .addScaledVector(new Vector3(0.35, -0.45, 0.95).normalize(), 4.5 * this.extent.radius);
  }

  /** Returns where a point in the world is in the window [pixels]; nowhere behind the camera. */
  placeOf(point: Vector3): number[] {
    const box = this.canvas.getBoundingClientRect();
    const seen = new Vector3().copy(point).project(this.camera);
    if (!(seen.z < 1)) return [Infinity, Infinity];
    return [
      box.left + (0.5 + 0.5 * seen.x) * box.width, box.top + (0.5 - 0.5 * seen.y) * box.height];
  }

  rayAt(clientX: number, clientY: number): Raycaster {
    const box = this.canvas.getBoundingClientRect();
    const at = new Vector2(
      (2 * (clientX - box.left)) / box.width - 1, 1 - (2 * (clientY - box.top)) / box.height);
    const raycaster = new Raycaster();
    raycaster.setFromCamera(at, this.camera);
    return raycaster;
  }

  private resize(): void {
    const width = Math.max(1, this.canvas.clientWidth);
    const height = Math.max(1, this.canvas.clientHeight);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.requestRender();
  }

  requestRender(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    requestAnimationFrame(() => this.render());
  }

  render(): void {
    this.isScheduled = false;
    this.renderer.render(this.scene, this.camera);
  }

  /** Returns the number of draw calls of the last picture, including its shadows. */
  get drawCalls(): number {
    return this.renderer.info.render.calls;
  }

  /** Waits until the graphics processor has drawn everything. */
  finish(): void {
    this.renderer.getContext().finish();
  }

  /** Counts the colors of some 10,000 pixels of the picture: 1 where nothing was drawn. */
  countColors(): number {
    const gl = this.renderer.getContext();
    if (gl.isContextLost()) return 0;
    const width = gl.drawingBufferWidth;
    const height = gl.drawingBufferHeight;
    const pixels = new Uint8Array(4 * width * height);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    const packed = new Uint32Array(pixels.buffer);
    const colors = new Set<number>();
    const stride = Math.max(1, Math.floor(packed.length / 10007));
    for (let i = 0; i < packed.length; i += stride) colors.add(packed[i]);
    return colors.size;
  }
}
