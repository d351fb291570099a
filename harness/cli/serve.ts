/**
 * `serve`: the service on this machine.
 *
 * @module
 */
import { SERVICE_OPTIONS } from './serve-options.ts';
import type { Verb } from './verb.ts';

export const serveVerb: Verb = {
  usage: ['serve [options]'],
  example: 'serve --port 4595 --bucket demo --dialect ucloud',
  exitCodes: {
    0: 'stopped by SIGINT, SIGTERM or SIGHUP; --check: the folder is whole',
    2: 'usage: an unknown option, a port in use, data or a log that cannot be used',
    3: '--check: the folder is damaged',
  },
  summary:
    'Runs the service on this machine. SDKs talk to it without a change, and the response to a wrong signature names the mistake.',
  options: {
    ...SERVICE_OPTIONS,
    port: {
      type: 'number',
      value: 'N',
      default: 4595,
      help: 'the port; 0 for a free one. Once it listens, it prints: svc-conformance listens on http://127.0.0.1:N',
    },
    host: {
      type: 'text',
      value: 'ADDRESS',
      default: '127.0.0.1',
      help: '127.0.0.1 lets only this machine in, 0.0.0.0 all',
    },
    repair: { type: 'flag', help: 'with --data: rebuild a database that cannot be opened' },
    check: {
      type: 'text',
      value: 'FOLDER',
      help: 'start no server: read all of a data folder, report what is damaged or missing, and change nothing',
    },
    key: {
      type: 'text',
      value: 'FILE',
      help: 'a key pair, in the format of explain --keys, instead of the published development pair: svc-conformance-development-public-key and svc-conformance-development-private-key-which-is-no-secret',
    },
    suffix: {
      type: 'text',
      value: 'HOST',
      repeatable: true,
      help: 'what follows a bucket in the host, besides files.localhost, localhost and the stock hosts of the dialect, which a client reaches with http_proxy; a label * stands for any',
    },
    bind: {
      type: 'text',
      value: 'HOST=BUCKET',
      repeatable: true,
      help: 'requests to this host, with or without a port, are for this bucket',
    },
    callbacks: {
      type: 'flag',
      help: 'make the callbacks of put policies, to this machine only',
    },
    cert: { type: 'text', value: 'FILE', help: 'the certificate for https, in PEM' },
    'key-file': { type: 'text', value: 'FILE', help: 'the private key of --cert, in PEM' },
    log: {
      type: 'text',
      value: '[FILE]',
      help: 'write a line of JSON for each request (default: to standard output)',
    },
    recent: {
      type: 'number',
      value: 'N',
      help: 'how many requests the page of recent ones, /-/, goes back (default 200); 0 switches it off. If --host lets other machines in, the page is off unless you give N. /-/health says whether the server works',
    },
  },
  normalize: (words) => words.map(withLogTarget),
  run: async (given, call) => (await import('./serve-action.ts')).serveUntilInterrupt(given, call),
};

/** Gives `--log` without a value an empty one, because `parseArgs` has no optional values. */
function withLogTarget(parameter: string, at: number, all: readonly string[]): string {
  const next = all[at + 1];
  return parameter === '--log' && (next === undefined || /^-./.test(next)) ? '--log=-' : parameter;
}
