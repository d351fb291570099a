/**
 * An adapter that makes known mistakes and shows every stage: `node shows-its-mistakes.mjs ID…`.
 *
 * @module
 */
import { createInterface } from 'node:readline';
import { answerQuestion } from '../../../dist/reference/answers.js';
import { MISTAKES, mistaken } from '../../../dist/reference/mistakes/index.js';
import { OPERATIONS, resultStages } from '../../../dist/reference/operations.js';
import { readFile } from '../../../dist/reference/read-file.js';
import { inDialect } from '../../../dist/reference/signing/index.js';

const ids = process.argv.slice(2);
const planted = MISTAKES.filter(({ id }) => ids.includes(id));
if (planted.length !== ids.length) throw new Error(`not all of ${ids} are known mistakes`);

let context;

function reply({ n, operation, input, keys }) {
  const answer = answerQuestion(operation, input, keys, context, readFile);
  if ('reason' in answer) return { n, refused: answer };
  const stages = Object.entries(answer.stages);
  const isResult = ([stage]) => resultStages(operation).includes(stage);
  const isTrace = (stage) => !isResult(stage);
  return {
    n,
    result: Object.fromEntries(stages.filter(isResult)),
    trace: Object.fromEntries(stages.filter(isTrace)),
  };
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  const first = context === undefined;
  context ??= mistaken(inDialect(message.dialect), planted);
  const hello = {
    protocol: 1,
    implementation: { name: 'shown', version: '1', language: 'javascript' },
    operations: Object.keys(OPERATIONS),
    window: 64,
  };
  process.stdout.write(`${JSON.stringify(first ? hello : reply(message))}\n`);
});
