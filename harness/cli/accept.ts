/**
 * `accept`: the failures that an adapter has now become known ones.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { knownMistake, nearestMistake } from '../diagnosis/register.ts';
import { WRONG_DIALECT } from '../dialects.ts';
import { EXIT, UsageError } from '../errors.ts';
import { acceptedEntries, type Grounds } from '../expectations/accepted.ts';
import { UNEXPLAINED } from '../expectations/expectation.ts';
import { type Entry, shownPath } from '../expectations/file.ts';
import { addEntries } from '../expectations/writing.ts';
import { print, warn } from '../output.ts';
import { freshSentence } from '../report/fresh.ts';
import type { Beginning, JudgedSubject } from '../report/reporter.ts';
import { unaskedSentences } from '../report/unasked.ts';
import { expectations as schema } from '../schema/data-validators.js';
import { faultPath, faultsOf, faultText } from '../schema/fault.ts';
import { internalErrorIn } from '../verdict.ts';
import { ASKING, type Job, jobOf, ran, withSeed } from './run.ts';
import { subjectsOf } from './subjects.ts';
import { type Options, type Parsed, parsed, textOption, type Verb } from './verb.ts';

const OPTIONS: Options = {
  ...ASKING,
  reason: { type: 'string' },
  issue: { type: 'string' },
  until: { type: 'string' },
  cause: { type: 'string', multiple: true },
};

export const acceptVerb: Verb = async (parameters) => {
  const given = parsed(withSeed(parameters), OPTIONS);
  const [grounds, causes, path] = [groundsOf(given), causesOf(given), await fileOf(given)];
  const { code, beginning, judged } = await judgedOnce(given, existsSync(path));
  const { run, explanation, subject } = judged;
  if (!run || (code !== EXIT.asExpected && code !== EXIT.failures)) {
    warn(`nothing is accepted: ${whyNothing(judged)}\n`);
    return run ? code : EXIT.usage;
  }
  const dialect = explanation?.causes.find(({ mistake }) => mistake.id === WRONG_DIALECT);
  if (dialect) {
    const { wrong, fix } = dialect.mistake;
    throw new UsageError(`nothing is accepted: ${wrong}; ${fix}`);
  }
  const ids = beginning.suite.vectors.map(({ id }) => id);
  const entries = acceptedEntries(run, explanation, ids, causes, grounds);
  if (entries.length > 0) addEntries(path, entries);
  print(accepted(shownPath(path), entries, causes, subject.ownAdapter));
  const fresh = freshSentence(run);
  if (fresh !== undefined) print(`not accepted: ${fresh}\n`);
  return EXIT.asExpected;
};

interface JudgedOnce {
  readonly code: number;
  readonly beginning: Beginning;
  readonly judged: JudgedSubject;
}

/** A run of which only this verb reads the report. */
async function judgedOnce(given: Parsed, hasFile: boolean): Promise<JudgedOnce> {
  const asked = await jobOf(given);
  const job = hasFile ? asked : expectingNothing(asked);
  if (job.subjects.length !== 1) {
    throw new UsageError(
      'failures are accepted of one adapter; give a command, or --adapter NAME of the repository',
    );
  }
  const begun: Beginning[] = [];
  const all: JudgedSubject[] = [];
  const code = await ran(job, async () => ({
    begun: async (one) => void begun.push(one),
    judged: async (one) => void all.push(one),
    ended: () => {},
  }));
  const [[beginning], [judged]] = [begun, all];
  if (!beginning || !judged) throw new Error('a run ended without a report');
  return { code, beginning, judged };
}

/** Where there is no file yet. */
function expectingNothing({ given, subjects, seed }: Job): Job {
  const { expectations: _, ...values } = given.values;
  return {
    given: { ...given, values },
    subjects: subjects.map(({ expectations: __, ...subject }) => subject),
    seed,
  };
}

function whyNothing({ subject, run }: JudgedSubject): string {
  if (!run) return `${subject.name} is not run, because ${subject.missing}`;
  const error = internalErrorIn(run);
  if (error !== undefined) return error;
  if (run.neverWorked !== undefined) return `the adapter never worked: ${run.neverWorked}`;
  if (run.over !== undefined) return `the run ended before its end: ${run.over}`;
  const left = unaskedSentences(run);
  if (left.length > 0) return `${left.join('; ')}; fix what breaks the adapter first`;
  return 'none of the vectors is about an operation that the adapter has';
}

/** What every new entry says beside what it is about; as the schema of the file wants it. */
function groundsOf(given: Parsed): Grounds {
  const [reason, issue, until] = ['reason', 'issue', 'until'].map((name) =>
    textOption(given, name),
  );
  if (reason === undefined || !/\p{L}/u.test(reason)) {
    throw new UsageError("a known failure has a reason, in words; write accept --reason 'WHY' …");
  }
  const grounds = {
    reason,
    ...(issue !== undefined && { issue }),
    ...(until !== undefined && { until }),
  };
  const probe = { expectations: [{ vectors: 'x', status: 'fail', ...grounds }] };
  const [fault] = faultsOf(schema, probe);
  if (fault) throw new UsageError(`--${faultPath(fault).at(-1)} ${faultText(fault)}`);
  return grounds;
}

function causesOf({ values }: Parsed): readonly string[] {
  const causes = [values['cause'] ?? []].flat().map(String);
  const foreign = causes.find((cause) => cause !== UNEXPLAINED && !knownMistake(cause));
  if (foreign === undefined) return causes;
  const near = nearestMistake(foreign);
  throw new UsageError(
    `--cause ${JSON.stringify(foreign)} is no known mistake; ${near === undefined ? 'name one that a run shows, or unexplained' : `did you mean ${near}?`}`,
  );
}

/** The file that is named, or that stands beside the adapter already. */
async function fileOf(given: Parsed): Promise<string> {
  const path = textOption(given, 'expectations') ?? (await subjectsOf(given))[0]?.expectations;
  if (path !== undefined) return path;
  throw new UsageError(
    'no file is named; write --expectations FILE, which `run --expectations FILE` reads then',
  );
}

/** What was written, an entry a line. */
function accepted(
  path: string,
  entries: readonly Entry[],
  causes: readonly string[],
  isBeside: boolean,
): string {
  if (entries.length === 0) {
    const which = causes.length === 0 ? '' : ` of the cause ${causes.join(' or ')}`;
    return `nothing to accept: no failure${which} that is not expected already\n`;
  }
  const lines = entries.map((entry) => {
    const names = [entry.vectors ?? entry.forged ?? []].flat();
    const what = entry.forged === undefined ? '' : 'forged ';
    const causes = [entry.cause ?? []].flat();
    const cause = causes.length === 0 ? '' : `, cause ${causes.join(' and ')}`;
    return `  ${entry.status}${cause}: ${what}${names[0]}${names.length > 1 ? ` and ${names.length - 1} more` : ''}\n`;
  });
  const count = `${entries.length} ${entries.length === 1 ? 'entry' : 'entries'}`;
  const how = isBeside ? '' : `; judge with run --expectations ${path}`;
  return `${path}: ${count} added${how}\n${lines.join('')}`;
}
