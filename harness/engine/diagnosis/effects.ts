/**
 * The effects of mistakes on the answer to a question. For plain questions and single mistakes, the build computes them.
 *
 * @module
 */
import { type Mistake, mistakesAt, type StepName } from '../../../reference/mistakes/index.ts';
import { base64 } from '../../../reference/signing/bytes.ts';
import { keysOf } from '../../../reference/values.ts';
import type { PackedEffects } from '../suite-data.ts';

/** Mistakes with the same effect on one question. */
export interface Effect {
  readonly answer: string | undefined;
  /** The cheapest first. */
  readonly mistakes: readonly Mistake[];
}

/** The effects of single mistakes on the answer to a question. */
export interface KnownEffects {
  /** Whether a mistake changes the answer. */
  readonly changes: (mistake: Mistake) => boolean;
  /** The mistakes that may lead to an answer: those that do, and a few others. Absent if the answer is only a verdict. */
  readonly listLeadingTo?: (answer: string) => readonly Mistake[];
}

/** Packs the effects of the mistakes in some steps. `isVerdict`: without the answers, because there are only two. */
export function packEffects(
  steps: readonly StepName[],
  effects: readonly Effect[],
  isVerdict: boolean,
): PackedEffects {
  const hashes = new Map<Mistake, number>();
  for (const { answer = '', mistakes } of effects) {
    for (const mistake of mistakes) hashes.set(mistake, hash(answer));
  }
  const packed = Object.fromEntries(steps.map((step) => [step, packStep(step, hashes, isVerdict)]));
  return { isVerdict, steps: packed };
}

/** In Base64: a bit for each mistake of a step, and the hash of the answer for each set bit. */
function packStep(
  step: StepName,
  hashes: ReadonlyMap<Mistake, number>,
  isVerdict: boolean,
): string {
  const all = mistakesAt(step);
  const bits = new Uint8Array(Math.ceil(all.length / 8));
  for (const [at, mistake] of all.entries()) {
    if (hashes.has(mistake)) bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7));
  }
  const answers = isVerdict ? [] : all.flatMap((mistake) => hashes.get(mistake) ?? []);
  return base64(Uint8Array.of(...bits, ...answers));
}

/** Reads packed effects, which are unpacked when they are first needed. */
export function unpackEffects({ isVerdict, steps }: PackedEffects): KnownEffects {
  let unpacked: ReadonlyMap<Mistake, number> | undefined;
  const read = (): ReadonlyMap<Mistake, number> => {
    unpacked ??= new Map(keysOf(steps).flatMap((step) => unpackStep(step, steps[step] ?? '')));
    return unpacked;
  };
  return {
    changes: (mistake) => read().has(mistake),
    ...(!isVerdict && {
      listLeadingTo(answer) {
        const wanted = hash(answer);
        return [...read()].flatMap(([mistake, own]) => (own === wanted ? [mistake] : []));
      },
    }),
  };
}

function unpackStep(step: StepName, packed: string): readonly (readonly [Mistake, number])[] {
  const bytes = atob(packed);
  const all = mistakesAt(step);
  let next = Math.ceil(all.length / 8);
  return all.flatMap((mistake, at) =>
    (bytes.charCodeAt(at >> 3) >> (at & 7)) & 1 ? [[mistake, bytes.charCodeAt(next++)]] : [],
  );
}

/** One byte (FNV-1a): few of the other answers to a question have the same. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
  }
  return (state ^ (state >>> 8) ^ (state >>> 16) ^ (state >>> 24)) & 0xff;
}
