/**
 * Runs in the browser: the reference answers the questions that `export` wrote.
 *
 * @module
 */
import { answerQuestion } from '../../reference/answers.ts';
import { resultStages } from '../../reference/operations.ts';
import {
  type Context,
  type Dialect,
  inDialect,
  type KeyPair,
} from '../../reference/signing/index.ts';

interface Question {
  readonly id: string;
  readonly control?: true;
  readonly operation: string;
  readonly keys: KeyPair;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Answers the exported questions in the format that `check` reads. */
export function answers(exported: string): string {
  const [header = '', ...questions] = exported.trimEnd().split('\n');
  const { dialect } = JSON.parse(header) as { readonly dialect: Dialect };
  const context = inDialect(dialect);
  const answered = questions.map((line) => JSON.stringify(answer(JSON.parse(line), context)));
  return `${[header, ...answered].join('\n')}\n`;
}

function answer({ id, control, operation, keys, input }: Question, context: Context): object {
  const asked = { id, ...(control && { control }) };
  const found = answerQuestion(operation, input, keys, context);
  if ('reason' in found) return { ...asked, refused: found };
  const result = resultStages(operation).map((name) => [name, found.stages[name]] as const);
  return { ...asked, result: Object.fromEntries(result) };
}
