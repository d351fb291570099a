/**
 * The verdict of a run in a few words.
 *
 * @module
 */
import { EXIT } from '../errors.ts';
import type { Beginning, Ending } from './reporter.ts';

export function verdictSentence({ exitCode, missing }: Ending, about?: Beginning['about']): string {
  const note =
    missing === 0 ? '' : ` (${missing} ${missing === 1 ? 'adapter' : 'adapters'} not run)`;
  return `${about === 'requests' ? ofRequests(exitCode) : verdict(exitCode)}${note}`;
}

function ofRequests(exitCode: number): string {
  switch (exitCode) {
    case EXIT.neverWorked:
      return 'nothing was judged: the client sent no signed request';
    case EXIT.aborted:
      return 'aborted: the client did not come to its end';
    default:
      return verdict(exitCode);
  }
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
