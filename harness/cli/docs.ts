/**
 * `docs`: the page of an id, from the site in the package.
 *
 * @module
 */
import { listCandidates } from './show.ts';
import type { Verb } from './verb.ts';

export const docsVerb: Verb = {
  usage: ['docs [options] [ID]'],
  example: 'docs 5.2/headers-sorted',
  exitCodes: {
    0: 'the page was printed, or the server was stopped by SIGINT, SIGTERM or SIGHUP',
    2: 'usage: an unknown id, a port in use, or a package without the site',
  },
  summary:
    'Serves the documentation on this machine, without a network, and prints the address of the page of an id. It runs until it is interrupted. If standard output is not a terminal, it prints the text of the page instead. Of a generated mistake, it prints the entry that `show` prints, and the step of the reference.',
  operands: {
    ID: {
      help: 'the id of a rule, a vector or a mistake, the name of an operation, a published SDK, a verb or a guide, an error code, a word of a report such as inconclusive, or protocol, spec, results, playground, … (default: the first page)',
      candidates: listCandidates,
    },
  },
  options: {
    print: { type: 'flag', help: 'print the text of the page, and serve nothing' },
    port: { type: 'number', value: 'N', default: 0, help: 'the port; 0 for a free port' },
  },
  run: async (given, call) => (await import('./docs-action.ts')).openPage(given, call),
};
