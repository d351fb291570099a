/**
 * Adds the failures of a run to a file of expectations. Loaded when `accept` runs, not for its help.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import type { Explanation } from '../engine/diagnosis/explanation.ts';
import { WRONG_DIALECT } from '../engine/dialects.ts';
import { EXIT, UsageError } from '../engine/errors.ts';
import { formatCount } from '../engine/excerpt.ts';
import { findNearestCause, isCauseId } from '../engine/expectations/names.ts';
import type { Run } from '../engine/judge/outcome.ts';
import { createReport, type Header, type Report } from '../engine/report/report.ts';
import type { Subject } from '../engine/respondent.ts';
import { freshSentence } from '../render/sentences.ts';
import { addEntries, createEntries, type Grounds, shownPath } from '../suite/expectations.ts';
import { expectations as schema } from '../suite/schema/data-validators.js';
import { faultPath, faultText, findFaults } from '../suite/schema/fault.ts';
import type { Entry } from '../suite/schema/shapes.ts';
import type { Call } from './call.ts';
import { createJob, type Job, runJob } from './run-job.ts';
import { subjectsOf } from './subjects.ts';
import { type Parsed, textOption, textsOption } from './verb.ts';

export async function acceptFailures(given: Parsed, call: Call): Promise<number> {
  const [grounds, causes] = [parseGrounds(given), parseCauses(given)];
  const path = await expectationsPath(given);
  const hasFile = existsSync(path);
  const { code, header, subject, run, explanation } = await runSingleAdapter(given, hasFile, call);
  if (!run) {
    call.warn(`nothing is accepted: ${subject.name} is not run, because ${subject.missing}\n`);
    return EXIT.usage;
  }
  const report = await createReport(header, subject, run, explanation);
  if (code !== EXIT.asExpected && code !== EXIT.failures) {
    call.warn(`nothing is accepted: ${rejectionReason(report)}\n`);
    return code;
  }
  const dialect = explanation?.causes.find(({ mistake }) => mistake.id === WRONG_DIALECT);
  if (dialect) {
    const { wrong, fix } = dialect.mistake;
    throw new UsageError(`nothing is accepted: ${wrong}; ${fix}`);
  }
  // Large vectors that this run did not ask do not prevent a glob.
  const asked = new Set(header.vectors.map(({ id }) => id));
  const ids = header.suite.vectors.flatMap(({ id, large }) => (large && !asked.has(id) ? [] : id));
  const entries = createEntries(run, explanation, ids, causes, grounds);
  if (entries.length > 0) addEntries(path, entries);
  const isDefaultFile = textOption(given, 'expectations') === undefined;
  call.print(formatAccepted(shownPath(path), entries, causes, isDefaultFile));
  const fresh = freshSentence(report);
  if (fresh !== undefined) call.print(`not accepted: ${fresh}\n`);
  return EXIT.asExpected;
}

interface SingleRun {
  readonly code: number;
  readonly header: Header;
  readonly subject: Subject;
  /** Undefined if the toolchain of the adapter is missing. */
  readonly run?: Run;
  readonly explanation?: Explanation | undefined;
}

/** Runs one adapter without writing a report. */
async function runSingleAdapter(given: Parsed, hasFile: boolean, call: Call): Promise<SingleRun> {
  const asked = await createJob(given);
  const job = hasFile ? asked : withoutExpectations(asked);
  if (job.subjects.length !== 1) {
    throw new UsageError(
      'accept takes the failures of one adapter; pass a command, or --adapter NAME',
    );
  }
  const headers: Header[] = [];
  const added: Omit<SingleRun, 'code' | 'header'>[] = [];
  const code = await runJob(job, call, {
    begin: async (one) => void headers.push(one),
    add: async (subject, run, explanation) => void added.push({ subject, run, explanation }),
    addNotRun: async (subject) => void added.push({ subject }),
    end: () => {},
  });
  const [[header], [subject]] = [headers, added];
  if (!header || !subject) throw new Error('a run ended without a report');
  return { code, header, ...subject };
}

/** The job without expectations, for a file that does not exist yet. */
function withoutExpectations(job: Job): Job {
  const { expectations: _, ...values } = job.given.values;
  return {
    ...job,
    given: { ...job.given, values },
    subjects: job.subjects.map(({ expectations: __, ...subject }) => subject),
  };
}

function rejectionReason({ internalError, neverWorked, stopReason, unasked }: Report): string {
  if (internalError !== undefined) return internalError;
  if (neverWorked !== undefined) return `the adapter never worked: ${neverWorked}`;
  if (stopReason !== undefined) return `the run stopped early: ${stopReason}`;
  if (unasked.length > 0) return `${unasked.join('; ')}; fix what breaks the adapter first`;
  return 'the adapter supports no operation of the selected vectors';
}

/** The reason, issue and date of every new entry, checked against the schema of the file. */
function parseGrounds(given: Parsed): Grounds {
  const [reason, issue, until] = ['reason', 'issue', 'until'].map((name) =>
    textOption(given, name),
  );
  if (reason === undefined || !/\p{L}/u.test(reason)) {
    throw new UsageError("a known failure needs a reason in words; write accept --reason 'WHY' …");
  }
  const grounds = {
    reason,
    ...(issue !== undefined && { issue }),
    ...(until !== undefined && { until }),
  };
  const probe = { expectations: [{ vectors: 'x', status: 'fail', ...grounds }] };
  const [fault] = findFaults(schema, probe);
  if (fault) throw new UsageError(`--${faultPath(fault).at(-1)} ${faultText(fault)}`);
  return grounds;
}

function parseCauses(given: Parsed): readonly string[] {
  const causes = textsOption(given, 'cause');
  const foreign = causes.find((cause) => !isCauseId(cause));
  if (foreign === undefined) return causes;
  const near = findNearestCause(foreign);
  throw new UsageError(
    `--cause ${JSON.stringify(foreign)} is not a known cause; ${near === undefined ? 'name a cause that a run reports, or unexplained' : `did you mean ${near}?`}`,
  );
}

/** The file of --expectations, or the file in the folder of the adapter. */
async function expectationsPath(given: Parsed): Promise<string> {
  const path = textOption(given, 'expectations') ?? (await subjectsOf(given))[0]?.expectations;
  if (path !== undefined) return path;
  throw new UsageError('no file is named; write --expectations FILE here and in later runs');
}

/** A summary, then one line for each new entry. */
function formatAccepted(
  path: string,
  entries: readonly Entry[],
  causes: readonly string[],
  isDefaultFile: boolean,
): string {
  if (entries.length === 0) {
    if (causes.length === 0) return 'nothing to accept: every failure is already known\n';
    return `nothing to accept: no failure that is not known yet has the cause ${causes.join(' or ')}\n`;
  }
  const lines = entries.map((entry) => {
    const names = [entry.vectors ?? entry.forged ?? []].flat();
    const what = entry.forged === undefined ? '' : 'forged ';
    const entryCauses = [entry.cause ?? []].flat();
    const cause = entryCauses.length === 0 ? '' : `, cause ${entryCauses.join(' and ')}`;
    return `  ${entry.status}${cause}: ${what}${names[0]}${names.length > 1 ? ` and ${names.length - 1} more` : ''}\n`;
  });
  const count = formatCount(entries.length, 'entry', 'entries');
  const how = isDefaultFile ? '' : `; judge with run --expectations ${path}`;
  return `${path}: ${count} added${how}\n${lines.join('')}`;
}
