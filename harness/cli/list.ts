/**
 * `list`: the vectors with their levels and rules.
 *
 * @module
 */
import { EXIT } from '../engine/errors.ts';
import { selectVectors } from '../engine/select.ts';
import { SELECTING_EXIT_CODES } from './exit-codes.ts';
import { ID, SELECTION, selectionOf, suiteOf } from './selection.ts';
import type { Verb } from './verb.ts';

export const listVerb: Verb = {
  usage: ['list [options] [ID…]'],
  example: "list --rule '5.2/headers-*'",
  exitCodes: SELECTING_EXIT_CODES,
  summary: 'Lists the vectors: id, level and rules, separated by tabs.',
  operands: { ID },
  options: SELECTION,
  async run(given, call) {
    const vectors = selectVectors(await suiteOf(given), selectionOf(given));
    const lines = vectors.map(({ id, level, rules }) => `${id}\t${level}\t${rules.join(' ')}\n`);
    call.print(lines.join(''));
    return EXIT.asExpected;
  },
};
