/**
 * A run over the adapters that a command line names.
 *
 * @module
 */
import { parseDialect } from '../engine/dialects.ts';
import { EXIT, UsageError } from '../engine/errors.ts';
import type { Forgery } from '../engine/judge/forgery.ts';
import type { Expectations, Outcome, Run } from '../engine/judge/outcome.ts';
import { type Freshen, runVectors } from '../engine/judge/run.ts';
import { combineExitCodes, enforceAdvised, exitCode, isFailure } from '../engine/judge/summary.ts';
import type { Header } from '../engine/report/report.ts';
import type { Subject } from '../engine/respondent.ts';
import {
  formatShard,
  isInShard,
  isWhole,
  parseShard,
  type Shard,
  selectVectors,
} from '../engine/select.ts';
import type { Suite, Vector } from '../engine/vector.ts';
import { isReference } from '../respondents/adapter/manifest.ts';
import { BUNDLED, bundledForgeries } from '../suite/bundle.ts';
import { type Call, type Progress, startProgress } from './call.ts';
import { checkDebuggable, type Debug, narrowToVector, startDebug } from './debug.ts';
import { explainFailures, readAllExpectations, withInternalError } from './explain-failures.ts';
import type { Reports } from './reports.ts';
import { selectionOf, suiteOf, translateTo } from './selection.ts';
import { type Started, startSubjects, subjectsOf } from './subjects.ts';
import { flagOption, numberOption, type Parsed, textOption } from './verb.ts';

/** A parsed command line. */
export interface Job {
  readonly given: Parsed;
  readonly subjects: readonly Subject[];
  /** The seed of `--fresh`; with `--rounds`, that of the first round. */
  readonly seed: number | undefined;
  readonly rounds: number;
}

export async function createJob(given: Parsed): Promise<Job> {
  const narrowed = await narrowToVector(given);
  const subjects = await subjectsOf(narrowed);
  checkDebuggable(narrowed, subjects);
  return { given: narrowed, seed: seedOfAll(narrowed), rounds: roundsOf(narrowed), subjects };
}

/** The questions for every subject. */
interface Plan {
  readonly given: Parsed;
  readonly header: Header;
  /** The selected vectors of all shards. */
  readonly selected: readonly Vector[];
  /** Vectors on the data of the files even with `--fresh`, so that an adapter that replays recorded answers still counts as working. */
  readonly knownGood: readonly Vector[];
  readonly forgeries: readonly Forgery[];
}

/** What all rounds of a run share. */
interface Setting {
  readonly job: Job;
  readonly started: ReadonlyMap<Subject, Started>;
  readonly expectations: ReadonlyMap<Subject, Expectations>;
  readonly progress: Progress;
  readonly debug: Debug | undefined;
}

/** Asks every subject, writes the reports and returns the exit code. */
export async function runJob(job: Job, call: Call, reports: Reports): Promise<number> {
  // Adapters take their time to start, so everything else happens meanwhile.
  const debug = startDebug(job.given, call);
  const started = await startSubjects(job.subjects, job.given, call, debug?.onLine);
  const abort = (why: string): void => {
    for (const { respondent } of started.values()) respondent.abort(why);
  };
  // The remaining questions count as not asked, and the reports show the answers so far.
  const ignore = call.io.onInterrupt(() => abort('the run was interrupted'));
  const progress = startProgress(call, 'asking');
  try {
    return await runSubjects({ job, started, progress, debug }, reports);
  } catch (error) {
    // Outstanding replies, even those to hello, are no longer needed.
    abort('the run failed');
    throw error;
  } finally {
    const closed = [...started.values()].map(({ respondent, isBundled }) =>
      // The bundled adapters have nothing to clean up.
      isBundled ? respondent.abort('the run was ended') : respondent.close(),
    );
    await Promise.all(closed);
    progress.stop();
    ignore();
  }
}

async function runSubjects(
  begun: Omit<Setting, 'expectations'>,
  reports: Reports,
): Promise<number> {
  const { job, started, progress } = begun;
  const { given, subjects } = job;
  const expectations = await readAllExpectations(subjects, given);
  const { plan, runs, notes } = await askRounds({ ...begun, expectations });
  const { suite, selection } = plan.header;
  await reports.begin(plan.header);
  const codes: number[] = [];
  for (const subject of subjects) {
    const [one, run] = [started.get(subject), await runs.get(subject)];
    if (one && run) {
      if (run.outcomes.some(isFailure)) progress.show(`explaining the failures of ${subject.name}`);
      const noted = { ...run, notes: [...notes, ...(run.notes ?? [])] };
      const counted = enforceAdvised(noted, selection);
      const judged = await explainFailures(counted, one, suite, expectations.get(subject));
      await reports.add(subject, judged.run, judged.explanation);
      progress.next('asking');
      codes.push(exitCode(judged.run));
    } else {
      await reports.addNotRun(subject);
      // The toolchain of a bundled adapter may be missing, but not that of the user's adapter.
      if (!subject.isBundled) codes.push(EXIT.neverWorked);
    }
  }
  const code = combineExitCodes(codes);
  progress.next('waiting for the adapter to exit');
  reports.end({ exitCode: code, missing: subjects.length - started.size });
  return code;
}

/** The questions of a round, and the answers of each subject. */
interface Round {
  readonly plan: Plan;
  readonly runs: ReadonlyMap<Subject, Promise<Run>>;
  /** Sentences about the rounds before. */
  readonly notes: readonly string[];
}

/** Asks in rounds, up to the first with an unexpected failure. Returns the last round; the others are forgotten, so that memory stays flat. */
async function askRounds(setting: Setting): Promise<Round> {
  const { job, progress } = setting;
  if (job.given.values['vectors'] !== undefined) progress.show('reading the vectors');
  const written = await suiteOf(job.given);
  progress.next('asking');
  for (let round = 1; ; round++) {
    if (job.rounds > 1) progress.next(`asking, round ${round} of ${job.rounds}`);
    const plan = await createPlan(jobOfRound(job, round), written);
    const runs = startRuns(setting, plan);
    if (round === job.rounds || !(await areAsExpected(setting, runs))) {
      return { plan, runs, notes: describeRounds(job, round) };
    }
  }
}

/** A round is a run with `--fresh` and a seed of its own. */
function jobOfRound(job: Job, round: number): Job {
  if (job.rounds === 1 || job.seed === undefined) return job;
  const seed = job.seed + round - 1;
  const values = { ...job.given.values, seed: `${seed}` };
  return { ...job, seed, given: { ...job.given, values } };
}

function describeRounds({ rounds, seed = 0 }: Job, round: number): readonly string[] {
  if (rounds === 1) return [];
  const before =
    round === 1 ? '' : `; the rounds before, from the seed ${seed} on, were as expected`;
  return [`this is round ${round} of ${rounds}, with the seed ${seed + round - 1}${before}`];
}

/** Whether a round has no unexpected failure, so that the next one may follow. */
async function areAsExpected(setting: Setting, runs: Round['runs']): Promise<boolean> {
  const areExpected = [...runs].map(async ([subject, asked]) => {
    const isUnexpected = unexpectedFailures(setting, subject);
    const run = await asked;
    const outcomes = run.outcomes.filter((outcome) => !isFailure(outcome));
    return !run.outcomes.some(isUnexpected) && exitCode({ ...run, outcomes }) === EXIT.asExpected;
  });
  return (await Promise.all(areExpected)).every((isExpected) => isExpected);
}

function startRuns(setting: Setting, plan: Plan): Round['runs'] {
  const isBailing = flagOption(setting.job.given, 'bail');
  const runs = new Map(
    [...setting.started].map(([subject, one]) => {
      const isLast = isBailing ? unexpectedFailures(setting, subject) : undefined;
      const run = runSubject(one, plan, isLast).catch((error: unknown) =>
        withInternalError({ outcomes: [], banner: 0 }, error),
      );
      // The trace ends here: the diagnosis asks about other vectors.
      return [subject, run.finally(setting.debug?.stop)] as const;
    }),
  );
  // A run may fail before its turn to be awaited.
  for (const one of runs.values()) one.catch(() => {});
  return runs;
}

async function createPlan({ given, subjects, seed }: Job, written: Suite): Promise<Plan> {
  const selection = selectionOf(given);
  const shardText = textOption(given, 'shard');
  const shard = shardText === undefined ? undefined : parseShard(shardText);
  const selected = selectVectors(written, selection);
  const inShard = selectShard(selected, shard);
  const folder = textOption(given, 'vectors');
  const header = await createHeader(written, inShard, seed, {
    selection,
    ...(folder !== undefined && { folder }),
    ...(shard && { shard }),
    subjects,
    parameters: given,
  });
  const areBundled = subjects.every(({ isBundled }) => isBundled);
  return {
    given,
    header,
    knownGood: written.vectors.filter(
      ({ id }) => given.values['debug'] === undefined && written.knownGood.includes(id),
    ),
    selected,
    forgeries: asksForged(given, written, selected, areBundled) ? selectForgeries(shard) : [],
  };
}

function selectShard(vectors: readonly Vector[], shard: Shard | undefined): readonly Vector[] {
  if (!shard) return vectors;
  const own = vectors.filter(({ id }) => isInShard(id, shard));
  if (own.length > 0) return own;
  throw new UsageError(
    `none of ${vectors.length} vectors is in shard ${formatShard(shard)}; split the run into fewer shards`,
  );
}

/** The forgeries of a shard. Forgeries of one request share a control, so they are in the same shard. */
function selectForgeries(shard: Shard | undefined): readonly Forgery[] {
  const forgeries = bundledForgeries();
  return shard ? forgeries.filter(({ vector }) => isInShard(vector, shard)) : forgeries;
}

/** Whether to ask about forged requests: only the user's own adapter, because the tests ask the bundled ones. */
function asksForged(
  given: Parsed,
  suite: Suite,
  vectors: readonly Vector[],
  areBundled: boolean,
): boolean {
  if (flagOption(given, 'forged')) return true;
  return given.values['vectors'] === undefined && isWhole(vectors, suite) && !areBundled;
}

/** Makes a few questions on fresh data, which follow the vectors. The code for it loads while the adapter starts. */
function createFreshen({ header, selected, given }: Plan, subject: Subject): Freshen | undefined {
  const { fresh, 'no-fresh': noFresh, vectors: folder } = given.values;
  // Vectors of a folder are not published, so no adapter has recorded answers to them.
  // The reference computes the answers on fresh data, so they would prove nothing about it.
  if (fresh || noFresh || folder !== undefined || isReference(subject)) return undefined;
  const { suite, shard } = header;
  const loading = import('../make/rederive/fresh-questions.ts');
  return async (outcomes, { implementation, operations }) => {
    const { deriveSeed, freshQuestions } = await loading;
    const seed = givenSeed(given) ?? deriveSeed(suite.version, implementation);
    const passed = outcomes.filter(({ verdict }) => verdict.status === 'pass');
    const ids = new Set(passed.map(({ vector }) => vector.id));
    // The vectors of other shards count as passed, so that all shards choose from the same list.
    const candidates = selected.filter(
      ({ id, operation }) =>
        ids.has(id) || (shard && operations.includes(operation) && !isInShard(id, shard)),
    );
    const own = freshQuestions(candidates, seed).filter(({ id }) => ids.has(id.replace(FRESH, '')));
    return { seed, vectors: await translateTo(subject.dialect, own) };
  };
}

/** The start of the id of a question on fresh data. */
const FRESH = /^fresh\//;

/** Loads the diagnosis of failing vectors while the adapter answers. */
function loadDiagnosis(failed: readonly Vector[], dialect: string): void {
  if (failed.length === 0) return;
  import('../make/further/interrogation.ts')
    .then(({ generateMistakesFor }) => generateMistakesFor(failed, parseDialect(dialect), BUNDLED))
    // If this fails, the use of the diagnosis fails with the same error.
    .catch(() => {});
}

/** Whether an outcome is a failure that the expectations do not name by its vector. Such a failure ends the rounds, and with `--bail` the run. */
function unexpectedFailures(
  { job, expectations }: Setting,
  subject: Subject,
): (outcome: Outcome) => boolean {
  const patterns = (expectations.get(subject)?.entries ?? []).flatMap((entry) =>
    entry.about === 'vectors' ? entry.patterns : [],
  );
  const isEnforced = selectionOf(job.given).levels.includes('advised');
  return (outcome) =>
    isFailure({ ...outcome, isEnforced }) &&
    !patterns.some(({ matches }) => matches.test(outcome.vector.id));
}

async function runSubject(
  started: Started,
  plan: Plan,
  isLast: ((outcome: Outcome) => boolean) | undefined,
): Promise<Run> {
  const { dialect, respondent } = started;
  const vectors = await translateTo(dialect, plan.header.vectors);
  const knownGood = await translateTo(dialect, plan.knownGood);
  const forgeries = await translateForgeries(dialect, plan);
  return runVectors(respondent, {
    vectors,
    knownGood,
    async acceptsMistaken(refused) {
      const sweep = await import('../make/further/signature-sweep.ts');
      return sweep.acceptsMistaken(respondent, refused, parseDialect(dialect), BUNDLED);
    },
    forgeries(outcomes) {
      const failed = outcomes.filter(isFailure).map(({ vector }) => vector);
      setImmediate(loadDiagnosis, failed, dialect);
      return forgeries;
    },
    onFailure(vector) {
      setImmediate(loadDiagnosis, [vector], dialect);
    },
    isLast,
    freshen: createFreshen(plan, started),
  });
}

/** Forged requests are bundled in the default dialect and on the data of the files. */
async function translateForgeries(
  dialect: string,
  { forgeries, header }: Plan,
): Promise<readonly Forgery[]> {
  if (forgeries.length === 0 || (dialect === 'svc' && header.seed === undefined)) return forgeries;
  const { recreateForgeries } = await import('../make/forgeries.ts');
  // A forged request is a changed request of a signing vector, which the run need not ask.
  const vectors = await translateTo(dialect, header.suite.vectors);
  return recreateForgeries(forgeries, vectors, parseDialect(dialect));
}

function givenSeed(given: Parsed): number | undefined {
  return given.values['seed'] === undefined ? undefined : numberOption(given, 'seed');
}

/** The seed of `--fresh`: the given one, or a random one. */
function seedOfAll(given: Parsed): number | undefined {
  const seed = givenSeed(given);
  const isFresh = flagOption(given, 'fresh');
  if (flagOption(given, 'no-fresh') && (isFresh || seed !== undefined)) {
    throw new UsageError(
      '--no-fresh cannot be combined with --fresh or --seed; leave out --no-fresh, or leave out --fresh and --seed',
    );
  }
  if (isFresh) return seed ?? 1 + Math.floor(999_999 * Math.random());
  if (seed !== undefined && given.values['vectors'] !== undefined) {
    throw new UsageError('--seed needs --fresh with vectors of a folder; write --fresh N');
  }
  return undefined;
}

/** The number of rounds, each on the fresh data of the next seed. */
function roundsOf(given: Parsed): number {
  const { rounds, fresh } = given.values;
  if (rounds === undefined) return 1;
  if (fresh !== true) {
    throw new UsageError('--rounds repeats a run on fresh data; write --fresh [SEED] --rounds N');
  }
  return numberOption(given, 'rounds');
}

/** The header of a run over the selected vectors of a suite, which a seed puts on fresh data. */
export async function createHeader(
  written: Suite,
  selected: readonly Vector[],
  seed: number | undefined,
  rest: Omit<Header, 'suite' | 'vectors' | 'seed' | 'freshCount'>,
): Promise<Header> {
  const suite = seed === undefined ? written : await freshSuite(written, selected, seed);
  const ids = new Set(selected.map(({ id }) => id));
  const vectors = suite.vectors.filter(({ id }) => ids.has(id));
  const originals = new Set(selected);
  const freshCount = vectors.filter((vector) => !originals.has(vector)).length;
  return { ...rest, suite, vectors, ...(seed !== undefined && { seed, freshCount }) };
}

/** The suite, with its selected vectors on fresh data. */
async function freshSuite(suite: Suite, selected: readonly Vector[], seed: number): Promise<Suite> {
  const { freshVectors } = await import('../make/rederive/fresh-vectors.ts');
  const fresh = await freshVectors(selected, seed);
  const byId = new Map(fresh.map((vector) => [vector.id, vector]));
  return { ...suite, vectors: suite.vectors.map((vector) => byId.get(vector.id) ?? vector) };
}
