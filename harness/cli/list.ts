/**
 * `list`: which vectors there are.
 *
 * @module
 */
import { EXIT } from '../errors.ts';
import { selectedVectors } from '../suite/select.ts';
import { parsed, SELECTION, selectionOf, suiteOf, type Verb } from './verb.ts';

export const listVerb: Verb = async (parameters) => {
  const given = parsed(parameters, SELECTION);
  const vectors = selectedVectors(await suiteOf(given), selectionOf(given));
  const lines = vectors.map(({ id, level, rules }) => `${id}\t${level}\t${rules.join(' ')}\n`);
  process.stdout.write(lines.join(''));
  return EXIT.asExpected;
};
