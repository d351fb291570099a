/**
 * `run`: the main job.
 *
 * @module
 */
import { type RepositoryAdapter, repositoryAdapters } from '../adapter/manifest.ts';
import type { HelloReply } from '../adapter/messages.ts';
import { Pool } from '../adapter/pool.ts';
import { LIMITS, type Limits } from '../adapter/session.ts';
import { dialectNamed } from '../dialects.ts';
import { EXIT, UsageError } from '../errors.ts';
import { bundledForgeries, type Forgery } from '../forgeries/forgery.ts';
import { censusBlock, countLines, failureBlocks, implementationName } from '../report/summary.ts';
import { type Terminal, terminal, wrapped } from '../report/terminal.ts';
import { controlOf, type Run, run } from '../run.ts';
import { ContentFolder } from '../suite/content.ts';
import { nearest, selectedVectors } from '../suite/select.ts';
import type { Suite, Vector } from '../suite/vector.ts';
import { exitCode, isFailure } from '../verdict.ts';
import {
  countOption,
  numberOption,
  type Parsed,
  parsed,
  SELECTION,
  selectionOf,
  suiteOf,
  textOption,
  type Verb,
} from './verb.ts';

const OPTIONS = {
  ...SELECTION,
  adapter: { type: 'string', multiple: true },
  dialect: { type: 'string' },
  all: { type: 'boolean' },
  timeout: { type: 'string' },
  'start-timeout': { type: 'string' },
  'time-limit': { type: 'string' },
  restarts: { type: 'string' },
  jobs: { type: 'string', short: 'j' },
  forged: { type: 'boolean' },
  fresh: { type: 'boolean' },
  seed: { type: 'string' },
} as const;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What to run: a command given, or an adapter of the repository. */
interface Subject {
  readonly name: string;
  readonly command: readonly string[];
  readonly dialect: string;
  /** An adapter of this repository. */
  readonly ownAdapter: boolean;
  readonly missing?: string;
  /** The file that names its known failures. */
  readonly expectations?: string;
}

/** A subject that can run here, its adapter started. */
interface Started extends Subject {
  readonly pool: Pool;
  readonly hello: Promise<HelloReply>;
}

/** What every subject is asked. */
interface Asked {
  readonly suite: Suite;
  readonly vectors: readonly Vector[];
  readonly forgeries: readonly Forgery[];
  /** The vectors are not the ones that the forgeries were made from. */
  readonly isFresh: boolean;
}

export const runVerb: Verb = async (parameters) => {
  const given = parsed(parameters, OPTIONS);
  const seed = seedOf(given);
  const subjects = subjectsOf(given);
  // Adapters take their time to start, so everything else is done meanwhile.
  const started = startedSubjects(subjects, given);
  const contents = new ContentFolder();
  const interrupt = (): void => {
    // What is known by then is still reported: every question left ends as not asked.
    for (const { pool } of started.values()) pool.abort('the run was interrupted');
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  try {
    const written = await suiteOf(given);
    const selected = selectedVectors(written, selectionOf(given));
    const suite = seed === undefined ? written : await freshSuite(written, selected, seed);
    const ids = new Set(selected.map(({ id }) => id));
    const vectors = suite.vectors.filter(({ id }) => ids.has(id));
    const out = terminal(process.stdout, process.env);
    const all = given.values['all'] === true;
    const forgeries = asksForged(given, suite, vectors) ? bundledForgeries() : [];
    const asked: Asked = { suite, vectors, forgeries, isFresh: seed !== undefined };
    const runs = new Map(
      [...started].map(([subject, one]) => [subject, ranSubject(one, asked, contents)]),
    );
    const note = seed === undefined ? '' : freshNote(selected, vectors, seed);
    process.stdout.write(`${title(suite, vectors)}${note}\n\n`);
    let code: number = EXIT.asExpected;
    for (const subject of subjects) {
      const done = await runs.get(subject);
      if (done && exitCode(done) !== EXIT.asExpected) {
        const { verifierReport } = await import('../report/verifiers.ts');
        const { blind, shared } = await verifierReport(done, suite, out, all);
        const causes = done.outcomes.some(isFailure)
          ? await explained(subject, done, suite, contents, out)
          : '';
        process.stdout.write(blind + causes + shared);
      }
      process.stdout.write(
        done ? await reported(subject, done, suite, out, all) : notRun(subject, out),
      );
      if (done) code = Math.max(code, exitCode(done));
    }
    process.stdout.write(`${verdictLine(code, subjects.length - started.size, out)}\n`);
    return code;
  } finally {
    const closed = [...started.values()].map(({ pool, ownAdapter }) =>
      // The adapters of this repository keep nothing that they would have to put away.
      ownAdapter ? pool.abort('the run was ended') : pool.close(),
    );
    contents.remove();
    await Promise.all(closed);
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
};

/** A command of somebody's own is asked everything; the tests ask the adapters of this repository. */
function asksForged(given: Parsed, suite: Suite, vectors: readonly Vector[]): boolean {
  const isWhole = given.values['vectors'] === undefined && vectors.length === suite.vectors.length;
  return given.values['forged'] === true || (isWhole && given.command !== undefined);
}

function startedSubjects(
  subjects: readonly Subject[],
  given: Parsed,
): ReadonlyMap<Subject, Started> {
  const limits = limitsOf(given);
  const jobs = given.values['jobs'] === undefined ? 1 : countOption(given, 'jobs');
  const ready = subjects.filter(({ missing }) => missing === undefined);
  const dialects = ready.map((subject) => [subject, dialectNamed(subject.dialect)] as const);
  return new Map(
    dialects.map(([subject, dialect]) => {
      const pool = new Pool(subject.command, dialect, limits, jobs);
      const hello = pool.start();
      // Whoever awaits it later sees the failure; until then nobody does.
      hello.catch(() => {});
      return [subject, { ...subject, pool, hello }];
    }),
  );
}

function subjectsOf(given: Parsed): readonly Subject[] {
  const dialect = textOption(given, 'dialect');
  const names = [given.values['adapter'] ?? []].flat();
  if (given.command) {
    const [program] = given.command;
    if (program === undefined)
      throw new UsageError('no command stands after --; write svc-conformance run -- COMMAND…');
    if (names.length > 0)
      throw new UsageError(
        '--adapter names one of the repository, -- COMMAND another; give one of them',
      );
    return [
      {
        name: given.command.join(' '),
        command: given.command,
        dialect: dialect ?? 'svc',
        ownAdapter: false,
      },
    ];
  }
  const adapters = repositoryAdapters();
  for (const name of names) {
    if (adapters.some((adapter) => adapter.name === name)) continue;
    const all = adapters.map((adapter) => adapter.name);
    const near = nearest(String(name), all);
    throw new UsageError(
      `${JSON.stringify(name)} is no adapter of this repository; ${near === undefined ? `there are ${all.join(', ')}` : `did you mean ${near}?`}`,
    );
  }
  const chosen =
    names.length === 0 ? adapters : adapters.filter(({ name }) => names.includes(name));
  return chosen.map((adapter: RepositoryAdapter) => ({
    ...adapter,
    ownAdapter: true,
    dialect: dialect ?? adapter.dialect,
  }));
}

function limitsOf(given: Parsed): Limits {
  return {
    start: 1000 * numberOption(given, 'start-timeout', LIMITS.start / 1000),
    question: 1000 * numberOption(given, 'timeout', LIMITS.question / 1000),
    total: 1000 * numberOption(given, 'time-limit', LIMITS.total / 1000),
    restarts: numberOption(given, 'restarts', LIMITS.restarts),
  };
}

async function ranSubject(
  { dialect: name, pool, hello, expectations }: Started,
  { suite, vectors, forgeries: bundled, isFresh }: Asked,
  contents: ContentFolder,
): Promise<Run> {
  const dialect = dialectNamed(name);
  const good = suite.vectors.filter(({ id }) => suite.knownGood.includes(id));
  let inWords = (of: readonly Vector[]): readonly Vector[] => of;
  if (name !== 'svc') {
    const { inWordsOf } = await import('../rederive/dialect.ts');
    inWords = (of) => inWordsOf(dialect, of);
  }
  const worded = inWords(vectors);
  let forgeries = bundled;
  if (bundled.length > 0 && (name !== 'svc' || isFresh)) {
    const { reforged } = await import('../forgeries/reforged.ts');
    forgeries = reforged(bundled, worded, dialect);
  }
  const done = await run(pool, hello, worded, inWords(good), contents, forgeries);
  if (expectations === undefined) return done;
  const { readExpectations, withExpectations } = await import('../expectations.ts');
  return withExpectations(done, readExpectations(expectations));
}

/** Which known mistakes the failures show; loaded only where there are any. */
async function explained(
  { dialect }: Subject,
  { outcomes }: Run,
  suite: Suite,
  contents: ContentFolder,
  out: Terminal,
): Promise<string> {
  const [{ diagnosis }, { Predictor }, { observations }, { causesBlock }] = await Promise.all([
    import('../diagnosis/diagnose.ts'),
    import('../diagnosis/hypothesis.ts'),
    import('../diagnosis/observation.ts'),
    import('../report/causes.ts'),
  ]);
  const observed = outcomes.flatMap(({ vector, reply, controlReply }) =>
    observations(
      vector,
      reply,
      controlReply && { question: controlOf(vector), reply: controlReply },
    ),
  );
  const found = diagnosis(observed, new Predictor(dialectNamed(dialect), contents));
  return causesBlock(found, suite, out);
}

/** Of --fresh: the seed that was given, or a random one. */
function seedOf(given: Parsed): number | undefined {
  const seed = given.values['seed'] === undefined ? undefined : countOption(given, 'seed');
  if (given.values['fresh'] === true) return seed ?? 1 + Math.floor(999_999 * Math.random());
  if (seed === undefined) return undefined;
  throw new UsageError('--seed says which fresh data; write --fresh --seed N');
}

/** The suite with what is asked on fresh data; nothing is replaced that nobody asks about. */
async function freshSuite(suite: Suite, selected: readonly Vector[], seed: number): Promise<Suite> {
  const { freshVectors } = await import('../rederive/fresh.ts');
  const asked = suite.vectors.filter(
    (vector) => selected.includes(vector) || suite.knownGood.includes(vector.id),
  );
  const fresh = await freshVectors(asked, seed);
  const byId = new Map(fresh.map((vector) => [vector.id, vector]));
  return { ...suite, vectors: suite.vectors.map((vector) => byId.get(vector.id) ?? vector) };
}

function freshNote(selected: readonly Vector[], vectors: readonly Vector[], seed: number): string {
  const count = vectors.filter((vector) => !selected.includes(vector)).length;
  return ` · ${count} on fresh data, --seed ${seed}`;
}

function title({ version, vectors: all }: Suite, vectors: readonly Vector[]): string {
  const count =
    vectors.length === all.length
      ? `${all.length} vectors`
      : `${vectors.length} of ${all.length} vectors`;
  return `svc-conformance ${version} · ${count}`;
}

function notRun({ name, missing }: Subject, { width, paint }: Terminal): string {
  return `${paint('bold', name)}\n${wrapped(`not run, because ${missing}`, width, '  ')}\n\n`;
}

async function reported(
  subject: Subject,
  done: Run,
  suite: Suite,
  out: Terminal,
  all: boolean,
): Promise<string> {
  const heading = out.paint('bold', implementationName(done, subject.name));
  const dialect = subject.dialect === 'svc' ? '' : ` in the dialect ${subject.dialect}`;
  if (done.neverWorked !== undefined) {
    const text = `the adapter never worked: ${done.neverWorked}; try it with \`svc-conformance adapter check\``;
    return `${heading}${dialect}\n${out.paint('red', wrapped(text, out.width, '  '))}\n\n`;
  }
  const notes = [
    ...(done.banner > 0
      ? [
          `${done.banner} lines before the reply to hello were no messages; write banners to standard error`,
        ]
      : []),
    ...(done.stale ?? []),
    ...(done.over === undefined ? [] : [`the run ended before its end: ${done.over}`]),
  ];
  return (
    `${await failureBlocks(done, suite, out, all ? Number.POSITIVE_INFINITY : undefined)}` +
    (all ? censusBlock(done, out) : '') +
    `${heading}${dialect}\n${countLines(done, out)}` +
    `${notes.map((note) => `${out.paint('yellow', wrapped(note, out.width, '  '))}\n`).join('')}\n`
  );
}

function verdictLine(code: number, missing: number, { paint }: Terminal): string {
  const note =
    missing === 0 ? '' : ` (${missing} ${missing === 1 ? 'adapter' : 'adapters'} not run)`;
  switch (code) {
    case EXIT.asExpected:
      return paint('green', `all as expected${note}`);
    case EXIT.failures:
      return paint('red', `conformance failures${note}`);
    case EXIT.neverWorked:
      return paint('red', `an adapter never worked${note}`);
    case EXIT.aborted:
      return paint('red', `aborted: not every question was asked${note}`);
    default:
      return paint(
        'red',
        `nothing was judged: none of the vectors is about an operation that the adapter has${note}`,
      );
  }
}
