/**
 * Why a run failed: its causes, told apart by further questions, and the smallest requests that stay unexplained.
 *
 * @module
 */
import type { Dialect, Question } from '../adapter/messages.ts';
import type { Pool } from '../adapter/pool.ts';
import { UNEXPLAINED } from '../expectations/expectation.ts';
import type { ShrunkVector } from '../fuzz/shrunk-vector.ts';
import { controlOf, type Outcome, type Run } from '../run.ts';
import type { ContentFolder } from '../suite/content.ts';
import type { Vector } from '../suite/vector.ts';
import { withoutCoincidences } from './coincidence.ts';
import { type Diagnosis, diagnosis } from './diagnose.ts';
import { type Ask, furtherObservations } from './further-questions.ts';
import { Predictor } from './hypothesis.ts';
import { type Observation, observations } from './observation.ts';

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

/** So long may all questions that tell causes apart take, and all that shrink; in milliseconds. */
const SEPARATION_LIMIT = 1000;
const SHRINKING_LIMIT = 2000;

/**
 * Where there is nobody to ask any further.
 *
 * @param limit of the diagnosis
 */
export function explanationOfAnswers(
  outcomes: readonly Outcome[],
  dialect: Dialect,
  contents: ContentFolder,
  limit?: number,
): Explanation {
  return { ...diagnosis(observed(outcomes), new Predictor(dialect, contents), limit), shrunk: [] };
}

/** The causes of all failures, the expected ones too. */
export async function diagnosed(run: Run, witness: Witness): Promise<Diagnosis> {
  const { dialect, contents } = witness;
  const predictor = new Predictor(dialect, contents);
  const seen = observed(run.outcomes);
  const first = diagnosis(seen, predictor);
  const found = await separated(first, seen, run, witness, predictor);
  return withoutCoincidences(found, run.outcomes);
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
  const shrunk = await withinLimit(witness, SHRINKING_LIMIT, (ask, deadline) =>
    shrunkUnexplained({ causes: found.causes, unexplained }, run, { ...witness, ask, deadline }),
  );
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

function observed(outcomes: readonly Outcome[]): readonly Observation[] {
  return outcomes.flatMap(({ vector, reply, controlReply }) =>
    observations(
      vector,
      reply,
      controlReply && { question: controlOf(vector), reply: controlReply },
    ),
  );
}

/** The same once more, with the answers to further questions, where several mistakes fit. */
async function separated(
  first: Diagnosis,
  observed: readonly Observation[],
  { hello }: Run,
  witness: Witness,
  predictor: Predictor,
): Promise<Diagnosis> {
  const unsure = first.causes.some(({ others }) => others.length > 0);
  if (!unsure || !hello) return first;
  const { operations } = hello;
  const { dialect, contents } = witness;
  const unasked = (await witness.unasked()).filter(({ operation }) =>
    operations.includes(operation),
  );
  const drawn = async (about: readonly string[]): Promise<readonly Question[]> => {
    const { drawnQuestions } = await import('../fuzz/drawn-questions.ts');
    return drawnQuestions(about, { dialect, operations }, contents);
  };
  const further = await withinLimit(witness, SEPARATION_LIMIT, (ask) =>
    furtherObservations(first.causes, observed, predictor, { ask, unasked, drawn }),
  );
  return further.length === 0 ? first : diagnosis([...observed, ...further], predictor);
}

/** Whoever hangs over a further question is ended when the time is up: nothing waits for it any longer. */
async function withinLimit<T>(
  { pool, contents }: Witness,
  milliseconds: number,
  act: (ask: Ask, deadline: number) => Promise<T>,
): Promise<T> {
  const why = `a further question was not answered within ${milliseconds / 1000} s`;
  const timer = setTimeout(() => pool.abort(why), milliseconds);
  const ask: Ask = (questions) =>
    pool.ask(
      questions.map((question) => ({ ...question, input: contents.expanded(question.input) })),
      questions.map(() => 1),
    );
  try {
    return await act(ask, Date.now() + milliseconds / 2);
  } finally {
    clearTimeout(timer);
  }
}
