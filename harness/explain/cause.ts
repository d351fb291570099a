/**
 * Why a request carries another signature: the reference is asked again with known mistakes.
 *
 * A cause is only named where it gives, to the last character, what was sent.
 *
 * @module
 */
import { MISTAKES, type Mistake, mistaken } from '../../reference/mistakes/index.ts';
import type { Context, KeyPair, Steps } from '../../reference/signing/index.ts';
import { otherRequests } from './other-request.ts';
import { shownText } from './signed-lines.ts';
import { type Subject, signed } from './subject.ts';

/** How long the search may take, where nobody says otherwise; in milliseconds. */
const TIME_LIMIT = 1000;

/** What is wrong, and what to do; several where only all of them together explain it. */
export interface Explanation {
  readonly faults: readonly Fault[];
  /** The text that was signed, with the private key hidden. */
  readonly text: string;
}

export interface Fault {
  /** The mistake in the register; nothing where another request was signed. */
  readonly id?: string;
  /** What became another thing between signing and sending, where no mistake was made. */
  readonly name?: string;
  readonly rule: string;
  readonly cause: string;
  readonly fix: string;
}

export interface Search {
  /** Each of them alone explains what was sent. */
  readonly explanations: readonly Explanation[];
  /** How many mistakes of the register can touch this signature at all. */
  readonly tried: number;
  /** Whether there was no time to look at all pairs. */
  readonly isCut: boolean;
}

/** One way in which the captured request may have got its signature. */
export interface Hypothesis {
  readonly faults: readonly Fault[];
  readonly subject: Subject;
  readonly keys: KeyPair;
  readonly context: Context;
}

/** Looks for single causes first, then for pairs. */
export function causes(
  subject: Subject,
  keys: KeyPair,
  context: Context,
  timeLimit: number = TIME_LIMIT,
): Search {
  const deadline = performance.now() + timeLimit;
  const right: Hypothesis = { faults: [], subject, keys, context };
  // Every mistake without an effect on this request would seem to explain a correct signature.
  if (explains(right)) return { explanations: [], tried: 0, isCut: false };
  const used = stepsUsed(right);
  const mistakes = MISTAKES.filter(({ swap }) => Object.keys(swap).some((step) => used.has(step)));
  const others = otherRequests(subject, keys, context).map((other): Hypothesis => {
    const { name, rule, cause, fix } = other;
    return {
      faults: [{ name, rule, cause, fix }],
      // Made when it is its turn, if there is time for it at all: it may be a copy of thousands of headers.
      get subject() {
        return other.subject ?? subject;
      },
      keys: other.keys ?? keys,
      context: other.context ?? context,
    };
  });
  const singles = mistakes.map((mistake) => withMistakes(right, [mistake]));
  let isCut = false;
  for (const stage of [
    () => singles,
    () => others,
    () => pairs(right, others, mistakes, deadline),
  ]) {
    const found: Explanation[] = [];
    for (const hypothesis of stage()) {
      if (performance.now() > deadline) {
        isCut = true;
        break;
      }
      if (explains(hypothesis)) found.push(explanationOf(hypothesis));
    }
    if (found.length > 0) return { explanations: found, tried: mistakes.length, isCut };
  }
  return { explanations: [], tried: mistakes.length, isCut };
}

/** Two mistakes about different steps, or another request and a mistake; the likelier ones first. */
function* pairs(
  right: Hypothesis,
  others: readonly Hypothesis[],
  mistakes: readonly Mistake[],
  deadline: number,
): Generator<Hypothesis> {
  // What makes a difference alone is likelier to make one in a pair.
  const changing = mistakes.filter(
    (mistake) => performance.now() < deadline && changes(right, withMistakes(right, [mistake])),
  );
  const ordered = [...new Set([...changing, ...mistakes])];
  yield* mistakePairs(right, ordered, 0, changing.length);
  for (const other of others) {
    for (const mistake of ordered) yield withMistakes(other, [mistake]);
  }
  yield* mistakePairs(right, ordered, changing.length, ordered.length);
}

/** The pairs whose second one is among those from `start` to `end`. */
function* mistakePairs(
  right: Hypothesis,
  mistakes: readonly Mistake[],
  start: number,
  end: number,
): Generator<Hypothesis> {
  for (const [i, second] of mistakes.slice(start, end).entries()) {
    for (const first of mistakes.slice(0, start + i)) {
      const clash = Object.keys(first.swap).some((step) => step in second.swap);
      if (!clash) yield withMistakes(right, [first, second]);
    }
  }
}

/** The same made with mistakes more. */
export function withMistakes(hypothesis: Hypothesis, mistakes: readonly Mistake[]): Hypothesis {
  return {
    ...hypothesis,
    faults: [
      ...hypothesis.faults,
      ...mistakes.map(({ id, rule, cause, fix }) => ({ id, rule, cause, fix })),
    ],
    context: mistaken(hypothesis.context, mistakes),
  };
}

function explains(hypothesis: Hypothesis): boolean {
  return written(hypothesis) === hypothesis.subject.sent.written;
}

function changes(right: Hypothesis, other: Hypothesis): boolean {
  return written(right) !== written(other);
}

/** What would be sent; nothing where a mistake breaks on this request, and so was not made. */
export function written({ subject, keys, context }: Hypothesis): string | undefined {
  try {
    return signed(subject, keys, context).written;
  } catch {
    return undefined;
  }
}

function explanationOf({ faults, subject, context }: Hypothesis): Explanation {
  let text = '';
  try {
    text = shownText(subject, context);
  } catch {
    // With a mistake about keys, the text cannot be had without the right one.
  }
  return { faults, text };
}

/** The steps that a signature goes through: no other mistake can change it. */
export function stepsUsed({ subject, keys, context }: Hypothesis): ReadonlySet<string> {
  const used = new Set<string>();
  const steps = new Proxy(context.steps, {
    get(target, name) {
      used.add(String(name));
      return target[name as keyof Steps];
    },
  });
  signed(subject, keys, { ...context, steps });
  return used;
}
