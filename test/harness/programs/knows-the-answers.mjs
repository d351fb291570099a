import { bundledSuite } from '../../../dist/harness/suite/bundle.js';
import { resultStages } from '../../../dist/reference/operations.js';
import { questions, say } from './right.mjs';

/** The key of a question in the table. Questions about files, whose names change, are not found. */
const heart = (operation, input, keys) => JSON.stringify([operation, input, keys]);

const known = new Map(
  bundledSuite().vectors.flatMap(({ operation, input, keys, expect, refuse, accept, control }) => [
    [
      heart(operation, input, keys),
      {
        operation,
        stages: expect ?? Object.values(accept ?? {}).find((one) => one.expect)?.expect,
        refuse,
      },
    ],
    ...(control
      ? [
          [
            heart(operation, { ...input, ...control.input }, control.keys ?? keys),
            { operation, stages: control.expect },
          ],
        ]
      : []),
  ]),
);

for await (const { n, operation, input, keys } of questions()) {
  const { stages, refuse } = known.get(heart(operation, input, keys)) ?? {};
  if (stages) {
    const result = resultStages(operation).map((stage) => [stage, stages[stage]]);
    say({ n, result: Object.fromEntries(result) });
  } else {
    say({ n, refused: { reason: refuse?.reason ?? 'unknown', message: 'not known by heart' } });
  }
}
