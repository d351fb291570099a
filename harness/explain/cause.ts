/**
 * Why a request carries another signature: the reference is asked again with known mistakes.
 *
 * A cause is only named where it gives, to the last character, what was sent.
 *
 * @module
 */
import { isNamed, type Mistake, mistaken, stepsOf } from '../../reference/mistakes/index.ts';
import type { Context, KeyPair } from '../../reference/signing/index.ts';
import type { Question } from '../adapter/messages.ts';
import { Predictor } from '../diagnosis/predictor.ts';
import { Search as MistakeSearch } from '../diagnosis/search.ts';
import { otherRequests } from './other-request.ts';
import { shownText } from './signed-lines.ts';
import { type Subject, signed } from './subject.ts';

/** Answers that the search may compute, where nobody says otherwise. */
const EVALUATIONS = 20_000;

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
  /** How many mistakes can touch this signature at all. */
  readonly tried: number;
  /** Whether the search ended before all was tried. */
  readonly isCut: boolean;
}

/** One way in which the captured request may have got its signature. */
export interface Hypothesis {
  readonly faults: readonly Fault[];
  readonly subject: Subject;
  readonly keys: KeyPair;
  readonly context: Context;
}

/** Looks for single causes first, then for what became another request, then for both or several. */
export function causes(
  subject: Subject,
  keys: KeyPair,
  context: Context,
  evaluations: number = EVALUATIONS,
): Search {
  const right: Hypothesis = { faults: [], subject, keys, context };
  // Every mistake without an effect on this request would seem to explain a correct signature.
  if (explains(right)) return { explanations: [], tried: 0, isCut: false };
  const predictor = predictorOf(right);
  const tried = predictor.relevant(QUESTION).length;
  const single = plainest(fitting(right, predictor)).map((mistake) =>
    withMistakes(right, [mistake]),
  );
  if (single.length > 0) return { explanations: single.map(explanationOf), tried, isCut: false };
  const others = othersOf(subject, keys, context);
  const another = others.filter(explains);
  if (another.length > 0) return { explanations: another.map(explanationOf), tried, isCut: false };
  let left = evaluations;
  for (const other of others) {
    if (left <= 0) break;
    const own = predictorOf(other);
    const found = plainest(fitting(other, own)).map((mistake) => withMistakes(other, [mistake]));
    if (found.length > 0) return { explanations: found.map(explanationOf), tried, isCut: false };
    left -= own.evaluations;
  }
  const seen = { question: QUESTION, right: written(right) ?? '', actual: subject.sent.written };
  const search = new MistakeSearch([seen], predictor, { evaluations, mistakes: 3 });
  const made = search.found();
  const isFound = made.length > 0 && search.explains(seen, made);
  const set = withMistakes(
    right,
    made.map(({ mistake }) => mistake),
  );
  return {
    explanations: isFound ? [explanationOf(set)] : [],
    tried,
    isCut: left <= 0 || search.isSpent,
  };
}

function othersOf(subject: Subject, keys: KeyPair, context: Context): readonly Hypothesis[] {
  return otherRequests(subject, keys, context).map((other): Hypothesis => {
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
}

/** Nobody is asked: there is one request only. */
const QUESTION: Question = {
  operation: 'explain',
  keys: { publicKey: '', privateKey: '' },
  input: {},
};

const predictorOf = (hypothesis: Hypothesis): Predictor =>
  new Predictor(hypothesis.context, (_, context) => written({ ...hypothesis, context }));

/** The mistakes with which this request is sent as it was. */
function fitting({ subject }: Hypothesis, predictor: Predictor): readonly Mistake[] {
  const { written: sent } = subject.sent;
  return predictor.effects(QUESTION, []).find(({ answer }) => answer === sent)?.mistakes ?? [];
}

/** Those with words of their own, or else the plainest of each place. */
function plainest(mistakes: readonly Mistake[]): readonly Mistake[] {
  const named = mistakes.filter(isNamed);
  if (named.length > 0) return named;
  const byPlace = new Map<string, Mistake>();
  for (const mistake of [...mistakes].sort((a, b) => a.cost - b.cost)) {
    const place = stepsOf(mistake).join();
    if (!byPlace.has(place)) byPlace.set(place, mistake);
  }
  return [...byPlace.values()];
}

/** The same made with mistakes more. */
export function withMistakes(hypothesis: Hypothesis, mistakes: readonly Mistake[]): Hypothesis {
  return {
    subject: hypothesis.subject,
    keys: hypothesis.keys,
    faults: [
      ...hypothesis.faults,
      ...mistakes.map(({ id, rule, wrong, fix }) => ({ id, rule, cause: wrong, fix })),
    ],
    context: mistaken(hypothesis.context, mistakes),
  };
}

function explains(hypothesis: Hypothesis): boolean {
  return written(hypothesis) === hypothesis.subject.sent.written;
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
