/**
 * Sets of mistakes as bits, for the data that the build computes.
 *
 * @module
 */
import {
  type Mistake,
  mistakesAt,
  type StepName,
  stepsOf,
} from '../../../reference/mistakes/index.ts';
import { base64 } from '../../../reference/signing/bytes.ts';
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

/** Tells the mistakes of a packed set. Each step is unpacked when it is first needed. */
export function unpackMistakes(packed: PackedMistakes): (mistake: Mistake) => boolean {
  const unpacked = new Map<StepName, ReadonlySet<Mistake>>();
  return (mistake) => {
    // The answer may call only some of its steps; the sets of all these have it.
    const step = stepsOf(mistake).find((name) => packed[name] !== undefined);
    const bits = step && packed[step];
    if (!bits) return false;
    const known = unpacked.get(step) ?? unpackStep(step, bits);
    unpacked.set(step, known);
    return known.has(mistake);
  };
}

function unpackStep(step: StepName, packed: string): ReadonlySet<Mistake> {
  const bits = atob(packed);
  return new Set(mistakesAt(step).filter((_, at) => (bits.charCodeAt(at >> 3) >> (at & 7)) & 1));
}
