/**
 * Right about every vector, and from then on it crashes over every question about `verify-json`: `node dies-once-asked.mjs`.
 *
 * @module
 */
import { bundledSuite } from '../../../dist/harness/suite/bundle.js';
import { life, questions, rightReply, say } from './right.mjs';

const OPERATION = 'verify-json';

const { vectors, knownGood } = bundledSuite();
const own = vectors.filter(({ operation }) => operation === OPERATION);
/** The sign of life, the vectors and their controls. */
let left =
  life > 1
    ? 0
    : own.length +
      own.filter(({ control }) => control).length +
      own.filter(({ id }) => knownGood.includes(id)).length;

for await (const question of questions()) {
  if (question.operation === OPERATION && --left < 0) process.exit(70);
  say(rightReply(question));
}
