/**
 * An adapter that signs correctly and verifies with known mistakes:
 * `node shares-a-mistake.mjs OPERATIONS ID…`.
 *
 * @module
 */
import { createInterface } from 'node:readline';
import { answerQuestion } from '../../../dist/reference/answers.js';
import { MISTAKES, mistaken } from '../../../dist/reference/mistakes/index.js';
import { OPERATIONS, resultStages } from '../../../dist/reference/operations.js';
import { readFile } from '../../../dist/reference/read-file.js';
import { inDialect } from '../../../dist/reference/signing/index.js';

const [verifiers, ...ids] = process.argv.slice(2);
const planted = MISTAKES.filter(({ id }) => ids.includes(id));
if (planted.length !== ids.length) throw new Error(`not all of ${ids} are known mistakes`);

let context;

function reply({ n, operation, input, keys }) {
  const steps = verifiers.split(',').includes(operation) ? mistaken(context, planted) : context;
  const answer = answerQuestion(operation, input, keys, steps, readFile);
  if ('reason' in answer) return { n, refused: answer };
  const result = resultStages(operation).map((stage) => [stage, answer.stages[stage]]);
  return { n, result: Object.fromEntries(result) };
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  const first = context === undefined;
  context ??= inDialect(message.dialect);
  const hello = {
    protocol: 1,
    implementation: { name: 'sharing', version: '1', language: 'javascript' },
    operations: Object.keys(OPERATIONS),
    window: 64,
  };
  process.stdout.write(`${JSON.stringify(first ? hello : reply(message))}\n`);
});
