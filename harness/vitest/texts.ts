/**
 * What failing tests say: the words of `run`, without colour.
 *
 * @module
 */

import type { Dialect } from '../adapter/messages.ts';
import { certainty, type FoundCause } from '../diagnosis/diagnose.ts';
import { explanationOfAnswers } from '../diagnosis/explanation.ts';
import { othersSentence } from '../report/cause-sentences.ts';
import { causesBlock } from '../report/causes.ts';
import { failureBlocks } from '../report/failures.ts';
import { saidOf } from '../report/insight.ts';
import { plainTerminal, wrapped } from '../report/terminal.ts';
import type { Outcome } from '../run.ts';
import type { ContentFolder } from '../suite/content.ts';
import type { Suite } from '../suite/vector.ts';

interface Circumstances {
  readonly suite: Suite;
  readonly dialect: Dialect;
  readonly contents: ContentFolder;
}

const OUT = plainTerminal();

/** A test is accepted by its own suite's means. */
const nothing = (): string => '';

/** One vector tells too little to look for several mistakes in it, and many fail at once. */
const SINGLE_MISTAKES = { mistakes: 1 };

/** One failure: the mistakes that fit it, then what differs. */
export function failureText(outcome: Outcome, { suite, dialect, contents }: Circumstances): string {
  const { causes } = explanationOfAnswers([outcome], dialect, contents, SINGLE_MISTAKES);
  const said = saidOf({ causes, unexplained: [] }, [outcome], dialect);
  const block = failureBlocks({ outcomes: [outcome], banner: 0 }, suite, said, OUT, true, nothing);
  const [head = '', ...rest] = block.trimEnd().split('\n');
  return [head, ...causes.flatMap(causeLines), ...rest].join('\n');
}

function causeLines(cause: FoundCause): readonly string[] {
  const { mistake, others } = cause;
  const line = (text: string): string => wrapped(text, OUT.width, '  ');
  return [
    line(`cause ${mistake.wrong} (${mistake.id})${others.length > 0 ? '' : certainty(cause)}`),
    line(`fix ${mistake.fix}`),
    ...(others.length > 0 ? [line(othersSentence(cause))] : []),
  ];
}

/** All failures together: the fewest mistakes that explain them. */
export function causesText(
  outcomes: readonly Outcome[],
  { suite, dialect, contents }: Circumstances,
): string {
  const explanation = explanationOfAnswers(outcomes, dialect, contents);
  const text = causesBlock(
    explanation,
    { outcomes, banner: 0 },
    suite,
    saidOf(explanation, outcomes, dialect),
    OUT,
    nothing,
  ).trimEnd();
  return text === '' ? `${outcomes.length} vectors got no answer` : text;
}
