/**
 * An adapter with one mistake: it signs every request with the private key of the first.
 *
 * @module
 */
import { createInterface } from 'node:readline';
import { answerQuestion } from '../../../dist/reference/answers.js';
import { resultStages } from '../../../dist/reference/operations.js';
import { readFile } from '../../../dist/reference/read-file.js';
import { inDialect } from '../../../dist/reference/signing/index.js';

let context;
let privateKey;

function reply({ n, operation, input, keys }) {
  privateKey ??= keys.privateKey;
  const answer = answerQuestion(operation, input, { ...keys, privateKey }, context, readFile);
  if ('reason' in answer) return { n, refused: answer };
  const result = resultStages(operation).map((stage) => [stage, answer.stages[stage]]);
  return { n, result: Object.fromEntries(result) };
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  const isFirst = context === undefined;
  context ??= inDialect(message.dialect);
  const hello = {
    protocol: 1,
    implementation: { name: 'keeps-its-first-key', version: '1', language: 'javascript' },
    operations: ['authorization'],
  };
  process.stdout.write(`${JSON.stringify(isFirst ? hello : reply(message))}\n`);
});
