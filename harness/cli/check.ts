/**
 * `check`: judges recorded answers, one JSON object per line, as `run` judges those of an adapter.
 *
 * @module
 */
import type { Explanation } from '../engine/diagnosis/explanation.ts';
import { dialectName, parseDialect } from '../engine/dialects.ts';
import { UsageError } from '../engine/errors.ts';
import { checkJudge, type Run } from '../engine/judge/outcome.ts';
import { runVectors } from '../engine/judge/run.ts';
import { enforceAdvised } from '../engine/judge/summary.ts';
import { type Selection, selectVectors } from '../engine/select.ts';
import type { Suite, Vector } from '../engine/vector.ts';
import { type Answers, parseAnswers, RecordedAnswers } from '../respondents/answers.ts';
import { BUNDLED } from '../suite/bundle.ts';
import type { AnswersHeader } from '../suite/schema/shapes.ts';
import { LARGEST } from '../suite/user-files.ts';
import { DIALECT } from './adapter-options.ts';
import type { Call } from './call.ts';
import { withExplanation, withSharedInput } from './explain-failures.ts';
import { openReports, REPORT_OPTIONS, reportRun } from './reports.ts';
import { ID, QUESTION_OPTIONS, selectionOf, suiteOf, translateTo } from './selection.ts';
import { type Parsed, textOption, VERDICT_EXIT_CODES, type Verb } from './verb.ts';

export const checkVerb: Verb = {
  usage: ['check [options] [FILE [ID…]]'],
  example: 'check answers.jsonl',
  exitCodes: {
    ...VERDICT_EXIT_CODES,
    2: 'usage: an unknown option, a file without answers, a pattern that matches nothing',
    3: 'a file of vectors, or a line of FILE, is invalid',
    5: 'some questions were not answered',
  },
  summary:
    'Judges recorded answers, one JSON object per line, as `run` judges those of an adapter. Without FILE, it reads standard input.',
  operands: {
    FILE: { help: 'the answers; - is standard input' },
    ID: { ...ID, help: `${ID.help}; only if FILE has no header line` },
  },
  options: {
    ...QUESTION_OPTIONS,
    dialect: {
      ...DIALECT,
      help: `${DIALECT.help} (default: the dialect in the header of FILE, or svc)`,
    },
    ...REPORT_OPTIONS,
  },
  notes: [
    'The header line of FILE names the exported vectors; with a header, the options that select vectors are not allowed.',
  ],
  run: checkAnswers,
};

async function checkAnswers(given: Parsed, call: Call): Promise<number> {
  const [path = '-', ...patterns] = given.positionals;
  const name = path === '-' ? 'standard input' : path;
  const suite = await suiteOf(given);
  const advice = 'name a file with one answer per line';
  const bytes = await call.readInput(path, LARGEST.answers, 'answers', advice);
  const answers = parseAnswers(bytes, name);
  if (answers.answers.length === 0) {
    throw new UsageError(`${name} contains no answers; write one JSON object per line`);
  }
  const selection = selectionFor(answers, { ...given, positionals: patterns }, suite, name);
  const dialect = dialectFor(answers, given, name);
  const vectors = await translateTo(dialect, selectVectors(suite, selection));
  const folder = textOption(given, 'vectors');
  const run = await withSharedInput(await judgeAnswers(answers, vectors, suite, selection));
  call.showProgress('explaining the failures');
  const explained = await withExplanation(run, () => explain(run, dialect));
  const reports = await openReports(given, call);
  const subject = { name, command: [], wire: 'json', dialect, isBundled: false };
  await reports.begin({
    suite,
    vectors,
    selection,
    ...(folder !== undefined && { folder }),
    subjects: [subject],
    parameters: given,
  });
  return reportRun(reports, subject, explained);
}

async function judgeAnswers(
  answers: Answers,
  vectors: readonly Vector[],
  suite: Suite,
  selection: Selection,
): Promise<Run> {
  const respondent = new RecordedAnswers(answers, vectors, suite);
  // Recorded answers are judged even if all are wrong, so no known-good questions are asked first.
  const { hello, ...run } = await runVectors(respondent, { vectors, knownGood: [] });
  for (const { vector, reply } of run.outcomes) {
    if (suite.knownGood.includes(vector.id)) checkJudge(vector, reply);
  }
  const isNamed = answers.header?.implementation !== undefined;
  return enforceAdvised({ ...run, ...(isNamed && hello && { hello }) }, selection);
}

/** The exported vectors, if the answers have a header; otherwise those that the command line selects. */
function selectionFor({ header }: Answers, given: Parsed, suite: Suite, name: string): Selection {
  const own = selectionOf(given);
  if (!header) return own;
  checkSuiteVersion(header, suite, name);
  const { patterns, exclude = [], rules, levels, operations, smoke, large } = own;
  const filters = [patterns, exclude, rules, levels, operations].flat();
  if (smoke || large || filters.length > 0) {
    throw new UsageError(
      `${name} names the exported vectors in its first line; leave out the options that select vectors, or delete that line`,
    );
  }
  return header.selection;
}

/** Another version may judge the same questions differently. */
function checkSuiteVersion({ suite: version }: AnswersHeader, suite: Suite, name: string): void {
  if (version === suite.version) return;
  throw new UsageError(
    `${name} has answers to version ${JSON.stringify(version)} of the vectors, but this is version ${suite.version}; export the questions again`,
  );
}

function dialectFor({ header }: Answers, given: Parsed, name: string): string {
  const wanted = textOption(given, 'dialect');
  const own = wanted === undefined ? undefined : dialectName(parseDialect(wanted));
  const exported = header && dialectName(header.dialect);
  if (own !== undefined && exported !== undefined && own !== exported) {
    throw new UsageError(
      `${name} answers questions in the dialect ${exported}, not ${own}; leave out --dialect`,
    );
  }
  return own ?? exported ?? 'svc';
}

/** Explains the recorded answers without further questions. */
async function explain({ outcomes }: Run, dialect: string): Promise<Explanation> {
  const { explainAnswers } = await import('../engine/diagnosis/explanation.ts');
  return explainAnswers(outcomes, parseDialect(dialect), BUNDLED);
}
