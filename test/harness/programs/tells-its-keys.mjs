import { outcome } from '../../../dist/reference/operations.js';
import { inDialect, SVC } from '../../../dist/reference/signing/index.js';
import { questions, record, say } from './right.mjs';

/** Wrong in both signatures, so that every stage differs somewhere. */
const steps = {
  joinValues: (values) => values.join('; '),
  numberText: (digits) => `${digits}0`,
  canonicalResource: (bucket, key) => `/${key}/${bucket}`,
};
const right = inDialect(SVC);
const context = { ...right, steps: { ...right.steps, ...steps } };

/** Leaves every private key for the test to read, and shows the text that it signs. */
for await (const { n, operation, input, keys } of questions()) {
  record(`key ${JSON.stringify(keys.privateKey)}`);
  const answer = outcome(operation, input, keys, context);
  if ('reason' in answer) {
    say({ n, refused: answer });
  } else {
    const result = answer.results.map((stage) => [stage, answer.stages[stage]]);
    const { stringToSign } = answer.stages;
    say({
      n,
      result: Object.fromEntries(result),
      ...(stringToSign && { trace: { stringToSign } }),
    });
  }
}
