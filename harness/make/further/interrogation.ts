/**
 * Explains the failures of a run with further questions: they tell causes apart and shrink unexplained requests.
 *
 * @module
 */
import { mistakesAt } from '../../../reference/mistakes/index.ts';
import {
  type Diagnosis,
  diagnose,
  type FoundCause,
  isMistake,
} from '../../engine/diagnosis/diagnose.ts';
import {
  explainsFullAnswer,
  isPredicted,
  isShownInFull,
  isWorded,
  listExplained,
  withDoubt,
  withoutContradicted,
} from '../../engine/diagnosis/doubt.ts';
import { addExceptions, keepThrowing } from '../../engine/diagnosis/exceptions.ts';
import {
  addOtherCauses,
  diagnoseInOtherDialect,
  type Explanation,
  observeRun,
} from '../../engine/diagnosis/explanation.ts';
import type { Observation } from '../../engine/diagnosis/observation.ts';
import type { Predictor } from '../../engine/diagnosis/predictor.ts';
import { createPredictor } from '../../engine/diagnosis/reference-reply.ts';
import { type ScopedMistake, selectMistakes } from '../../engine/diagnosis/scoped-mistake.ts';
import type { Limits } from '../../engine/diagnosis/search.ts';
import { dropFreeChoices, dropOthers, dropSynonyms } from '../../engine/diagnosis/synonyms.ts';
import { createPrefixQuestions } from '../../engine/diagnosis/wrong-dialect.ts';
import { filterUnexpected } from '../../engine/expectations/unexpected.ts';
import { type Run, toQuestion } from '../../engine/judge/outcome.ts';
import type { Dialect } from '../../engine/protocol.ts';
import type { Respondent } from '../../engine/respondent.ts';
import type { SuiteData } from '../../engine/suite-data.ts';
import type { Vector } from '../../engine/vector.ts';
import {
  type Ask,
  confirmCauses,
  type Interrogation,
  observeAnswers,
  type Separation,
  separateRivals,
} from './further-questions.ts';
import { createSweeping, type Sweeping, sweepRefusing, sweepUncertain } from './signature-sweep.ts';

/** A respondent after its run, and the further questions that it can be asked. */
interface RunContext {
  readonly respondent: Respondent;
  readonly dialect: Dialect;
  readonly data: SuiteData;
  /** Vectors outside the run, in the words of the dialect. */
  readonly unasked: () => Promise<readonly Vector[]>;
}

/** The respondent is stopped if it takes longer for questions that tell causes apart; in milliseconds. */
const SEPARATION_LIMIT = 1000;

/** How often refused requests are signed anew: each time with the mistakes that were found before. */
const SWEEPS = 3;

/**
 * The most answers that a cause may predict wrongly, as a share of those that it changes: if it explains only verdicts, and if
 * it explains a full answer, which no other text gives.
 */
const DIFFERING = 0.25;
const DIFFERING_OF_FULL = 0.5;

/** The causes of all failures, as far as further questions were answered. */
interface RunDiagnosis extends Diagnosis {
  /** Why a further question was not asked. */
  readonly unasked?: string;
}

/** Generates the mistakes in the steps of failing vectors. The diagnosis needs them, and generating them takes longer than most answers. */
export function generateMistakesFor(
  failed: readonly Vector[],
  dialect: Dialect,
  data: SuiteData,
): void {
  const steps = failed.flatMap((vector) => [
    ...(data.findSteps(dialect, toQuestion(vector)) ?? []),
  ]);
  for (const step of new Set(steps)) mistakesAt(step);
}

/** Finds the causes of all failures, expected ones included. */
export async function diagnoseRun(run: Run, context: RunContext): Promise<RunDiagnosis> {
  const observedRun = observeRun(run);
  const { observed: answers, exceptions } = observedRun;
  const predictor = createPredictor(context.dialect, context.data);
  const inAnswers = await findMistakes(run, answers, context, predictor);
  const fitting = keepThrowing(inAnswers, answers, predictor);
  const found = { ...inAnswers, ...addExceptions(fitting, exceptions, predictor) };
  const { addChangingAnswers } = await import('./asking-anew.ts');
  const changing = await addChangingAnswers(found, answers, context.respondent, predictor);
  const { causes, unexplained } = addOtherCauses(changing, observedRun, run.outcomes, predictor);
  return { ...found, causes: dropFreeChoices(causes, context.data), unexplained };
}

async function findMistakes(
  run: Run,
  answers: readonly Observation[],
  context: RunContext,
  predictor: Predictor,
): Promise<RunDiagnosis> {
  const { dialect, data, respondent } = context;
  const prefixAnswers = await askPrefixQuestions(answers, context, predictor);
  const inOther = diagnoseInOtherDialect([...answers, ...prefixAnswers], dialect, data);
  if (inOther) return inOther;
  const first = diagnose(answers, predictor);
  if (!run.hello) return first;
  const { listDependent } = await import('./asking-anew.ts');
  const dependent = await listDependent(first, answers, respondent, predictor);
  if (dependent.size === 0) {
    return sweepSignatures(first, answers, run.hello.operations, context, predictor);
  }
  const steady = answers.filter(({ id = '' }) => !dependent.has(id));
  const found = await findMistakes(run, steady, context, predictor);
  return { ...found, unexplained: [...found.unexplained, ...dependent] };
}

/** Refines the diagnosis with further questions: requests that verifiers refuse, signed anew, and those that tell causes apart. */
async function sweepSignatures(
  first: Diagnosis,
  answers: readonly Observation[],
  operations: readonly string[],
  context: RunContext,
  predictor: Predictor,
): Promise<RunDiagnosis> {
  const sweeping = createSweeping(context.respondent, context.dialect, predictor);
  const refine = (seen: readonly Observation[], before: Diagnosis): Promise<RunDiagnosis> =>
    refineDiagnosis(before, seen, operations, context, predictor);
  const begun = await diagnoseRefusing(first, answers, sweeping);
  let observed = begun.observed;
  let found = await refine(observed, begun.found);
  for (let round = 0; round < SWEEPS; round += 1) {
    const accepted = await sweepUncertain(found, listUncertain(found), observed, sweeping);
    if (accepted.length === 0) break;
    observed = [...accepted, ...observed];
    const next = await refine(observed, diagnose(observed, predictor, startFrom(found, answers)));
    if (listUncertain(next).length >= listUncertain(found).length) break;
    found = next;
  }
  return found;
}

/** The diagnosis of the answers, and of correct requests that verifiers accept with another signature only. */
async function diagnoseRefusing(
  found: Diagnosis,
  answers: readonly Observation[],
  sweeping: Sweeping,
): Promise<{ readonly observed: readonly Observation[]; readonly found: Diagnosis }> {
  const { predictor } = sweeping;
  const shown = filterShown(found, answers);
  const { accepted, pairs } = await sweepRefusing(answers, listExplained(shown), sweeping);
  if (accepted.length === 0) return { observed: answers, found };
  // What a verifier accepts tells more than what it refuses, so it comes first.
  const observed = [...accepted, ...answers];
  const further =
    pairs.length === 0
      ? diagnose(observed, predictor, startFrom(found, answers))
      : diagnoseWith(pairs, observed, predictor);
  return { observed, found: further };
}

/** The causes that explain full answers. */
const filterShown = (
  { causes }: Diagnosis,
  answers: readonly Observation[],
): readonly FoundCause[] => causes.filter((cause) => explainsFullAnswer(cause, answers));

/** Further verdicts seldom change what full answers show, and the search for that takes longest. */
const startFrom = (found: Diagnosis, answers: readonly Observation[]): Limits => ({
  start: toScopedMistakes(filterShown(found, answers)),
});

/** The operations with answers to further questions or with causes: in the others, a search would find nothing again. */
function limitToChanged({ causes }: Diagnosis, observed: readonly Observation[]): Limits {
  const explained = listExplained(causes);
  const changed = observed.filter(({ id }) => id === undefined || explained.has(id));
  return { operations: new Set(changed.map(({ question }) => question.operation)) };
}

/** The diagnosis with pairs of mistakes instead of what was found in their operations. */
function diagnoseWith(
  pairs: readonly ScopedMistake[],
  observed: readonly Observation[],
  predictor: Predictor,
): Diagnosis {
  const swept = new Set(pairs.flatMap(({ within = [] }) => [...within]));
  const isSwept = ({ question }: Observation): boolean => swept.has(question.operation);
  const others = observed.filter((one) => !isSwept(one));
  const rest = diagnose(others, predictor);
  return diagnose(observed, predictor, undefined, [...pairs, ...toScopedMistakes(rest.causes)]);
}

/** The ids of the answers without a certain cause. */
function listUncertain({ causes, unexplained }: Diagnosis): readonly string[] {
  const explained = listExplained(causes.filter(({ confidence }) => confidence === 'exact'));
  const all = [...unexplained, ...causes.flatMap(({ explains }) => explains)];
  return [...new Set(all)].filter((id) => !explained.has(id));
}

/** Explains the unexpected failures. */
export async function explainRun(
  run: Run,
  found: Diagnosis,
  context: RunContext,
): Promise<Explanation> {
  const { causes, unexplained } = filterUnexpected(found, run);
  if (unexplained.length === 0) return { causes, unexplained, shrunk: [] };
  // Most runs do not need the modules that draw and shrink requests, which load slowly.
  const { shrinkUnexplained } = await import('./unexplained.ts');
  const shrunk = await shrinkUnexplained({ causes: found.causes, unexplained }, run, context);
  const { stopReason: silent } = context.respondent;
  return { causes, unexplained, shrunk, ...(silent !== undefined && { silent }) };
}

/** If extra headers seem to be missing from the signed text, asks with the header prefixes of other dialects. */
async function askPrefixQuestions(
  answers: readonly Observation[],
  context: RunContext,
  predictor: Predictor,
): Promise<readonly Observation[]> {
  const questions = createPrefixQuestions(answers, context.dialect, context.data);
  if (questions.length === 0) return [];
  return observeAnswers(questions, { ask: createAsk(context), predictor });
}

/** Repeats the diagnosis with the answers to further questions. */
async function refineDiagnosis(
  first: Diagnosis,
  answers: readonly Observation[],
  operations: readonly string[],
  context: RunContext,
  predictor: Predictor,
): Promise<RunDiagnosis> {
  if (first.causes.length === 0) return first;
  const { ask, findUnasked } = createTrackedAsk(answers, context);
  const vectors = await context.unasked();
  const unasked = vectors.filter(({ operation }) => operations.includes(operation));
  const asking: Interrogation = { ask, dialect: context.dialect, predictor, operations, unasked };
  const separated = await separateRivals(first.causes, answers, asking);
  const all = [...answers, ...separated.observed];
  const second = diagnoseFurther(first, separated.observed, all, predictor);
  const confirming = await confirmCauses(second.causes, all, asking);
  const confirmed = [...all, ...confirming];
  const { causes, unexplained } = isPredicted(confirming, second.causes, predictor)
    ? second
    : await repeatWithConfirmations(second, confirmed, asking);
  const settle = (cause: FoundCause): FoundCause => {
    const left = withoutContradicted(cause, causes, separated.inseparable, confirmed, predictor);
    return isShownInFull(left, causes, confirmed, predictor)
      ? withoutInseparable(left, separated, operations, context)
      : left;
  };
  return {
    causes: causes.map((one) => withDoubt(settle(one), causes, all, confirming, predictor)),
    unexplained,
    ...findUnasked(),
  };
}

/**
 * Repeats the diagnosis after confirming answers that its causes did not predict. Drops causes that explain only verdicts, if the
 * answers to further questions contradict them.
 */
async function repeatWithConfirmations(
  before: Diagnosis,
  observed: readonly Observation[],
  asking: Interrogation,
): Promise<Diagnosis> {
  const { predictor } = asking;
  const found = diagnoseAgain(before, toScopedMistakes(before.causes), observed, predictor);
  const weak = found.causes.filter((cause) => !explainsFullAnswer(cause, observed));
  const contradicted: FoundCause[] = [];
  for (const cause of weak) {
    const confirming = await confirmCauses([cause], observed, asking);
    if (!isPredicted(confirming, found.causes, predictor)) contradicted.push(cause);
  }
  if (contradicted.length === 0) return found;
  const kept = found.causes.filter((cause) => !contradicted.includes(cause));
  return diagnose(observed, predictor, undefined, toScopedMistakes(kept));
}

/** The diagnosis with the answers to the questions that tell rivals apart. */
function diagnoseFurther(
  first: Diagnosis,
  further: readonly Observation[],
  all: readonly Observation[],
  predictor: Predictor,
): Diagnosis {
  if (further.length === 0) return first;
  const made = chooseFitting(first.causes, further, predictor);
  if (further.every((one) => fits(made, one, predictor))) {
    const found = diagnose(all, predictor, undefined, made);
    // A rival may fit only in some operations, and its cause does not say in which.
    if (found.unexplained.length <= first.unexplained.length) return found;
  }
  return diagnoseAgain(first, made, all, predictor);
}

/**
 * Searches again after answers that the causes did not predict. If the search finds less than before, the mistakes that fit
 * best stay as the nearest ones, as long as they predict most answers.
 */
function diagnoseAgain(
  before: Diagnosis,
  fitting: readonly ScopedMistake[],
  observed: readonly Observation[],
  predictor: Predictor,
): Diagnosis {
  const again = diagnose(observed, predictor, limitToChanged(before, observed));
  if (again.unexplained.length <= before.unexplained.length) return again;
  const kept = diagnose(observed, predictor, undefined, fitting);
  const isNear = (cause: FoundCause): boolean => {
    const { differing: [differing, of] = [0, 1] } = cause;
    return differing <= of * (explainsFullAnswer(cause, observed) ? DIFFERING_OF_FULL : DIFFERING);
  };
  const isBetter = kept.unexplained.length < again.unexplained.length;
  return isBetter && kept.causes.every(isNear) ? kept : again;
}

const toScopedMistakes = (causes: readonly FoundCause[]): readonly ScopedMistake[] =>
  causes.flatMap(({ mistake, within }): ScopedMistake[] =>
    isMistake(mistake) ? [{ mistake, ...(within && { within: new Set(within) }) }] : [],
  );

/**
 * Creates a function that asks further questions, and one that says why the first unasked one was not asked. Exceptions count as
 * refusals if they do so in the answers of the run.
 */
function createTrackedAsk(
  answers: readonly Observation[],
  context: RunContext,
): { readonly ask: Ask; readonly findUnasked: () => Pick<RunDiagnosis, 'unasked'> } {
  const ask = createAsk(context);
  const areRefusals = answers.some(({ isException }) => isException);
  let why: string | undefined;
  return {
    async ask(questions) {
      const replies = await ask(questions);
      for (const reply of replies) if (reply.kind === 'not-asked') why ??= reply.message;
      return replies.map((reply) =>
        areRefusals && reply.kind === 'error'
          ? { ...reply, kind: 'refused', reason: 'exception' }
          : reply,
      );
    },
    findUnasked: () => (why === undefined ? {} : { unasked: why }),
  };
}

function fits(
  made: readonly ScopedMistake[],
  { question, actual }: Observation,
  predictor: Predictor,
): boolean {
  return predictor.predict(question, selectMistakes(question.operation, made)) === actual;
}

/** For each cause, the simplest mistake that fits the further answers best. */
function chooseFitting(
  causes: readonly FoundCause[],
  answered: readonly Observation[],
  predictor: Predictor,
): readonly ScopedMistake[] {
  let made = toScopedMistakes(causes);
  for (const { mistake, others } of causes) {
    const choices = [mistake, ...others]
      .filter(isMistake)
      .map((choice) =>
        made.map((one) => (one.mistake === mistake ? { ...one, mistake: choice } : one)),
      );
    const count = (set: readonly ScopedMistake[]): number =>
      answered.filter((one) => fits(set, one, predictor)).length;
    const most = Math.max(...choices.map(count));
    made = choices.find((set) => count(set) === most) ?? made;
  }
  return made;
}

/** Removes the alternatives that no known question tells apart from the cause. */
function withoutInseparable(
  cause: FoundCause,
  { inseparable }: Separation,
  operations: readonly string[],
  { data }: RunContext,
): FoundCause {
  if (cause.confidence !== 'one of' || !inseparable.has(cause.mistake.id)) return cause;
  if (cause.others.length === 0) return { ...cause, confidence: 'exact' };
  const [named] = cause.others.some(isWorded) ? dropSynonyms([cause], operations, data) : [];
  const kept = named?.others.filter(isWorded) ?? [];
  return dropOthers(cause, (other) => inseparable.has(other.id) && !kept.includes(other));
}

const createAsk =
  ({ respondent }: RunContext): Ask =>
  (questions) =>
    respondent.ask(questions, { within: SEPARATION_LIMIT });
