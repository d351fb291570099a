/**
 * Sentences about causes that several formats share.
 *
 * @module
 */
import { describeCertaintyInSentence } from '../engine/diagnosis/certainty.ts';
import type { FoundCause } from '../engine/diagnosis/diagnose.ts';
import type { Neighbour } from '../engine/diagnosis/explanation.ts';
import { escapeInvisible } from '../engine/excerpt.ts';
import type { Report } from '../engine/report/report.ts';
import type { Rule, Suite } from '../engine/vector.ts';
import { causePlaceText } from './cause-place.ts';
import { labelled } from './terminal.ts';

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
  return labelled('rule', `${id} (${level}): ${text}`);
}

/** What is wrong and how to fix it, the rule that it breaks, and where its page is. */
export function adviceSentences(
  { id, rule: name, wrong, fix }: FoundCause['mistake'],
  suite: Suite,
): readonly string[] {
  const rule = suite.rules.find((one) => one.id === name);
  const sentences = rule ? [ruleSentence(rule)] : [];
  return [
    labelled('cause', wrong),
    labelled('fix', fix),
    ...sentences,
    labelled('page', causePlaceText(id, suite)),
  ];
}

/** Why a cause is not certain, although no answer contradicts it. */
export function doubtSentence({ others, explains }: FoundCause): string {
  if (others.length > 0) return othersSentence({ others });
  return explains.length > 1
    ? 'no wrong text has this cause alone, so the cause may be another one'
    : 'only one wrong answer shows it, so the cause may be another one';
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
    const page = causePlaceText(mistake.id, header.suite);
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

/** A sentence about the failures on fresh data; undefined if no question on fresh data failed. */
export function freshSentence({ fresh, freshFailures }: Report): string | undefined {
  if (freshFailures.length === 0) return undefined;
  const count = `${freshFailures.length} of ${fresh?.outcomes.length} questions on fresh data failed`;
  return `${count}, although the adapter passes the original vectors: it may replay recorded answers, or its answer depends on data that the vectors do not vary`;
}
