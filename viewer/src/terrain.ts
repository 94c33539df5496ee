// Terrain: shaded by height, with lines of equal height.

import { BufferGeometry, FrontSide, MeshStandardMaterial } from 'three';
import { roundSpacing } from './ground';

const NUM_LINES = 10; // about, over the heights of a terrain

/** Returns the material of a terrain whose heights are along z of its geometry. */
export function terrainMaterial(geometry: BufferGeometry): MeshStandardMaterial {
  geometry.computeBoundingBox();
  const low = geometry.boundingBox?.min.z ?? 0;
  const range = Math.max((geometry.boundingBox?.max.z ?? 0) - low, 1e-9);
  const uniforms = {
    uLow: { value: low },
    uRange: { value: range },
    uStep: { value: roundSpacing(range / NUM_LINES) },
  };
  const material = new MeshStandardMaterial({
    vertexColors: true, roughness: 0.95, metalness: 0, side: FrontSide,
  });
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', '#include <common>\nvarying float vHeight;')
      .replace('#include <begin_vertex>', '#include <begin_vertex>\nvHeight = position.z;');
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', `#include <common>
        varying float vHeight;
        uniform float uLow; uniform float uRange; uniform float uStep;
        float heightLine(float interval, float width) {
          float level = vHeight / interval;
          float slope = fwidth(level);
          float distance = abs(fract(level - 0.5) - 0.5);
          // Where the ground is level, or lines are dense, there are none.
          float shown = step(1e-5, slope) * clamp(1.4 - 3.0 * slope, 0.0, 1.0);
          return shown * (1.0 - smoothstep(0.0, slope * width, distance));
        }`)
      .replace('#include <color_fragment>', `#include <color_fragment>
        float share = clamp((vHeight - uLow) / uRange, 0.0, 1.0);
        diffuseColor.rgb *= mix(vec3(0.62, 0.70, 0.60), vec3(1.18, 1.12, 1.0), share);
        float line = max(0.35 * heightLine(uStep, 1.2), 0.6 * heightLine(5.0 * uStep, 1.5));
        diffuseColor.rgb *= 1.0 - line;`);
  };
  return material;
}
