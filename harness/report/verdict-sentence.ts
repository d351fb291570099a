/**
 * The verdict of a run in a few words.
 *
 * @module
 */
import { EXIT } from '../errors.ts';
import type { About, Ending } from './reporter.ts';

export function verdictSentence({ exitCode, missing }: Ending, about: About): string {
  const note =
    missing === 0 ? '' : ` (${missing} ${missing === 1 ? 'adapter' : 'adapters'} not run)`;
  return `${verdict(exitCode, about)}${note}`;
}

function verdict(exitCode: number, about: About): string {
  switch (exitCode) {
    case EXIT.asExpected:
      return 'all as expected';
    case EXIT.failures:
      return 'conformance failures';
    case EXIT.neverWorked:
      return NEVER_WORKED[about];
    case EXIT.aborted:
      return about === 'requests'
        ? 'aborted: the client did not come to its end'
        : 'aborted: not every question was asked';
    default:
      return NOTHING_JUDGED[about];
  }
}

const NEVER_WORKED: Readonly<Record<About, string>> = {
  adapters: 'an adapter never worked',
  server: 'the server never worked',
  requests: 'nothing was judged: the client sent no signed request',
};

const NOTHING_JUDGED: Readonly<Record<About, string>> = {
  adapters:
    'nothing was judged: no adapter that runs here has an operation that the vectors are about',
  server: 'nothing was judged: the server can be asked nothing of this',
  requests: 'nothing was judged',
};
