import { answerQuestion } from '../../../dist/reference/answers.js';
import { resultStages } from '../../../dist/reference/operations.js';
import { readFile } from '../../../dist/reference/read-file.js';
import { questions, say, what } from './right.mjs';
import { swapSteps } from './swapped-steps.mjs';

const context = swapSteps(what);

for await (const { n, operation, input, keys } of questions()) {
  const answer = answerQuestion(operation, input, keys, context, readFile);
  if ('reason' in answer) {
    say({ n, refused: answer });
  } else {
    const result = resultStages(operation).map((stage) => [stage, answer.stages[stage]]);
    say({
      n,
      result: Object.fromEntries(result),
      trace: { stringToSign: answer.stages.stringToSign },
    });
  }
}
