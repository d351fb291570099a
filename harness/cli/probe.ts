/**
 * `probe`: asks a server about correctly and wrongly signed requests.
 *
 * @module
 */
import { DIALECT, KEYS } from './adapter-options.ts';
import { REPORT_OPTIONS } from './reports.ts';
import { FILTERS, ID } from './selection.ts';
import { VERDICT_EXIT_CODES, type Verb } from './verb.ts';

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
      help: 'a file with publicKey and privateKey as YAML, JSON or lines NAME=VALUE (default: the variables SVC_PUBLIC_KEY and SVC_PRIVATE_KEY, or else the development pair of serve)',
    },
    bucket: {
      value: 'NAME',
      help: 'a private bucket in which the probe creates and deletes files (default: a new bucket, which is removed at the end)',
    },
    'file-host': {
      value: 'HOST[:PORT]',
      help: 'the host after the bucket and a dot (default: the host of URL, or localhost:PORT if that is an IP address). All connections go to URL, whatever the host is',
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
