/**
 * `--reporter NAME[=FILE]`: the formats of reports and the files to which they are written.
 *
 * @module
 */

import type { Explanation } from '../engine/diagnosis/explanation.ts';
import { describeInternalError, UsageError } from '../engine/errors.ts';
import type { Run } from '../engine/judge/outcome.ts';
import { exitCode } from '../engine/judge/summary.ts';
import { createReport, type Header, type NotRun, type Report } from '../engine/report/report.ts';
import type { Subject } from '../engine/respondent.ts';
import { entryNamed } from '../engine/select.ts';
import type { Ending, Reporter } from '../render/reporter.ts';
import { plainTerminal } from '../render/terminal.ts';
import { terminalReport } from '../render/terminal-report.ts';
import type { Call } from './call.ts';
import type { ExplainedRun } from './explain-failures.ts';
import { flagOption, type Options, type Parsed, textsOption } from './verb.ts';

type Format = (createTerminalReport: () => Reporter) => Promise<Reporter>;

/** The formats by name. Only the default is loaded at start. */
const FORMATS: Readonly<Record<string, Format>> = {
  terminal: async (createTerminalReport) => createTerminalReport(),
  'json-lines': async () => (await import('../render/json-lines.ts')).jsonLines(),
  junit: async () => (await import('../render/junit.ts')).junit(),
  markdown: async () => (await import('../render/markdown.ts')).markdown(),
  tap: async () => (await import('../render/tap.ts')).tap(),
  html: async () => (await import('../render/html.ts')).html(),
  github: async () => (await import('../render/annotations.ts')).github(),
  gitlab: async () => (await import('../render/annotations.ts')).gitlab(),
  badge: async () => (await import('../render/badge.ts')).badgeJson(),
  'badge-svg': async () => (await import('../render/badge.ts')).badgeSvg(),
};

export const REPORT_OPTIONS: Options = {
  all: {
    type: 'flag',
    help: 'show everything: each failure, each group, the lines of stale expectations, the answers to open questions',
  },
  reporter: {
    value: 'NAME[=FILE]',
    repeatable: true,
    default: 'terminal',
    help: 'the format of the report, on standard output or in FILE (- is standard output): terminal, json-lines, junit, markdown, tap, html, github (annotations), gitlab (code quality), badge (JSON) or badge-svg',
    candidates: () => Object.keys(FORMATS),
  },
};

interface Output {
  readonly name: string;
  readonly format: Format;
  /** Undefined for standard output. */
  readonly path?: string;
}

interface OpenOutput extends Output {
  readonly reporter: Reporter;
  readonly write: (text: string) => void;
}

/** All reports of a run, written while it runs. */
export interface Reports {
  readonly begin: (header: Header) => Promise<void>;
  /** Adds a subject after its run. @param explanation if something failed */
  readonly add: (subject: Subject, run: Run, explanation?: Explanation) => Promise<void>;
  /** Adds a subject that could not run here. */
  readonly addNotRun: (subject: Subject) => Promise<void>;
  readonly end: (ending: Ending) => void;
}

/**
 * Opens every file before anything is asked.
 *
 * @param terminalFormat replaces the terminal report, for verbs that do not judge vectors
 * @throws UsageError if a file cannot be written
 */
export async function openReports(
  given: Parsed,
  call: Call,
  terminalFormat: typeof terminalReport = terminalReport,
): Promise<Reports> {
  const outputs = await openOutputs(given, call, terminalFormat);
  const isDetailed = outputs.some(({ name }) => name !== 'terminal');
  let header: Header | undefined;
  const addEach = (report: Report | NotRun): Promise<void> =>
    writeEach(outputs, call, (reporter) => reporter.add(report));
  call.completeWith((exitCode) => {
    // If the run never began, standard error says why. Report files are still completed.
    const ended = header ? outputs : outputs.filter(({ path }) => path !== undefined);
    endEach(ended, call, { exitCode, missing: 0, isAbandoned: true });
  });
  return {
    begin(begun) {
      header = begun;
      return writeEach(outputs, call, (reporter) => reporter.begin(begun));
    },
    async add(subject, run, explanation) {
      if (!header) throw new Error('a report begins before a subject is added');
      await addEach(await createReport(header, subject, run, explanation, isDetailed));
    },
    addNotRun: (subject) => addEach({ subject, notRun: subject.missing ?? '' }),
    end(ending) {
      call.completeWith(undefined);
      endEach(outputs, call, ending);
    },
  };
}

/** Adds the only subject of a run, completes the reports and returns the exit code. */
export async function reportRun(
  reports: Reports,
  subject: Subject,
  { run, explanation }: ExplainedRun,
): Promise<number> {
  await reports.add(subject, run, explanation);
  const code = exitCode(run);
  reports.end({ exitCode: code, missing: 0 });
  return code;
}

async function openOutputs(
  given: Parsed,
  call: Call,
  terminalFormat: typeof terminalReport,
): Promise<readonly OpenOutput[]> {
  const all = flagOption(given, 'all');
  const open = parseOutputs(given).map(async (output): Promise<OpenOutput> => {
    const { format, path } = output;
    const reporter = await format(() =>
      terminalFormat(path === undefined ? call.terminal : plainTerminal(), all),
    );
    const { hasCommands = false } = reporter;
    const write =
      path === undefined
        ? (text: string) => call.print(text, hasCommands)
        : call.openReport(path, hasCommands);
    return { ...output, reporter, write };
  });
  return Promise.all(open);
}

/** Writes a piece of each report. A report that fails does not affect the others. */
async function writeEach(
  outputs: readonly OpenOutput[],
  call: Call,
  text: (reporter: Reporter) => string | Promise<string>,
): Promise<void> {
  for (const { name, reporter, write } of outputs) {
    try {
      write(await text(reporter));
    } catch (error) {
      loseReport(call, name, error);
    }
  }
}

/** Writes the end of each report without waiting, because the process may be exiting. */
function endEach(outputs: readonly OpenOutput[], call: Call, ending: Ending): void {
  for (const { name, reporter, write } of outputs) {
    try {
      write(reporter.end(ending));
    } catch (error) {
      loseReport(call, name, error);
    }
  }
}

function loseReport(call: Call, name: string, error: unknown): void {
  call.loseOutput(`the report ${name} is not complete: ${describeInternalError(error)}`);
}

function parseOutputs(parsed: Parsed): readonly Output[] {
  const given = textsOption(parsed, 'reporter').map(parseOutput);
  const paths = given.map(({ path }) => path);
  const twice = given.find(({ path }, i) => paths.indexOf(path) < i);
  if (twice) {
    const where = twice.path === undefined ? 'standard output' : JSON.stringify(twice.path);
    throw new UsageError(`two reports go to ${where}; write --reporter NAME=FILE for one of them`);
  }
  // The terminal report goes to standard output, unless another report does or it goes to a file.
  const isTerminalDecided = given.some(
    ({ name, path }) => path === undefined || name === 'terminal',
  );
  return isTerminalDecided ? given : [parseOutput('terminal'), ...given];
}

function parseOutput(text: string): Output {
  const [, name = text, path] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  const format = entryNamed(FORMATS, name, `${JSON.stringify(name)} is not a reporter`);
  if (path === '') {
    throw new UsageError(`--reporter ${name}= has no file; write --reporter ${name}=FILE`);
  }
  return path === undefined || path === '-' ? { name, format } : { name, format, path };
}
