/**
 * Draws a curve as SVG: time and memory side by side, both axes logarithmic.
 *
 * @module
 */
import { element, textElement } from '../../harness/render/xml.ts';
import type { DrawnCurve } from './curve.ts';

const WIDTH = 720;
const HEIGHT = 320;
/** Of each of the two plots, in units of the picture. */
const PLOT = { width: 270, height: 190, top: 56 } as const;
const LEFT = [60, 420] as const;

const CSS = `
text { font: 12px system-ui, sans-serif; fill: #1f2328; }
path { fill: none; stroke: #0969da; stroke-width: 2; } circle { fill: #0969da; }
.grid { stroke: #d1d9e0; stroke-width: 1; } .linear { stroke: #59636e; stroke-width: 1; stroke-dasharray: 4 4; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; } path { stroke: #4493f8; } circle { fill: #4493f8; }
.grid { stroke: #3d444d; } .linear { stroke: #9198a1; }
}
`;

interface Spot {
  readonly x: number;
  readonly y: number;
}

export function drawCurve({ name, sizes, time, memory, measured, points }: DrawnCurve): string {
  const spots = (of: 'milliseconds' | 'mebibytes'): readonly Spot[] =>
    points.map((point) => ({ x: point.size, y: point[of] }));
  const size = { width: WIDTH, height: HEIGHT, viewBox: `0 0 ${WIDTH} ${HEIGHT}` };
  return element('svg', { xmlns: 'http://www.w3.org/2000/svg', ...size, role: 'img' }, [
    textElement('title', {}, `${name}: time and memory by ${sizes}`),
    `<style>${CSS}</style>\n`,
    ...drawPlot(LEFT[0], `ms: ${time}`, sizes, spots('milliseconds')),
    ...drawPlot(LEFT[1], `MiB: ${memory}`, sizes, spots('mebibytes')),
    textElement('text', { x: LEFT[0], y: HEIGHT - 12 }, `Dashed: linear. ${measured}`),
  ]);
}

/** The powers of ten around the values, at least one apart. */
function findRange(values: readonly number[]): readonly [from: number, to: number] {
  const from = Math.floor(Math.log10(Math.min(...values)));
  return [from, Math.max(Math.ceil(Math.log10(Math.max(...values))), from + 1)];
}

function drawPlot(
  left: number,
  title: string,
  sizes: string,
  spots: readonly Spot[],
): readonly string[] {
  const across = findRange(spots.map(({ x }) => x));
  const up = findRange(spots.map(({ y }) => y));
  const place = ({ x, y }: Spot): Spot => ({
    x: round(left + share(Math.log10(x), across) * PLOT.width),
    y: round(PLOT.top + (1 - share(Math.log10(y), up)) * PLOT.height),
  });
  const bottom = PLOT.top + PLOT.height;
  const placed = spots.map(place);
  return [
    textElement('text', { x: left, y: PLOT.top - 30 }, title),
    ...drawGrid(left, across, up, place),
    drawLinear(spots, up, place),
    element('path', { d: `M${placed.map(({ x, y }) => `${x} ${y}`).join('L')}` }, []),
    ...placed.map(({ x, y }) => element('circle', { cx: x, cy: y, r: 3 }, [])),
    ...placed.map(({ x, y }, at) => {
      const isFirst = at === 0;
      const near = {
        x: x + (isFirst ? 6 : -4),
        y: y - 8,
        'text-anchor': isFirst ? 'start' : 'end',
      };
      return textElement('text', near, format(spots[at]?.y ?? 0));
    }),
    textElement('text', { x: left, y: bottom + 34 }, sizes),
  ];
}

function drawGrid(
  left: number,
  across: readonly [number, number],
  up: readonly [number, number],
  place: (spot: Spot) => Spot,
): readonly string[] {
  const [bottom, right] = [PLOT.top + PLOT.height, left + PLOT.width];
  const columns = powers(across).flatMap((size) => {
    const { x } = place({ x: size, y: 1 });
    return [
      element('path', { class: 'grid', d: `M${x} ${PLOT.top}V${bottom}` }, []),
      textElement('text', { x, y: bottom + 16, 'text-anchor': 'middle' }, shorten(size)),
    ];
  });
  const rows = powers(up).flatMap((value) => {
    const { y } = place({ x: 1, y: value });
    return [
      element('path', { class: 'grid', d: `M${left} ${y}H${right}` }, []),
      textElement('text', { x: left - 6, y: y + 4, 'text-anchor': 'end' }, shorten(value)),
    ];
  });
  return [...columns, ...rows];
}

/** A line through the last point, on which time is proportional to the size. */
function drawLinear(
  spots: readonly Spot[],
  [least]: readonly [number, number],
  place: (spot: Spot) => Spot,
): string {
  const [first, last] = [spots[0], spots.at(-1)];
  if (!first || !last) return '';
  const start = Math.max(first.x, (last.x / last.y) * 10 ** least);
  const [from, to] = [place({ x: start, y: (last.y / last.x) * start }), place(last)];
  return element('path', { class: 'linear', d: `M${from.x} ${from.y}L${to.x} ${to.y}` }, []);
}

const share = (value: number, [from, to]: readonly [number, number]): number =>
  (value - from) / (to - from);

const round = (value: number): number => Math.round(value * 10) / 10;

const powers = ([from, to]: readonly [number, number]): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => 10 ** (from + i));

const PREFIXES = ['', 'k', 'M', 'G'] as const;

/** A power of ten with a prefix of the SI. */
function shorten(value: number): string {
  if (value < 1) return String(value);
  const step = Math.min(Math.floor(Math.log10(value) / 3), PREFIXES.length - 1);
  return `${Math.round(value / 1000 ** step)}${PREFIXES[step]}`;
}

const format = (value: number): string =>
  value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(2)));
