/**
 * Why a run failed: its causes, told apart by further questions, and the smallest requests that stay unexplained.
 *
 * @module
 */

import { type Cause, isNamed } from '../../reference/mistakes/index.ts';
import type { Dialect, Question } from '../adapter/messages.ts';
import { TimeLimit, withinText } from '../adapter/own-time.ts';
import type { Pool } from '../adapter/pool.ts';
import { UNEXPLAINED } from '../expectations/expectation.ts';
import type { ShrunkVector } from '../fuzz/shrunk-vector.ts';
import { controlOf, type Outcome, type Run } from '../run.ts';
import type { ContentFolder } from '../suite/content.ts';
import type { Vector } from '../suite/vector.ts';
import { isTolerated } from '../verdict.ts';
import { type Diagnosis, diagnosis, type FoundCause, isMistake, mistakesIn } from './diagnose.ts';
import {
  type Ask,
  CHOICE,
  confirmingObservations,
  furtherObservations,
} from './further-questions.ts';
import type { Observation } from './observation.ts';
import type { Predictor } from './predictor.ts';
import { isBare, type Limits, type Made, setFor } from './search.ts';
import { observations, shownReply } from './shown-reply.ts';
import { predictorOf } from './suite-predictor.ts';
import { withoutOthers, withoutSynonyms } from './synonyms.ts';
import { dialectDiagnosis, otherDialect, prefixQuestions } from './wrong-dialect.ts';

export interface Explanation extends Diagnosis {
  /** For operations with unexplained failures, the smallest request that fails alike. */
  readonly shrunk: readonly ShrunkVector[];
  /** Why the adapter was not asked, or not to the end, about what is unexplained. */
  readonly silent?: string;
}

/** The adapter after its run, and what else it could be asked. */
export interface Witness {
  readonly pool: Pool;
  readonly dialect: Dialect;
  readonly contents: ContentFolder;
  /** Vectors that the run was not about, in the words of the dialect. */
  readonly unasked: () => Promise<readonly Vector[]>;
}

/** So long may an adapter take over questions that tell causes apart, and over those that shrink, asked at once; in milliseconds. */
const SEPARATION_LIMIT = 1000;
const SHRINKING_LIMIT = 2000;

/** Requests are drawn for so many of the operations that fail: what they share shows in each. */
const DRAWN_OPERATIONS = 2;

/**
 * Where there is nobody to ask any further.
 *
 * @param limits of the diagnosis
 */
export function explanationOfAnswers(
  outcomes: readonly Outcome[],
  dialect: Dialect,
  contents: ContentFolder,
  limits?: Limits,
): Explanation {
  const seen = observed(outcomes);
  const { causes, unexplained } =
    diagnosisInOther(seen, dialect, contents, limits) ??
    diagnosis(seen, predictorOf(dialect, contents), limits);
  const operations = outcomes.map(({ vector }) => vector.operation);
  return { causes: withoutSynonyms(causes, operations), unexplained, shrunk: [] };
}

/** The causes of all failures, as far as questions that tell causes apart were answered. */
export interface Diagnosed extends Diagnosis {
  /** Why one of these questions was not asked. */
  readonly unasked?: string;
}

/** The causes of all failures, the expected ones too. */
export async function diagnosed(run: Run, witness: Witness): Promise<Diagnosed> {
  const { dialect, contents } = witness;
  const seen = observed(run.outcomes);
  const inOther = diagnosisInOther(
    [...seen, ...(await ofPrefixes(seen, witness))],
    dialect,
    contents,
  );
  if (inOther) return inOther;
  const predictor = predictorOf(dialect, contents);
  const first = diagnosis(seen, predictor);
  return separated(first, seen, run, witness, predictor);
}

/** The diagnosis of an implementation that speaks another dialect; nothing where it speaks the one that it is asked in. */
function diagnosisInOther(
  seen: readonly Observation[],
  dialect: Dialect,
  contents: ContentFolder,
  limits?: Limits,
): Diagnosis | undefined {
  const other = otherDialect(seen, dialect, contents);
  if (!other) return undefined;
  const rest = diagnosis(other.observations, other.predictor, limits);
  return dialectDiagnosis(dialect, other, rest);
}

/** What is to be said of the failures that were not expected. */
export async function explained(
  run: Run,
  found: Diagnosis,
  witness: Witness,
): Promise<Explanation> {
  const { causes, unexplained } = unexpectedIn(found, run);
  if (unexplained.length === 0) return { causes, unexplained, shrunk: [] };
  // What draws and shrinks requests takes its time to load.
  const { shrunkUnexplained } = await import('./unexplained.ts');
  const ask = askWithin(witness, SHRINKING_LIMIT);
  const shrunk = await shrunkUnexplained({ causes: found.causes, unexplained }, run, {
    ...witness,
    ask,
  });
  const { over } = witness.pool;
  return { causes, unexplained, shrunk, ...(over !== undefined && { silent: over }) };
}

/** What of a diagnosis is about failures that were not expected. */
export function unexpectedIn(found: Diagnosis, run: Run): Diagnosis {
  const causes = found.causes
    .map((cause) => {
      const names = [cause.mistake, ...cause.others].map(({ id }) => id);
      return { ...cause, explains: unexpected(cause.explains, names, run) };
    })
    .filter(({ explains }) => explains.length > 0);
  return { causes, unexplained: unexpected(found.unexplained, [UNEXPLAINED], run) };
}

/** The vectors of a cause whose failures are not expected, or not for this cause. */
function unexpected(
  ids: readonly string[],
  names: readonly string[],
  { outcomes }: Run,
): readonly string[] {
  const expected = outcomes.filter(
    ({ known, expectedCauses = [] }) =>
      known !== undefined || expectedCauses.some((name) => names.includes(name)),
  );
  const expectedIds = new Set(expected.map(({ vector }) => vector.id));
  return ids.filter((id) => !expectedIds.has(id));
}

/** Of what is tolerated, no cause is looked for. */
function observed(outcomes: readonly Outcome[]): readonly Observation[] {
  return outcomes
    .filter((outcome) => !isTolerated(outcome))
    .flatMap(({ vector, reply, controlReply }) =>
      observations(
        vector,
        reply,
        controlReply && { question: controlOf(vector), reply: controlReply },
      ),
    );
}

/** Answers to questions with the header prefixes of other dialects, where extra headers seem to be left out. */
async function ofPrefixes(
  seen: readonly Observation[],
  witness: Witness,
): Promise<readonly Observation[]> {
  const questions = prefixQuestions(seen, witness.dialect, witness.contents);
  if (questions.length === 0) return [];
  const replies = await askWithin(witness, SEPARATION_LIMIT)(questions);
  const predictor = predictorOf(witness.dialect, witness.contents);
  return questions.flatMap((question, i): readonly Observation[] => {
    const reply = replies[i];
    const actual = reply && shownReply(question.operation, reply);
    const right = predictor.answer(question, []);
    return actual === undefined || right === undefined ? [] : [{ question, right, actual }];
  });
}

/** The same once more, with the answers to further questions, where several mistakes fit. */
async function separated(
  first: Diagnosis,
  observed: readonly Observation[],
  { hello }: Run,
  witness: Witness,
  predictor: Predictor,
): Promise<Diagnosed> {
  if (first.causes.length === 0 || !hello) return first;
  const { operations } = hello;
  const { dialect, contents } = witness;
  const unasked = (await witness.unasked()).filter(({ operation }) =>
    operations.includes(operation),
  );
  const drawn = async (about: readonly string[]): Promise<readonly Question[]> => {
    const { drawnQuestions } = await import('../fuzz/drawn-questions.ts');
    const few = about.slice(0, DRAWN_OPERATIONS);
    return drawnQuestions(few, { dialect, operations }, contents, CHOICE / DRAWN_OPERATIONS);
  };
  let left: string | undefined;
  const askLimited = askWithin(witness, SEPARATION_LIMIT);
  const ask: Ask = async (questions) => {
    const replies = await askLimited(questions);
    for (const reply of replies) if (reply.kind === 'not-asked') left ??= reply.message;
    return replies;
  };
  const { observed: seen, settled: alike } = await furtherObservations(
    first.causes,
    observed,
    predictor,
    { ask, unasked, drawn },
  );
  const told = [...observed, ...seen];
  const known = remaining(first.causes, seen, predictor);
  const second = seen.length === 0 ? first : diagnosis(told, predictor, undefined, known);
  const confirming = await confirmingObservations(second.causes, told, predictor, ask);
  const isConfirmed = confirming.every(
    ({ question, actual }) =>
      predictor.answer(question, mistakesIn(question.operation, second.causes)) === actual,
  );
  const { causes, unexplained } = isConfirmed
    ? second
    : diagnosis([...told, ...confirming], predictor);
  const sure = causes.map((cause) =>
    isWorded(cause.mistake) || hasSolidWitness(cause, told)
      ? settled(cause, alike, operations)
      : cause,
  );
  return { causes: sure, unexplained, ...(left !== undefined && { unasked: left }) };
}

/** Of each cause, the plainest mistake that further answers leave; nothing where these show that there is another one. */
function remaining(
  causes: readonly FoundCause[],
  answered: readonly Observation[],
  predictor: Predictor,
): readonly Made[] | undefined {
  const fits = (made: readonly Made[], { question, actual }: Observation): boolean =>
    predictor.answer(question, setFor(question.operation, made)) === actual;
  let made = causes.flatMap(({ mistake, within }): Made[] =>
    isMistake(mistake) ? [{ mistake, ...(within && { within: new Set(within) }) }] : [],
  );
  for (const { mistake, others } of causes) {
    const choices = [mistake, ...others]
      .filter(isMistake)
      .map((choice) =>
        made.map((one) => (one.mistake === mistake ? { ...one, mistake: choice } : one)),
      );
    const count = (set: readonly Made[]): number => answered.filter((one) => fits(set, one)).length;
    const most = Math.max(...choices.map(count));
    made = choices.find((set) => count(set) === most) ?? made;
  }
  return answered.every((one) => fits(made, one)) ? made : undefined;
}

const isWorded = (cause: Cause): boolean => isMistake(cause) && isNamed(cause);

/** Whether a cause explains an answer that is more than a verdict: a verdict does not show how a text was changed. */
function hasSolidWitness({ explains }: FoundCause, observed: readonly Observation[]): boolean {
  const isWitness = ({ id, right, actual }: Observation): boolean =>
    right !== actual && id !== undefined && explains.includes(id);
  return observed.some((one) => isWitness(one) && !isBare(one));
}

/** A cause without those others that no question that is known tells from it. */
function settled(
  cause: FoundCause,
  alike: ReadonlySet<string>,
  operations: readonly string[],
): FoundCause {
  if (cause.confidence !== 'one of' || !alike.has(cause.mistake.id)) return cause;
  const [named] = cause.others.some(isWorded) ? withoutSynonyms([cause], operations) : [];
  const kept = named?.others.filter(isWorded) ?? [];
  return withoutOthers(cause, (other) => alike.has(other.id) && !kept.includes(other));
}

/** Questions that end an adapter which hangs over them: nothing waits for it any longer. */
function askWithin({ pool, contents }: Witness, milliseconds: number): Ask {
  return async (questions) => {
    const limit = new TimeLimit(
      milliseconds,
      (spent) => pool.abort(`a further question was not answered ${withinText(spent)}`),
      { pids: () => pool.pids },
    );
    limit.start();
    try {
      return await pool.ask(
        questions.map((question) => ({ ...question, input: contents.expanded(question.input) })),
        questions.map(() => 1),
      );
    } finally {
      limit.stop();
    }
  };
}
