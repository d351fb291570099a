/**
 * An adapter that makes a mistake which is not a known one: `node makes-unknown-mistakes.mjs NAME`.
 *
 * With MOST_ANSWERS in the environment, it stops replying after that many answers.
 *
 * @module
 */
import { createHmac } from 'node:crypto';
import { createInterface } from 'node:readline';
import { answerQuestion } from '../../../dist/reference/answers.js';
import { OPERATIONS, resultStages } from '../../../dist/reference/operations.js';
import { readFile } from '../../../dist/reference/read-file.js';
import { inDialect, SPECIFICATION } from '../../../dist/reference/signing/index.js';

const { joinValues, urlEncode } = SPECIFICATION.steps;

/** The characters at even positions, followed by those at odd positions. */
const interleaved = (text) =>
  [...text].filter((_, i) => i % 2 === 0).join('') +
  [...text].filter((_, i) => i % 2 === 1).join('');

/** An HMAC with a secret that no question contains. */
const ofSecret = (algorithm) => (text) => createHmac(algorithm, 'secret').update(text).digest();

const SWAPS = {
  'digests-of-a-secret': {
    hmacSha1: (_, text) => ofSecret('sha256')(text),
    sha1: ofSecret('sha256'),
    fileSignatureText: (digest) => Buffer.from(digest).toString('hex'),
    actionSignatureText: (digest) => Buffer.from(digest).toString('hex'),
  },
  'digests-in-two-forms': {
    fileSignatureText: (digest) => {
      const form = ['hex', 'base64url', 'base64', 'base64'][digest[0] % 4];
      return Buffer.from(digest).toString(form);
    },
  },
  'header-values-interleaved': { joinValues: (values) => interleaved(joinValues(values)) },
  'letter-q-doubled': { urlEncode: (text) => urlEncode(text).replaceAll('q', 'qq') },
};

const swap = SWAPS[process.argv[2]];
if (!swap) throw new Error(`${process.argv[2]} is not one of ${Object.keys(SWAPS)}`);

const most = Number(process.env.MOST_ANSWERS ?? Number.POSITIVE_INFINITY);
let answers = 0;
let context;

function reply({ n, operation, input, keys }) {
  const answer = answerQuestion(operation, input, keys, context, readFile);
  if ('reason' in answer) return { n, refused: answer };
  const result = resultStages(operation).map((stage) => [stage, answer.stages[stage]]);
  return { n, result: Object.fromEntries(result) };
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (context) {
    if (++answers > most) return;
    process.stdout.write(`${JSON.stringify(reply(message))}\n`);
    return;
  }
  const right = inDialect(message.dialect);
  context = { ...right, steps: { ...right.steps, ...swap } };
  const implementation = { name: 'mistaken', version: '1', language: 'javascript' };
  const hello = { protocol: 1, implementation, operations: Object.keys(OPERATIONS), window: 64 };
  process.stdout.write(`${JSON.stringify(hello)}\n`);
});
