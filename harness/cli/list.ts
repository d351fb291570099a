/**
 * `list`: which vectors there are.
 *
 * @module
 */
import { EXIT } from '../errors.ts';
import { print } from '../output.ts';
import { selectedVectors } from '../suite/select.ts';
import { parsed, refuseCommand, SELECTION, selectionOf, suiteOf, type Verb } from './verb.ts';

export const listVerb: Verb = async (parameters) => {
  const given = parsed(parameters, SELECTION);
  refuseCommand(given);
  const vectors = selectedVectors(await suiteOf(given), selectionOf(given));
  const lines = vectors.map(({ id, level, rules }) => `${id}\t${level}\t${rules.join(' ')}\n`);
  print(lines.join(''));
  return EXIT.asExpected;
};
