import { answerQuestion } from '../../../dist/reference/answers.js';
import { resultStages } from '../../../dist/reference/operations.js';
import { readFile } from '../../../dist/reference/read-file.js';
import { inDialect, SVC } from '../../../dist/reference/signing/index.js';
import { questions, record, say } from './right.mjs';

/** Mistakes in both kinds of signatures, so that every stage differs in some vector. */
const steps = {
  joinValues: (values) => values.join('; '),
  numberText: (digits) => `${digits}0`,
  canonicalResource: (bucket, key) => `/${key}/${bucket}`,
};
const right = inDialect(SVC);
const context = { ...right, steps: { ...right.steps, ...steps } };

/** Records every private key for the test, and sends the string to sign as a trace. */
for await (const { n, operation, input, keys } of questions()) {
  record(`key ${JSON.stringify(keys.privateKey)}`);
  const answer = answerQuestion(operation, input, keys, context, readFile);
  if ('reason' in answer) {
    say({ n, refused: answer });
  } else {
    const result = resultStages(operation).map((stage) => [stage, answer.stages[stage]]);
    const { stringToSign } = answer.stages;
    say({
      n,
      result: Object.fromEntries(result),
      ...(stringToSign && { trace: { stringToSign } }),
    });
  }
}
