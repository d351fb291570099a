/**
 * `--reporter NAME[=FILE]`: which formats are written, and where to.
 *
 * @module
 */

import type { Explanation } from '../engine/diagnosis/explanation.ts';
import { describeInternalError, UsageError } from '../engine/errors.ts';
import type { Run } from '../engine/judge/outcome.ts';
import { exitCode } from '../engine/judge/summary.ts';
import { createReport, type Header, type NotRun, type Report } from '../engine/report/report.ts';
import { findNearest } from '../engine/select.ts';
import type { Subject } from '../engine/subject.ts';
import type { Ending, Reporter } from '../render/reporter.ts';
import { plainTerminal, type Terminal } from '../render/terminal.ts';
import { terminalReport } from '../render/terminal-report.ts';
import type { Call } from './call.ts';
import type { ExplainedRun } from './explain-failures.ts';
import { type Options, type Parsed, textsOption } from './verb.ts';

interface Format {
  /** @param path the file, or undefined for standard output */
  readonly reporter: (
    path: string | undefined,
    all: boolean,
    terminalFormat: typeof terminalReport,
    screen: Terminal,
  ) => Promise<Reporter>;
}

/** The formats by name. Only the default is loaded at start. */
const FORMATS: Readonly<Record<string, Format>> = {
  terminal: {
    reporter: async (path, all, terminalFormat, screen) =>
      terminalFormat(path === undefined ? screen : plainTerminal(), all),
  },
  'json-lines': {
    reporter: async () => (await import('../render/json-lines.ts')).jsonLines(),
  },
  junit: {
    reporter: async () => (await import('../render/junit.ts')).junit(),
  },
  markdown: {
    reporter: async () => (await import('../render/markdown.ts')).markdown(),
  },
};

/** What is reported, and where. */
export const REPORT_OPTIONS: Options = {
  all: { type: 'flag', help: 'every failure, not only the first 20' },
  reporter: {
    type: 'text',
    value: 'NAME[=FILE]',
    repeatable: true,
    default: 'terminal',
    help: 'the format of the report: terminal, json-lines, junit or markdown, on standard output or in FILE',
    candidates: () => Object.keys(FORMATS),
  },
};

interface Output {
  readonly name: string;
  /** Undefined for standard output. */
  readonly path?: string;
}

/** Every report of a run, written as the run goes on. */
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
 * @param terminalFormat the format for people, if it is not about vectors
 * @throws UsageError if a file cannot be written
 */
export async function openReports(
  given: Parsed,
  call: Call,
  terminalFormat: typeof terminalReport = terminalReport,
): Promise<Reports> {
  const all = given.values['all'] === true;
  const open = await Promise.all(
    outputsOf(given).map(async ({ name, path }) => {
      const reporter = await FORMATS[name]?.reporter(path, all, terminalFormat, call.terminal);
      const write = path === undefined ? (text: string) => call.print(text) : call.openReport(path);
      return { name, path, reporter, write };
    }),
  );
  // A report that fails does not affect the others.
  const writeEach = async (
    text: (reporter: Reporter) => string | Promise<string>,
  ): Promise<void> => {
    for (const { name, reporter, write } of open) {
      if (!reporter) continue;
      try {
        write(await text(reporter));
      } catch (error) {
        loseReport(call, name, error);
      }
    }
  };
  let header: Header | undefined;
  const isDetailed = open.some(({ name }) => name !== 'terminal');
  const addEach = (report: Report | NotRun): Promise<void> =>
    writeEach((reporter) => reporter.add(report));
  const end = (ending: Ending): void => {
    for (const { name, path, reporter, write } of open) {
      // If the run never began, standard error says why; a file still gets its end.
      if (ending.isAbandoned && !header && path === undefined) continue;
      try {
        if (reporter) write(reporter.end(ending));
      } catch (error) {
        loseReport(call, name, error);
      }
    }
  };
  const forget = call.completeWith((exitCode) => end({ exitCode, missing: 0, isAbandoned: true }));
  return {
    begin(own) {
      header = own;
      return writeEach((reporter) => reporter.begin(own));
    },
    async add(subject, run, explanation) {
      if (!header) throw new Error('a report begins before a subject is added');
      await addEach(await createReport(header, subject, run, explanation, isDetailed));
    },
    addNotRun: (subject) => addEach({ subject, notRun: subject.missing ?? '' }),
    end(ending) {
      forget();
      end(ending);
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

function loseReport(call: Call, name: string, error: unknown): void {
  call.loseOutput(`the report ${name} is not complete: ${describeInternalError(error)}`);
}

function outputsOf(parsed: Parsed): readonly Output[] {
  const given = textsOption(parsed, 'reporter').map(parseOutput);
  const paths = given.map(({ path }) => path);
  const twice = given.find(({ path }, i) => paths.indexOf(path) < i);
  if (twice) {
    const where = twice.path === undefined ? 'standard output' : JSON.stringify(twice.path);
    throw new UsageError(`two reports go to ${where}; write --reporter NAME=FILE for one of them`);
  }
  // The terminal report goes to standard output, unless another report does or it goes to a file.
  const isComplete = given.some(({ name, path }) => path === undefined || name === 'terminal');
  return isComplete ? given : [{ name: 'terminal' }, ...given];
}

function parseOutput(text: string): Output {
  const equals = text.indexOf('=');
  const name = equals < 0 ? text : text.slice(0, equals);
  const names = Object.keys(FORMATS);
  if (!names.includes(name)) {
    const near = findNearest(name, names);
    throw new UsageError(
      `${JSON.stringify(name)} is not a reporter; ${near === undefined ? `there are ${names.join(', ')}` : `did you mean ${near}?`}`,
    );
  }
  if (equals < 0) return { name };
  const path = text.slice(equals + 1);
  if (path === '') {
    throw new UsageError(`--reporter ${name}= names no file; write --reporter ${name}=FILE`);
  }
  return { name, path };
}
