/**
 * Why a request carries another signature: the reference is asked again with known mistakes.
 *
 * A cause is only named where it gives, to the last character, what was sent.
 *
 * @module
 */
import {
  isNamed,
  MISTAKES,
  type Mistake,
  mistaken,
  stepsOf,
} from '../../reference/mistakes/index.ts';
import type { Context, KeyPair } from '../../reference/signing/index.ts';
import type { Question } from '../adapter/messages.ts';
import { Predictor } from '../diagnosis/predictor.ts';
import { Search as MistakeSearch } from '../diagnosis/search.ts';
import { otherRequests } from './other-request.ts';
import { shownText } from './signed-lines.ts';
import { type Subject, signed } from './subject.ts';

/** Answers that the search may compute, where nobody says otherwise. */
const EVALUATIONS = 20_000;

/** In characters as JSON: more is large, and what a signature takes usually. */
const LARGE = 16 * 1024;
const USUAL = 1000;

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

/**
 * Looks for single causes first, then for what became another request, then for both or several.
 *
 * Only mistakes with words of their own come before another request: of the thousands that are generated, one always seems to
 * leave out the very header that the client added, or to sign the very verb that it exchanged.
 */
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
  const size = JSON.stringify(subject).length;
  if (size > LARGE) return causesOfLarge(right, predictor, Math.ceil((evaluations * USUAL) / size));
  const tried = predictor.relevant(QUESTION).length;
  const others = othersOf(subject, keys, context);
  const singles = fitting(right, predictor);
  const isLeft = (): boolean => predictor.evaluations < evaluations;
  const stages: readonly (() => readonly Hypothesis[])[] = [
    () => singles.filter(isNamed).map((mistake) => withMistakes(right, [mistake])),
    () => others.filter(explains),
    () => plainest(singles).map((mistake) => withMistakes(right, [mistake])),
    () => namedPairs(right, predictor, isLeft),
    () => besideOthers(others, evaluations - predictor.evaluations),
    () => several(right, predictor, evaluations - predictor.evaluations),
  ];
  for (const stage of stages) {
    const found = stage();
    if (found.length > 0)
      return { explanations: found.map(explanationOf), tried, isCut: !isLeft() };
  }
  // Of so many mistakes, all pairs are never tried.
  return { explanations: [], tried, isCut: true };
}

/** Of a request with thousands of parameters or headers, one signature takes milliseconds: only the likeliest are computed. */
function causesOfLarge(right: Hypothesis, predictor: Predictor, most: number): Search {
  const mistakes = predictor.relevant(QUESTION).filter(isNamed).slice(0, most);
  const singles = mistakes.map((mistake) => withMistakes(right, [mistake])).filter(explains);
  const left = Math.max(0, most - mistakes.length);
  const others = othersOf(right.subject, right.keys, right.context).slice(0, left);
  const found = singles.length > 0 ? singles : others.filter(explains);
  return { explanations: found.map(explanationOf), tried: mistakes.length, isCut: true };
}

/** Two mistakes with words of their own that together explain the request. */
function namedPairs(
  right: Hypothesis,
  predictor: Predictor,
  isLeft: () => boolean,
): readonly Hypothesis[] {
  const { written: sent } = right.subject.sent;
  const named = predictor
    .effects(QUESTION, [])
    .map(({ mistakes }) => mistakes.filter(isNamed))
    .filter(({ length }) => length > 0);
  const fits = (mistakes: readonly Mistake[]): boolean =>
    isLeft() && predictor.answerTo(QUESTION, mistakes) === sent;
  // Of those that do the same alone, one is tried; what fits with it may be each of them.
  return named
    .flatMap((some, i) => named.slice(i + 1).map((others) => [some, others] as const))
    .filter(([[a], [b]]) => a && b && fits([a, b]))
    .flatMap(([some, others]) => some.flatMap((a) => others.map((b) => [a, b])))
    .filter(fits)
    .map((pair) => withMistakes(right, pair.toSorted(bySpecification)));
}

const PLACES: ReadonlyMap<Mistake, number> = new Map(MISTAKES.map((one, i) => [one, i]));

function bySpecification(a: Mistake, b: Mistake): number {
  return (PLACES.get(a) ?? 0) - (PLACES.get(b) ?? 0);
}

/** Another request that was signed with one mistake. */
function besideOthers(others: readonly Hypothesis[], evaluations: number): readonly Hypothesis[] {
  let left = evaluations;
  for (const other of others) {
    if (left <= 0) break;
    const own = predictorOf(other);
    const found = plainest(fitting(other, own)).map((mistake) => withMistakes(other, [mistake]));
    if (found.length > 0) return found;
    left -= own.evaluations;
  }
  return [];
}

/** Up to three mistakes that together explain the request. */
function several(
  right: Hypothesis,
  predictor: Predictor,
  evaluations: number,
): readonly Hypothesis[] {
  const { written: sent } = right.subject.sent;
  const seen = { question: QUESTION, right: written(right) ?? '', actual: sent };
  const search = new MistakeSearch([seen], predictor, { evaluations, mistakes: 3 });
  const made = search.found();
  if (made.length === 0 || !search.explains(seen, made)) return [];
  return [
    withMistakes(
      right,
      made.map(({ mistake }) => mistake),
    ),
  ];
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
