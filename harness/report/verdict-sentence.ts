/**
 * The verdict of a run in a few words.
 *
 * @module
 */
import { EXIT } from '../errors.ts';
import type { Ending } from './reporter.ts';

/** @param isServer whether it was a server that was asked */
export function verdictSentence({ exitCode, missing }: Ending, isServer: boolean): string {
  const note =
    missing === 0 ? '' : ` (${missing} ${missing === 1 ? 'adapter' : 'adapters'} not run)`;
  return `${verdict(exitCode, isServer)}${note}`;
}

function verdict(exitCode: number, isServer: boolean): string {
  switch (exitCode) {
    case EXIT.asExpected:
      return 'all as expected';
    case EXIT.failures:
      return 'conformance failures';
    case EXIT.neverWorked:
      return isServer ? 'the server never worked' : 'an adapter never worked';
    case EXIT.aborted:
      return 'aborted: not every question was asked';
    default:
      if (isServer) return 'nothing was judged: the server can be asked nothing of this';
      return 'nothing was judged: no adapter that runs here has an operation that the vectors are about';
  }
}
