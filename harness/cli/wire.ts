/**
 * `wire`: runs a client program against the reference server and judges every request that it sends.
 *
 * @module
 */
import { DIALECT } from './adapter-options.ts';
import { REPORT_OPTIONS } from './reports.ts';
import { CLIENT_DIALECT, SERVICE_OPTIONS } from './serve-options.ts';
import { VERDICT_EXIT_CODES, type Verb } from './verb.ts';

export const wireVerb: Verb = {
  usage: ['wire [options] -- COMMAND…'],
  example: 'wire -- python3 -m pytest tests/',
  exitCodes: {
    ...VERDICT_EXIT_CODES,
    2: 'usage: no command, a port in use, data that cannot be used',
    3: 'a file of expectations is invalid',
    4: 'the client could not be started, or sent no request that shows a signature',
    5: 'aborted: the client was still running; the report shows the requests until then',
  },
  summary:
    'Runs any client program against the service, and judges the signature and the form of every request that it sends. It needs no adapter.',
  options: {
    port: { type: 'number', value: 'N', default: 0, help: 'the port; 0 for a free port' },
    ...SERVICE_OPTIONS,
    bucket: {
      value: 'NAME[:public|private]',
      repeatable: true,
      help: 'a bucket that exists from the start (default: wire, which is private)',
    },
    dialect: { ...DIALECT, default: CLIENT_DIALECT },
    timeout: {
      type: 'number',
      value: 'S',
      default: 300,
      help: 'seconds for the client; after that it is ended, with all processes that it started',
    },
    quiet: {
      type: 'flag',
      help: 'hide what the client prints, and show its last lines if the run fails (default: all of it goes to standard error)',
    },
    'client-status': {
      type: 'flag',
      help: 'fail the run if the client exits with another status than 0 (default: only its requests count)',
    },
    expectations: {
      value: 'FILE',
      help: 'the known failures of the client; ids are OPERATION/NUMBER',
    },
    ...REPORT_OPTIONS,
  },
  notes: [
    'The environment of the client has these variables: SVC_PUBLIC_KEY and SVC_PRIVATE_KEY, the development pair of serve; SVC_ENDPOINT and SVC_API_URL, the URLs of the service and of its account API; SVC_FILE_HOST, the host after a bucket and a dot; SVC_BUCKET, the first bucket; SVC_BUCKETS, all buckets separated by commas.',
    'http_proxy and similar variables, and JAVA_TOOL_OPTIONS, name the service as the proxy. A client that uses the proxy reaches the service under the stock hosts of the dialect, and no request leaves the machine.',
  ],
  takesCommand: true,
  run: async (given, call) => (await import('./wire-action.ts')).judgeClient(given, call),
};
