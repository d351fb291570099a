/**
 * Every vector as a test of somebody's own suite: `import { conformance } from 'svc-conformance/vitest'`.
 *
 * @module
 */
import { afterAll, describe, test } from 'vitest';
import type { Dialect } from '../adapter/messages.ts';
import { dialectNamed } from '../dialects.ts';
import { inWordsOf } from '../rederive/dialect.ts';
import { controlOf, type Outcome, outcomesOf, questionOf } from '../run.ts';
import { answerOf, operationsOf } from '../signer/answer.ts';
import type { Signer } from '../signer/signer.ts';
import { bundledSuite } from '../suite/bundle.ts';
import { ContentFolder } from '../suite/content.ts';
import type { Suite, Vector } from '../suite/vector.ts';
import { enforced, isFailure, isTolerated } from '../verdict.ts';
import {
  type ConformanceOptions,
  chosenVectors,
  expectedFailures,
  listOf,
  refuseNothing,
} from './options.ts';
import { causesText, failureText } from './texts.ts';

export type { Signer } from '../signer/signer.ts';
export type { ConformanceOptions } from './options.ts';

/** What is the same for all tests of one call. */
interface Setting {
  readonly signer: Signer;
  readonly suite: Suite;
  readonly dialect: Dialect;
  readonly contents: ContentFolder;
  readonly expected: ReadonlySet<string>;
  /** The levels that the options name. */
  readonly levels: readonly string[];
  readonly failures: Outcome[];
}

/**
 * Registers a test for each vector, in a `describe` for each operation.
 *
 * A vector fails with the mistake that its answer shows; one of level open is skipped with the answer that was met,
 * because the specification is silent; what the signer has no function for is skipped as unsupported. One of level advised
 * that is answered otherwise is skipped too, and fails where the option `level` names its level.
 */
export function conformance(signer: Signer, options: ConformanceOptions = {}): void {
  const suite = bundledSuite();
  const dialect = dialectNamed(options.dialect ?? 'svc');
  const vectors = inWordsOf(dialect, chosenVectors(suite, options));
  const operations = operationsOf(signer);
  refuseNothing(operations, vectors);
  const contents = new ContentFolder();
  const expected = expectedFailures(suite, options);
  const levels = listOf(options.level);
  const setting: Setting = { signer, suite, dialect, contents, expected, levels, failures: [] };
  describe(`svc-conformance ${suite.version}`, () => {
    for (const operation of new Set(vectors.map((vector) => vector.operation))) {
      const own = vectors.filter((vector) => vector.operation === operation);
      describe(operation, () => {
        for (const vector of own) register(vector, operations.includes(operation), setting);
      });
    }
    afterAll(() => {
      contents.remove();
      // What one vector leaves open, all of them together may tell.
      if (setting.failures.length > 1) console.error(causesText(setting.failures, setting));
    });
  });
}

function register(vector: Vector, isOffered: boolean, setting: Setting): void {
  const { id, level } = vector;
  if (!isOffered) {
    test.skip(`${id} (unsupported)`);
    return;
  }
  test(id, async ({ skip }) => {
    const outcome = await asked(vector, setting);
    const { status, met, message } = outcome.verdict;
    if (status === 'unsupported') skip(['unsupported', message].filter(Boolean).join(': '));
    if (level === 'open') skip(`open: ${met ?? (message || status)}`);
    if (isTolerated(outcome)) skip(`advised: ${message || status}`);
    if (setting.expected.has(id)) {
      if (isFailure(outcome)) return;
      throw new Nonconformance(`${id} is among expectFailures and passes; take it off that list`);
    }
    if (status === 'not-asked') throw new Nonconformance(`${id} was not asked: ${message}`);
    if (!isFailure(outcome)) return;
    setting.failures.push(outcome);
    throw new Nonconformance(await failureText(outcome, setting));
  });
}

async function asked(
  vector: Vector,
  { signer, dialect, contents, levels }: Setting,
): Promise<Outcome> {
  const ask = (question: ReturnType<typeof questionOf>) =>
    answerOf(signer, { ...question, input: contents.expanded(question.input) }, dialect);
  const reply = await ask(questionOf(vector));
  const controlReply = vector.control && (await ask(controlOf(vector)));
  const outcomes = outcomesOf([vector], () => ({ reply, controlReply }));
  const [outcome] = enforced({ outcomes, banner: 0 }, { levels }).outcomes;
  if (!outcome) throw new Error(`${vector.id} was not judged`);
  return outcome;
}

/** Where in this file it was thrown is of no interest: the text says it all. */
class Nonconformance extends Error {
  override readonly name = 'Nonconformance';

  constructor(message: string) {
    super(message);
    this.stack = `${this.name}: ${message}`;
  }
}
