/**
 * The shape of a wrong answer: what can be said of it before anything is known of how it came about.
 *
 * @module
 */
import { equalForm } from '../judge/equal-form.ts';
import { resultStages } from '../suite/operations.ts';
import type { Stages } from '../suite/vector.ts';
import { DIGEST_SHAPES } from './shapes/digests.ts';
import { type Due, writingOf } from './shapes/due.ts';
import { ENCODINGS } from './shapes/encodings.ts';
import { FORMS } from './shapes/forms.ts';
import { MISFITS } from './shapes/misfits.ts';
import { type Rewriting, undoneIn } from './shapes/rewriting.ts';
import { WRAPPINGS } from './shapes/wrappings.ts';

export interface Shape {
  readonly id: string;
  readonly what: string;
  readonly fix: string;
}

export interface AnswerShape {
  readonly stage: string;
  /** What the shapes are about: a digest, or the answer as a whole. */
  readonly subject: 'digest' | 'answer';
  /** Only the shape is wrong: undone, the answer is the right one. */
  readonly right: boolean;
  /** The outermost first; at least one. */
  readonly shapes: readonly Shape[];
}

export const REWRITINGS: readonly Rewriting[] = [
  ...WRAPPINGS,
  ...FORMS,
  ...DIGEST_SHAPES,
  ...ENCODINGS,
];

/** Shapes of a digest, wherever it stands in the answer. */
const OF_DIGEST: ReadonlySet<string> = new Set([
  ...REWRITINGS.filter(({ ofSignature }) => ofSignature).map(({ id }) => id),
  'cut',
  'digit-count',
  'other-length',
]);

/** More than this at once is no shape any more. */
const MOST_SHAPES = 3;

/** Longer answers are not looked at, in characters. */
const LONGEST = 10_000;

/** The shape of the first wrong result; nothing where no result is wrong, or only in what it says. */
export function shapeOf(
  operation: string,
  expected: Stages,
  actual: Stages,
): AnswerShape | undefined {
  for (const stage of resultStages(operation)) {
    const found = shapeOfStage(operation, stage, expected[stage], actual[stage]);
    if (found) return found;
  }
  return undefined;
}

/** The shape of one result. */
export function shapeOfStage(
  operation: string,
  stage: string,
  expected: unknown,
  actual: unknown,
): AnswerShape | undefined {
  if (typeof expected !== 'string' || typeof actual !== 'string') return undefined;
  if (actual.length > LONGEST || !actual.isWellFormed()) return undefined;
  const writing = writingOf(operation, stage);
  const due: Due = { operation, stage, text: expected, ...(writing && { writing }) };
  if (isRight(actual, due)) return undefined;
  const isDigest = writing !== undefined && stage !== 'policy' && stage !== 'value';
  const path = rightPath(actual, due);
  const shapes = path?.map((one) => shapeNamed(one, due)) ?? wrongShapes(actual, due);
  if (shapes.length === 0) return undefined;
  const subject = isDigest && shapes.every(({ id }) => OF_DIGEST.has(id)) ? 'digest' : 'answer';
  return { stage, subject, right: path !== undefined, shapes };
}

function isRight(text: string, { operation, stage, text: right }: Due): boolean {
  return text === right || equalForm(operation, stage, text) === equalForm(operation, stage, right);
}

function shapeNamed({ id, what, fix }: Pick<Rewriting, 'id' | 'what' | 'fix'>, due: Due): Shape {
  return { id, what, fix: typeof fix === 'string' ? fix : fix(due) };
}

interface Step {
  readonly text: string;
  readonly path: readonly Rewriting[];
}

/** The fewest rewritings under which the right answer stands. */
function rightPath(actual: string, due: Due): readonly Rewriting[] | undefined {
  const seen = new Set([actual]);
  let steps: readonly Step[] = [{ text: actual, path: [] }];
  for (let count = 1; count <= MOST_SHAPES; count++) {
    const next: Step[] = [];
    for (const { text, path } of steps) {
      for (const rewriting of REWRITINGS) {
        const undone = undoneIn(rewriting, text, due);
        if (undone === undefined || seen.has(undone)) continue;
        seen.add(undone);
        if (isRight(undone, due)) return [...path, rewriting];
        next.push({ text: undone, path: [...path, rewriting] });
      }
    }
    steps = next;
  }
  return undefined;
}

/** What can be told of an answer that is another one even so. */
function wrongShapes(actual: string, due: Due): readonly Shape[] {
  const shapes: Shape[] = [];
  let text = actual;
  for (const rewriting of REWRITINGS.filter(({ telling }) => telling)) {
    // What the right answer has as well is no mistake.
    if (undoneIn(rewriting, due.text, due) !== undefined) continue;
    const undone = undoneIn(rewriting, text, due);
    if (undone === undefined) continue;
    text = undone;
    shapes.push(shapeNamed(rewriting, due));
  }
  for (const { id, fix, what } of MISFITS) {
    const seen = what(text, due);
    if (seen !== undefined) return [...shapes, shapeNamed({ id, what: seen, fix }, due)];
  }
  return shapes;
}

/** A shape in one sentence. */
export function shapeSentence({ subject, right, shapes }: AnswerShape): string {
  const whats = shapes.map(({ what }) => what).join(', ');
  const fixes = [...new Set(shapes.map(({ fix }) => fix))].join('; ');
  if (right) return `the right ${subject}, ${whats}; ${fixes}`;
  const isMisfit = MISFITS.some(({ id }) => id === shapes.at(-1)?.id);
  const otherwise = isMisfit ? '' : ', and another one underneath';
  return `the ${subject} is ${whats}${otherwise}; ${fixes}`;
}
