/**
 * Sentences about causes that several formats share.
 *
 * @module
 */
import { describeCertaintyInSentence } from '../engine/diagnosis/certainty.ts';
import type { FoundCause } from '../engine/diagnosis/diagnose.ts';
import type { Neighbour } from '../engine/diagnosis/explanation.ts';
import { escapeInvisible, formatCount, formatList } from '../engine/excerpt.ts';
import { groupByKey } from '../engine/group-by-key.ts';
import { formatForgedName, isAccepted } from '../engine/judge/forgery.ts';
import { countForged, isForgedFailure } from '../engine/judge/summary.ts';
import type { SharedMistake } from '../engine/judge/verifiers.ts';
import type { Report } from '../engine/report/report.ts';
import type { Rule, Suite } from '../engine/vector.ts';
import { causePlaceText } from './cause-place.ts';
import { labelled, toLines } from './terminal.ts';

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
  return toLines(
    labelled('cause', wrong),
    labelled('fix', fix),
    rule && ruleSentence(rule),
    labelled('page', causePlaceText(id, suite)),
  );
}

/** Why a cause is not certain, although no answer contradicts it. */
export function doubtSentence(cause: FoundCause): string {
  if (cause.others.length > 0) return othersSentence(cause);
  return cause.explains.length > 1
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

/** The causes by the ids of the vectors, and of the questions on fresh data, whose failures they explain. */
export function causeSentences(
  report: Pick<Report, 'causes' | 'header' | 'freshFailures'>,
): ReadonlyMap<string, CauseSentence> {
  const { causes, freshFailures } = report;
  const explained = causes.flatMap(({ mistake, explains }) =>
    explains.map((id) => [id, mistake.id] as const),
  );
  const fresh = freshFailures.flatMap(({ vector, causes: own = [] }) =>
    own.map((cause) => [vector.id, cause] as const),
  );
  return new Map(
    [...groupByKey([...explained, ...fresh])].map(([id, names]) => [id, joinCauses(names, report)]),
  );
}

/** Some causes of a report in one line, and where their pages are. */
export function joinCauses(
  ids: readonly string[],
  { causes, header }: Pick<Report, 'causes' | 'header'>,
): CauseSentence {
  const own = causes.filter(({ mistake }) => ids.includes(mistake.id));
  const sentences = own.map(
    (cause) =>
      `${cause.mistake.id}${describeCertaintyInSentence(cause)}: ${cause.mistake.wrong}; ${cause.mistake.fix}`,
  );
  const pages = own.map(({ mistake }) => causePlaceText(mistake.id, header.suite));
  return { sentence: sentences.join('; '), pages };
}

/** A sentence about the nearest passing request. @param besides the number of tried requests that differ in one point */
export function neighbourSentence(neighbour: Neighbour | undefined, besides: number): string {
  if (neighbour) return `nearest passing request: ${escapeInvisible(neighbour.what)}`;
  return besides === 0
    ? 'no similar request was tried'
    : `no similar request passes: all ${besides} requests that differ in one point fail too`;
}

/** The forged requests and the questions on fresh data that a cause explains, a sentence for each. */
export function furtherSentences(
  { forged, freshFailures }: Report,
  { mistake: { id } }: FoundCause,
): readonly string[] {
  const own = forged.filter((one) => isForgedFailure(one) && one.causes?.includes(id));
  const names = own.filter(isAccepted).map(({ forgery: { operation, mistakes } }) => {
    const mistake = mistakes.find((one) => one === id) ?? mistakes[0] ?? '';
    return formatForgedName(operation, mistake);
  });
  const counts = [...countForged(own)].map(([status, count]) =>
    status === 'accepted' ? `${count} accepted (${someIds(names)})` : `${count} ${status}`,
  );
  const fresh = freshFailures.filter(({ causes }) => causes?.includes(id));
  const requests = formatCount(own.length, 'forged request');
  const questions = formatCount(fresh.length, 'failure');
  return toLines(
    own.length > 0 && `also explains ${requests}: ${counts.join(', ')}`,
    fresh.length > 0 &&
      `also explains ${questions} on fresh data: ${someIds(fresh.map(({ vector }) => vector.id))}`,
  );
}

/** What verifiers accept although they must refuse it. */
export function sharedSentence({
  operations,
  mistakes: [mistake, ...others],
  isMade,
}: SharedMistake): string {
  const verb = operations.length === 1 ? 'accepts' : 'accept';
  const what = isMade ? `${verb} only` : `also ${verb}`;
  const similar = others.length > 0 ? ' (or a similar mistake)' : '';
  return `${formatList(operations)} ${what} requests with the mistake ${mistake?.id}${similar}: ${mistake?.wrong}`;
}

/** A sentence about the failures on fresh data that no cause explains; undefined if there are none. */
export function freshSentence({ fresh, freshUncaused }: Report): string | undefined {
  if (freshUncaused.length === 0) return undefined;
  const count = `${freshUncaused.length} of ${fresh?.outcomes.length} questions on fresh data failed`;
  return `${count}, although the adapter passes the original vectors: it may replay recorded answers, or its answer depends on data that the vectors do not vary`;
}
