/**
 * Sentences about causes that several formats share.
 *
 * @module
 */
import { describeCertaintyInSentence } from '../engine/diagnosis/certainty.ts';
import type { FoundCause } from '../engine/diagnosis/diagnose.ts';
import type { Neighbour } from '../engine/diagnosis/explanation.ts';
import { escapeInvisible } from '../engine/excerpt.ts';
import { causePageLine } from '../engine/report/cause-page.ts';
import type { Report } from '../engine/report/report.ts';
import { LEVELS, type Rule, type Suite } from '../engine/vector.ts';

/** Further mistakes that also fit are only counted. */
const SHOWN_OTHERS = 3;

/** Further ids are only counted. */
const SHOWN_IDS = 3;

/** The first of many ids. */
export function someIds(ids: readonly string[]): string {
  const shown = ids.slice(0, SHOWN_IDS).join(', ');
  return ids.length > SHOWN_IDS ? `${shown} and ${ids.length - SHOWN_IDS} more` : shown;
}

/** A rule with its level and its text. */
export function ruleSentence({ id, level, text }: Rule): string {
  return `rule ${id} (${level}): ${text}`;
}

/** What is wrong and how to fix it, the rule that it breaks, and where its page is. */
export function adviceSentences(
  { id, rule: name, wrong, fix }: FoundCause['mistake'],
  suite: Suite,
): readonly string[] {
  const rule = suite.rules.find((one) => one.id === name);
  const sentences = rule ? [ruleSentence(rule)] : [];
  return [`cause ${wrong}`, `fix ${fix}`, ...sentences, causePageLine(id, suite)];
}

/** Why a cause is not certain, although no answer contradicts it. */
export function doubtSentence({ others, explains }: FoundCause): string {
  if (others.length > 0) return othersSentence({ others });
  const shown =
    explains.length > 1
      ? 'only verdicts, or answers with other causes too, show it'
      : 'only one wrong answer shows it';
  return `${shown}, so the cause may be another one`;
}

/** The mistakes that also fit. */
export function othersSentence({ others }: Pick<FoundCause, 'others'>): string {
  const shown = others.slice(0, SHOWN_OTHERS).map(({ wrong }) => wrong);
  const left = others.length - shown.length;
  return `also fits: ${[...shown, ...(left > 0 ? [`one of ${left} more`] : [])].join('; or ')}`;
}

/** The causes of a failure in one line, and where the page of each is. */
export interface CauseSentence {
  readonly sentence: string;
  readonly pages: readonly string[];
}

/** The causes by the ids of the vectors whose failures they explain. */
export function causeSentences({
  causes,
  header,
}: Pick<Report, 'causes' | 'header'>): ReadonlyMap<string, CauseSentence> {
  const found = new Map<string, CauseSentence>();
  for (const cause of causes) {
    const { mistake, explains } = cause;
    const sentence = `${mistake.id}${describeCertaintyInSentence(cause)}: ${mistake.wrong}; ${mistake.fix}`;
    const page = causePageLine(mistake.id, header.suite);
    for (const id of explains) {
      const before = found.get(id);
      found.set(id, {
        sentence: before === undefined ? sentence : `${before.sentence}; ${sentence}`,
        pages: [...(before?.pages ?? []), page],
      });
    }
  }
  return found;
}

/** A sentence about the nearest passing request. @param besides the number of tried requests that differ in one point */
export function neighbourSentence(neighbour: Neighbour | undefined, besides: number): string {
  if (neighbour) return `nearest passing request: ${escapeInvisible(neighbour.what)}`;
  return besides === 0
    ? 'no similar request was tried'
    : `no similar request passes: all ${besides} requests that differ in one point fail too`;
}

/** The counts of each level, of forged requests and of fresh data, such as `3 fail`. Rows without counts are left out. */
export function listCounts(
  { counts, forgedCounts, freshCounts }: Report,
  fresh: string,
): readonly (readonly [name: string, counts: readonly string[]])[] {
  const rows: readonly (readonly [string, ReadonlyMap<string, number>])[] = [
    ...LEVELS.map((level) => [level, counts[level]] as const),
    ['forged', forgedCounts],
    [fresh, freshCounts],
  ];
  return rows
    .filter(([, of]) => of.size > 0)
    .map(([name, of]) => [name, [...of].map(([status, count]) => `${count} ${status}`)] as const);
}

/** A sentence about the failures on fresh data; undefined if no question on fresh data failed. */
export function freshSentence({ fresh, freshFailures }: Report): string | undefined {
  if (freshFailures.length === 0) return undefined;
  const count = `${freshFailures.length} of ${fresh?.outcomes.length} questions on fresh data failed`;
  return `${count}, although the adapter passes the original vectors: it may replay recorded answers, or its answer depends on data that the vectors do not vary`;
}
