// The colors of bodies and shapes.

import { Color } from 'three';
import type { Body, Shape } from './data';
import { BODY_COLORS, FIXED_COLOR } from './palette';

const SHADES = [0, -0.09, 0.08, -0.045]; // differences in lightness of the links of one model

/** Returns the name of the model of a body, `model` of `model/link`; empty for a body alone. */
function modelOf(body: Body): string {
  return body.name.slice(0, Math.max(0, body.name.lastIndexOf('/')));
}

const LEAST_LUMINANCE = 0.05; // linear; forms of black bodies are visible with it

/** Returns the color that a shape has of its own, if any; black becomes dark grey. */
export function ownColor(shape: Shape): Color | null {
  if (!shape.color) return null;
  const color = new Color().setRGB(shape.color[0], shape.color[1], shape.color[2], 'srgb');
  const luminance = 0.2126 * color.r + 0.7152 * color.g + 0.0722 * color.b;
  return color.lerp(new Color(1, 1, 1), Math.max(0, LEAST_LUMINANCE - luminance));
}

/**
 * Returns a color for each body. Where there are several models, each has one color of its own, in
 * shades that tell its links apart; the links of a single model have different colors.
 */
export function bodyColors(bodies: Body[]): Color[] {
  const models = new Set(bodies.map(modelOf));
  models.delete('');
  const indices = new Map<string, number>();
  const links = new Map<string, number>();
  let next = 0;
  return bodies.map((body) => {
    if (body.fixed) return new Color(FIXED_COLOR);
    const model = models.size > 1 ? modelOf(body) : '';
    if (model === '') return new Color(BODY_COLORS[next++ % BODY_COLORS.length]);
    const index = indices.get(model) ?? next++;
    indices.set(model, index);
    const link = links.get(model) ?? 0;
    links.set(model, link + 1);
    const color = new Color(BODY_COLORS[index % BODY_COLORS.length]);
    return color.offsetHSL(0, 0, SHADES[link % SHADES.length]);
  });
}
