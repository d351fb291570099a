/**
 * `run`: the main job.
 *
 * @module
 */
import type { Subject } from '../adapter/subject.ts';
import type { Witness } from '../diagnosis/explanation.ts';
import { dialectNamed } from '../dialects.ts';
import { EXIT, internalErrorText, isForeseen, UsageError } from '../errors.ts';
import { bundledForgeries, type Forgery } from '../forgeries/forgery.ts';
import { type Freshen, type Run, run } from '../run.ts';
import { ContentFolder } from '../suite/content.ts';
import { selectedVectors } from '../suite/select.ts';
import type { Suite, Vector } from '../suite/vector.ts';
import { enforced, exitCode, exitCodeOfAll, isFailure } from '../verdict.ts';
import { openedReports, type Reports } from './reports.ts';
import { expectationsOf, settled } from './settled.ts';
import { type Started, startedSubjects, subjectsOf } from './subjects.ts';
import {
  countOption,
  type Options,
  type Parsed,
  parsed,
  SELECTION,
  selectionOf,
  suiteOf,
  textOption,
  type Verb,
} from './verb.ts';
import { inWords } from './words.ts';

/** What says whom to ask about what, and how; `accept` takes it as well. */
export const ASKING: Options = {
  ...SELECTION,
  adapter: { type: 'string', multiple: true },
  module: { type: 'string' },
  dialect: { type: 'string' },
  wire: { type: 'string' },
  expectations: { type: 'string' },
  timeout: { type: 'string' },
  'start-timeout': { type: 'string' },
  'time-limit': { type: 'string' },
  restarts: { type: 'string' },
  jobs: { type: 'string', short: 'j' },
  forged: { type: 'boolean' },
  fresh: { type: 'boolean' },
  'no-fresh': { type: 'boolean' },
  seed: { type: 'string' },
};

const OPTIONS: Options = {
  ...ASKING,
  all: { type: 'boolean' },
  reporter: { type: 'string', multiple: true },
};

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What every subject is asked. */
interface Asked {
  readonly suite: Suite;
  readonly vectors: readonly Vector[];
  /** As they are written, on fresh data too: an adapter that knows them by heart is alive. */
  readonly knownGood: readonly Vector[];
  readonly forgeries: readonly Forgery[];
  /** The vectors are not the ones that the forgeries were made from. */
  readonly isFresh: boolean;
  /** Whether a few questions on fresh data are asked as well. */
  readonly asksFresh: boolean;
  /** Of those questions, where the command line gives it. */
  readonly mixedSeed: number | undefined;
}

export const runVerb: Verb = async (parameters) => {
  const job = await jobOf(parsed(withSeed(parameters), OPTIONS));
  return ran(job, () => openedReports(job.given));
};

/** What the command line asks for, where it asks for something that can be done. */
export interface Job {
  readonly given: Parsed;
  readonly subjects: readonly Subject[];
  /** Of `--fresh`. */
  readonly seed: number | undefined;
}

export async function jobOf(given: Parsed): Promise<Job> {
  return { given, seed: wholeSeed(given), subjects: await subjectsOf(given) };
}

/** Asks every subject, tells the reports and yields the exit code. */
export async function ran(
  { given, subjects, seed }: Job,
  open: () => Promise<Reports>,
): Promise<number> {
  const reports = await open();
  // Adapters take their time to start, so everything else is done meanwhile.
  const started = await startedSubjects(subjects, given);
  const contents = new ContentFolder();
  const interrupt = (): void => {
    // What is known by then is still reported: every question left ends as not asked.
    for (const { pool } of started.values()) pool.abort('the run was interrupted');
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  try {
    const expectations = await expectationsOf(subjects, given);
    const written = await suiteOf(given);
    const selection = selectionOf(given);
    const selected = selectedVectors(written, selection);
    const suite = seed === undefined ? written : await freshSuite(written, selected, seed);
    const ids = suite.vectors.map(({ id }) => id);
    const chosen = new Set(selected.map(({ id }) => id));
    const vectors = suite.vectors.filter(({ id }) => chosen.has(id));
    const folder = textOption(given, 'vectors');
    const isOwn = subjects.every(({ ownAdapter }) => ownAdapter);
    const forgeries = asksForged(given, suite, vectors, isOwn) ? bundledForgeries() : [];
    const asked: Asked = {
      suite,
      vectors,
      knownGood: written.vectors.filter(({ id }) => written.knownGood.includes(id)),
      forgeries,
      isFresh: seed !== undefined,
      asksFresh: asksFresh(given),
      mixedSeed: givenSeed(given),
    };
    const runs = new Map(
      [...started].map(([subject, one]) => [
        subject,
        ranSubject(one, asked, contents).catch(failedRun),
      ]),
    );
    // Each is awaited in its turn, and may fail before.
    for (const done of runs.values()) done.catch(() => {});
    await reports.begun({
      suite,
      vectors,
      selection,
      ...(folder !== undefined && { folder }),
      ...(seed !== undefined && { seed, freshCount: freshCount(selected, vectors) }),
      subjects,
      parameters: given,
    });
    const codes: number[] = [];
    for (const subject of subjects) {
      const [one, asIs] = [started.get(subject), await runs.get(subject)];
      const done = asIs && enforced(asIs, selection);
      if (!one || !done) {
        await reports.judged({ subject });
        // Not everybody has every toolchain of this repository, but that of an adapter of one's own.
        if (!subject.ownAdapter) codes.push(EXIT.neverWorked);
        continue;
      }
      const witness = witnessOf(one, done, suite, contents);
      const judged = await settled(done, witness, ids, expectations.get(subject));
      await reports.judged({ subject, ...judged });
      codes.push(exitCode(judged.run));
    }
    const code = exitCodeOfAll(codes);
    reports.ended({ exitCode: code, missing: subjects.length - started.size });
    return code;
  } catch (error) {
    // Nobody waits for the answers any more, not even for those to hello.
    for (const { pool } of started.values()) pool.abort('the run failed');
    throw error;
  } finally {
    const closed = [...started.values()].map(({ pool, ownAdapter }) =>
      // The adapters of this repository keep nothing that they would have to put away.
      ownAdapter ? pool.abort('the run was ended') : pool.close(),
    );
    contents.remove();
    await Promise.all(closed);
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}

/** A run over which the harness failed. */
function failedRun(error: unknown): Run {
  if (isForeseen(error)) throw error;
  return { outcomes: [], banner: 0, internalError: internalErrorText(error) };
}

/** An adapter of somebody's own is asked everything; the tests ask the adapters of this repository. */
function asksForged(
  given: Parsed,
  suite: Suite,
  vectors: readonly Vector[],
  isOwn: boolean,
): boolean {
  const isWhole = given.values['vectors'] === undefined && vectors.length === suite.vectors.length;
  return given.values['forged'] === true || (isWhole && !isOwn);
}

/** Vectors of a folder are published nowhere that an adapter could have them from. */
function asksFresh({ values }: Parsed): boolean {
  return !values['fresh'] && !values['no-fresh'] && values['vectors'] === undefined;
}

/** Makes the questions on fresh data; what computes them is loaded while the adapter starts. */
function freshener({ suite, vectors, mixedSeed }: Asked, dialect: string): Freshen {
  const loaded = import('../rederive/fresh-questions.ts');
  return async (outcomes, { implementation }) => {
    const { derivedSeed, freshQuestions } = await loaded;
    const seed = mixedSeed ?? derivedSeed(suite.version, implementation);
    const passed = outcomes.filter(({ verdict }) => verdict.status === 'pass');
    const ids = new Set(passed.map(({ vector }) => vector.id));
    const known = vectors.filter(({ id }) => ids.has(id));
    if (outcomes.some(isFailure)) setImmediate(loadDiagnosis);
    return { seed, vectors: await inWords(dialect, freshQuestions(known, seed)) };
  };
}

/** There is time for it while the adapter answers. */
function loadDiagnosis(): void {
  // An error comes back where the diagnosis is used.
  import('../diagnosis/explanation.ts').catch(() => {});
}

async function ranSubject(
  { dialect, pool, hello }: Started,
  asked: Asked,
  contents: ContentFolder,
): Promise<Run> {
  const { vectors, knownGood, forgeries: bundled, isFresh } = asked;
  const freshen = asked.asksFresh ? freshener(asked, dialect) : undefined;
  const [worded, alive] = [await inWords(dialect, vectors), await inWords(dialect, knownGood)];
  let forgeries = bundled;
  if (bundled.length > 0 && (dialect !== 'svc' || isFresh)) {
    const { reforged } = await import('../forgeries/reforged.ts');
    forgeries = reforged(bundled, worded, dialectNamed(dialect));
  }
  return run(pool, hello, worded, alive, contents, forgeries, freshen);
}

/** The adapter, should something be left to ask about its failures. */
function witnessOf(
  { dialect, pool }: Started,
  done: Run,
  suite: Suite,
  contents: ContentFolder,
): Witness {
  const asked = new Set(done.outcomes.map(({ vector }) => vector.id));
  return {
    pool,
    dialect: dialectNamed(dialect),
    contents,
    unasked: () =>
      inWords(
        dialect,
        suite.vectors.filter(({ id }) => !asked.has(id)),
      ),
  };
}

/** The parameters, where a seed stands right behind `--fresh`, with the seed as the option that it is. No id consists of digits. */
export function withSeed(parameters: readonly string[]): readonly string[] {
  const at = parameters.findIndex((word) => word === '--fresh' || word.startsWith('--fresh='));
  const dashes = parameters.indexOf('--');
  if (at < 0 || (dashes >= 0 && dashes < at)) return parameters;
  const [, own] = parameters[at]?.split('=') ?? [];
  const next = parameters[at + 1] ?? '';
  const seed = own ?? (/^[0-9]+$/.test(next) ? next : undefined);
  if (seed === undefined) return parameters;
  const rest = parameters.slice(at + (own === undefined ? 2 : 1));
  return [...parameters.slice(0, at), '--fresh', '--seed', seed, ...rest];
}

function givenSeed(given: Parsed): number | undefined {
  return given.values['seed'] === undefined ? undefined : countOption(given, 'seed');
}

/** Of --fresh: the seed that was given, or a random one. */
function wholeSeed(given: Parsed): number | undefined {
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

/** The suite with what is asked on fresh data; nothing is replaced that nobody asks about. */
async function freshSuite(suite: Suite, selected: readonly Vector[], seed: number): Promise<Suite> {
  const { freshVectors } = await import('../rederive/fresh.ts');
  const fresh = await freshVectors(selected, seed);
  const byId = new Map(fresh.map((vector) => [vector.id, vector]));
  return { ...suite, vectors: suite.vectors.map((vector) => byId.get(vector.id) ?? vector) };
}

function freshCount(selected: readonly Vector[], vectors: readonly Vector[]): number {
  return vectors.filter((vector) => !selected.includes(vector)).length;
}
