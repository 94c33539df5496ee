// Planes with an anti-aliased grid that fades out: half-spaces, and the reference grid without one.

import {
  Color, FrontSide, Group, Mesh, MeshStandardMaterial, PlaneGeometry, Quaternion, Vector3,
} from 'three';

export interface GridStyle {
  base: Color;
  line: Color;
}

/** Returns a round spacing (1, 2 or 5 times a power of ten) near a length. */
export function roundSpacing(length: number): number {
  const power = 10 ** Math.floor(Math.log10(length));
  const ratio = length / power;
  return power * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10);
}

export interface GridPlane {
  object: Group;
  restyle: (style: GridStyle) => void;
}

/** A square patch in its own x-y plane, facing z; `opacity` 0 draws the lines alone. */
export function gridPlane(radius: number, spacing: number, opacity: number): GridPlane {
  const uniforms = {
    uLine: { value: new Color() },
    uSpacing: { value: spacing },
    uRadius: { value: radius },
    uFill: { value: opacity },
  };
  const material = new MeshStandardMaterial({
    roughness: 0.95, metalness: 0, transparent: true, depthWrite: opacity >= 1, side: FrontSide,
  });
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', '#include <common>\nvarying vec2 vGrid;')
      .replace('#include <begin_vertex>', '#include <begin_vertex>\nvGrid = position.xy;');
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', `#include <common>
        varying vec2 vGrid;
        uniform vec3 uLine; uniform float uSpacing; uniform float uRadius; uniform float uFill;
        float lines(float spacing, float width) {
          vec2 cell = vGrid / spacing;
          vec2 slope = fwidth(cell);
          vec2 distance = abs(fract(cell - 0.5) - 0.5);
          vec2 line = 1.0 - smoothstep(vec2(0.0), slope * width, distance);
          vec2 dense = clamp(1.4 - 3.0 * slope, 0.0, 1.0);
          return max(line.x * dense.x, line.y * dense.y);
        }`)
      .replace('#include <opaque_fragment>', `
        float grid = max(0.3 * lines(uSpacing, 1.1), 0.7 * lines(5.0 * uSpacing, 1.4));
        float fade = 1.0 - smoothstep(0.25, 1.0, length(vGrid) / uRadius);
        outgoingLight = mix(outgoingLight, uLine, grid);
        diffuseColor.a = fade * max(uFill, grid);
        #include <opaque_fragment>`);
  };
  const mesh = new Mesh(new PlaneGeometry(2 * radius, 2 * radius), material);
  mesh.receiveShadow = opacity > 0;
  mesh.renderOrder = -1;
  const object = new Group();
  object.add(mesh);
  return {
    object,
    restyle: (style) => {
      material.color.copy(style.base);
      uniforms.uLine.value.copy(style.line);
    },
  };
}

/**
 * Turns the patch so that it bounds the half-space normal . x <= offset, centered near a point and
 * with its lines through the multiples of the spacing.
 */
export function placePlane(
  object: Group, normal: Vector3, offset: number, near: Vector3, spacing: number,
): void {
  const n = normal.clone().normalize();
  const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), n);
  const center = near.clone().applyQuaternion(turn.clone().invert());
  const step = 5 * spacing;
  center.set(
    step * Math.round(center.x / step), step * Math.round(center.y / step),
    offset / normal.length());
  object.position.copy(center.applyQuaternion(turn));
  object.quaternion.copy(turn);
}
