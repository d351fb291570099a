/**
 * Finds the steps of the specification that are responsible for the differences between a shown text and the expected one.
 *
 * @module
 */
import {
  isNamed,
  type Mistake,
  mistakesAt,
  type StepName,
} from '../../../reference/mistakes/index.ts';
import { PLACES } from '../../../reference/mistakes/places.ts';
import { SPECIFICATION } from '../../../reference/signing/index.ts';
import { groupByKey } from '../group-by-key.ts';
import { callStep, type Origin, resultText } from './provenance.ts';

/** A part of a shown text that differs from the expected one, and the step of the specification that writes it. */
export interface Span {
  readonly stage: string;
  /** The part of the stage, such as "line 3 (Content-Type)" or "parameter Name". */
  readonly part: string;
  readonly step: StepName;
  /** The id of the rule in `vectors/rules.yaml`. */
  readonly rule: string;
  /** Empty if nothing is expected here. */
  readonly expected: string;
  /** Empty if the expected text is missing. */
  readonly actual: string;
}

type Range = Pick<Origin, 'start' | 'end'>;

/** A line, an entry or another part of the expected text. */
interface ExpectedPart extends Range {
  readonly name: string;
  readonly expected: string;
  /** The start of an entry, which identifies it if the rest differs. */
  readonly key: string;
}

/** An expected part and the text that is shown instead. */
interface Part extends ExpectedPart {
  readonly actual: string;
}

/** The remaining work, in characters to compute or to search. Without work left, no more mistakes are tried. */
export interface Work {
  left: number;
}

export interface Texts {
  readonly stage: string;
  readonly name: string;
  readonly expected: string;
  readonly actual: string;
  /** The steps that made the expected text. */
  readonly origins: readonly Origin[];
}

interface Comparison {
  readonly whole: Part;
  readonly parts: readonly Part[];
  readonly origins: readonly Origin[];
  /** The origins that are whole texts of their steps. */
  readonly wholes: readonly Origin[];
  /** By step, the stretches that it made, by part; those in no part belong to the whole text. */
  readonly made: ReadonlyMap<StepName, OriginsByPart>;
  readonly work: Work;
}

type OriginsByPart = ReadonlyMap<Part, readonly Origin[]>;

/** A step that is responsible for some differing parts. */
interface Finding extends Pick<Span, 'step' | 'rule'> {
  readonly parts: readonly Part[];
  /** The cost of the mistake, divided by the number of parts. */
  readonly cost: number;
}

/** If a finding has more parts, the whole text is shown. */
const MOST_PARTS = 4;

/** The extra cost of a mistake that explains only some of the changes that it would make. */
const PARTIAL = 10;

/** For the step that writes an entry of a list: the steps that choose, join and sort the entries. */
type EntrySteps = readonly [noun: string, chosen: StepName, joined: StepName, sorted: StepName];
const LISTS: { readonly [Name in StepName]?: EntrySteps } = {
  headerPieces: ['header', 'isExtraHeader', 'joinHeaderEntries', 'sortedHeaders'],
  parameterEntry: ['parameter', 'parameterSet', 'joinParameterEntries', 'sortedParameters'],
};

/** Whether a stretch is the whole text that its step made. */
const isWhole = ({ step, piece }: Origin): boolean => piece === '' || !step.endsWith('Pieces');
const isEntry = (origin: Origin): boolean => isWhole(origin) && origin.step in LISTS;
const isWrong = ({ expected, actual }: Part): boolean => expected !== actual;
const isAround = (outer: Range, { start, end }: Range): boolean =>
  outer.start <= start && end <= outer.end;
const findRule = (step: StepName): string =>
  PLACES.find((place) => place.step === step)?.rule ?? '';

/** The differing spans in the order of the text; before them, a different order of the entries. */
export function attributeDifferences(texts: Texts, work: Work): readonly Span[] {
  const { stage, name, expected, origins } = texts;
  const order = findOtherOrder(texts);
  const actual = order?.actual ?? texts.actual;
  const whole: Part = { name, start: 0, end: expected.length, expected, key: '', actual };
  const parts = splitIntoParts(whole, origins, work);
  const wholes = origins.filter(isWhole);
  const made = groupOrigins(wholes, parts, whole);
  const compared = { whole, parts, origins, wholes, made, work };
  const wrong = parts.filter(isWrong);
  const open = new Set(wrong.length > 0 ? wrong : [whole].filter(isWrong));
  const found: (Part & Pick<Span, 'step' | 'rule'>)[] = [];
  for (const part of open) {
    const { step, rule, parts: own } = findMistake(part, compared) ?? guessStep(part, compared);
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

/** The name of the part that a stretch is, begins or ends. */
function namePart({ step, piece, calls, text }: Origin): string | undefined {
  if (piece === '') return LISTS[step] && `${LISTS[step][0]} ${calls[0]?.[0]}`;
  if (step !== 'signedPieces' && step !== 'actionPieces') return undefined;
  const line = LINES.findIndex((name) => piece.endsWith(name));
  const name = (LINES[line] ?? piece).replace('the ', '');
  if (line >= 0) return `line ${line + 1} (${name})`;
  // Headers and parameters are named one by one.
  return text === '' || name === 'extra headers' || name === 'parameters' ? undefined : name;
}

/** Splits a text into its parts; without parts, the whole text is one. */
function splitIntoParts(whole: Part, origins: readonly Origin[], work: Work): readonly Part[] {
  const due: ExpectedPart[] = [];
  for (const origin of origins.toSorted((a, b) => a.start - b.start)) {
    const { start, end, calls } = origin;
    const name = namePart(origin);
    const last = due.at(-1);
    const from = last?.name === name ? due.pop()?.start : start;
    const text = whole.expected.slice(from, end);
    const key = isEntry(origin) ? String(calls[0]?.[0]) : text;
    if (name !== undefined) due.push({ name, start: from ?? start, end, expected: text, key });
  }
  const shown = alignParts(due, whole.actual, work);
  const parts = due.map((one, i) => ({ ...one, actual: shown[i] ?? '' }));
  return parts.length > 0 ? parts : [whole];
}

/** Aligns a shown text with the expected parts: finds the longest part in it, or else the longest key, and recurs on both sides. */
function alignParts(parts: readonly ExpectedPart[], actual: string, work: Work): readonly string[] {
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
    const at = findPartStart(actual, part, text);
    if (at < 0) continue;
    const from = i > 0 ? at : 0;
    const to = findPartEnd(actual, at + text.length, part, parts[i + 1]);
    return [
      ...alignParts(parts.slice(0, i), actual.slice(0, from), work),
      actual.slice(from, to),
      ...alignParts(parts.slice(i + 1), actual.slice(to), work),
    ];
  }
  return parts.map((_, i) => (isLineForLine ? lines[i] : i === 0 && actual) || '');
}

/** The start of a part in a shown text. A part that is a line must start at a line start. */
const findPartStart = (actual: string, { expected }: ExpectedPart, wanted: string): number =>
  expected.endsWith('\n') ? `\n${actual}`.indexOf(`\n${wanted}`) : actual.indexOf(wanted);

/** The end of a part in a shown text: before the next part, or else at the end of its line. */
function findPartEnd(
  actual: string,
  at: number,
  { expected }: ExpectedPart,
  next: ExpectedPart | undefined,
): number {
  if (!next) return actual.length;
  const rest = actual.slice(at);
  const isFound = actual.endsWith(expected, at);
  const ends = [
    findPartStart(rest, next, next.expected),
    ...(isFound ? [0] : [findPartStart(rest, next, next.key)]),
  ];
  return at + (ends.find((end) => end >= 0) ?? rest.indexOf('\n') + 1);
}

// --- The steps of a part

/** The cheapest mistake of a single step that explains a part, and the other parts that it explains. */
function findMistake(part: Part, compared: Comparison): Finding | undefined {
  const { parts, origins, wholes, made, work } = compared;
  const wrong = parts.filter(isWrong).length;
  const isLeftOut = part.actual === '' && findEntry(part, origins) !== undefined;
  const around = wholes.filter((one) => isAround(part, one) || isAround(one, part));
  const size = ({ text }: Origin): number => text.length || Number.POSITIVE_INFINITY;
  let best: Finding | undefined;
  for (const step of new Set(around.sort((a, b) => size(a) - size(b)).map((one) => one.step))) {
    const byPart: OriginsByPart = made.get(step) ?? new Map();
    const all = [...byPart.values()].flat();
    for (const mistake of work.left > 0 ? mistakesAt(step) : []) {
      // Many generated mistakes leave out an entry; only a named one says more than which entry is missing.
      if ((isLeftOut && !isNamed(mistake)) || (best && mistake.cost / wrong >= best.cost)) break;
      const finding = tryMistake(mistake, step, byPart, all, part, compared);
      if (finding && (!best || finding.cost < best.cost)) best = finding;
    }
  }
  return best;
}

/** The stretch of the list entry that equals a part. */
const findEntry = ({ start, end }: Part, origins: readonly Origin[]): Origin | undefined =>
  origins.find((one) => isEntry(one) && one.start === start && one.end === end);

function groupOrigins(
  wholes: readonly Origin[],
  parts: readonly Part[],
  whole: Part,
): Comparison['made'] {
  const placed = wholes.map((origin) => {
    const name = findPartName(origin);
    const part = parts.find((one) => one.name === name && isAround(one, origin)) ?? whole;
    return [origin.step, [part, origin] as const] as const;
  });
  return new Map([...groupByKey(placed)].map(([step, own]) => [step, groupByKey(own)]));
}

/** The name of the part that contains a stretch. */
const findPartName = (origin: Origin | undefined): string | undefined =>
  origin && (namePart(origin) ?? findPartName(origin.within));

/** Tries a mistake on a part: returns all parts that it explains, and its cost for each. */
function tryMistake(
  mistake: Mistake,
  step: StepName,
  byPart: OriginsByPart,
  all: readonly Origin[],
  part: Part,
  { whole, parts, work }: Comparison,
): Finding | undefined {
  const finding = (found: readonly Part[], more = 0): Finding => {
    return { step, rule: mistake.rule, parts: found, cost: (mistake.cost + more) / found.length };
  };
  const given = (one: Part, own: readonly Origin[] = byPart.get(one) ?? []): boolean | undefined =>
    reproducesPart(mistake, one, own, whole.expected, work);
  work.left -= byPart.size;
  if (given(whole, all)) return finding(parts.filter(isWrong));
  if (!given(part)) return undefined;
  const changed = [...byPart.keys()].filter((one) => given(one) !== undefined);
  if (changed.every((one) => given(one))) return finding(changed);
  return isNamed(mistake) ? finding([part], PARTIAL) : undefined;
}

/** Whether a mistake gives exactly the shown text of a part; `undefined` if it does not change the part. */
function reproducesPart(
  mistake: Mistake,
  { start, end, actual }: Part,
  origins: readonly Origin[],
  expected: string,
  work: Work,
): boolean | undefined {
  let [at, to, isChanged] = [start, 0, false];
  for (const origin of origins) {
    const made = applyMistake(mistake, origin, work);
    const text = expected.slice(at, origin.start) + made;
    isChanged ||= made !== origin.text;
    if (isChanged && !actual.startsWith(text, to)) return false;
    [at, to] = [origin.end, to + text.length];
  }
  return isChanged ? actual.slice(to) === expected.slice(at, end) : undefined;
}

/** The text that a step makes with a mistake: of several calls with the same text, the first one that the mistake changes. */
function applyMistake({ change }: Mistake, origin: Origin, work: Work): string {
  const { step, piece, calls, text } = origin;
  const wrapped = callStep(change[step], [SPECIFICATION.steps[step]]);
  for (const given of calls) {
    try {
      const made = resultText(step, callStep(wrapped, given), piece);
      work.left -= 1 + (made?.length ?? 0);
      if (made !== undefined && made !== text) return made;
    } catch {
      // The step throws with this mistake, so it makes no text.
    }
  }
  return text;
}

/** Guesses the step if no mistake explains a part: the step that wrote it, or that chooses or joins the entries of a list. */
function guessStep(part: Part, { origins, wholes }: Comparison): Finding {
  const { expected, actual } = part;
  const entry = findEntry(part, origins);
  const [, chosen, joined] = (entry && LISTS[entry.step]) ?? [];
  const isMore = actual.startsWith(expected) || actual.endsWith(expected);
  const isChoice = actual === '' || (isMore && actual.endsWith('\n'));
  const list = isChoice ? chosen : isMore ? joined : undefined;
  const step = list ?? findMaker(part, origins, wholes);
  return { step, rule: findRule(step), parts: [part], cost: Number.POSITIVE_INFINITY };
}

/** The step that made the differing text of a part, or the text before an insertion. */
function findMaker(
  { start, end, expected, actual }: Part,
  origins: readonly Origin[],
  wholes: readonly Origin[],
): StepName {
  const shorter = Math.min(expected.length, actual.length);
  let [first, last] = [0, 0];
  while (first < shorter && expected[first] === actual[first]) first++;
  while (last < shorter - first && expected.at(-1 - last) === actual.at(-1 - last)) last++;
  const range = { start: start + first, end: end - last };
  const isInsertion = range.start === range.end;
  const before = isInsertion && first > 0 ? { start: range.start - 1, end: range.start } : range;
  const own = findSmallestAround(before, origins);
  // Text that is inserted after a separator belongs to the next piece.
  const isNext = isInsertion && !(own && isWhole(own));
  const maker = isNext ? findSmallestAround(range, wholes) : own;
  return (maker ?? origins.at(-1))?.step ?? 'stringToSign';
}

/** The smallest stretch around a range. If several have the same size: the one that a step composed of others, else the last one. */
function findSmallestAround(range: Range, origins: readonly Origin[]): Origin | undefined {
  const around = origins.filter((one) => isAround(one, range));
  const size = Math.min(...around.map(({ text }) => text.length));
  const same = around.filter(({ text }) => text.length === size);
  const wholes = same.filter(isWhole);
  const isPutTogether = origins.some(({ within }) => within && within === wholes[0]);
  return isPutTogether ? wholes[0] : (wholes.at(-1) ?? same[0]);
}

// --- The order of entries

/** Detects another order of the entries of a list; returns it, and the shown text with the entries in the expected order. */
function findOtherOrder(
  texts: Texts,
): { readonly actual: string; readonly span: Span } | undefined {
  const { stage, actual, origins } = texts;
  const found = origins.filter(isEntry).flatMap((entry) => {
    const { step, text, calls } = entry;
    const at = actual.indexOf(text);
    return at < 0 ? [] : [{ step, text, at, end: at + text.length, name: calls[0]?.[0] }];
  });
  const shown = found.toSorted((a, b) => a.at - b.at);
  const moved = found.filter((one, i) => one !== shown[i]);
  const [noun, , , step] = (moved[0] && LISTS[moved[0].step]) ?? [];
  // Overlapping matches do not show the positions of the entries.
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
      rule: findRule(step),
      expected: names(moved),
      actual: names(shown.filter((one) => moved.includes(one))),
    },
  };
}
