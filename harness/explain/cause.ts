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

/**
 * How much the search may do, where nobody says otherwise: characters of requests that are signed again.
 *
 * Not a time: on a busy machine the same request has the same causes. A quiet one takes about a second.
 */
const WORK = 16_000_000;

/** What signing costs beside the characters of the request; in characters. */
const EACH = 300;

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
  /** Whether the search ended before it had looked at all pairs. */
  readonly isCut: boolean;
  /** What it did, in the unit of its limit. */
  readonly work: number;
}

/** What may still be done. */
class Budget {
  spent = 0;
  readonly #limit: number;
  readonly #each: number;

  constructor(limit: number, subject: Subject) {
    this.#limit = limit;
    this.#each = EACH + JSON.stringify(subject).length;
  }

  get isSpent(): boolean {
    return this.spent >= this.#limit;
  }

  /** Counts one signature, and says whether it may be computed. */
  take(): boolean {
    if (this.isSpent) return false;
    this.spent += this.#each;
    return true;
  }
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
  limit: number = WORK,
): Search {
  const budget = new Budget(limit, subject);
  const right: Hypothesis = { faults: [], subject, keys, context };
  // Every mistake without an effect on this request would seem to explain a correct signature.
  if (explains(right)) return { explanations: [], tried: 0, isCut: false, work: 0 };
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
  for (const stage of [() => singles, () => others, () => pairs(right, others, mistakes, budget)]) {
    const found: Explanation[] = [];
    for (const hypothesis of stage()) {
      if (!budget.take()) {
        isCut = true;
        break;
      }
      if (explains(hypothesis)) found.push(explanationOf(hypothesis));
    }
    if (found.length > 0) {
      return { explanations: found, tried: mistakes.length, isCut, work: budget.spent };
    }
  }
  return { explanations: [], tried: mistakes.length, isCut, work: budget.spent };
}

/** Two mistakes about different steps, or another request and a mistake; the likelier ones first. */
function* pairs(
  right: Hypothesis,
  others: readonly Hypothesis[],
  mistakes: readonly Mistake[],
  budget: Budget,
): Generator<Hypothesis> {
  // What makes a difference alone is likelier to make one in a pair.
  const changing = mistakes.filter(
    (mistake) => budget.take() && changes(right, withMistakes(right, [mistake])),
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
