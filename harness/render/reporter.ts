/**
 * How a format turns a report into text, piece by piece while the run goes on.
 *
 * A format that needs everything at once, such as XML with totals in its first element, keeps what it gets and writes it at the end.
 *
 * @module
 */
import { EXIT } from '../engine/errors.ts';
import type { Header, NotRun, Report, SubjectKind } from '../engine/report/report.ts';

export interface Ending {
  readonly exitCode: number;
  /** How many subjects could not run here. */
  readonly missing: number;
  /** An error stopped the harness before; standard error names it. */
  readonly isAbandoned?: true;
}

/** Each function returns the next piece of text. */
export interface Reporter {
  /** Before any question is asked. */
  readonly begin: (header: Header) => string;
  /** After each subject. */
  readonly add: (report: Report | NotRun) => string | Promise<string>;
  /** At the end; also if the run was interrupted. */
  readonly end: (ending: Ending) => string;
  /** The text has workflow commands that CI services are meant to obey; everything foreign in it is escaped already. */
  readonly hasCommands?: true;
}

const WORDS: Readonly<Record<SubjectKind, Readonly<Record<'never' | 'aborted' | 'none', string>>>> =
  {
    adapter: {
      never: 'an adapter never worked',
      aborted: 'aborted: not every question was asked',
      none: 'nothing was judged: no adapter that runs here has an operation that the vectors are about',
    },
    server: {
      never: 'the server never worked',
      aborted: 'aborted: not every question was asked',
      none: 'nothing was judged: the server can be asked nothing of this',
    },
    client: {
      never: 'nothing was judged: the client sent no signed request',
      aborted: 'aborted: the client did not come to its end',
      none: 'nothing was judged',
    },
  };

/** The verdict of a run in a few words. */
export function verdictSentence(ending: Ending, kind: SubjectKind): string {
  const { exitCode, missing } = ending;
  if (ending.isAbandoned && exitCode !== EXIT.internalError) {
    return 'stopped early: an error, which standard error names, ended the run';
  }
  const note =
    missing === 0 ? '' : ` (${missing} ${missing === 1 ? 'adapter' : 'adapters'} not run)`;
  return `${verdict(exitCode, kind)}${note}`;
}

function verdict(exitCode: number, kind: SubjectKind): string {
  switch (exitCode) {
    case EXIT.asExpected:
      return 'all as expected';
    case EXIT.failures:
      return 'conformance failures';
    case EXIT.neverWorked:
      return WORDS[kind].never;
    case EXIT.aborted:
      return WORDS[kind].aborted;
    case EXIT.internalError:
      return 'internal error: the harness failed, and only what is reported was judged';
    default:
      return WORDS[kind].none;
  }
}
