/**
 * Every vector as a test of your own suite: `import { conformance } from 'svc-conformance/vitest'`.
 *
 * @module
 */
import { afterAll, describe, test } from 'vitest';
import { parseDialect } from '../../engine/dialects.ts';
import {
  judgeAll,
  type Outcome,
  toControlQuestion,
  toQuestion,
} from '../../engine/judge/outcome.ts';
import { enforceAdvised, isFailure, isTolerated } from '../../engine/judge/summary.ts';
import type { Dialect } from '../../engine/protocol.ts';
import type { Suite, Vector } from '../../engine/vector.ts';
import { translateVectors } from '../../make/rederive/dialect.ts';
import { callSigner, listOperations } from '../../respondents/module/answer.ts';
import type { Signer } from '../../respondents/module/signer.ts';
import { bundledSuite } from '../../suite/bundle.ts';
import { ContentFolder } from '../../suite/content-folder.ts';
import {
  type ConformanceOptions,
  chosenVectors,
  expectedFailures,
  listOf,
  refuseNothing,
} from './options.ts';
import { causesText, failureText } from './texts.ts';

export type { Signer } from '../../respondents/module/signer.ts';
export type { ConformanceOptions } from './options.ts';

/** Shared by all tests of one call. */
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
 * A failing vector names the mistake that its answer shows. Vectors of level open are skipped with the answer, because the
 * specification is silent. Operations without a function of the signer are skipped as unsupported. Failures of level advised
 * are skipped too, unless the option `level` names that level.
 */
export function conformance(signer: Signer, options: ConformanceOptions = {}): void {
  const suite = bundledSuite();
  const dialect = parseDialect(options.dialect ?? 'svc');
  const vectors = translateVectors(dialect, chosenVectors(suite, options));
  const operations = listOperations(signer);
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
    afterAll(async () => {
      contents.remove();
      // All failures together may show a cause that a single one does not.
      if (setting.failures.length > 1) console.error(await causesText(setting.failures, setting));
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
    const outcome = await askSigner(vector, setting);
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

async function askSigner(
  vector: Vector,
  { signer, dialect, contents, levels }: Setting,
): Promise<Outcome> {
  const ask = (question: ReturnType<typeof toQuestion>) =>
    callSigner(signer, { ...question, input: contents.withFile(question.input) }, dialect);
  const reply = await ask(toQuestion(vector));
  const controlReply = vector.control && (await ask(toControlQuestion(vector)));
  const outcomes = judgeAll([vector], () => ({ reply, controlReply }));
  const [outcome] = enforceAdvised({ outcomes, banner: 0 }, { levels }).outcomes;
  if (!outcome) throw new Error(`${vector.id} was not judged`);
  return outcome;
}

/** Without a stack: the place in this file does not matter. */
class Nonconformance extends Error {
  override readonly name = 'Nonconformance';

  constructor(message: string) {
    super(message);
    this.stack = `${this.name}: ${message}`;
  }
}
