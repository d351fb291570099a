/**
 * `explain`: the string to sign of a captured request, and the mistake that its signature shows.
 *
 * @module
 */
import { DIALECT, KEYS } from './adapter-options.ts';
import type { Verb } from './verb.ts';

export const explainVerb: Verb = {
  usage: ['explain [options] [FILE]'],
  example: 'explain request.txt --keys keys.yaml',
  exitCodes: {
    0: 'correctly signed',
    1: 'wrongly signed, refused or expired',
    2: 'usage: no key pair, or a text that is not a signed request',
  },
  summary:
    'Explains one captured request: its string to sign line by line, the correct signature, and the mistake that its own signature shows. Keys come from a file or the environment, never from the command line.',
  operands: {
    FILE: {
      help: 'a file with HTTP text or the output of curl -v; or a URL (default: standard input)',
    },
  },
  options: {
    keys: KEYS,
    'file-host': {
      value: 'HOST',
      help: 'the host without the bucket label, such as files.svc.example (default: everything after the first dot)',
    },
    bucket: { value: 'NAME', help: 'the bucket, if the host does not name it' },
    dialect: { ...DIALECT, help: `${DIALECT.help} (default: as the request shows)` },
    now: { value: 'SECONDS', help: 'the clock for Expires, in Unix seconds (default: now)' },
  },
  // Accepted here so that the action can reject it without quoting it: it may contain a key.
  takesCommand: true,
  run: async (given, call) => (await import('./explain-action.ts')).explainRequest(given, call),
};
