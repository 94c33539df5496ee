// A plane that cuts the bodies open.

import { Plane, Vector3 } from 'three';
import type { Extent } from './extent';
import { formatExact } from './format';
import { byId } from './options';

const AXES: Record<string, Vector3> = {
  x: new Vector3(1, 0, 0), y: new Vector3(0, 1, 0), z: new Vector3(0, 0, 1),
};

function placeText(at: number, origin: number): string {
  return origin === 0 ? at.toPrecision(3) : formatExact(at + origin, 10);
}

export class Section {
  readonly plane = new Plane(new Vector3(1, 0, 0), 0);

  /** @param origin  of the extent, in the world. @param apply  takes the plane, or null for none. */
  constructor(
    private readonly extent: Extent, private readonly origin: Vector3,
    private readonly apply: (plane: Plane | null) => void,
  ) {
    byId('section-axis').addEventListener('change', () => this.update());
    byId('section-place').addEventListener('input', () => this.update());
    byId('section-flip').addEventListener('click', () => {
      byId('section-flip').classList.toggle('is-on');
      this.update();
    });
  }

  /** Cuts across the next axis: x, y, z, then none. */
  next(): void {
    const axis = byId<HTMLSelectElement>('section-axis');
    axis.selectedIndex = (axis.selectedIndex + 1) % axis.options.length;
    this.update();
  }

  private update(): void {
    const name = byId<HTMLSelectElement>('section-axis').value;
    const place = byId<HTMLInputElement>('section-place');
    const isOn = name !== '';
    byId('section-range').hidden = !isOn;
    const { box } = this.extent;
    if (isOn) {
      const axis = AXES[name];
      const low = box.min.dot(axis);
      const at = low + Number(place.value) * (box.max.dot(axis) - low);
      const sign = byId('section-flip').classList.contains('is-on') ? -1 : 1;
      // What lies at greater coordinates is cut away.
      this.plane.normal.copy(axis).multiplyScalar(-sign);
      this.plane.constant = sign * at;
      byId('section-value').textContent = `${name} ${sign > 0 ? '≤' : '≥'} ${placeText(at, this.origin.dot(axis))} m`;
    }
    this.apply(isOn ? this.plane : null);
  }
}
