/**
 * Every vector as a test of a test framework. A failing test has the words of `run`, without colour.
 *
 * @module
 */
import { describeCertainty } from '../../engine/diagnosis/certainty.ts';
import type { FoundCause } from '../../engine/diagnosis/diagnose.ts';
import { type Explanation, explainAnswers } from '../../engine/diagnosis/explanation.ts';
import { dialectName, parseDialect } from '../../engine/dialects.ts';
import {
  judgeVector,
  type Outcome,
  toControlQuestion,
  toQuestion,
} from '../../engine/judge/outcome.ts';
import { enforceAdvised, isFailure, isTolerated } from '../../engine/judge/summary.ts';
import type { Dialect } from '../../engine/protocol.ts';
import { createReport, type Report } from '../../engine/report/report.ts';
import type { Suite, Vector } from '../../engine/vector.ts';
import { translateVectors } from '../../make/rederive/rewording.ts';
import { causesBlock } from '../../render/causes.ts';
import { failureLines } from '../../render/failures.ts';
import { othersSentence } from '../../render/sentences.ts';
import { labelled, plainTerminal, toLines } from '../../render/terminal.ts';
import { callSigner, listOperations } from '../../respondents/module/answer.ts';
import type { Signer } from '../../respondents/module/signer.ts';
import { BUNDLED, bundledSuite } from '../../suite/bundle.ts';
import { ContentFolder } from '../../suite/content-folder.ts';
import {
  type ConformanceOptions,
  chosenVectors,
  expectedFailures,
  listOf,
  refuseEmptySelection,
} from './options.ts';

export interface Framework {
  readonly describe: (name: string, register: () => void) => unknown;
  /** Registers a test, which fails if the check throws and is skipped if the check yields a reason. */
  readonly test: (name: string, check: () => Promise<string | undefined>) => unknown;
  readonly skip: (name: string) => unknown;
  readonly afterAll: (action: () => Promise<void>) => unknown;
  /** A test that runs cannot be skipped any more, so vectors of level open are skipped before and their answers not shown. */
  readonly skipsEarly?: true;
}

/** Shared by all tests of one call. */
interface Setting {
  readonly framework: Framework;
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
export function registerVectors(
  framework: Framework,
  signer: Signer,
  options: ConformanceOptions,
): void {
  const suite = bundledSuite();
  const dialect = parseDialect(options.dialect ?? 'svc');
  const vectors = translateVectors(dialect, chosenVectors(suite, options));
  const operations = listOperations(signer);
  refuseEmptySelection(operations, vectors);
  const setting: Setting = {
    framework,
    signer,
    suite,
    dialect,
    contents: new ContentFolder(),
    expected: expectedFailures(suite, options),
    levels: listOf(options.level),
    failures: [],
  };
  framework.describe(`svc-conformance ${suite.version}`, () => {
    for (const operation of new Set(vectors.map((vector) => vector.operation))) {
      const own = vectors.filter((vector) => vector.operation === operation);
      framework.describe(operation, () => {
        for (const vector of own) register(vector, operations.includes(operation), setting);
      });
    }
    framework.afterAll(() => endTests(setting));
  });
}

async function endTests(setting: Setting): Promise<void> {
  setting.contents.remove();
  // All failures together may show a cause that a single one does not.
  if (setting.failures.length > 1) console.error(await causesText(setting.failures, setting));
}

function register(vector: Vector, isOffered: boolean, setting: Setting): void {
  const { id, level } = vector;
  const { framework } = setting;
  if (!isOffered) framework.skip(`${id} (unsupported)`);
  else if (level === 'open' && framework.skipsEarly) framework.skip(`${id} (open)`);
  else framework.test(id, () => checkVector(vector, setting));
}

/** Yields why the vector is no pass although nothing is wrong. @throws Nonconformance */
async function checkVector(vector: Vector, setting: Setting): Promise<string | undefined> {
  const { id, level } = vector;
  const outcome = await askSigner(vector, setting);
  const { status, met, message } = outcome.verdict;
  if (status === 'unsupported') return ['unsupported', message].filter(Boolean).join(': ');
  if (level === 'open') return `open: ${met ?? (message || status)}`;
  if (isTolerated(outcome)) return `advised: ${message || status}`;
  if (setting.expected.has(id)) {
    if (isFailure(outcome)) return undefined;
    throw new Nonconformance(`${id} is among expectFailures and passes; take it off that list`);
  }
  if (status === 'not-asked') throw new Nonconformance(`${id} was not asked: ${message}`);
  if (!isFailure(outcome)) return undefined;
  setting.failures.push(outcome);
  throw new Nonconformance(await failureText(outcome, setting));
}

async function askSigner(
  vector: Vector,
  { signer, dialect, contents, levels }: Setting,
): Promise<Outcome> {
  const ask = (question: ReturnType<typeof toQuestion>) =>
    callSigner(signer, { ...question, input: contents.withFile(question.input) }, dialect);
  const reply = await ask(toQuestion(vector));
  const controlReply = vector.control && (await ask(toControlQuestion(vector)));
  const outcomes = [judgeVector(vector, { reply }, controlReply && { reply: controlReply })];
  const [outcome] = enforceAdvised({ outcomes, banner: 0 }, { levels }).outcomes;
  if (!outcome) throw new Error(`${vector.id} was not judged`);
  return outcome;
}

/** An error without a stack, because its place in this file does not matter. */
class Nonconformance extends Error {
  override readonly name = 'Nonconformance';

  constructor(message: string) {
    super(message);
    this.stack = `${this.name}: ${message}`;
  }
}

type Circumstances = Pick<Setting, 'suite' | 'dialect'>;

const OUT = plainTerminal();

/** A single failure contains too little evidence for a search for several mistakes. */
const SINGLE_MISTAKES = { mistakes: 1 };

/** One failure: the mistakes that fit it, then the difference. */
async function failureText(outcome: Outcome, about: Circumstances): Promise<string> {
  const explanation = explainAnswers([outcome], about.dialect, BUNDLED, SINGLE_MISTAKES);
  const report = await reportOn([outcome], explanation, about);
  const [head = '', ...rest] = failureLines(outcome, report, OUT);
  return [head, ...explanation.causes.flatMap(causeLines), ...rest].join('\n');
}

function causeLines(cause: FoundCause): readonly string[] {
  const { mistake, others } = cause;
  const certainty = others.length > 0 ? '' : describeCertainty(cause);
  return toLines(
    OUT.wrap(labelled('cause', `${mistake.wrong} (${mistake.id})${certainty}`)),
    OUT.wrap(labelled('fix', mistake.fix)),
    others.length > 0 && OUT.wrap(othersSentence(cause)),
  );
}

/** All failures together: the fewest mistakes that explain them. */
async function causesText(outcomes: readonly Outcome[], about: Circumstances): Promise<string> {
  const explanation = explainAnswers(outcomes, about.dialect, BUNDLED);
  const report = await reportOn(outcomes, explanation, about);
  const text = causesBlock(report, OUT, false).trimEnd();
  return text === '' ? `${outcomes.length} vectors got no answer` : text;
}

function reportOn(
  outcomes: readonly Outcome[],
  explanation: Explanation,
  { suite, dialect }: Circumstances,
): Promise<Report> {
  const subject = {
    name: 'signer',
    command: [],
    dialect: dialectName(dialect),
    wire: 'json',
    isBundled: false,
  };
  const header = {
    suite,
    vectors: outcomes.map(({ vector }) => vector),
    selection: { patterns: [], rules: [], levels: [], operations: [], smoke: false },
    subjects: [subject],
    parameters: { values: {}, positionals: [] },
  };
  return createReport(header, subject, { outcomes, banner: 0 }, explanation, true);
}
