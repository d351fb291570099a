/**
 * Whether the evidence for a cause is enough to be certain of it.
 *
 * @module
 */
import {
  type Cause,
  isNamed,
  type Mistake,
  mistakesAt,
  type StepName,
  touches,
} from '../../../reference/mistakes/index.ts';
import { isFitted } from './conditional-mistakes.ts';
import { type FoundCause, isMistake, listMistakesIn } from './diagnose.ts';
import {
  isBareVerdict,
  isWronglyRefused,
  type Observation,
  operationsOf,
  REFUSED,
} from './observation.ts';
import type { Predictor } from './predictor.ts';

/** The ids of the answers that some causes explain. */
export const listExplained = (causes: readonly FoundCause[]): ReadonlySet<string> =>
  new Set(causes.flatMap(({ explains }) => explains));

/** Whether the register has a wording of its own for a cause. */
export const isWorded = (cause: Cause): boolean => isMistake(cause) && isNamed(cause);

/** Whether a cause explains a full answer. A verdict alone does not show how a text changed. */
export function explainsFullAnswer(
  { explains }: FoundCause,
  answers: readonly Observation[],
): boolean {
  return answers.some(
    (one) =>
      one.right !== one.actual &&
      one.id !== undefined &&
      explains.includes(one.id) &&
      !isBareVerdict(one),
  );
}

/**
 * Removes the alternatives that no question tells apart from the cause, and that correct answers contradict if each is made in all
 * operations: the cause is a simpler explanation than such an alternative in some operations only.
 */
export function withoutContradicted(
  cause: FoundCause,
  causes: readonly FoundCause[],
  inseparable: ReadonlySet<string>,
  observed: readonly Observation[],
  predictor: Predictor,
): FoundCause {
  const { mistake } = cause;
  if (!isMistake(mistake)) return cause;
  const rest = causes.filter((one) => one.mistake !== mistake);
  const contradicted = new Set<Cause>();
  let left = cause.others.filter(isMistake).filter(({ id }) => inseparable.has(id));
  for (const { question, right, actual } of observed) {
    if (left.length === 0) break;
    const able = left.filter((other) => predictor.canChange(question, [other]));
    if (right !== actual || able.length === 0) continue;
    const set = listMistakesIn(question.operation, rest);
    const effects = predictor.computeEffects(question, set, [mistake, ...able]);
    const kept = effects.find(({ answer }) => answer === right)?.mistakes ?? [];
    if (!kept.includes(mistake) && predictor.canChange(question, [mistake])) continue;
    for (const other of able) if (!kept.includes(other)) contradicted.add(other);
    left = left.filter((other) => !contradicted.has(other));
  }
  return { ...cause, others: cause.others.filter((other) => !contradicted.has(other)) };
}

const COMPARISON: ReadonlySet<string> = new Set(['sameText']);

/** A cause with little evidence is not certain, even if no other known mistake fits. */
export function withDoubt(
  cause: FoundCause,
  causes: readonly FoundCause[],
  observed: readonly Observation[],
  confirming: readonly Observation[],
  predictor: Predictor,
): FoundCause {
  if (cause.confidence !== 'exact') return cause;
  if (isLimitedTooMuch(cause, causes, observed, predictor))
    return { ...cause, confidence: 'one of' };
  const isSure = explainsFullAnswer(cause, observed)
    ? !isOnlyCombined(cause, causes, observed, predictor)
    : isSureByVerdicts(cause, causes, observed, confirming, predictor);
  return isSure ? cause : { ...cause, confidence: 'one of' };
}

/** Whether the mistake of a cause explains open answers without its condition, so that the true condition is another one. */
function isLimitedTooMuch(
  { mistake }: FoundCause,
  causes: readonly FoundCause[],
  observed: readonly Observation[],
  predictor: Predictor,
): boolean {
  if (!isMistake(mistake) || !isFitted(mistake)) return false;
  const bare = mistake.unconditional;
  return observed.some((one) => {
    const { question, right, actual } = one;
    if (right === actual || isBareVerdict(one)) return false;
    const made = listMistakesIn(question.operation, causes);
    const wider = made.map((other) => (other === mistake ? bare : other));
    return (
      predictor.predict(question, made) !== actual && predictor.predict(question, wider) === actual
    );
  });
}

/** If fewer answers show a mistake, it may only make up for other causes that are not quite right. */
const FEW_COMBINED = 3;

/**
 * Whether a mistake is only seen together with others: by itself, it changes none of the answers that show it, or each of the few
 * answers has two other causes or more. Other mistakes in place of those may give these answers without this one.
 */
function isOnlyCombined(
  cause: FoundCause,
  causes: readonly FoundCause[],
  observed: readonly Observation[],
  predictor: Predictor,
): boolean {
  const { mistake } = cause;
  if (!isMistake(mistake) || isNamed(mistake)) return false;
  const explained = listExplained([cause]);
  const shown = observed
    .filter(({ id }) => id === undefined || explained.has(id))
    .filter(isShownBy(cause, causes, predictor));
  const isInert = shown.every(
    ({ question, right }) => predictor.predict(question, [mistake]) === right,
  );
  if (isInert || shown.length >= FEW_COMBINED) return isInert;
  return shown.every(({ question, actual }) => {
    // A fitted mistake is chosen to give an answer together with another cause, so only an answer without others shows it.
    const others = isChosenToFit(mistake) ? [mistake] : listMistakesIn(question.operation, causes);
    return others.every(
      (other) => predictor.predict(question, [...new Set([mistake, other])]) !== actual,
    );
  });
}

/** Whether a mistake is not one of those that are generated without looking at the answers. */
const isChosenToFit = (mistake: Mistake): boolean =>
  !mistake.steps.some((step) => mistakesAt(step).includes(mistake));

/** Whether wrong verdicts are enough to be sure of a cause. */
function isSureByVerdicts(
  cause: FoundCause,
  causes: readonly FoundCause[],
  observed: readonly Observation[],
  confirming: readonly Observation[],
  predictor: Predictor,
): boolean {
  const shows = isShownBy(cause, causes, predictor);
  const shown = observed.filter(shows);
  const confirmed = confirming.filter(shows);
  // A verifier that refuses a request, and accepts it with the signature that the cause makes it expect, has that mistake.
  const isAccepted =
    shown.some(({ actual }) => actual === REFUSED) &&
    confirmed.some(({ right }) => right === REFUSED);
  const isToldApart = shown.some(({ id }) => id === undefined);
  // Rewritten signatures test a comparison; other confirmations are too much like the vector that they come from.
  const isComparison = isMistake(cause.mistake) && touches(cause.mistake, COMPARISON);
  const verdicts = shown.length + (isComparison ? confirmed.length : 0);
  if (isAccepted) return true;
  if (!isToldApart && verdicts < 2) return false;
  return (
    !isShadowed(shown, causes, observed, predictor) &&
    !isOutnumbered(shown, causes, observed, predictor)
  );
}

/** Whether the same operations unduly accept as many other requests: a verifier that accepts by chance fits a cause by chance. */
function isOutnumbered(
  shown: readonly Observation[],
  causes: readonly FoundCause[],
  observed: readonly Observation[],
  predictor: Predictor,
): boolean {
  const isUndue = ({ right, actual }: Observation): boolean =>
    right === REFUSED && actual !== REFUSED;
  if (!shown.every(isUndue)) return false;
  const operations = operationsOf(shown);
  const others = observed.filter(
    (one) =>
      isUndue(one) &&
      operations.has(one.question.operation) &&
      !isPredicted([one], causes, predictor),
  );
  return others.length >= shown.length;
}

/** The steps that end the signatures of the action API and of file requests. */
const SIGNATURES: readonly StepName[] = ['actionSignatureText', 'fileSignatureText'];

/**
 * Whether some refusals may have the same cause as unexplained answers: undue refusals of the same operation, or full answers with a
 * signature of the same kind.
 */
function isShadowed(
  refusals: readonly Observation[],
  causes: readonly FoundCause[],
  observed: readonly Observation[],
  predictor: Predictor,
): boolean {
  if (refusals.some(({ actual }) => actual !== REFUSED)) return false;
  const signatureOf = ({ question }: Observation): StepName | undefined => {
    const steps = predictor.listSteps(question, []);
    return SIGNATURES.find((step) => steps.includes(step));
  };
  const kinds = new Set(refusals.map(signatureOf));
  const operations = operationsOf(refusals);
  const isAlike = (one: Observation): boolean =>
    isBareVerdict(one)
      ? isWronglyRefused(one) && operations.has(one.question.operation)
      : signatureOf(one) !== undefined && kinds.has(signatureOf(one));
  return observed.some(
    (one) => one.right !== one.actual && isAlike(one) && !isPredicted([one], causes, predictor),
  );
}

/** Whether the causes explain an answer, and do not without one of them. */
function isShownBy(
  cause: FoundCause,
  causes: readonly FoundCause[],
  predictor: Predictor,
): (one: Observation) => boolean {
  const rest = causes.filter((other) => other.mistake !== cause.mistake);
  return ({ question, right, actual }) =>
    right !== actual &&
    predictor.predict(question, listMistakesIn(question.operation, causes)) === actual &&
    predictor.predict(question, listMistakesIn(question.operation, rest)) !== actual;
}

/**
 * Whether answers show more of a cause than refusals: a full answer, or a wrong request that a verifier accepts. Any other change
 * of the same text leads to refusals, too.
 */
export function isShownInFull(
  cause: FoundCause,
  causes: readonly FoundCause[],
  observed: readonly Observation[],
  predictor: Predictor,
): boolean {
  if (isWorded(cause.mistake) || explainsFullAnswer(cause, observed)) return true;
  const accepted = observed.filter(({ right, actual }) => right === REFUSED && actual !== REFUSED);
  return accepted.some(isShownBy(cause, causes, predictor));
}

/** Whether an implementation with exactly these causes gives all of some answers. */
export function isPredicted(
  observed: readonly Observation[],
  causes: readonly FoundCause[],
  predictor: Predictor,
): boolean {
  return observed.every(
    ({ question, actual }) =>
      predictor.predict(question, listMistakesIn(question.operation, causes)) === actual,
  );
}
