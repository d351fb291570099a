/**
 * Which step made which stretch of a text: the reference works on texts that carry the marks of the steps that made them.
 *
 * @module
 */
import { mistakesAt, type StepName } from '../../reference/mistakes/index.ts';
import type { Context } from '../../reference/signing/index.ts';
import type { Piece } from '../../reference/signing/types.ts';

/** A stretch of a text that a step made. */
export interface Origin {
  readonly step: StepName;
  /** Which piece of a laid-out text, or which member of what the step made; empty for all of it. */
  readonly piece: string;
  /** What the step was given, for each call that made this text. */
  readonly calls: (readonly unknown[])[];
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The stretch around it. */
  readonly within: Origin | undefined;
}

/** Private use characters: each of the first plane opens the stretches of one maker, the last character closes any. */
const FIRST_MARK = 0xf0000;
const MOST_MARKS = 0xfffe;
const CLOSING = '\u{10FFFD}';
const MARKS = /[\u{F0000}-\u{FFFFD}\u{10FFFD}]/gu;

type Maker = Omit<Origin, 'start' | 'end' | 'within'>;

/**
 * The stretches of a text that the reference makes, inner ones before outer ones and earlier ones before later ones.
 *
 * @param use what the reference is asked
 * @param steps the last one of them that was called made the text
 */
export function originsOf(
  right: Context,
  use: (context: Context) => void,
  steps: readonly StepName[],
): readonly Origin[] {
  const makers: Maker[] = [];
  const known = new Map<string, readonly [Maker, string]>();
  const laidOut = new Map<string, string>();
  let last = '';
  /** Equal texts of one step get one mark, so that steps which compare names find them equal. */
  const mark = (step: StepName, piece: string, given: readonly unknown[], text: string): string => {
    const plain = unmarked(text);
    const key = JSON.stringify([step, piece, plain]);
    const before = known.get(key);
    before?.[0].calls.push(given);
    // Of a step that cannot go wrong by itself there is nothing to say.
    const isSilent = makers.length === MOST_MARKS || mistakesAt(step).length === 0;
    if (before || isSilent) return before?.[1] ?? text;
    const maker: Maker = { step, piece, calls: [given], text: plain };
    const marked = String.fromCodePoint(FIRST_MARK + makers.length) + text + CLOSING;
    makers.push(maker);
    known.set(key, [maker, marked]);
    return marked;
  };
  const markResult = (step: StepName, given: readonly unknown[], result: unknown): unknown => {
    if (typeof result === 'string') {
      const marked = mark(step, '', given, laidOut.get(result) ?? result);
      if (steps.includes(step)) last = marked;
      return marked;
    }
    if (isLaidOut(step, result)) {
      const pieces = result.map(([piece, text, ...rest]) => [
        piece,
        mark(step, piece, given, text),
        ...rest,
      ]);
      const whole = pieces.map(([, text]) => text).join('');
      laidOut.set(whole, mark(step, '', given, whole));
      return pieces;
    }
    const members = isRecord(result) ? Object.entries(result) : [];
    const texts = members.filter(([, member]) => typeof member === 'string');
    const marked = texts.map(([name, text]) => [name, mark(step, name, given, String(text))]);
    return texts.length > 0 ? Object.fromEntries([...members, ...marked]) : result;
  };
  const marking =
    (name: StepName): unknown =>
    (...given: readonly unknown[]) => {
      const plain = given.map((one) => (isContext(one) ? right : unmarked(one)));
      const step = right.steps[name];
      const result = given.some(isContext) ? called(step, given) : kept(step, given, plain);
      return markResult(name, plain, result);
    };
  const proxy = new Proxy(right.steps, {
    get: (_, name: StepName) =>
      typeof right.steps[name] === 'function' ? marking(name) : right.steps[name],
  });
  use({ ...right, steps: proxy });
  return parsed(last, makers);
}

/** The stretches of a marked text that are still as they were made. */
function parsed(marked: string, makers: readonly Maker[]): readonly Origin[] {
  const origins: Origin[] = [];
  const open: Origin[] = [];
  let text = '';
  for (const character of marked) {
    const maker = makers[(character.codePointAt(0) ?? 0) - FIRST_MARK];
    if (maker) {
      const [start, end] = [text.length, text.length + maker.text.length];
      open.push({ ...maker, start, end, within: open.at(-1) });
    } else if (character !== CLOSING) text += character;
    else {
      const origin = open.pop();
      if (origin?.text === text.slice(origin?.start)) origins.push(origin);
    }
  }
  return origins;
}

/** The same value without marks. */
function unmarked<Value>(value: Value): Value;
function unmarked(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(MARKS, '');
  if (!Array.isArray(value) && !isRecord(value)) return value;
  return JSON.parse(JSON.stringify(value).replace(MARKS, ''));
}

const isContext = (value: unknown): boolean =>
  isRecord(value) && 'steps' in value && 'dialect' in value;

/** Calls any step. */
export function called(step: unknown, given: readonly unknown[]): unknown {
  return typeof step === 'function' ? Reflect.apply(step, undefined, given) : step;
}

/** The text of a result, or of a member of it; of a laid-out one, its pieces together. */
export function textOf(step: StepName, result: unknown, piece: string): string | undefined {
  const found = isRecord(result) ? result[piece] : result;
  if (isLaidOut(step, found)) return found.map(([, text]) => text).join('');
  return typeof found === 'string' ? found : undefined;
}

function isLaidOut(step: StepName, result: unknown): result is readonly Piece[] {
  return step.endsWith('Pieces') && Array.isArray(result);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  const isObject = typeof value === 'object' && value !== null;
  return isObject && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

/** What a step makes; with the marks of what it was given, where these change nothing else. */
function kept(step: unknown, given: readonly unknown[], plain: readonly unknown[]): unknown {
  const right = called(step, plain);
  if (typeof right !== 'string' && !Array.isArray(right)) return right;
  try {
    const marked = called(step, given);
    return JSON.stringify(unmarked(marked)) === JSON.stringify(right) ? marked : right;
  } catch {
    return right;
  }
}
