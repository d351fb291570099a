/**
 * Searches for the causes of a wrong signature in a request: signs the request again with known mistakes.
 *
 * A cause counts only if it gives exactly the signature that was sent.
 *
 * @module
 */
import {
  type Cause,
  isNamed,
  MISTAKES,
  type Mistake,
  mistaken,
} from '../../../reference/mistakes/index.ts';
import type { Context, KeyPair } from '../../../reference/signing/index.ts';
import { Predictor } from '../diagnosis/predictor.ts';
import { Search as MistakeSearch } from '../diagnosis/search.ts';
import type { Question } from '../protocol.ts';
import { listOtherRequests } from './other-request.ts';
import { redactedText, type SignedRequest, signRequest } from './signed-request.ts';

/** The default limit of the search, in computed signatures. */
export const EVALUATIONS = 20_000;

/** The size of a large and of a usual request, in characters of JSON. */
const LARGE = 16 * 1024;
const USUAL = 1000;

/** Causes that together explain a signature: mistakes, or a change between signing and sending. */
export interface RequestExplanation {
  readonly causes: readonly Cause[];
  /** The text that was signed, with the private key hidden. */
  readonly text: string;
}

export interface SearchResult {
  /** Each of them alone explains the signature. */
  readonly explanations: readonly RequestExplanation[];
  /** How many mistakes can affect this signature. */
  readonly tried: number;
  /** Whether the search stopped before it had tried everything. */
  readonly isCut: boolean;
}

/** A possible way to compute the signature of the captured request. */
export interface Hypothesis {
  readonly causes: readonly Cause[];
  readonly signed: SignedRequest;
  readonly keys: KeyPair;
  readonly context: Context;
  /** Is called for each signature that the search computes. */
  readonly onSignature?: (() => void) | undefined;
}

/**
 * Searches for single mistakes first, then for changes of the request after signing, then for combinations.
 *
 * Changed requests come before generated mistakes, because one of the thousands of generated mistakes always looks like the
 * change: it leaves out the header that the client added, or signs the verb that the client replaced.
 */
export function searchCauses(
  signed: SignedRequest,
  keys: KeyPair,
  context: Context,
  evaluations: number = EVALUATIONS,
  onSignature?: () => void,
): SearchResult {
  const right: Hypothesis = { causes: [], signed, keys, context, onSignature };
  // Every mistake that has no effect on this request would explain a correct signature.
  if (explains(right)) return { explanations: [], tried: 0, isCut: false };
  const predictor = createPredictor(right);
  const size = JSON.stringify(signed).length;
  if (size > LARGE)
    return searchCausesOfLarge(right, predictor, Math.ceil((evaluations * USUAL) / size));
  const tried = predictor.listRelevantMistakes(QUESTION).length;
  for (const find of listStages(right, predictor, evaluations)) {
    const found = find();
    if (found.length > 0) {
      const isCut = predictor.evaluations >= evaluations;
      return { explanations: found.map(toExplanation), tried, isCut };
    }
  }
  // There are too many pairs to try all of them.
  return { explanations: [], tried, isCut: true };
}

/** The stages of the search, in order. Each yields hypotheses that explain the signature. */
function listStages(
  right: Hypothesis,
  predictor: Predictor,
  evaluations: number,
): readonly (() => readonly Hypothesis[])[] {
  const others = listOtherHypotheses(right);
  const left = (): number => evaluations - predictor.evaluations;
  const add = (mistake: Mistake): Hypothesis => addMistakes(right, [mistake]);
  return [
    () => listNamedMistakes(predictor).map(add).filter(explains),
    () => others.filter(explains),
    () => selectPlainest(findFitting(right, predictor)).map(add),
    () => findNamedPairs(right, predictor, left),
    () => findMistakesBesideOthers(others, left()),
    () => findSeveral(right, predictor, left()),
  ];
}

/** With thousands of parameters or headers, a signature takes milliseconds, so only the likeliest causes are tried. */
function searchCausesOfLarge(right: Hypothesis, predictor: Predictor, most: number): SearchResult {
  const mistakes = listNamedMistakes(predictor).slice(0, most);
  const singles = mistakes.map((mistake) => addMistakes(right, [mistake])).filter(explains);
  const left = Math.max(0, most - mistakes.length);
  const others = listOtherHypotheses(right).slice(0, left);
  const found = singles.length > 0 ? singles : others.filter(explains);
  return { explanations: found.map(toExplanation), tried: mistakes.length, isCut: true };
}

function findNamedPairs(
  right: Hypothesis,
  predictor: Predictor,
  left: () => number,
): readonly Hypothesis[] {
  const { written: sent } = right.signed.sent;
  const named = predictor
    .computeAllEffects(QUESTION, [])
    .map(({ mistakes }) => mistakes.filter(isNamed))
    .filter(({ length }) => length > 0);
  const fits = (mistakes: readonly Mistake[]): boolean =>
    left() > 0 && predictor.predictUncached(QUESTION, mistakes) === sent;
  // Mistakes with the same effect are tried once; if the pair fits, each combination of them is checked.
  return named
    .flatMap((some, i) => named.slice(i + 1).map((others) => [some, others] as const))
    .filter(([[a], [b]]) => a && b && fits([a, b]))
    .flatMap(([some, others]) => some.flatMap((a) => others.map((b) => [a, b])))
    .filter(fits)
    .map((pair) => pair.toSorted((a, b) => MISTAKES.indexOf(a) - MISTAKES.indexOf(b)))
    .map((pair) => addMistakes(right, pair));
}

/** Another request, signed with one mistake. */
function findMistakesBesideOthers(
  others: readonly Hypothesis[],
  evaluations: number,
): readonly Hypothesis[] {
  let left = evaluations;
  for (const other of others) {
    if (left <= 0) break;
    const own = createPredictor(other);
    const found = selectPlainest(findFitting(other, own));
    if (found.length > 0) return found.map((mistake) => addMistakes(other, [mistake]));
    left -= own.evaluations;
  }
  return [];
}

/** Up to three mistakes that together explain the request. */
function findSeveral(
  right: Hypothesis,
  predictor: Predictor,
  evaluations: number,
): readonly Hypothesis[] {
  const { written: sent } = right.signed.sent;
  const seen = { question: QUESTION, right: computeWritten(right) ?? '', actual: sent };
  const search = new MistakeSearch([seen], predictor, { evaluations, mistakes: 3 });
  const made = search.findMistakes();
  if (made.length === 0 || !search.observed.explains(seen, made)) return [];
  const mistakes = made.map(({ mistake }) => mistake);
  return [addMistakes(right, mistakes)];
}

function listOtherHypotheses(right: Hypothesis): readonly Hypothesis[] {
  const { signed, keys, context, onSignature } = right;
  return listOtherRequests(signed, keys, context).map((other): Hypothesis => {
    const { id, rule, wrong, fix } = other;
    return {
      causes: [{ id, rule, wrong, fix }],
      // Computed on demand: it may copy thousands of headers.
      get signed() {
        return other.signed ?? signed;
      },
      keys: other.keys ?? keys,
      context: other.context ?? context,
      onSignature,
    };
  });
}

/** A placeholder: the predictor needs a question, but there is only one request. */
const QUESTION: Question = {
  operation: 'explain',
  keys: { publicKey: '', privateKey: '' },
  input: {},
};

const createPredictor = (hypothesis: Hypothesis): Predictor =>
  new Predictor(hypothesis.context, (_, context) => computeWritten({ ...hypothesis, context }));

/** There are few of them, so they are tried before thousands of generated ones. */
const listNamedMistakes = (predictor: Predictor): readonly Mistake[] =>
  predictor.listRelevantMistakes(QUESTION).filter(isNamed);

/** The mistakes that give the sent signature. */
function findFitting({ signed }: Hypothesis, predictor: Predictor): readonly Mistake[] {
  const { written: sent } = signed.sent;
  const effects = predictor.computeAllEffects(QUESTION, []);
  return effects.find(({ answer }) => answer === sent)?.mistakes ?? [];
}

/** The named mistakes, or else the cheapest mistake of each step. */
function selectPlainest(mistakes: readonly Mistake[]): readonly Mistake[] {
  const named = mistakes.filter(isNamed);
  if (named.length > 0) return named;
  const cheapest = mistakes.toSorted((a, b) => a.cost - b.cost);
  const places = cheapest.map((mistake) => mistake.steps.join());
  return cheapest.filter((_, i) => places.indexOf(places[i] ?? '') === i);
}

function addMistakes(hypothesis: Hypothesis, mistakes: readonly Mistake[]): Hypothesis {
  return {
    signed: hypothesis.signed,
    keys: hypothesis.keys,
    causes: [...hypothesis.causes, ...mistakes],
    context: mistaken(hypothesis.context, mistakes),
  };
}

function explains(hypothesis: Hypothesis): boolean {
  return computeWritten(hypothesis) === hypothesis.signed.sent.written;
}

/** The signature as it would be sent; `undefined` if a step throws. */
export function computeWritten(hypothesis: Hypothesis): string | undefined {
  const { signed, keys, context, onSignature } = hypothesis;
  onSignature?.();
  try {
    return signRequest(signed, keys, context).written;
  } catch {
    return undefined;
  }
}

function toExplanation({ causes, signed, context }: Hypothesis): RequestExplanation {
  let text = '';
  try {
    text = redactedText(signed, context);
  } catch {
    // A mistake about keys may throw without the real key; then there is no text to show.
  }
  return { causes, text };
}
