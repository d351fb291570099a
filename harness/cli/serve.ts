/**
 * `serve`: runs the service on this machine.
 *
 * @module
 */
import { AUTHORITY_FOLDER, SEEDED_BUCKET, SERVICE_OPTIONS } from './serve-options.ts';
import type { Verb } from './verb.ts';

export const serveVerb: Verb = {
  usage: ['serve [options]'],
  example: 'serve --port 4595 --bucket demo --dialect ucloud',
  exitCodes: {
    0: 'stopped by SIGINT, SIGTERM or SIGHUP; --check: the folder is intact',
    2: 'usage: an unknown option, a port in use, data, a log, accounts, files or an authority that cannot be used',
    3: '--check: the folder is damaged',
  },
  summary:
    'Runs the service on this machine. SDKs work with it unchanged, and the response to a wrong signature names the mistake.',
  options: {
    port: {
      type: 'number',
      value: 'N',
      default: 4595,
      help: 'the port; 0 for a free port. When the service listens, it prints: svc-conformance listens on http://127.0.0.1:N',
    },
    ...SERVICE_OPTIONS,
    host: {
      value: 'ADDRESS',
      default: '127.0.0.1',
      help: 'the address to listen on; 127.0.0.1 accepts only this machine, 0.0.0.0 accepts all',
    },
    repair: { type: 'flag', help: 'with --data: rebuild a database that cannot be opened' },
    check: {
      value: 'FOLDER',
      help: 'start no server: read all of a data folder, report what is damaged or missing, and change nothing',
    },
    key: {
      value: 'FILE',
      help: 'a key pair, in the format of explain --keys, instead of the published development pair: svc-conformance-development-public-key and svc-conformance-development-private-key-which-is-no-secret',
    },
    accounts: {
      value: 'FILE',
      help: 'several accounts, each with buckets of its own, instead of the development pair: a YAML or JSON list of publicKey, privateKey and buckets',
    },
    seed: {
      value: '[BUCKET=]FOLDER',
      repeatable: true,
      help: `load the files of a folder into a bucket at the start: the named one, else the first --bucket, else ${SEEDED_BUCKET}`,
    },
    clock: {
      value: 'TIME',
      help: 'the time of the service: a fixed time, as Unix seconds or a date such as 2030-01-31T12:00:00Z; or +SECONDS for a clock that runs ahead, --clock=-SECONDS for one that runs behind',
    },
    fault: {
      value: 'RULE',
      repeatable: true,
      help: "fail or delay requests: 'METHOD PATTERN EFFECT [SHARE]', where EFFECT is a status or a delay, such as 'PUT * 503 0.1' or 'GET /logs/* 200ms'. PATTERN is a path, or a host with a path, with * for any characters; SHARE is the part of the requests, by default all",
    },
    authority: {
      value: 'FOLDER',
      help: `the certificate authority for https, created at the first start: its private key, which only you can read, and ca.pem, which clients have to trust (default ~/${AUTHORITY_FOLDER}); off for none`,
    },
    suffix: {
      value: 'HOST',
      repeatable: true,
      help: 'another host suffix after a bucket and a dot, besides files.localhost, localhost and the stock hosts of the dialect, which clients reach with http_proxy; a label * matches any label',
    },
    bind: {
      value: 'HOST=BUCKET',
      repeatable: true,
      help: 'requests to this host, with or without a port, are for this bucket',
    },
    callbacks: {
      type: 'flag',
      help: 'send the callbacks of put policies, only to this machine',
    },
    cert: { value: 'FILE', help: 'the certificate for https, in PEM' },
    'key-file': { value: 'FILE', help: 'the private key of --cert, in PEM' },
    log: {
      value: '[FILE]',
      help: 'write a line of JSON for each request (default: to standard output)',
    },
    quiet: {
      type: 'flag',
      help: 'print only the line with the address',
    },
    recent: {
      type: 'number',
      value: 'N',
      help: 'how many recent requests the page /-/ shows (default 200); 0 switches it off. If --host accepts other machines, the page is off unless you pass N. /-/health reports whether the server works',
    },
  },
  normalize: (words) => words.map(withLogTarget),
  run: async (given, call) => (await import('./serve-action.ts')).serveUntilInterrupt(given, call),
};

/** Writes `--log` without a value as `--log=-`, because `parseArgs` has no optional values. */
function withLogTarget(parameter: string, at: number, all: readonly string[]): string {
  const next = all[at + 1];
  return parameter === '--log' && (next === undefined || /^-./.test(next)) ? '--log=-' : parameter;
}
