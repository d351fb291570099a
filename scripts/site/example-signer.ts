/**
 * A signer with one mistake, whose run the first page of the site shows.
 *
 * @module
 */
import { answerQuestion } from '../../reference/answers.ts';
import { MISTAKES, mistaken } from '../../reference/mistakes/index.ts';
import type { FileRequest, KeyPair } from '../../reference/signing/index.ts';
import { SPECIFICATION } from '../../reference/signing/index.ts';

const ID = 'headers-as-in-the-worked-example';

/** Signs as an implementation that follows the worked example of the specification and not its rule. */
export function authorization(input: FileRequest, keys: KeyPair): object {
  const mistakes = MISTAKES.filter(({ id }) => id === ID);
  const answer = answerQuestion(
    'authorization',
    { ...input },
    keys,
    mistaken(SPECIFICATION, mistakes),
  );
  if ('stages' in answer) return answer.stages;
  throw Object.assign(new Error(answer.message), { reason: answer.reason });
}
