/**
 * Which steps of the specification made what a shown text has otherwise than the expected one.
 *
 * @module
 */
import {
  isNamed,
  type Mistake,
  mistakesAt,
  type StepName,
} from '../../reference/mistakes/index.ts';
import { PLACES } from '../../reference/mistakes/places.ts';
import { STEPS } from '../../reference/signing/index.ts';
import { called, type Origin, textOf } from './provenance.ts';

/** A place where a shown text differs from the expected one, and the step of the specification that makes it. */
export interface Span {
  /** The stage that it is a span of. */
  readonly stage: string;
  /** Where in the stage, such as "line 3 (Content-Type)" or "parameter Name". */
  readonly part: string;
  readonly step: StepName;
  /** The id of the rule in `vectors/rules.yaml`. */
  readonly rule: string;
  /** Empty where nothing is due here. */
  readonly expected: string;
  /** Empty where what is due is missing. */
  readonly actual: string;
}

type Range = Pick<Origin, 'start' | 'end'>;

/** A line, an entry or another part of the expected text. */
interface Due extends Range {
  readonly name: string;
  readonly expected: string;
  /** What an entry starts with, however it goes on. */
  readonly key: string;
}

/** With what is shown in its place. */
interface Part extends Due {
  readonly actual: string;
}

/** How many more characters may be made or looked through; where none are left, mistakes are not tried any more. */
export interface Work {
  left: number;
}

/** A stage as it is due and as it is shown. */
export interface Texts {
  readonly stage: string;
  /** What the whole text is called. */
  readonly name: string;
  readonly expected: string;
  readonly actual: string;
  /** Which steps made the expected text. */
  readonly origins: readonly Origin[];
}

interface Comparison {
  readonly whole: Part;
  readonly parts: readonly Part[];
  readonly origins: readonly Origin[];
  readonly made: Map<StepName, Made>;
  readonly work: Work;
}

/** The stretches of one step, by the part that each is in. */
type Made = Map<Part, readonly Origin[]>;

/** A step that made some parts otherwise. */
interface Finding extends Pick<Span, 'step' | 'rule'> {
  readonly parts: readonly Part[];
  /** What the mistake costs for each part. */
  readonly cost: number;
}

/** More parts of one finding are shown as the whole text. */
const MOST_PARTS = 4;

/** What a mistake costs more that does not make all the changes which it would make. */
const PARTIAL = 10;

/** Of the step that writes an entry of a list: those that choose, join and sort the entries. */
type EntrySteps = readonly [noun: string, chosen: StepName, joined: StepName, sorted: StepName];
const LISTS: { readonly [Name in StepName]?: EntrySteps } = {
  headerPieces: ['header', 'isExtraHeader', 'joinHeaderEntries', 'sortedHeaders'],
  parameterEntry: ['parameter', 'parameterSet', 'joinParameterEntries', 'sortedParameters'],
};

/** Whether a stretch is all of a text that its step made. */
const isWhole = ({ step, piece }: Origin): boolean => piece === '' || !step.endsWith('Pieces');
const isEntry = (origin: Origin): boolean => isWhole(origin) && origin.step in LISTS;
const isWrong = ({ expected, actual }: Part): boolean => expected !== actual;
const isAround = (outer: Range, { start, end }: Range): boolean =>
  outer.start <= start && end <= outer.end;
const ruleOf = (step: StepName): string => PLACES.find((place) => place.step === step)?.rule ?? '';

/** The order of the entries, where it is another one, then every differing span in the order of the text. */
export function textSpans(texts: Texts, work: Work): readonly Span[] {
  const { stage, name, expected, origins } = texts;
  const order = orderOf(texts);
  const actual = order?.actual ?? texts.actual;
  const whole: Part = { name, start: 0, end: expected.length, expected, key: '', actual };
  const parts = partsOf(whole, origins, work);
  const compared = { whole, parts, origins, made: new Map(), work };
  const wrong = parts.filter(isWrong);
  const open = new Set(wrong.length > 0 ? wrong : [whole].filter(isWrong));
  const found: (Part & Pick<Span, 'step' | 'rule'>)[] = [];
  for (const part of open) {
    const { step, rule, parts: own } = mistakeIn(part, compared) ?? likeliestIn(part, compared);
    for (const one of own) open.delete(one);
    const told = own.length > MOST_PARTS ? [whole] : own;
    found.push(...told.map((one) => ({ ...one, step, rule })));
  }
  const spans = found
    .sort((a, b) => a.start - b.start)
    .map((one): Span => {
      const { step, rule } = one;
      return { stage, part: one.name, step, rule, expected: one.expected, actual: one.actual };
    });
  return order ? [order.span, ...spans] : spans;
}

// --- The parts of a text

const LINES = ['the verb', 'Content-MD5', 'Content-Type', 'Date'];

/** What the part of the text is called that a stretch is, begins or ends. */
function nameOf({ step, piece, calls, text }: Origin): string | undefined {
  if (piece === '') return LISTS[step] && `${LISTS[step][0]} ${calls[0]?.[0]}`;
  if (step !== 'signedPieces' && step !== 'actionPieces') return undefined;
  const line = LINES.findIndex((name) => piece.endsWith(name));
  const name = (LINES[line] ?? piece).replace('the ', '');
  if (line >= 0) return `line ${line + 1} (${name})`;
  // Entries have names of their own.
  return text === '' || name === 'extra headers' || name === 'parameters' ? undefined : name;
}

/** The parts of a text; all of it where it has none. */
function partsOf(whole: Part, origins: readonly Origin[], work: Work): readonly Part[] {
  const due: Due[] = [];
  for (const origin of origins.toSorted((a, b) => a.start - b.start)) {
    const { start, end, calls } = origin;
    const name = nameOf(origin);
    const last = due.at(-1);
    const from = last?.name === name ? due.pop()?.start : start;
    const text = whole.expected.slice(from, end);
    const key = isEntry(origin) ? String(calls[0]?.[0]) : text;
    if (name !== undefined) due.push({ name, start: from ?? start, end, expected: text, key });
  }
  const shown = shownTexts(due, whole.actual, work);
  const parts = due.map((one, i) => ({ ...one, actual: shown[i] ?? '' }));
  return parts.length > 0 ? parts : [whole];
}

/** What of a text is shown for each of some parts: on both sides of the longest that it has, else of the longest key. */
function shownTexts(parts: readonly Due[], actual: string, work: Work): readonly string[] {
  if (parts.length < 2) return parts.map(() => actual);
  const lines = actual === '' ? [] : actual.split(/(?<=\n)/);
  const isLineForLine = lines.length === parts.length;
  const longest = parts.map((part, i) => ({ part, i }));
  longest.sort((a, b) => b.part.expected.length - a.part.expected.length);
  const texts = longest.map(({ part, i }) => ({ part, i, text: part.expected }));
  const keys = longest.map(({ part, i }) => ({ part, i, text: part.key }));
  for (const { part, i, text } of [...texts, ...keys]) {
    if (work.left < 0 || text === '' || (text === '\n' && isLineForLine)) continue;
    work.left -= actual.length / 16;
    const at = placeIn(actual, part, text);
    if (at < 0) continue;
    const from = i > 0 ? at : 0;
    const to = endIn(actual, at + text.length, part, parts[i + 1]);
    return [
      ...shownTexts(parts.slice(0, i), actual.slice(0, from), work),
      actual.slice(from, to),
      ...shownTexts(parts.slice(i + 1), actual.slice(to), work),
    ];
  }
  return parts.map((_, i) => (isLineForLine ? lines[i] : i === 0 && actual) || '');
}

/** Where a part starts; the end of a line is not the line. */
const placeIn = (actual: string, { expected }: Due, wanted: string): number =>
  expected.endsWith('\n') ? `\n${actual}`.indexOf(`\n${wanted}`) : actual.indexOf(wanted);

/** Where a part ends of which some is found: before the next one, or else with its line. */
function endIn(actual: string, at: number, { expected }: Due, next: Due | undefined): number {
  if (!next) return actual.length;
  const rest = actual.slice(at);
  const isFound = actual.endsWith(expected, at);
  const ends = [
    placeIn(rest, next, next.expected),
    ...(isFound ? [0] : [placeIn(rest, next, next.key)]),
  ];
  return at + (ends.find((end) => end >= 0) ?? rest.indexOf('\n') + 1);
}

// --- The steps of a part

/** The mistake of one step that explains a part, with the others that it explains the most plainly. */
function mistakeIn(part: Part, compared: Comparison): Finding | undefined {
  const { parts, origins, work } = compared;
  const wrong = parts.filter(isWrong).length;
  const isLeftOut = part.actual === '' && entryOf(part, origins) !== undefined;
  const around = origins.filter(
    (one) => isWhole(one) && (isAround(part, one) || isAround(one, part)),
  );
  const size = ({ text }: Origin): number => text.length || Number.POSITIVE_INFINITY;
  let best: Finding | undefined;
  for (const step of new Set(around.sort((a, b) => size(a) - size(b)).map((one) => one.step))) {
    const made = madeBy(step, compared);
    for (const mistake of work.left > 0 ? mistakesAt(step) : []) {
      // Much leaves out an entry; only what is known of implementations says more than which.
      if ((isLeftOut && !isNamed(mistake)) || (best && mistake.cost / wrong >= best.cost)) break;
      const finding = findingOf(mistake, step, made, part, compared);
      if (finding && (!best || finding.cost < best.cost)) best = finding;
    }
  }
  return best;
}

/** The entry of a list that a part is. */
const entryOf = ({ start, end }: Part, origins: readonly Origin[]): Origin | undefined =>
  origins.find((one) => isEntry(one) && one.start === start && one.end === end);

/** The stretches that a step made, by the part that each is in; where it is in none, by the whole text. */
function madeBy(step: StepName, { whole, parts, origins, made }: Comparison): Made {
  const found: Made = made.get(step) ?? new Map();
  const isNew = !made.has(step);
  for (const origin of isNew ? origins.filter((one) => isWhole(one) && one.step === step) : []) {
    const name = placeOf(origin);
    const part = parts.find((one) => one.name === name && isAround(one, origin)) ?? whole;
    found.set(part, [...(found.get(part) ?? []), origin]);
  }
  made.set(step, found);
  return found;
}

/** The name of the part that a stretch is in. */
const placeOf = (origin: Origin | undefined): string | undefined =>
  origin && (nameOf(origin) ?? placeOf(origin.within));

/** The parts that are shown as a mistake gives them, if this one is, and the cost of the mistake for each. */
function findingOf(
  mistake: Mistake,
  step: StepName,
  made: Made,
  part: Part,
  { whole, parts, work }: Comparison,
): Finding | undefined {
  const finding = (found: readonly Part[], more = 0): Finding => {
    return { step, rule: mistake.rule, parts: found, cost: (mistake.cost + more) / found.length };
  };
  const given = (one: Part, own = made.get(one) ?? []): boolean | undefined =>
    isGiven(mistake, one, own, whole.expected, work);
  work.left -= made.size;
  if (given(whole, [...made.values()].flat())) return finding(parts.filter(isWrong));
  if (!given(part)) return undefined;
  const changed = [...made.keys()].filter((one) => given(one) !== undefined);
  if (changed.every((one) => given(one))) return finding(changed);
  return isNamed(mistake) ? finding([part], PARTIAL) : undefined;
}

/** Whether a part is shown as a mistake gives it; nothing where the mistake changes nothing in it. */
function isGiven(
  mistake: Mistake,
  { start, end, actual }: Part,
  origins: readonly Origin[],
  expected: string,
  work: Work,
): boolean | undefined {
  let [at, to, isChanged] = [start, 0, false];
  for (const origin of origins) {
    const made = mistakenText(mistake, origin, work);
    const text = expected.slice(at, origin.start) + made;
    isChanged ||= made !== origin.text;
    if (isChanged && !actual.startsWith(text, to)) return false;
    [at, to] = [origin.end, to + text.length];
  }
  return isChanged ? actual.slice(to) === expected.slice(at, end) : undefined;
}

/** What a step makes with a mistake; of several calls that made the same text, the first of which it makes another. */
function mistakenText({ change }: Mistake, origin: Origin, work: Work): string {
  const { step, piece, calls, text } = origin;
  const wrapped = called(change[step], [STEPS[step]]);
  for (const given of calls) {
    try {
      const made = textOf(step, called(wrapped, given), piece);
      work.left -= 1 + (made?.length ?? 0);
      if (made !== undefined && made !== text) return made;
    } catch {
      // With the mistake, there is no text.
    }
  }
  return text;
}

/** Where no mistake gives it: the step that made what differs, or that chooses or joins the entries of a list. */
function likeliestIn(part: Part, { origins }: Comparison): Finding {
  const { expected, actual } = part;
  const entry = entryOf(part, origins);
  const [, chosen, joined] = (entry && LISTS[entry.step]) ?? [];
  const isMore = actual.startsWith(expected) || actual.endsWith(expected);
  const isChoice = actual === '' || (isMore && actual.endsWith('\n'));
  const list = isChoice ? chosen : isMore ? joined : undefined;
  const step = list ?? makerOf(part, origins);
  return { step, rule: ruleOf(step), parts: [part], cost: Number.POSITIVE_INFINITY };
}

/** The step that made what differs in a part, or what an insertion follows. */
function makerOf({ start, end, expected, actual }: Part, origins: readonly Origin[]): StepName {
  const shorter = Math.min(expected.length, actual.length);
  let [first, last] = [0, 0];
  while (first < shorter && expected[first] === actual[first]) first++;
  while (last < shorter - first && expected.at(-1 - last) === actual.at(-1 - last)) last++;
  const range = { start: start + first, end: end - last };
  const isInsertion = range.start === range.end;
  const before = isInsertion && first > 0 ? { start: range.start - 1, end: range.start } : range;
  const own = smallestAround(before, origins);
  // What follows a break is of the next piece.
  const isNext = isInsertion && !(own && isWhole(own));
  const maker = isNext ? smallestAround(range, origins.filter(isWhole)) : own;
  return (maker ?? origins.at(-1))?.step ?? 'stringToSign';
}

/** Of the smallest stretches around a range: the one that a step put together, else the last one. */
function smallestAround(range: Range, origins: readonly Origin[]): Origin | undefined {
  const around = origins.filter((one) => isAround(one, range));
  const size = Math.min(...around.map(({ text }) => text.length));
  const same = around.filter(({ text }) => text.length === size);
  const wholes = same.filter(isWhole);
  const isPutTogether = origins.some(({ within }) => within && within === wholes[0]);
  return isPutTogether ? wholes[0] : (wholes.at(-1) ?? same[0]);
}

// --- The order of entries

/** Where the entries of a list are in another order, and the shown text with them in theirs. */
function orderOf(texts: Texts): { readonly actual: string; readonly span: Span } | undefined {
  const { stage, actual, origins } = texts;
  const found = origins.filter(isEntry).flatMap((entry) => {
    const { step, text, calls } = entry;
    const at = actual.indexOf(text);
    return at < 0 ? [] : [{ step, text, at, end: at + text.length, name: calls[0]?.[0] }];
  });
  const shown = found.toSorted((a, b) => a.at - b.at);
  const moved = found.filter((one, i) => one !== shown[i]);
  const [noun, , , step] = (moved[0] && LISTS[moved[0].step]) ?? [];
  // Entries that are found in one another are not where they stand.
  if (!step || shown.some(({ at }, i) => at < (shown[i - 1]?.end ?? 0))) return undefined;
  const gaps = [...shown, { at: actual.length }].map(({ at }, i) =>
    actual.slice(shown[i - 1]?.end ?? 0, at),
  );
  const names = (all: typeof found): string => all.map(({ name }) => name).join(', ');
  return {
    actual: gaps.map((gap, i) => gap + (found[i]?.text ?? '')).join(''),
    span: {
      stage,
      part: `order of the ${noun}s`,
      step,
      rule: ruleOf(step),
      expected: names(moved),
      actual: names(shown.filter((one) => moved.includes(one))),
    },
  };
}
