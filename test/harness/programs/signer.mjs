/**
 * A signer as an object, which also prints log lines. The environment variable MISTAKES lists its
 * known mistakes; WORDS sets its dialect by three words, whatever the harness asks for.
 *
 * @module
 */

import { answerQuestion } from '../../../dist/reference/answers.js';
import { MISTAKES, mistaken } from '../../../dist/reference/mistakes/index.js';
import { OPERATIONS } from '../../../dist/reference/operations.js';
import { readFile } from '../../../dist/reference/read-file.js';
import { inDialect } from '../../../dist/reference/signing/index.js';

const ids = (process.env.MISTAKES ?? '').split(' ').filter((id) => id !== '');
const planted = MISTAKES.filter(({ id }) => ids.includes(id));
if (planted.length !== ids.length) throw new Error(`not all of ${ids} are known mistakes`);

console.log('a banner');

const [scheme, headerPrefix, publicKeyParameter] = (process.env.WORDS ?? '').split(',');
const fixed = publicKeyParameter && { scheme, headerPrefix, publicKeyParameter };

async function answer(operation, input, keys, { dialect: asked }) {
  const dialect = fixed || asked;
  console.log('a log line');
  const answer = answerQuestion(
    operation,
    input,
    keys,
    mistaken(inDialect(dialect), planted),
    readFile,
  );
  if ('reason' in answer) throw Object.assign(new Error(answer.message), answer);
  return answer.stages;
}

// biome-ignore lint/style/noDefaultExport: --module loads the default export
export default Object.fromEntries(
  Object.keys(OPERATIONS).map((name) => [name, (...asked) => answer(name, ...asked)]),
);
