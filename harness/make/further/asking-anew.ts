/**
 * Finds answers that depend on more than the question: on earlier questions, on the time or on chance.
 *
 * @module
 */
import {
  type Diagnosis,
  type FoundCause,
  listMistakesIn,
} from '../../engine/diagnosis/diagnose.ts';
import {
  formatRepeatedReply,
  isWrong,
  type Observation,
  REFUSED,
} from '../../engine/diagnosis/observation.ts';
import type { Predictor } from '../../engine/diagnosis/predictor.ts';
import { CHANGING_ANSWERS, EARLIER_REQUESTS, otherCause } from '../../engine/other-causes.ts';
import type { Respondent } from '../../engine/respondent.ts';

/**
 * How many unexplained failures of each operation are asked anew, and of how many operations: each needs a process. If these
 * depend on earlier requests, a single failure of each other operation is asked.
 */
const OF_OPERATION = 3;
const OPERATIONS = 4;

/** How many causes of acceptances and of undue refusals are checked. */
const SUSPECTED = 3;

/** If an implementation depends on earlier requests, at least this share of the questions gets another answer in a new process. */
const OTHERWISE = 0.5;

/** How many of some questions get another answer in a new process, and for how many of these it is the expected one. */
interface Asked {
  readonly all: number;
  readonly other: number;
  readonly expected: number;
  /** Whether a second new process gives the expected answers, too. Without it, they may be expected ones by chance. */
  readonly isSteady: boolean;
}

type Restartable = Pick<Respondent, 'askAnew' | 'stopReason'>;

/** The answer in a new process; undefined if the question is not answered. */
async function askAnew(one: Observation, respondent: Restartable): Promise<string | undefined> {
  const reply = await respondent.askAnew?.(one.question);
  return reply && formatRepeatedReply(one, reply);
}

/** The answer that the other causes explain. */
type Expect = (one: Observation) => string | undefined;

/** With fewer failures without a cause that fits all its answers, a search takes less time than new processes. */
const MANY = 16;

/**
 * The ids of wrong answers that depend on earlier requests, as far as no cause reproduces them. No mistake explains such
 * answers, and the search for one takes longest.
 */
export async function listDependent(
  { causes, unexplained }: Diagnosis,
  answers: readonly Observation[],
  respondent: Restartable,
  predictor: Predictor,
): Promise<ReadonlySet<string>> {
  const isNear = ({ confidence }: FoundCause): boolean => confidence === 'nearest';
  const near = causes.filter(isNear).flatMap(({ explains }) => explains);
  const open = [...unexplained, ...near];
  if (open.length < MANY || !canAskAnew(respondent)) return new Set();
  const sure = causes.filter((cause) => !isNear(cause));
  const wrong = answers.filter((one) => !one.isControl && isWrong(one));
  const found = await findChanging(open, wrong, respondent, (one) =>
    predictWith(sure, one, predictor),
  );
  return new Set(found.get(EARLIER_REQUESTS));
}

/** Adds a cause for failures whose answers differ if they are asked anew: unexplained ones, and acceptances. */
export async function addChangingAnswers(
  found: Diagnosis,
  answers: readonly Observation[],
  respondent: Restartable,
  predictor: Predictor,
): Promise<Diagnosis> {
  if (!canAskAnew(respondent)) return found;
  const wrong = answers.filter(isWrong);
  const left = await withoutRemembered(found, wrong, respondent);
  const shown = await findChanging(left.unexplained, wrong, respondent, (one) =>
    predictWith(left.causes, one, predictor),
  );
  const causes = [...shown].map(([id, explains]): FoundCause => {
    return { mistake: otherCause(id), confidence: 'exact', others: [], explains };
  });
  const explained = new Set(causes.flatMap(({ explains }) => explains));
  return {
    ...left,
    causes: [...left.causes, ...causes],
    unexplained: left.unexplained.filter((id) => !explained.has(id)),
  };
}

const canAskAnew = ({ askAnew, stopReason }: Restartable): boolean =>
  askAnew !== undefined && stopReason === undefined;

const predictWith = (
  causes: readonly FoundCause[],
  { question }: Observation,
  predictor: Predictor,
): string | undefined => predictor.predict(question, listMistakesIn(question.operation, causes));

/** The ids of those wrong answers that depend on more than the question, by the id of their cause. */
async function findChanging(
  ids: readonly string[],
  wrong: readonly Observation[],
  respondent: Restartable,
  expect: Expect,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const asked = await askOperations(groupByOperation(ids, wrong), respondent, expect);
  // Then a single other answer in a new process is enough for the other operations.
  const areEarlier = asked.some(([one]) => dependsOnEarlier(one));
  const shown = new Map<string, readonly string[]>();
  for (const [one, own] of asked) {
    const finding = toFinding(one, areEarlier);
    if (finding !== undefined) shown.set(finding, [...(shown.get(finding) ?? []), ...own]);
  }
  return shown;
}

/** Asks some of the wrong answers of each operation again; returns the counts with the ids of all of them. */
async function askOperations(
  groups: readonly (readonly Observation[])[],
  respondent: Restartable,
  expect: Expect,
): Promise<readonly (readonly [Asked, readonly string[]])[]> {
  const asked: (readonly [Asked, readonly string[]])[] = [];
  for (const [at, own] of groups.entries()) {
    const isFurther = at >= OPERATIONS;
    if (isFurther && !asked.some(([one]) => dependsOnEarlier(one))) break;
    const chosen = isFurther ? own.slice(0, 1) : spread(own, OF_OPERATION);
    asked.push([await askEach(chosen, respondent, expect), own.flatMap(({ id }) => id ?? [])]);
  }
  return asked;
}

/** The answers with these ids, by operation. */
function groupByOperation(
  ids: readonly string[],
  answers: readonly Observation[],
): readonly (readonly Observation[])[] {
  const open = new Set<string | undefined>(ids);
  const own = answers.filter(({ id }) => open.has(id));
  const operations = [...new Set(own.map(({ question }) => question.operation))];
  return operations.map((name) => own.filter(({ question }) => question.operation === name));
}

/**
 * Leaves out causes that a new process contradicts: causes of acceptances, because a verifier that remembers signatures fits many of
 * them, and uncertain causes of undue refusals, because an earlier request may have changed what the implementation requires.
 */
async function withoutRemembered(
  found: Diagnosis,
  wrong: readonly Observation[],
  respondent: Restartable,
): Promise<Diagnosis> {
  const byId = new Map(wrong.map((one) => [one.id, one]));
  const suspected = found.causes.filter(({ explains, confidence }) => {
    const own = explains.map((id) => byId.get(id));
    const areAccepted = own.every((one) => one?.right === REFUSED);
    return areAccepted || (confidence === 'one of' && own.every((one) => one?.actual === REFUSED));
  });
  const remembered: FoundCause[] = [];
  for (const cause of suspected.slice(0, SUSPECTED)) {
    const first = cause.explains.slice(0, 1).flatMap((id) => byId.get(id) ?? []);
    const asked = await askEach(first, respondent, ({ right }) => right);
    if (dependsOnEarlier(asked)) remembered.push(cause);
  }
  return {
    ...found,
    causes: found.causes.filter((cause) => !remembered.includes(cause)),
    unexplained: [...found.unexplained, ...remembered.flatMap(({ explains }) => explains)],
  };
}

/** Asks again, each question in a new process. Nothing is counted if one of them is not answered. */
async function askEach(
  wrong: readonly Observation[],
  respondent: Restartable,
  expect: Expect,
): Promise<Asked> {
  let [other, expected, isSteady] = [0, 0, true];
  for (const one of wrong) {
    const answer = await askAnew(one, respondent);
    if (answer === undefined) return { all: wrong.length, other: 0, expected: 0, isSteady };
    if (answer === one.actual) continue;
    other += 1;
    if (answer !== expect(one)) continue;
    expected += 1;
    isSteady &&= (await askAnew(one, respondent)) === answer;
  }
  return { all: wrong.length, other, expected, isSteady };
}

const dependsOnEarlier = ({ all, other, expected, isSteady }: Asked): boolean =>
  isSteady && expected > 0 && other >= all * OTHERWISE;

/** The id of the cause that the answers of an operation show. */
function toFinding(asked: Asked, areEarlier: boolean): string | undefined {
  if (!asked.isSteady) return CHANGING_ANSWERS;
  if (dependsOnEarlier(asked) || (areEarlier && asked.other > 0)) return EARLIER_REQUESTS;
  const isChanging = asked.other === asked.all && asked.expected === 0;
  return isChanging ? CHANGING_ANSWERS : undefined;
}

/** Some of a list, from its start to its end. */
function spread<T>(list: readonly T[], count: number): readonly T[] {
  const step = Math.max(1, (list.length - 1) / (count - 1));
  const chosen = new Set(Array.from({ length: count }, (_, i) => Math.round(i * step)));
  return list.filter((_, at) => chosen.has(at));
}
