/**
 * Answers from a table of published answers: `node replays.mjs WINDOW unsupported|refuses|errs`.
 *
 * It offers the signing operations. The second parameter is its reply to other questions.
 *
 * @module
 */
import { bundledSuite } from '../../../dist/harness/suite/bundle.js';
import { resultStages } from '../../../dist/reference/operations.js';
import { HELLO, questions, say, what } from './right.mjs';

const OTHERWISE = {
  unsupported: { unsupported: true },
  refuses: { refused: { reason: 'unknown', message: '' } },
  errs: { error: 'not in the table' },
};

const heart = ({ operation, input, keys }) =>
  JSON.stringify([operation, { ...input, content: undefined }, keys]);

const table = new Map();
for (const { operation, input, keys, expect, refuse, accept, control } of bundledSuite().vectors) {
  const stages = expect ?? Object.values(accept ?? {}).find((one) => one.expect)?.expect;
  table.set(heart({ operation, input, keys }), { stages, refuse });
  if (!control) continue;
  const right = { operation, input: { ...input, ...control.input }, keys: control.keys ?? keys };
  table.set(heart(right), { stages: control.expect });
}

const operations = HELLO.operations.filter(
  (name) => !name.startsWith('verify-') && !name.endsWith('etag'),
);

for await (const { n, ...question } of questions({ ...HELLO, operations })) {
  const { stages, refuse } = table.get(heart(question)) ?? {};
  if (stages) {
    const result = resultStages(question.operation).map((stage) => [stage, stages[stage]]);
    say({ n, result: Object.fromEntries(result) });
  } else if (refuse) {
    say({ n, refused: { reason: refuse.reason, message: '' } });
  } else {
    say({ n, ...OTHERWISE[what] });
  }
}
