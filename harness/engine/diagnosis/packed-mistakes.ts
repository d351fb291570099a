/**
 * Sets of mistakes as bits, for the data that the build computes.
 *
 * @module
 */
import { type Mistake, mistakesAt, type StepName } from '../../../reference/mistakes/index.ts';
import { base64 } from '../../../reference/signing/bytes.ts';
import { keysOf } from '../../../reference/values.ts';
import type { PackedMistakes } from '../suite-data.ts';

/** A set of mistakes, restricted to those of some steps. */
export function packMistakes(
  steps: readonly StepName[],
  mistakes: ReadonlySet<Mistake>,
): PackedMistakes {
  return Object.fromEntries(steps.map((step) => [step, packStep(step, mistakes)]));
}

/** A bit for each mistake of a step, in Base64. */
function packStep(step: StepName, mistakes: ReadonlySet<Mistake>): string {
  const all = mistakesAt(step);
  const bits = new Uint8Array(Math.ceil(all.length / 8));
  for (const [at, mistake] of all.entries()) {
    if (mistakes.has(mistake)) bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7));
  }
  return base64(bits);
}

/** Tells the mistakes of a packed set, which is unpacked when it is first needed. */
export function unpackMistakes(packed: PackedMistakes): (mistake: Mistake) => boolean {
  let unpacked: ReadonlySet<Mistake> | undefined;
  return (mistake) => {
    unpacked ??= new Set(keysOf(packed).flatMap((step) => unpackStep(step, packed[step] ?? '')));
    return unpacked.has(mistake);
  };
}

function unpackStep(step: StepName, packed: string): readonly Mistake[] {
  const bits = atob(packed);
  return mistakesAt(step).filter((_, at) => (bits.charCodeAt(at >> 3) >> (at & 7)) & 1);
}
