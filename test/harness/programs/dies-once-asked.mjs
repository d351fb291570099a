/**
 * Answers every vector correctly, then crashes on every further question about `verify-json`.
 *
 * @module
 */
import { bundledSuite } from '../../../dist/harness/suite/bundle.js';
import { life, questions, rightReply, say } from './right.mjs';

const OPERATION = 'verify-json';

const { vectors, knownGood } = bundledSuite();
const own = vectors.filter(({ operation }) => operation === OPERATION);
/** How many questions about the operation it answers: known good ones, vectors and controls. */
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
