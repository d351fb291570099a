/**
 * Questions that tell apart the causes that fit equally well, and questions that confirm a cause.
 *
 * @module
 */

import type { Mistake } from '../../../reference/mistakes/index.ts';
import { isVerifier } from '../../../reference/operations.ts';
import {
  type FoundCause,
  isMadeIn,
  isMistake,
  listMistakesIn,
} from '../../engine/diagnosis/diagnose.ts';
import type { Effect } from '../../engine/diagnosis/effects.ts';
import {
  formatReply,
  isBareVerdict,
  isWronglyRefused,
  type Observation,
  REFUSED,
} from '../../engine/diagnosis/observation.ts';
import type { Predictor } from '../../engine/diagnosis/predictor.ts';
import { interleave } from '../../engine/diagnosis/telling.ts';
import { toQuestion } from '../../engine/judge/outcome.ts';
import type { Dialect, Question, Reply } from '../../engine/protocol.ts';
import type { Vector } from '../../engine/vector.ts';
import { createEdits } from '../fuzz/edits.ts';
import { rewriteSignature, signForVerifier } from './resigned-requests.ts';
import {
  addTellingValues,
  extendQuestion,
  isolateHeaders,
  replaceFirstNumber,
} from './telling-values.ts';

export type Ask = (questions: readonly Question[]) => Promise<readonly Reply[]>;

/** What further questions are asked and predicted with. */
export interface Asking {
  readonly ask: Ask;
  readonly dialect: Dialect;
  readonly predictor: Predictor;
}

/** What further questions are made from, besides the answers of the run. */
export interface Interrogation extends Asking {
  /** The operations that the adapter has. */
  readonly operations: readonly string[];
  /** Vectors of these operations outside the run. */
  readonly unasked: readonly Vector[];
}

/** The limit for one cause. Some questions halve the remaining rivals; others exclude a single one. */
const MOST_QUESTIONS = 24;

/** How many questions are compared to choose one. A question whose content is slow to hash counts as several. */
const CHOICE = 200;
/** The evaluations that a question may take for each rival to count as one. */
const OF_QUESTION = 4;
/** So many evaluations are enough to choose a question: to ask one takes less time than to look for a better one. */
const CHOICE_EVALUATIONS = 300;

/** The answers of so many rivals take less time than the recording of a trail, which the answers of more would share. */
const FEW_RIVALS = 6;

/** How many failing requests are edited to create questions. */
const EDITED_FAILURES = 3;

/** A failing request of so many operations gets further values. */
const TOLD_OPERATIONS = 2;

/** Questions are drawn about so many of the failing operations: a mistake that several share shows in each of them. */
const DRAWN_OPERATIONS = 2;

export interface Separation {
  /** The answers to the further questions. */
  readonly observed: readonly Observation[];
  /** Ids of causes that no known question tells apart from their rivals: they describe the same mistake. */
  readonly inseparable: ReadonlySet<string>;
}

/** Asks the questions on whose answers the rivals of uncertain causes differ most. */
export async function separateRivals(
  causes: readonly FoundCause[],
  observed: readonly Observation[],
  asking: Interrogation,
): Promise<Separation> {
  const { predictor } = asking;
  const answers: Observation[] = [];
  const inseparable = new Set<string>();
  for (const cause of causes) {
    const rest = causes.filter((other) => other !== cause);
    const predict: PredictAnswers = (question, rivals) => {
      const set = listMistakesIn(question.operation, rest);
      return rivals.length <= FEW_RIVALS
        ? predictor.computeEffectsUncached(question, set, rivals)
        : predictor.computeEffects(question, set, rivals);
    };
    const sources = questionSources(cause, rest, observed, asking);
    const rivals = await narrowRivals(cause, sources, predict, asking, answers);
    if (!rivals) break;
    for (const { id } of rivals) inseparable.add(id);
  }
  return { observed: answers, inseparable };
}

/**
 * Asks questions until they tell a cause from its rivals, and adds the answers.
 *
 * @returns the rivals that no question separates; undefined if a reply is no answer
 */
async function narrowRivals(
  cause: FoundCause,
  sources: readonly LoadQuestions[],
  predict: PredictAnswers,
  { ask, predictor }: Asking,
  answers: Observation[],
): Promise<readonly Mistake[] | undefined> {
  let rivals: readonly Mistake[] = [cause.mistake, ...cause.others].filter(isMistake);
  let left = MOST_QUESTIONS;
  for (const load of sources) {
    if (rivals.length < 2) break;
    const questions = new Set((await load()).filter(({ operation }) => isMadeIn(operation, cause)));
    while (rivals.length > 1 && left > 0) {
      const question = chooseQuestion(questions, rivals, predict, predictor);
      if (!question) break;
      left -= 1;
      const [reply] = await ask([question]);
      const effects = predict(question, rivals);
      if (isDeclined(question, reply, effects)) {
        questions.delete(question);
        continue;
      }
      const answer = toObservation(question, withoutException(reply), predictor);
      if (!answer) return undefined;
      answers.push(answer);
      rivals = effects.find((one) => one.answer === answer.actual)?.mistakes ?? [];
    }
  }
  return left > 0 ? rivals : [];
}

/**
 * Whether a reply tells nothing about the rivals: an implementation may lack a form of requests, or throw for another reason, and a
 * signer may check more than the rivals do.
 */
function isDeclined(
  { operation }: Question,
  reply: Reply | undefined,
  effects: readonly Effect[],
): boolean {
  if (reply?.kind === 'unsupported') return true;
  const isRefusal = reply?.kind === 'refused' && !isVerifier(operation);
  const isPredicted = effects.some(({ answer }) => answer === REFUSED);
  return (isRefusal || reply?.kind === 'error') && !isPredicted;
}

/** An exception shows the same as a refusal. */
const withoutException = (reply: Reply | undefined): Reply | undefined =>
  reply?.kind === 'error' ? { kind: 'refused', reason: 'text', message: reply.message } : reply;

/** Undefined if the reply is no answer, or the correct answer is not known. */
export function toObservation(
  question: Question,
  reply: Reply | undefined,
  predictor: Predictor,
): Observation | undefined {
  const actual = reply && formatReply(question.operation, reply);
  const right = predictor.predict(question, []);
  return actual === undefined || right === undefined ? undefined : { question, right, actual };
}

/** Asks questions; replies that are no answers are left out. */
export async function observeAnswers(
  questions: readonly Question[],
  { ask, predictor }: Pick<Asking, 'ask' | 'predictor'>,
): Promise<readonly Observation[]> {
  const replies = await ask(questions);
  return questions.flatMap((question, i) => toObservation(question, replies[i], predictor) ?? []);
}

/** Groups mistakes by the answers that they lead to. */
type PredictAnswers = (question: Question, mistakes: readonly Mistake[]) => readonly Effect[];

/** The question whose answer leaves the fewest rivals on average; undefined if every question has the same answer for all. */
function chooseQuestion(
  questions: Iterable<Question>,
  rivals: readonly Mistake[],
  predict: PredictAnswers,
  predictor: Predictor,
): Question | undefined {
  let best: Question | undefined;
  let fewest = rivals.length ** 2;
  let left = CHOICE;
  const last = predictor.evaluations + CHOICE_EVALUATIONS;
  for (const question of questions) {
    if (left <= 0 || (best && predictor.evaluations > last)) break;
    const before = predictor.evaluations;
    const rest = predict(question, rivals).reduce(
      (sum, { mistakes }) => sum + mistakes.length ** 2,
      0,
    );
    left -= Math.max(1, (predictor.evaluations - before) / rivals.length / OF_QUESTION);
    if (rest < fewest) [best, fewest] = [question, rest];
    // A question that halves the rivals is good enough.
    if (fewest <= rivals.length ** 2 / 2) break;
  }
  return best;
}

type LoadQuestions = () => readonly Question[] | Promise<readonly Question[]>;

/**
 * The best source first: vectors of the failing operations, other vectors, the signatures that a verifier with each rival
 * expects, rewritten signatures, edits of failing requests, failing requests with a repeated header or further values, drawn questions.
 */
function questionSources(
  cause: FoundCause,
  rest: readonly FoundCause[],
  observed: readonly Observation[],
  asking: Interrogation,
): readonly LoadQuestions[] {
  const { dialect } = asking;
  const failures = explainedFailures(cause, observed);
  const verdicts = failures.filter(isBareVerdict).slice(0, EDITED_FAILURES);
  const operations = [...new Set(failures.map(({ question }) => question.operation))];
  const isNear = ({ operation }: Vector): boolean => operations.includes(operation);
  const vectors = asking.unasked.filter(
    ({ accept, input }) => !accept && input.content === undefined,
  );
  const others = vectors.filter((vector) => !isNear(vector));
  return [
    () => vectors.filter(isNear).map(toQuestion),
    () => interleave(others, ({ operation }) => operation).map(toQuestion),
    () => signedQuestions(verdicts, cause, rest, dialect),
    () => verdicts.flatMap(({ question }) => rewriteSignature(question, dialect)),
    () => editedQuestions(failures),
    () => failures.slice(0, EDITED_FAILURES).flatMap(({ question }) => extendQuestion(question)),
    ...operations.slice(0, TOLD_OPERATIONS).map((operation) => () => {
      const failure = failures.find(({ question }) => question.operation === operation);
      const told = failure ? addTellingValues(failure.question, dialect) : [];
      return told.map((question) => signForVerifier(question, [], dialect) ?? question);
    }),
    () => drawFurther(operations, asking),
  ];
}

/** Random questions. Most runs do not need the modules that draw them, which load slowly. */
async function drawFurther(
  about: readonly string[],
  { dialect, operations }: Interrogation,
): Promise<readonly Question[]> {
  const { drawQuestions } = await import('../fuzz/trial.ts');
  const few = about.slice(0, DRAWN_OPERATIONS);
  return drawQuestions(few, { dialect, operations }, CHOICE / DRAWN_OPERATIONS);
}

/** The wrong answers that a cause explains. Those that no other cause explains come first. */
function explainedFailures(
  { explains }: FoundCause,
  observed: readonly Observation[],
): readonly Observation[] {
  const wrong = observed.filter(({ id, right, actual }) => id !== undefined && right !== actual);
  return explains.flatMap((name) => wrong.filter(({ id }) => id === name));
}

/**
 * Failing requests to a verifier, with the signature that it would expect with each of the rivals, and edits of them with the
 * correct signature.
 */
function signedQuestions(
  verdicts: readonly Observation[],
  { mistake, others }: FoundCause,
  rest: readonly FoundCause[],
  dialect: Dialect,
): readonly Question[] {
  const rivals = [mistake, ...others].filter(isMistake);
  return verdicts.flatMap((failure) => {
    const { question } = failure;
    const made = listMistakesIn(question.operation, rest);
    const edits = [...isolateHeaders(question), ...editedQuestions([failure])];
    const edited = edits.flatMap((edit) => signForVerifier(edit, [], dialect) ?? []);
    const signed = [question, ...replaceFirstNumber(question)].flatMap((asked) =>
      rivals.flatMap((rival) => signForVerifier(asked, [...made, rival], dialect) ?? []),
    );
    const all = [...signed, ...edited];
    return [...new Map(all.map((one) => [JSON.stringify(one.input), one])).values()];
  });
}

function editedQuestions(failures: readonly Observation[]): readonly Question[] {
  return failures.slice(0, EDITED_FAILURES).flatMap(({ question: { operation, keys, input } }) =>
    createEdits({ operation, keys, request: input }).map(({ draft }) => ({
      operation,
      keys: draft.keys,
      input: draft.request,
    })),
  );
}

/** How many questions confirm a cause, and how many of them may be failing requests with the signature that it expects. */
const CONFIRMATIONS = 4;
const SIGNED = 2;

/** Asks new questions whose answers the causes change, so that no cause is certain by chance. */
export async function confirmCauses(
  causes: readonly FoundCause[],
  observed: readonly Observation[],
  { ask, dialect, predictor }: Asking,
): Promise<readonly Observation[]> {
  const known = new Set(observed.map(({ question }) => JSON.stringify(question.input)));
  const signedFor = new Set<Question>();
  const asked = causes.flatMap((cause) => {
    const failures = explainedFailures(cause, observed);
    const signed = signRefused(failures, causes, dialect);
    for (const question of signed) signedFor.add(question);
    const further = [...signed.slice(0, SIGNED), ...editedQuestions(failures)];
    const chosen = chooseConfirmations(cause, causes, further, known, predictor);
    // Lenient comparisons accept different texts of a signature, so one accepted text does not show which comparison it is.
    const accepted = failures.find((one) => isBareVerdict(one) && one.right === REFUSED);
    const rewritten = accepted ? rewriteSignature(accepted.question, dialect) : [];
    return [...chosen, ...rewritten].map((question) => [cause, question] as const);
  });
  const replies = asked.length === 0 ? [] : await ask(asked.map(([, question]) => question));
  const confirmations = asked.flatMap(([cause, question], i): readonly Confirmation[] => {
    const observation = toObservation(question, replies[i], predictor);
    if (!observation) return [];
    const predicted = predictor.predict(question, listMistakesIn(question.operation, causes));
    const isSigned = signedFor.has(question);
    return [{ cause, observation, isSigned, isPredicted: predicted === observation.actual }];
  });
  return confirmations
    .filter((one) => !isUnrelatedRefusal(one, confirmations))
    .map(({ observation }) => observation);
}

/**
 * The wrongly refused requests, with the signatures that the causes make a verifier expect. A verifier that refuses for another
 * reason also refuses these.
 */
const signRefused = (
  failures: readonly Observation[],
  causes: readonly FoundCause[],
  dialect: Dialect,
): readonly Question[] =>
  failures.filter(isWronglyRefused).flatMap(({ question }) => {
    const mistakes = listMistakesIn(question.operation, causes);
    return signForVerifier(question, mistakes, dialect) ?? [];
  });

/** The first questions on whose answers the cause has an effect. They are added to the known ones. */
function chooseConfirmations(
  cause: FoundCause,
  causes: readonly FoundCause[],
  questions: readonly Question[],
  known: Set<string>,
  predictor: Predictor,
): readonly Question[] {
  const rest = causes.filter((other) => other !== cause);
  const hasEffect = (question: Question): boolean => {
    const { operation } = question;
    const withCause = predictor.predictUncached(question, listMistakesIn(operation, causes));
    const without = predictor.predictUncached(question, listMistakesIn(operation, rest));
    return withCause !== without && predictor.predict(question, []) !== undefined;
  };
  const chosen: Question[] = [];
  for (const question of questions) {
    if (chosen.length === CONFIRMATIONS) break;
    const text = JSON.stringify(question.input);
    if (known.has(text) || !predictor.isQuick(question) || !hasEffect(question)) continue;
    known.add(text);
    chosen.push(question);
  }
  return chosen;
}

interface Confirmation {
  readonly cause: FoundCause;
  readonly observation: Observation;
  /** Whether the question has the signature that the cause makes a verifier expect. */
  readonly isSigned: boolean;
  readonly isPredicted: boolean;
}

/** Whether a question is refused for an unknown reason, while another question confirms the same cause. */
function isUnrelatedRefusal(
  { cause, observation, isSigned, isPredicted }: Confirmation,
  all: readonly Confirmation[],
): boolean {
  return (
    !isPredicted &&
    !isSigned &&
    observation.actual === REFUSED &&
    all.some((other) => other.cause === cause && other.isPredicted)
  );
}
