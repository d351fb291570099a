/**
 * A run over the adapters that a command line names.
 *
 * @module
 */
import { parseDialect } from '../engine/dialects.ts';
import { describeInternalError, EXIT, isUserError, UsageError } from '../engine/errors.ts';
import type { Expectations } from '../engine/judge/expectation.ts';
import type { Forgery } from '../engine/judge/forgery.ts';
import type { Outcome, Run } from '../engine/judge/outcome.ts';
import { type Freshen, runVectors } from '../engine/judge/run.ts';
import { combineExitCodes, enforceAdvised, exitCode, isFailure } from '../engine/judge/summary.ts';
import type { Header } from '../engine/report/report.ts';
import { selectVectors } from '../engine/select.ts';
import { formatShard, isInShard, parseShard, type Shard } from '../engine/shard.ts';
import type { Subject } from '../engine/subject.ts';
import type { Suite, Vector } from '../engine/vector.ts';
import type { RunContext } from '../make/further/interrogation.ts';
import { BUNDLED, bundledForgeries } from '../suite/bundle.ts';
import type { Call } from './call.ts';
import { type ExplainedRun, explainFailures, readAllExpectations } from './explain-failures.ts';
import { type Progress, startProgress } from './progress.ts';
import type { Reports } from './reports.ts';
import { selectionOf, suiteOf } from './selection.ts';
import { type Started, startSubjects, subjectsOf } from './subjects.ts';
import { numberOption, type Parsed, textOption } from './verb.ts';
import { inWords } from './words.ts';

/** A valid command line. */
export interface Job {
  readonly given: Parsed;
  readonly subjects: readonly Subject[];
  /** Of `--fresh`. */
  readonly seed: number | undefined;
}

export async function createJob(given: Parsed): Promise<Job> {
  return { given, seed: seedOfAll(given), subjects: await subjectsOf(given) };
}

/** What every subject is asked. */
interface Plan {
  readonly header: Header;
  /** The selected vectors of all shards. */
  readonly selected: readonly Vector[];
  /** On the data of the files even with `--fresh`: an adapter that replays recorded answers still works. */
  readonly knownGood: readonly Vector[];
  readonly forgeries: readonly Forgery[];
  /** Whether a few questions on fresh data follow. */
  readonly asksFresh: boolean;
  /** The seed of these questions, if the command line gives it. */
  readonly freshSeed: number | undefined;
}

/** Asks every subject, writes the reports and returns the exit code. */
export async function runJob(job: Job, call: Call, open: () => Promise<Reports>): Promise<number> {
  const reports = await open();
  // Adapters take their time to start, so everything else happens meanwhile.
  const started = await startSubjects(job.subjects, job.given, call.env);
  const abort = (why: string): void => {
    for (const { respondent } of started.values()) respondent.abort(why);
  };
  // Every question that is left ends as not asked, and the reports show the rest.
  const ignore = call.onInterrupt(() => abort('the run was interrupted'));
  const progress = startProgress(call, 'asking');
  try {
    return await runSubjects(job, started, reports, progress);
  } catch (error) {
    // Replies that are still awaited, even those to hello, are not needed.
    abort('the run failed');
    throw error;
  } finally {
    const closed = [...started.values()].map(({ respondent, ownAdapter }) =>
      // The bundled adapters have nothing to clean up.
      ownAdapter ? respondent.abort('the run was ended') : respondent.close(),
    );
    await Promise.all(closed);
    progress.stop();
    ignore();
  }
}

async function runSubjects(
  job: Job,
  started: ReadonlyMap<Subject, Started>,
  reports: Reports,
  progress: Progress,
): Promise<number> {
  const { given, subjects } = job;
  const expectations = await readAllExpectations(subjects, given);
  const plan = await createPlan(job);
  const runs = startRuns(started, plan, given, expectations);
  await reports.begin(plan.header);
  const codes: number[] = [];
  for (const subject of subjects) {
    const [one, run] = [started.get(subject), await runs.get(subject)];
    if (one && run) {
      if (run.outcomes.some(isFailure)) progress.show(`explaining the failures of ${subject.name}`);
      const judged = await judgeRun(run, one, plan, expectations.get(subject));
      await reports.add(subject, judged.run, judged.explanation);
      progress.next('asking');
      codes.push(exitCode(judged.run));
    } else {
      await reports.addNotRun(subject);
      // A toolchain may be missing for a bundled adapter, but not for the user's own.
      if (!subject.ownAdapter) codes.push(EXIT.neverWorked);
    }
  }
  const code = combineExitCodes(codes);
  reports.end({ exitCode: code, missing: subjects.length - started.size });
  return code;
}

function startRuns(
  started: ReadonlyMap<Subject, Started>,
  plan: Plan,
  given: Parsed,
  expectations: ReadonlyMap<Subject, Expectations>,
): ReadonlyMap<Subject, Promise<Run>> {
  const runs = new Map(
    [...started].map(([subject, one]) => {
      const isLast = lastOutcome(given, expectations.get(subject));
      return [subject, runSubject(one, plan, isLast).catch(failedRun)] as const;
    }),
  );
  // Each is awaited in its turn, and may fail before.
  for (const one of runs.values()) one.catch(() => {});
  return runs;
}

async function judgeRun(
  run: Run,
  started: Started,
  { header: { suite, selection } }: Plan,
  expectations: Expectations | undefined,
): Promise<ExplainedRun> {
  const counted = enforceAdvised(run, selection);
  const ids = suite.vectors.map(({ id }) => id);
  return explainFailures(counted, createWitness(started, counted, suite), ids, expectations);
}

async function createPlan({ given, subjects, seed }: Job): Promise<Plan> {
  const written = await suiteOf(given);
  const selection = selectionOf(given);
  const shard = shardOf(given);
  const whole = selectVectors(written, selection);
  const selected = selectShard(whole, shard);
  const suite = seed === undefined ? written : await freshSuite(written, selected, seed);
  const chosen = new Set(selected.map(({ id }) => id));
  const vectors = suite.vectors.filter(({ id }) => chosen.has(id));
  const folder = textOption(given, 'vectors');
  const areBundled = subjects.every(({ ownAdapter }) => ownAdapter);
  return {
    header: {
      suite,
      vectors,
      selection,
      ...(folder !== undefined && { folder }),
      ...(shard && { shard }),
      ...(seed !== undefined && { seed, freshCount: freshCount(selected, vectors) }),
      subjects,
      parameters: given,
    },
    knownGood: written.vectors.filter(({ id }) => written.knownGood.includes(id)),
    selected: whole,
    forgeries: asksForged(given, suite, whole, areBundled) ? forgeriesOf(shard) : [],
    asksFresh: asksFresh(given),
    freshSeed: givenSeed(given),
  };
}

function shardOf(given: Parsed): Shard | undefined {
  const text = textOption(given, 'shard');
  return text === undefined ? undefined : parseShard(text);
}

function selectShard(vectors: readonly Vector[], shard: Shard | undefined): readonly Vector[] {
  if (!shard) return vectors;
  const own = vectors.filter(({ id }) => isInShard(id, shard));
  if (own.length > 0) return own;
  throw new UsageError(
    `none of ${vectors.length} vectors is in shard ${formatShard(shard)}; split the run into fewer shards`,
  );
}

/** The forgeries of one request have one control, so they are in the same shard. */
function forgeriesOf(shard: Shard | undefined): readonly Forgery[] {
  const forgeries = bundledForgeries();
  return shard ? forgeries.filter(({ vector }) => isInShard(vector, shard)) : forgeries;
}

/** A run in which the harness failed. */
function failedRun(error: unknown): Run {
  if (isUserError(error)) throw error;
  return { outcomes: [], banner: 0, internalError: describeInternalError(error) };
}

/** The user's own adapter is asked about forged requests; for bundled adapters, the tests ask. */
function asksForged(
  given: Parsed,
  suite: Suite,
  vectors: readonly Vector[],
  areBundled: boolean,
): boolean {
  const isWhole = given.values['vectors'] === undefined && vectors.length === suite.vectors.length;
  return given.values['forged'] === true || (isWhole && !areBundled);
}

/** An adapter cannot have recorded the answers to the vectors of a folder: they are not published. */
function asksFresh({ values }: Parsed): boolean {
  return !values['fresh'] && !values['no-fresh'] && values['vectors'] === undefined;
}

/** Makes the questions on fresh data. The code for it loads while the adapter starts. */
function createFreshen({ header, selected, freshSeed }: Plan, dialect: string): Freshen {
  const { suite, vectors, shard } = header;
  const loading = import('../make/rederive/fresh-questions.ts');
  return async (outcomes, { implementation, operations }) => {
    const { deriveSeed, freshQuestions } = await loading;
    const seed = freshSeed ?? deriveSeed(suite.version, implementation);
    const passed = outcomes.filter(({ verdict }) => verdict.status === 'pass');
    const ids = new Set(passed.map(({ vector }) => vector.id));
    const known = vectors.filter(({ id }) => ids.has(id));
    if (outcomes.some(isFailure)) setImmediate(loadDiagnosis);
    const questions = shard
      ? freshQuestions(withOtherShards(known, selected, operations, shard), seed).filter(({ id }) =>
          ids.has(id.replace(FRESH, '')),
        )
      : freshQuestions(known, seed);
    return { seed, vectors: await inWords(dialect, questions) };
  };
}

/** The start of the id of a question on fresh data. */
const FRESH = /^fresh\//;

/** Passed vectors, and those of other shards as if they had passed: so all shards choose from the same list. */
function withOtherShards(
  passed: readonly Vector[],
  selected: readonly Vector[],
  operations: readonly string[],
  shard: Shard,
): readonly Vector[] {
  const own = new Set(passed.map(({ id }) => id));
  return selected.filter(
    ({ id, operation }) => own.has(id) || (operations.includes(operation) && !isInShard(id, shard)),
  );
}

/** There is time for it while the adapter answers. */
function loadDiagnosis(): void {
  // If loading fails, the use of the diagnosis fails with the same error.
  import('../make/further/interrogation.ts').catch(() => {});
}

/** Of `--bail`: whether an outcome is a failure that the expectations do not name. */
function lastOutcome(
  given: Parsed,
  expectations: Expectations | undefined,
): ((outcome: Outcome) => boolean) | undefined {
  if (given.values['bail'] !== true) return undefined;
  const patterns = (expectations?.entries ?? []).flatMap((entry) =>
    entry.about === 'vectors' ? entry.patterns : [],
  );
  const isEnforced = selectionOf(given).levels.includes('advised');
  return (outcome) =>
    isFailure({ ...outcome, isEnforced }) &&
    !patterns.some(({ matches }) => matches.test(outcome.vector.id));
}

async function runSubject(
  { dialect, respondent }: Started,
  plan: Plan,
  isLast: ((outcome: Outcome) => boolean) | undefined,
): Promise<Run> {
  const vectors = await inWords(dialect, plan.header.vectors);
  const knownGood = await inWords(dialect, plan.knownGood);
  const freshen = plan.asksFresh ? createFreshen(plan, dialect) : undefined;
  const forgeries = await forgeriesFor(dialect, plan, vectors);
  return runVectors(respondent, {
    vectors,
    knownGood,
    forgeries: () => forgeries,
    isLast,
    freshen,
  });
}

/** Forged requests are bundled in the default dialect and on the data of the files. */
async function forgeriesFor(
  dialect: string,
  { forgeries, header }: Plan,
  vectors: readonly Vector[],
): Promise<readonly Forgery[]> {
  if (forgeries.length === 0 || (dialect === 'svc' && header.seed === undefined)) return forgeries;
  const { recreateForgeries } = await import('../make/forgeries/forgeries.ts');
  return recreateForgeries(forgeries, vectors, parseDialect(dialect));
}

/** The respondent, for further questions about its failures. */
function createWitness(
  { dialect, respondent }: Started,
  { outcomes }: Run,
  suite: Suite,
): RunContext {
  const asked = new Set(outcomes.map(({ vector }) => vector.id));
  return {
    respondent,
    dialect: parseDialect(dialect),
    data: BUNDLED,
    unasked: () =>
      inWords(
        dialect,
        suite.vectors.filter(({ id }) => !asked.has(id)),
      ),
  };
}

function givenSeed(given: Parsed): number | undefined {
  return given.values['seed'] === undefined ? undefined : numberOption(given, 'seed');
}

/** The seed of `--fresh`: the given one, or a random one. */
function seedOfAll(given: Parsed): number | undefined {
  const seed = givenSeed(given);
  const { fresh, 'no-fresh': noFresh, vectors } = given.values;
  if (noFresh === true && (fresh === true || seed !== undefined)) {
    throw new UsageError('--no-fresh asks nothing on fresh data; leave out --fresh and --seed');
  }
  if (fresh === true) return seed ?? 1 + Math.floor(999_999 * Math.random());
  if (seed !== undefined && vectors !== undefined) {
    throw new UsageError('vectors of a folder are asked on fresh data with --fresh N only');
  }
  return undefined;
}

/** The suite with the selected vectors on fresh data. */
export async function freshSuite(
  suite: Suite,
  selected: readonly Vector[],
  seed: number,
): Promise<Suite> {
  const { freshVectors } = await import('../make/rederive/fresh-vectors.ts');
  const fresh = await freshVectors(selected, seed);
  const byId = new Map(fresh.map((vector) => [vector.id, vector]));
  return { ...suite, vectors: suite.vectors.map((vector) => byId.get(vector.id) ?? vector) };
}

function freshCount(selected: readonly Vector[], vectors: readonly Vector[]): number {
  return vectors.filter((vector) => !selected.includes(vector)).length;
}
