/**
 * `--reporter NAME[=FILE]`: which formats are written, and where to.
 *
 * @module
 */
import { internalErrorText, UsageError } from '../errors.ts';
import { endingWith, loseOutput, print, textFile } from '../output.ts';
import type { Beginning, Ending, JudgedSubject, Reporter } from '../report/reporter.ts';
import { plainTerminal, terminal } from '../report/terminal.ts';
import { terminalReport } from '../report/terminal-report.ts';
import { nearest } from '../suite/select.ts';
import type { Parsed } from './verb.ts';

interface Format {
  /** @param path the file it goes to; nothing for standard output */
  readonly reporter: (
    path: string | undefined,
    all: boolean,
    terminalFormat: typeof terminalReport,
  ) => Promise<Reporter>;
}

/** The formats by name; what is not the default is loaded where it is asked for. */
const FORMATS: Readonly<Record<string, Format>> = {
  terminal: {
    reporter: async (path, all, terminalFormat) =>
      terminalFormat(
        path === undefined ? terminal(process.stdout, process.env) : plainTerminal(),
        all,
      ),
  },
  'json-lines': {
    reporter: async () => (await import('../report/json-lines.ts')).jsonLines(),
  },
  junit: {
    reporter: async () => (await import('../report/junit.ts')).junit(),
  },
  markdown: {
    reporter: async () => (await import('../report/markdown.ts')).markdown(),
  },
};

interface Wish {
  readonly name: string;
  /** Nothing for standard output. */
  readonly path?: string;
}

/** Every report of a run, written as the run goes on. */
export interface Reports {
  readonly begun: (beginning: Beginning) => Promise<void>;
  readonly judged: (judged: JudgedSubject) => Promise<void>;
  readonly ended: (ending: Ending) => void;
}

/**
 * Opens every file before anything is asked; throws a `UsageError` where one cannot be written.
 *
 * @param terminalFormat what people read, where it is not about vectors
 */
export async function openedReports(
  given: Parsed,
  terminalFormat: typeof terminalReport = terminalReport,
): Promise<Reports> {
  const all = given.values['all'] === true;
  const open = await Promise.all(
    wishesOf(given).map(async ({ name, path }) => {
      const reporter = await FORMATS[name]?.reporter(path, all, terminalFormat);
      return { name, path, reporter, write: path === undefined ? print : textFile(path) };
    }),
  );
  // A report that fails takes no other with it.
  const each = async (text: (reporter: Reporter) => string | Promise<string>): Promise<void> => {
    for (const { name, reporter, write } of open) {
      if (!reporter) continue;
      try {
        write(await text(reporter));
      } catch (error) {
        loseReport(name, error);
      }
    }
  };
  let hasBegun = false;
  const end = (ending: Ending): void => {
    for (const { name, path, reporter, write } of open) {
      // Of a run that never began, standard error says all there is; a file is brought to its end.
      if (ending.isAbandoned && !hasBegun && path === undefined) continue;
      try {
        if (reporter) write(reporter.ended(ending));
      } catch (error) {
        loseReport(name, error);
      }
    }
  };
  const ended = endingWith((exitCode) => end({ exitCode, missing: 0, isAbandoned: true }));
  return {
    begun(beginning) {
      hasBegun = true;
      return each((reporter) => reporter.begun(beginning));
    },
    judged: (judged) => each((reporter) => reporter.judged(judged)),
    ended(ending) {
      ended();
      end(ending);
    },
  };
}

function loseReport(name: string, error: unknown): void {
  loseOutput(`the report ${name} is not complete: ${internalErrorText(error)}`);
}

function wishesOf({ values }: Parsed): readonly Wish[] {
  const given = [values['reporter'] ?? []].flat().map((text) => wishOf(String(text)));
  const paths = given.map(({ path }) => path);
  const twice = given.find(({ path }, i) => paths.indexOf(path) < i);
  if (twice) {
    const where = twice.path === undefined ? 'standard output' : JSON.stringify(twice.path);
    throw new UsageError(`two reports go to ${where}; write --reporter NAME=FILE for one of them`);
  }
  // People read standard output, unless something else goes there or what they read goes elsewhere.
  const isSettled = given.some(({ name, path }) => path === undefined || name === 'terminal');
  return isSettled ? given : [{ name: 'terminal' }, ...given];
}

function wishOf(text: string): Wish {
  const equals = text.indexOf('=');
  const name = equals < 0 ? text : text.slice(0, equals);
  const names = Object.keys(FORMATS);
  if (!names.includes(name)) {
    const near = nearest(name, names);
    throw new UsageError(
      `${JSON.stringify(name)} is no reporter; ${near === undefined ? `there are ${names.join(', ')}` : `did you mean ${near}?`}`,
    );
  }
  if (equals < 0) return { name };
  const path = text.slice(equals + 1);
  if (path === '') {
    throw new UsageError(`--reporter ${name}= names no file; write --reporter ${name}=FILE`);
  }
  return { name, path };
}
