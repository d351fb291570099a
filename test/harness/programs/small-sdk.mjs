/**
 * A signer for an SDK that takes headers as a dictionary, only strings as parameters, and the
 * public key in its client.
 *
 * With WITHOUT=reply in the environment, it replies that other inputs are unsupported; otherwise it
 * changes them to inputs that the SDK can take.
 *
 * @module
 */
import { answerQuestion } from '../../../dist/reference/answers.js';
import { OPERATIONS, resultStages } from '../../../dist/reference/operations.js';
import { readFile } from '../../../dist/reference/read-file.js';
import { inDialect } from '../../../dist/reference/signing/index.js';

const SAYS_SO = process.env.WITHOUT === 'reply';

function unsupported(why) {
  if (SAYS_SO) throw Object.assign(new Error(why), { unsupported: why });
}

function fileInput(input) {
  const names = input.headers.map(([name]) => name.toLowerCase());
  if (new Set(names).size < names.length) unsupported('headers are a dictionary');
  const dictionary = new Map(
    input.headers.map(([name, value]) => [name.toLowerCase(), [name, value]]),
  );
  return { ...input, headers: [...dictionary.values()] };
}

function actionInput({ parameters }, { publicKey }) {
  const texts = parameters.map(([name, value]) => {
    if (typeof value !== 'string') unsupported('parameters are texts');
    return [name, typeof value === 'string' ? value : `[${JSON.stringify(value)}]`];
  });
  const own = texts.some(([name]) => name === 'PublicKey') ? [] : [['PublicKey', publicKey]];
  return { parameters: [...texts, ...own] };
}

function signed(operation, inputOf) {
  return (input, keys, { dialect }) => {
    const answer = answerQuestion(
      operation,
      inputOf(input, keys),
      keys,
      inDialect(dialect),
      readFile,
    );
    if ('reason' in answer) throw Object.assign(new Error('refused'), { reason: answer.reason });
    return Object.fromEntries(
      resultStages(operation).map((stage) => [stage, answer.stages[stage]]),
    );
  };
}

const ACTIONS = ['action-signature', 'action-json', 'action-query', 'bucket-request'];
const OFFERED = process.env.OFFERED?.split(',') ?? ['authorization', ...ACTIONS];

// biome-ignore lint/style/noDefaultExport: --module loads the default export
export default Object.fromEntries(
  Object.keys(OPERATIONS)
    .filter((name) => OFFERED.includes(name))
    .map((name) => [name, signed(name, ACTIONS.includes(name) ? actionInput : fileInput)]),
);
