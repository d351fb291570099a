/**
 * Traces which step made which stretch of a text: each step wraps its texts in invisible marks.
 *
 * @module
 */
import { isStepName, mistakesAt, type StepName } from '../../../reference/mistakes/index.ts';
import type { Context } from '../../../reference/signing/index.ts';
import type { Piece } from '../../../reference/signing/types.ts';
import {
  hasMembers,
  isFunction,
  isList,
  isText,
  type Members,
  parseJson,
} from '../../../reference/values.ts';

/** A stretch of a text that a step made. */
export interface Origin {
  readonly step: StepName;
  /** The piece or the member of the step's result; empty for the whole result. */
  readonly piece: string;
  /** The arguments of each call that made this text. */
  readonly calls: (readonly unknown[])[];
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The stretch that contains it. */
  readonly within: Origin | undefined;
}

/** Private use characters. Each character from the first mark on opens the stretches of one maker; one other closes any stretch. */
const FIRST_MARK = 0xf0000;
const MOST_MARKS = 0xfffe;
const CLOSING = '\u{10FFFD}';
const MARKS = /[\u{F0000}-\u{FFFFD}\u{10FFFD}]/gu;

type Maker = Omit<Origin, 'start' | 'end' | 'within'>;

/**
 * Traces a text that the reference makes. Inner stretches come before outer ones, earlier ones before later ones.
 *
 * @param use runs the reference
 * @param steps the text is the last result of one of these steps
 */
export function traceOrigins(
  right: Context,
  use: (context: Context) => unknown,
  steps: readonly StepName[],
): readonly Origin[] {
  const marker = new Marker();
  let last = '';
  const marking = (name: StepName, step: unknown) => {
    return (...given: readonly unknown[]): unknown => {
      const plain = given.map((one) => (isContext(one) ? right : stripMarks(one)));
      const result = given.some(isContext)
        ? callStep(step, given)
        : callKeepingMarks(step, given, plain);
      const marked = marker.markResult(name, plain, result);
      if (steps.includes(name)) last = String(marked);
      return marked;
    };
  };
  const marked = new Proxy(right.steps, {
    get(target, name) {
      const step: unknown = Reflect.get(target, name);
      return isStepName(name) && isFunction(step) ? marking(name, step) : step;
    },
  });
  use({ ...right, steps: marked });
  return parseMarkedText(last, marker.makers);
}

class Marker {
  readonly makers: Maker[] = [];
  readonly #known = new Map<string, readonly [Maker, string]>();
  readonly #laidOut = new Map<string, string>();

  /** Marks the text of a result, or each of its pieces or members. */
  markResult(step: StepName, given: readonly unknown[], result: unknown): unknown {
    const mark = (text: string, piece = ''): string => this.#mark(step, piece, given, text);
    if (typeof result === 'string') return mark(this.#laidOut.get(result) ?? result);
    if (isLaidOut(step, result)) {
      const pieces = result.map(([name, text, ...rest]) => [name, mark(text, name), ...rest]);
      const whole = pieces.map(([, text]) => text).join('');
      this.#laidOut.set(whole, mark(whole));
      return pieces;
    }
    const members = isRecord(result) ? Object.entries(result) : [];
    if (!members.some(([, member]) => typeof member === 'string')) return result;
    const marked = members.map(([name, member]) => {
      return [name, typeof member === 'string' ? mark(member, name) : member] as const;
    });
    return Object.fromEntries<unknown>(marked);
  }

  /** Equal texts of one step get the same mark, so that steps that compare them still find them equal. */
  #mark(step: StepName, piece: string, given: readonly unknown[], text: string): string {
    const plain = stripMarks(text);
    const key = JSON.stringify([step, piece, plain]);
    const before = this.#known.get(key);
    before?.[0].calls.push(given);
    // Reports never name a step without mistakes.
    const isSilent = this.makers.length === MOST_MARKS || mistakesAt(step).length === 0;
    if (before || isSilent) return before?.[1] ?? text;
    const maker: Maker = { step, piece, calls: [given], text: plain };
    const marked = String.fromCodePoint(FIRST_MARK + this.makers.length) + text + CLOSING;
    this.makers.push(maker);
    this.#known.set(key, [maker, marked]);
    return marked;
  }
}

/** The stretches of a marked text, without those that later steps changed. */
function parseMarkedText(marked: string, makers: readonly Maker[]): readonly Origin[] {
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

function stripMarks<Value>(value: Value): Value;
function stripMarks(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(MARKS, '');
  if (!isList(value) && !isRecord(value)) return value;
  return parseJson(JSON.stringify(value).replace(MARKS, ''));
}

const isContext = (value: unknown): boolean =>
  isRecord(value) && 'steps' in value && 'dialect' in value;

export function callStep(step: unknown, given: readonly unknown[]): unknown {
  return isFunction(step) ? step(...given) : step;
}

/** The text of a result or of one of its members; pieces are joined. */
export function resultText(step: StepName, result: unknown, piece: string): string | undefined {
  const found = isRecord(result) ? result[piece] : result;
  if (isLaidOut(step, found)) return found.map(([, text]) => text).join('');
  return typeof found === 'string' ? found : undefined;
}

function isLaidOut(step: StepName, result: unknown): result is readonly Piece[] {
  const isPiece = (one: unknown): boolean => isList(one) && isText(one[0]) && isText(one[1]);
  return step.endsWith('Pieces') && isList(result) && result.every(isPiece);
}

function isRecord(value: unknown): value is Members {
  return hasMembers(value) && !isList(value) && !ArrayBuffer.isView(value);
}

/** Calls a step with marked arguments; without marks if they would change the result. */
function callKeepingMarks(
  step: unknown,
  given: readonly unknown[],
  plain: readonly unknown[],
): unknown {
  const right = callStep(step, plain);
  if (typeof right !== 'string' && !isList(right)) return right;
  try {
    const marked = callStep(step, given);
    return JSON.stringify(stripMarks(marked)) === JSON.stringify(right) ? marked : right;
  } catch {
    return right;
  }
}
