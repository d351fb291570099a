/**
 * The verdict of a run in a few words.
 *
 * @module
 */
import { EXIT } from '../errors.ts';
import type { Ending } from './reporter.ts';

export function verdictSentence({ exitCode, missing }: Ending): string {
  const note =
    missing === 0 ? '' : ` (${missing} ${missing === 1 ? 'adapter' : 'adapters'} not run)`;
  return `${verdict(exitCode)}${note}`;
}

function verdict(exitCode: number): string {
  switch (exitCode) {
    case EXIT.asExpected:
      return 'all as expected';
    case EXIT.failures:
      return 'conformance failures';
    case EXIT.neverWorked:
      return 'an adapter never worked';
    case EXIT.aborted:
      return 'aborted: not every question was asked';
    default:
      return 'nothing was judged: no adapter that runs here has an operation that the vectors are about';
  }
}
