/**
 * `probe`: asks a server about correctly and wrongly signed requests.
 *
 * @module
 */
import { DIALECT } from './adapter-options.ts';
import { VERDICT_EXIT_CODES } from './exit-codes.ts';
import { KEYS } from './keys-option.ts';
import { REPORT_OPTIONS } from './reports.ts';
import { FILTERS, ID } from './selection.ts';
import type { Verb } from './verb.ts';

export const probeVerb: Verb = {
  usage: ['probe [options] URL [ID…]'],
  example: 'probe http://127.0.0.1:4595 --bucket demo',
  exitCodes: {
    ...VERDICT_EXIT_CODES,
    4: 'the server never worked',
  },
  summary:
    'Asks a server what it accepts and refuses: correctly and wrongly signed requests, requests signed with known mistakes, expired and replayed requests, limits.',
  operands: { URL: { help: 'the server' }, ID },
  options: {
    ...FILTERS,
    keys: {
      ...KEYS,
      help: `${KEYS.help}, and without these the published development pair of serve`,
    },
    bucket: {
      type: 'text',
      value: 'NAME',
      help: 'a private bucket in which files are put and deleted (default: one that is created, and removed at the end)',
    },
    'file-host': {
      type: 'text',
      value: 'HOST[:PORT]',
      help: 'what follows the bucket in the host (default: the host of URL, or localhost:PORT if that is an address). All connections go to URL, whatever the host is',
    },
    proxy: { type: 'flag', help: 'URL is an HTTP proxy for the stock hosts of the dialect' },
    dialect: { ...DIALECT, default: 'svc' },
    timeout: { type: 'number', value: 'S', default: 5, help: 'seconds for one answer' },
    ...REPORT_OPTIONS,
  },
  notes: [
    'Any response counts as accepted, except: 401, 403, 413, 414, 431, the codes of a wrong or a missing signature, and 400 for a malformed request. 501 is unsupported. Another 5xx is an error and never a refusal.',
  ],
  run: async (given, call) => (await import('./probe-action.ts')).probeServer(given, call),
};
