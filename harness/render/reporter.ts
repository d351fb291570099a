/**
 * The interface of a report format, which writes text piece by piece during the run.
 *
 * A format that needs all results first, such as XML with totals in its first element, collects them and writes them at the end.
 *
 * @module
 */
import { EXIT } from '../engine/errors.ts';
import type { Header, NotRun, Report, SubjectKind } from '../engine/report/report.ts';

export interface Ending {
  readonly exitCode: number;
  /** The number of subjects whose toolchain is missing. */
  readonly missing: number;
  /** Whether an error stopped the run early; standard error names the error. */
  readonly isAbandoned?: true;
}

/** Each function returns the next piece of text. */
export interface Reporter {
  /** Called before the first question. */
  readonly begin: (header: Header) => string;
  /** Called after each subject. */
  readonly add: (report: Report | NotRun) => string | Promise<string>;
  /** Called at the end, even if the run was interrupted. */
  readonly end: (ending: Ending) => string;
  /** Whether the text has workflow commands for CI services. Text of other programs in it is already escaped. */
  readonly hasCommands?: true;
}

const WORDS: Readonly<Record<SubjectKind, Readonly<Record<'never' | 'aborted' | 'none', string>>>> =
  {
    adapter: {
      never: 'an adapter never worked',
      aborted: 'aborted: some questions were not asked',
      none: 'nothing was judged: no installed adapter supports an operation of the selected vectors',
    },
    server: {
      never: 'the server never worked',
      aborted: 'aborted: some questions were not asked',
      none: 'nothing was judged: none of the selected vectors can be sent to the server',
    },
    client: {
      never: 'nothing was judged: the client sent no signed request',
      aborted: 'aborted: the client did not finish',
      none: 'nothing was judged',
    },
  };

/** The verdict of a run in a few words. */
export function verdictSentence(ending: Ending, kind: SubjectKind): string {
  const { exitCode, missing } = ending;
  if (ending.isAbandoned && exitCode !== EXIT.internalError) {
    return 'stopped early: an error ended the run; see standard error';
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
      return 'internal error: the harness failed; the report is incomplete';
    default:
      return WORDS[kind].none;
  }
}
