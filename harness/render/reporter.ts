/**
 * The interface of a report format, which writes text piece by piece during the run.
 *
 * @module
 */
import { EXIT } from '../engine/errors.ts';
import { formatCount } from '../engine/excerpt.ts';
import { describeFailures } from '../engine/report/failure-counts.ts';
import {
  type Header,
  isPartial,
  type NotRun,
  type Report,
  type SubjectKind,
  subjectKind,
} from '../engine/report/report.ts';

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

/** All that a run has brought. */
export interface Results {
  /** Undefined if the run never began. */
  readonly header: Header | undefined;
  readonly reports: readonly (Report | NotRun)[];
  readonly ending: Ending;
}

/**
 * A format that keeps all results until the end.
 *
 * @param early what it writes before the end; nothing if it needs all results first, as XML with totals in its first element
 */
export function createReporter(
  write: (results: Results) => string,
  early: Partial<Pick<Reporter, 'begin' | 'add'>> = {},
): Reporter {
  let header: Header | undefined;
  const reports: (Report | NotRun)[] = [];
  return {
    begin(own) {
      header = own;
      return early.begin?.(own) ?? '';
    },
    add(report) {
      reports.push(report);
      return early.add?.(report) ?? '';
    },
    end: (ending) => write({ header, reports, ending }),
  };
}

/** The kind of the subjects of a run; that of a run that never began is an adapter. */
export function kindOf(header: Header | undefined): SubjectKind {
  return header ? subjectKind(header) : 'adapter';
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
export function verdictSentence(results: Results): string {
  const { exitCode, missing, isAbandoned } = results.ending;
  if (isAbandoned && exitCode !== EXIT.internalError) {
    return 'stopped early: an error ended the run; see standard error';
  }
  const note = missing === 0 ? '' : ` (${formatCount(missing, 'adapter')} not run)`;
  return `${verdict(results)}${note}`;
}

function verdict({ header, reports, ending }: Results): string {
  const kind = kindOf(header);
  switch (ending.exitCode) {
    case EXIT.asExpected:
      return `all as expected${header ? partSentence(header) : ''}`;
    case EXIT.failures:
      return `conformance failures: ${describeFailures(reports, kind)}`;
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

/** How many vectors a run over some of them had; empty for a whole run. */
function partSentence(header: Header): string {
  const { vectors, suite } = header;
  return isPartial(header) ? ` in ${vectors.length} of ${suite.vectors.length} vectors` : '';
}
