/**
 * Answers exported questions without the harness:
 * `node answers-questions.mjs [MISTAKE…] <questions >answers`.
 *
 * @module
 */
import { readFileSync } from 'node:fs';
import { answerQuestion } from '../../../dist/reference/answers.js';
import { MISTAKES, mistaken } from '../../../dist/reference/mistakes/index.js';
import { resultStages } from '../../../dist/reference/operations.js';
import { readFile } from '../../../dist/reference/read-file.js';
import { inDialect } from '../../../dist/reference/signing/index.js';

const ids = process.argv.slice(2);
const planted = MISTAKES.filter(({ id }) => ids.includes(id));

const [header, ...questions] = readFileSync(0, 'utf8').trimEnd().split('\n');
const context = mistaken(inDialect(JSON.parse(header).dialect), planted);

function answer(line) {
  const { id, control, operation, keys, input } = JSON.parse(line);
  const answer = answerQuestion(operation, input, keys, context, readFile);
  if ('reason' in answer) return { id, control, refused: answer };
  const result = resultStages(operation).map((stage) => [stage, answer.stages[stage]]);
  return { id, control, result: Object.fromEntries(result) };
}

console.log(header);
for (const question of questions) console.log(JSON.stringify(answer(question)));
