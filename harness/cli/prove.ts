/**
 * `vectors prove`: what the vectors are worth against the register of known mistakes.
 *
 * @module
 */
import { writeFileSync } from 'node:fs';
import { gaps, uncaughtGaps, vectorGaps } from '../diagnosis/gaps.ts';
import { matrix } from '../diagnosis/matrix.ts';
import { catchers, generatedProof, type Proof, proof, type Uncaught } from '../diagnosis/proof.ts';
import type { Cover } from '../diagnosis/smallest-cover.ts';
import { smokeSet } from '../diagnosis/smoke.ts';
import { dialectNamed } from '../dialects.ts';
import { EXIT, UsageError } from '../errors.ts';
import { drawnQuestions } from '../fuzz/drawn-questions.ts';
import { print } from '../output.ts';
import { ContentFolder } from '../suite/content.ts';
import { readSuite } from '../suite/read.ts';
import { SMOKE_FILE, writeSmoke } from '../suite/smoke-file.ts';
import type { Suite } from '../suite/vector.ts';

/** What is written besides the verdict. */
export interface ProofFiles {
  /** Where the matrix goes. */
  readonly matrix: string | undefined;
  /** Whether the smoke set goes into the folder. */
  readonly smoke: boolean;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Proves the vectors of a folder and yields the exit code. */
export async function proved(folder: string, files: ProofFiles): Promise<number> {
  const interruption = new AbortController();
  const interrupt = (): void => interruption.abort();
  const contents = new ContentFolder();
  for (const signal of SIGNALS) process.on(signal, interrupt);
  try {
    const suite = readSuite(folder, !files.smoke);
    const { signal } = interruption;
    const named = await proof(suite.vectors, undefined, signal);
    const operations = [...new Set(suite.vectors.map(({ operation }) => operation))];
    const drawn = drawnQuestions(
      operations,
      { dialect: dialectNamed('svc'), operations },
      contents,
    );
    const [generated, uncaught] = await generatedProof(suite.vectors, drawn, contents, signal);
    return reported(suite, { ...named, generated }, uncaught, folder, files);
  } catch (error) {
    if (error !== interruption.signal.reason) throw error;
    print('the proof was interrupted; nothing is proved, nothing was written\n');
    return EXIT.aborted;
  } finally {
    contents.remove();
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}

function reported(
  suite: Suite,
  found: Proof,
  uncaught: readonly Uncaught[],
  folder: string,
  files: ProofFiles,
): number {
  const lacking = [...gaps(found), ...vectorGaps(found, suite.vectors), ...uncaughtGaps(uncaught)];
  const smoke = smokeSet(found, suite.vectors);
  if (files.matrix !== undefined) writeJson(files.matrix, matrix(suite, found, smoke));
  if (files.smoke) writeSmoke(folder, smoke.columns);
  else if (suite.smoke && suite.smoke.join() !== smoke.columns.join()) {
    lacking.push(`${SMOKE_FILE} is stale; write it again with --write-smoke`);
  }
  for (const gap of lacking) print(`${gap}\n`);
  print(summary(suite, found, smoke, lacking.length));
  return lacking.length === 0 ? EXIT.asExpected : EXIT.failures;
}

function writeJson(path: string, value: unknown): void {
  try {
    writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
  } catch (error) {
    throw new UsageError(
      `${JSON.stringify(path)} cannot be written (${(error as NodeJS.ErrnoException).code}); name a file in a folder that exists`,
    );
  }
}

function summary({ vectors }: Suite, found: Proof, smoke: Cover, gapCount: number): string {
  const counts = [...found.effects.keys()].map((id) => catchers(found, id).length);
  const caught = counts.filter((count) => count > 0).length;
  const twice = counts.filter((count) => count > 1).length;
  const often = [...(found.generated?.values() ?? [])].filter(({ length }) => length > 1).length;
  const kept = vectors.filter(({ keep }) => keep !== undefined).length;
  return (
    `${counts.length} known mistakes: ${caught} caught, ${twice} of them by two vectors or more\n` +
    `${found.generated?.size ?? 0} generated mistakes caught, ${often} of them by two vectors or more\n` +
    `${vectors.length} vectors: ${kept} kept for another reason than a mistake that few catch\n` +
    `smoke set: ${smoke.columns.length} vectors catch as many known mistakes, and 99 % of the generated ones\n` +
    `${gapCount} ${gapCount === 1 ? 'gap' : 'gaps'}\n`
  );
}
