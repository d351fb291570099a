/**
 * Sentences about causes that several formats share.
 *
 * @module
 */
import { describeCertaintyInSentence, type FoundCause } from '../engine/diagnosis/diagnose.ts';
import type { Neighbour } from '../engine/diagnosis/explanation.ts';
import { escapeInvisible } from '../engine/excerpt.ts';
import type { Report } from '../engine/report/report.ts';

/** More mistakes that also fit are counted. */
const SHOWN_OTHERS = 3;

/** More ids than this are counted. */
const SHOWN_IDS = 3;

export function countFailures(count: number): string {
  return `${count} ${count === 1 ? 'failure' : 'failures'}`;
}

/** The first of many ids. */
export function someIds(ids: readonly string[]): string {
  const shown = ids.slice(0, SHOWN_IDS).join(', ');
  return ids.length > SHOWN_IDS ? `${shown} and ${ids.length - SHOWN_IDS} more` : shown;
}

/** The mistakes that also fit. */
export function othersSentence({ others }: Pick<FoundCause, 'others'>): string {
  const shown = others.slice(0, SHOWN_OTHERS).map(({ wrong }) => wrong);
  const left = others.length - shown.length;
  return `also fits: ${[...shown, ...(left > 0 ? [`one of ${left} more`] : [])].join('; or ')}`;
}

/** Causes in one line by the ids of the vectors whose failures they explain. */
export function causeSentences({ causes }: Pick<Report, 'causes'>): ReadonlyMap<string, string> {
  const sentences = new Map<string, string>();
  for (const cause of causes) {
    const { mistake, explains } = cause;
    const sentence = `${mistake.id}${describeCertaintyInSentence(cause)}: ${mistake.wrong}; ${mistake.fix}`;
    for (const id of explains) {
      const before = sentences.get(id);
      sentences.set(id, before === undefined ? sentence : `${before}; ${sentence}`);
    }
  }
  return sentences;
}

/** The nearest passing request. @param besides how many requests that differ in one thing were asked about */
export function neighbourSentence(neighbour: Neighbour | undefined, besides: number): string {
  if (neighbour) return `nearest passing request: ${escapeInvisible(neighbour.what)}`;
  return besides === 0
    ? 'no request near it was asked about'
    : `no passing request near it: all ${besides} requests that differ in one thing fail too`;
}

/** What failures on fresh data mean; undefined if there are none. */
export function freshSentence({ fresh, freshFailures }: Report): string | undefined {
  if (freshFailures.length === 0) return undefined;
  const count = `${freshFailures.length} of ${fresh?.outcomes.length} questions on fresh data failed`;
  return `${count}, although the adapter passes the vectors that they are made from: it may replay recorded answers, or its answer depends on the data in a way that no vector shows`;
}
