/**
 * An adapter that makes known mistakes: `node makes-mistakes.mjs ID…`.
 *
 * Environment variables: after MOST_ANSWERS answers it stops replying; OFFERED names the only
 * operation that it offers; WORDS sets its dialect by three words, whatever the harness asks for.
 *
 * @module
 */
import { createInterface } from 'node:readline';
import { answerQuestion } from '../../../dist/reference/answers.js';
import { generatedMistake } from '../../../dist/reference/mistakes/generated.js';
import { MISTAKES, mistaken } from '../../../dist/reference/mistakes/index.js';
import { OPERATIONS, resultStages } from '../../../dist/reference/operations.js';
import { readFile } from '../../../dist/reference/read-file.js';
import { inDialect } from '../../../dist/reference/signing/index.js';

const ids = process.argv.slice(2);
const named = new Map(MISTAKES.map((mistake) => [mistake.id, mistake]));
const planted = ids.map((id) => named.get(id) ?? generatedMistake(id));

const most = Number(process.env.MOST_ANSWERS ?? Number.POSITIVE_INFINITY);
let answers = 0;

const [scheme, headerPrefix, publicKeyParameter] = (process.env.WORDS ?? '').split(',');
const fixed = publicKeyParameter && { scheme, headerPrefix, publicKeyParameter };

let context;

function reply({ n, operation, input, keys }) {
  const answer = answerQuestion(operation, input, keys, context, readFile);
  if ('reason' in answer) return { n, refused: answer };
  const result = resultStages(operation).map((stage) => [stage, answer.stages[stage]]);
  return { n, result: Object.fromEntries(result) };
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  const first = context === undefined;
  context ??= mistaken(inDialect(fixed || message.dialect), planted);
  const hello = {
    protocol: 1,
    implementation: { name: 'mistaken', version: '1', language: 'javascript' },
    operations: process.env.OFFERED ? [process.env.OFFERED] : Object.keys(OPERATIONS),
    window: 64,
  };
  if (!first && ++answers > most) return;
  process.stdout.write(`${JSON.stringify(first ? hello : reply(message))}\n`);
});
