/**
 * The verdict of a run in a few words.
 *
 * @module
 */
import { EXIT } from '../errors.ts';
import type { Ending, SubjectKind } from './reporter.ts';

/** What differs by who was judged. */
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
