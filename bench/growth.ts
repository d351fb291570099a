/**
 * Measures how time and memory grow, and draws the curves: `npm run bench:growth [-- CURVE [LARGEST]]`.
 *
 * CURVE is the name of one curve, and LARGEST its largest size. A curve with a limit is printed, but not written.
 *
 * @module
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { packagePath } from '../harness/suite/package-root.ts';
import type { Curve, DrawnCurve, Point } from './growth/curve.ts';
import { drawCurve } from './growth/draw.ts';
import { FILES, FUZZED, MERGED, VECTORS } from './growth/programs.ts';
import { LISTED_KEYS, SERVED_CONNECTIONS, UPLOADED_PARTS } from './growth/servers.ts';
import { table } from './load/figures.ts';

const [, , CHOSEN, LARGEST] = process.argv;

const CURVES: readonly Curve[] = [
  VECTORS,
  MERGED,
  FUZZED,
  FILES,
  SERVED_CONNECTIONS,
  UPLOADED_PARTS,
  LISTED_KEYS,
];

/** Where the curves are kept, with the figures that they were drawn from. */
const KEPT = packagePath('bench/curves');

async function measure({ measure: pointsUpTo }: Curve): Promise<readonly Point[]> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-bench-'));
  const points: Point[] = [];
  try {
    const largest = LARGEST === undefined ? Number.POSITIVE_INFINITY : Number(LARGEST);
    for await (const point of pointsUpTo(largest, folder)) points.push(point);
  } finally {
    rmSync(folder, { recursive: true });
  }
  return points;
}

function describeMachine(loads: readonly number[]): string {
  const date = new Date().toISOString().slice(0, 10);
  const [least, most] = [Math.min(...loads), Math.max(...loads)].map((load) => load.toFixed(0));
  const load = least === most ? least : `${least} to ${most}`;
  return `${date}, Node ${process.versions.node}, ${cpus().length} cores, load ${load}`;
}

const round = (value: number): number => Number(value.toPrecision(4));

for (const curve of CURVES.filter(({ name }) => CHOSEN === undefined || name === CHOSEN)) {
  const before = loadavg()[0] ?? 0;
  const points = await measure(curve);
  const measured = describeMachine([before, loadavg()[0] ?? 0]);
  const { measure: _, ...texts } = curve;
  const drawn: DrawnCurve = {
    ...texts,
    measured,
    points: points.map(({ size, milliseconds, mebibytes }) => ({
      size,
      milliseconds: round(milliseconds),
      mebibytes: round(mebibytes),
    })),
  };
  process.stdout.write(
    table(
      [curve.sizes, 'ms', 'peak MiB'],
      drawn.points.map((point) => Object.values(point).map(String)),
    ),
  );
  process.stdout.write(`${measured}\n\n`);
  if (LARGEST !== undefined) continue;
  mkdirSync(KEPT, { recursive: true });
  writeFileSync(join(KEPT, `${curve.name}.json`), `${JSON.stringify(drawn, null, 2)}\n`);
  writeFileSync(join(KEPT, `${curve.name}.svg`), drawCurve(drawn));
}
