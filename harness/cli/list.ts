/**
 * `list`: the vectors, the rules or the mistakes.
 *
 * @module
 */
import { SELECTING_EXIT_CODES } from './exit-codes.ts';
import { ID, JSON_LINES, SELECTION } from './selection.ts';
import type { Verb } from './verb.ts';

export const listVerb: Verb = {
  usage: [
    'list [options] [ID…]',
    'list --rules [options] [ID…]',
    'list --mistakes [options] [ID…]',
  ],
  example: "list --rule '5.2/headers-*'",
  exitCodes: SELECTING_EXIT_CODES,
  summary:
    'Lists the vectors (id, level, rules), the rules (id, level, text) or the mistakes (id, rule, cause), separated by tabs.',
  operands: { ID: { ...ID, help: `${ID.help}; with --rules or --mistakes, ids of those` } },
  options: {
    rules: { type: 'flag', help: 'list the rules; --rule and --level select some of them' },
    mistakes: {
      type: 'flag',
      help: 'list the mistakes of the register, or the mistakes that an ID names, even generated ones; --rule selects mistakes that break a rule',
    },
    json: JSON_LINES,
    ...SELECTION,
  },
  notes: [
    'Generated mistakes have ids of the form place/change; list --mistakes with a glob such as "sorted-headers/*" lists those of a place, and "*/*" all.',
  ],
  run: async (given, call) => (await import('./list-action.ts')).listEntries(given, call),
};
