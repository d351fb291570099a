/**
 * Records the results of `vectors prove` as counts.
 *
 * @module
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Matrix } from '../../harness/engine/proof/proof.ts';
import { svcConformance } from '../harness/svc-conformance.ts';
import type { Line } from './golden-file.ts';

/** Counts that the matrix does not contain. */
export interface BesideMatrix {
  /** Generated mistakes that at least one vector catches; `generatedTwice`: at least two. */
  readonly generated: number;
  readonly generatedTwice: number;
  readonly gaps: number;
}

/** The totals, then a line for each operation. */
export function proofLines(matrix: Matrix, beside: BesideMatrix): readonly Line[] {
  const { counts, mistakes, vectors, smoke } = matrix;
  const countCaught = (least: number): number =>
    mistakes.filter(({ caughtBy }) => caughtBy.length >= least).length;
  const operations = [...new Set(vectors.map(({ id }) => vectorOperation(id)))];
  const totals = {
    ...counts,
    caught: countCaught(1),
    caughtTwice: countCaught(2),
    kept: vectors.filter(({ keep }) => keep !== undefined).length,
    ...beside,
  };
  return [
    totals,
    ...operations.map((operation) => {
      const own = vectors.filter(({ id }) => vectorOperation(id) === operation);
      return {
        operation,
        vectors: own.length,
        catches: new Set(own.flatMap(({ catches }) => catches)).size,
        smoke: smoke.filter((id) => vectorOperation(id) === operation).length,
      };
    }),
  ];
}

function vectorOperation(id: string): string {
  return id.split('/')[0] ?? '';
}

/** Runs `vectors prove` on a folder. */
export async function recordProof(vectors: string): Promise<readonly Line[]> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-golden-'));
  try {
    const path = join(folder, 'matrix.json');
    const { code, stdout } = await svcConformance(['vectors', 'prove', vectors, '--matrix', path]);
    const count = (pattern: RegExp): number => Number(pattern.exec(stdout)?.[1]);
    const beside = {
      generated: count(/^(\d+) generated mistakes caught/m),
      generatedTwice: count(/generated mistakes caught, (\d+) of them by two/),
      gaps: count(/^(\d+) gaps?$/m),
    };
    return [{ exit: code }, ...proofLines(JSON.parse(readFileSync(path, 'utf8')), beside)];
  } finally {
    rmSync(folder, { recursive: true });
  }
}
