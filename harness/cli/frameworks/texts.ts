/**
 * The messages of failing tests: the words of `run`, without colour.
 *
 * @module
 */
import { describeCertainty } from '../../engine/diagnosis/certainty.ts';
import type { FoundCause } from '../../engine/diagnosis/diagnose.ts';
import { type Explanation, explainAnswers } from '../../engine/diagnosis/explanation.ts';
import { dialectName } from '../../engine/dialects.ts';
import type { Outcome } from '../../engine/judge/outcome.ts';
import type { Dialect } from '../../engine/protocol.ts';
import { createReport, type Report } from '../../engine/report/report.ts';
import type { Suite } from '../../engine/vector.ts';
import { causesBlock } from '../../render/causes.ts';
import { failureLines } from '../../render/failures.ts';
import { othersSentence } from '../../render/sentences.ts';
import { plainTerminal, wrapped } from '../../render/terminal.ts';
import { BUNDLED } from '../../suite/bundle.ts';

interface Circumstances {
  readonly suite: Suite;
  readonly dialect: Dialect;
}

const OUT = plainTerminal();

/** A single failure contains too little evidence for a search for several mistakes. */
const SINGLE_MISTAKES = { mistakes: 1 };

/** One failure: the mistakes that fit it, then the difference. */
export async function failureText(outcome: Outcome, about: Circumstances): Promise<string> {
  const explanation = explainAnswers([outcome], about.dialect, BUNDLED, SINGLE_MISTAKES);
  const report = await reportOn([outcome], explanation, about);
  const [head = '', ...rest] = failureLines(outcome, report, OUT);
  return [head, ...explanation.causes.flatMap(causeLines), ...rest].join('\n');
}

function causeLines(cause: FoundCause): readonly string[] {
  const { mistake, others } = cause;
  const line = (text: string): string => wrapped(text, OUT.width, '  ');
  return [
    line(
      `cause ${mistake.wrong} (${mistake.id})${others.length > 0 ? '' : describeCertainty(cause)}`,
    ),
    line(`fix ${mistake.fix}`),
    ...(others.length > 0 ? [line(othersSentence(cause))] : []),
  ];
}

/** All failures together: the fewest mistakes that explain them. */
export async function causesText(
  outcomes: readonly Outcome[],
  about: Circumstances,
): Promise<string> {
  const explanation = explainAnswers(outcomes, about.dialect, BUNDLED);
  const report = await reportOn(outcomes, explanation, about);
  // No command to accept failures: test suites have the option `expectFailures`.
  const text = causesBlock(report, OUT, false, () => '').trimEnd();
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
    ownAdapter: false,
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
