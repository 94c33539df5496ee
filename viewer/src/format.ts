// Numbers of the charts as text and as ticks.

export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(1).replace('e+', 'e');
  return String(Number(value.toPrecision(4)));
}

/** Returns a number of the cards, to significant digits however small it is. */
export function formatExact(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  const isPlain = size === 0 || (size >= 1e-3 && size < Math.max(1e5, 10 ** digits));
  if (isPlain) return String(Number(value.toPrecision(digits)));
  return Number(value.toPrecision(digits)).toExponential().replace('e+', 'e');
}

/** Formats all ticks of an axis in one notation. */
export function formatTicks(ticks: number[], isLog: boolean): string[] {
  const largest = ticks.reduce((most, tick) => Math.max(most, Math.abs(tick)), 0);
  const usesPowers = isLog || largest < 0.01 || largest >= 1e5;
  return ticks.map((tick) => {
    if (!usesPowers) return formatNumber(tick);
    return tick === 0 ? '0' : String(Number(tick.toPrecision(3)).toExponential()).replace('e+', 'e');
  });
}

/** Returns the sample at or before a time. */
export function sampleAt(times: Float64Array, time: number): number {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= time + 1e-9 * (1 + Math.abs(time))) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Returns the decades of a range, at most six of them. */
export function decades(min: number, max: number): number[] {
  const low = Math.ceil(Math.log10(min) - 1e-9);
  const high = Math.floor(Math.log10(max) + 1e-9);
  const step = Math.max(1, Math.ceil((high - low) / 5));
  const result: number[] = [];
  for (let k = low; k <= high; k += step) result.push(10 ** k);
  return result;
}
