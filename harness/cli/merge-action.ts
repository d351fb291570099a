/**
 * Joins the reports of shards and writes the result. Loaded when `merge` runs, not for its help.
 *
 * @module
 */
import { EXIT, UsageError } from '../engine/errors.ts';
import { combineExitCodes, enforceAdvised, exitCode } from '../engine/judge/summary.ts';
import type { HeaderLine, RecordedAdapter, SubjectLine } from '../engine/report/lines.ts';
import { restoreExplanation, restoreRun } from '../engine/report/recorded.ts';
import type { Header } from '../engine/report/report.ts';
import { joinShards } from '../engine/report/shards.ts';
import type { Subject } from '../engine/respondent.ts';
import { selectVectors } from '../engine/select.ts';
import { bundledForgeries } from '../suite/bundle.ts';
import { readReport } from '../suite/report-file.ts';
import type { Call } from './call.ts';
import { openReports, type Reports } from './reports.ts';
import { createHeader } from './run-job.ts';
import { readSuiteIn, translateTo } from './selection.ts';
import type { Parsed } from './verb.ts';

export async function mergeReports(given: Parsed, call: Call): Promise<number> {
  call.showProgress('reading the reports');
  const joined = joinShards(given.positionals.map(readReport));
  const header = await restoreHeader(joined.header);
  const reports = await openReports(given, call);
  await reports.begin(header);
  const codes: number[] = [];
  for (const adapter of joined.adapters) {
    codes.push(...(await addAdapter(adapter, header, reports)));
  }
  const code = combineExitCodes(codes);
  const missing = joined.adapters.filter(({ line }) => line.notRun !== undefined).length;
  reports.end({ exitCode: code, missing });
  return code;
}

/** Adds an adapter to the reports. Returns its exit code, or an empty list if it did not run. */
async function addAdapter(
  adapter: RecordedAdapter,
  header: Header,
  reports: Reports,
): Promise<readonly number[]> {
  const { adapter: name, notRun } = adapter.line;
  const subject = header.subjects.find((one) => one.name === name);
  if (!subject) throw new Error(`the header does not name ${name}`);
  if (notRun !== undefined) {
    await reports.addNotRun({ ...subject, missing: notRun });
    return subject.isBundled ? [] : [EXIT.neverWorked];
  }
  const background = {
    vectors: await translateTo(subject.dialect, header.vectors),
    // They stay in the default dialect, because reports show only their mistakes.
    forgeries: adapter.line.forged === undefined ? [] : bundledForgeries(),
  };
  const run = enforceAdvised(restoreRun(adapter, background), header.selection);
  await reports.add(subject, run, restoreExplanation(adapter, background.vectors));
  return [exitCode(run)];
}

async function restoreHeader(line: HeaderLine): Promise<Header> {
  const { folder, ...selection } = line.selection;
  const written = await readSuiteIn(folder);
  if (line.suite !== written.version) {
    throw new UsageError(
      `the reports are of version ${JSON.stringify(line.suite)} of the suite, but this is version ${written.version}; merge them with the version that wrote them`,
    );
  }
  const selected = selectVectors(written, selection);
  if (selected.length !== line.vectors) {
    throw new UsageError(
      `the reports have ${line.vectors} vectors, but their selection matches ${selected.length} here; merge them with the vectors that the run used`,
    );
  }
  return createHeader(written, selected, line.seed, {
    selection,
    ...(folder !== undefined && { folder }),
    subjects: line.adapters.map(toSubject),
    parameters: toParameters(line),
  });
}

function toSubject({ name, dialect, command, wire = 'json' }: SubjectLine): Subject {
  return { name, dialect, command: command ?? [], wire, isBundled: command === undefined };
}

/** The command line of the whole run, for the commands that reports print. */
function toParameters({ selection, seed, adapters: [first] }: HeaderLine): Header['parameters'] {
  const { patterns, rules, levels, operations, smoke, folder } = selection;
  const { dialect, wire } = first ?? {};
  return {
    positionals: patterns,
    values: {
      ...(rules.length > 0 && { rule: rules }),
      ...(levels.length > 0 && { level: levels }),
      ...(operations.length > 0 && { operation: operations }),
      ...(smoke && { smoke }),
      ...(folder !== undefined && { vectors: folder }),
      ...(seed !== undefined && { fresh: true, seed: `${seed}` }),
      ...(dialect !== undefined && dialect !== 'svc' && { dialect }),
      ...(wire !== undefined && { wire }),
    },
  };
}
