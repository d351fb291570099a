/**
 * The shape of a wrong answer: what the answer shows by itself, before a cause is known.
 *
 * @module
 */
import { isNamed, type Mistake, stepsOf } from '../../reference/mistakes/index.ts';
import type { Dialect } from '../adapter/messages.ts';
import { equalForm } from '../judge/equal-form.ts';
import { resultStages } from '../suite/operations.ts';
import type { Stages } from '../suite/vector.ts';
import { type Form, formOf, lossIn, type Shape, signatureShapes } from './shapes/form.ts';
import { type Answered, writesBytes, writingMistake } from './shapes/writing-mistake.ts';

export interface AnswerShape {
  readonly stage: string;
  /** What the shapes are about: a digest, or the answer as a whole. */
  readonly subject: 'digest' | 'answer';
  /** Only the form is wrong: the digest, or the text, is the right one. */
  readonly right: boolean;
  /** The outermost first; at least one. */
  readonly shapes: readonly Shape[];
}

type Found = Omit<AnswerShape, 'stage'>;

/** Longer answers are not looked at, in characters. */
const LONGEST = 10_000;

/**
 * The shape of the first wrong result that has one.
 *
 * @param dialect where the mistake in writing it is looked for
 */
export function shapeOf(
  answered: Answered,
  actual: Stages,
  dialect?: Dialect,
): AnswerShape | undefined {
  for (const stage of resultStages(answered.operation)) {
    const given = actual[stage];
    if (typeof given !== 'string' || typeof answered.expect[stage] !== 'string') continue;
    if (given.length > LONGEST || !given.isWellFormed()) continue;
    const found = shapeOfStage(answered, stage, given, dialect);
    if (found && found.shapes.length > 0) return { stage, ...found };
  }
  return undefined;
}

/** What surrounds the answer, how it is written around the signature, and the signature: each by itself. */
function shapeOfStage(
  answered: Answered,
  stage: string,
  whole: string,
  dialect: Dialect | undefined,
): Found | undefined {
  const { operation, expect } = answered;
  const shown = (text: string): string => equalForm(operation, stage, text);
  const due = formOf(operation, stage, String(expect[stage]));
  const given = formOf(operation, stage, whole, due);
  const isRight = (text: string): boolean => shown(text) === shown(due.text);
  const { marks, text } = given;
  if (isRight(whole)) return undefined;
  if (isRight(text)) return { subject: 'answer', right: true, shapes: marks };
  const loss = lossIn(given, due);
  if (loss) return { subject: 'answer', right: false, shapes: [...marks, loss] };

  const ofSignature = signatureShapes(given, due);
  const shapes = [...marks, ...ofSignature];
  const subject = due.noun === 'the digest' && marks.length === 0 ? 'digest' : 'answer';
  const right = hasDueBytes(given, due);
  const signed = withSignature(given, due) ?? text;
  if (isRight(signed) && (right ? shapes.length > 0 : isOtherDigest(given, due)))
    return { subject, right, shapes };
  const found = dialect && writingMistake(answered, stage, [whole, text, signed], dialect);
  if (!found) return { subject, right: false, shapes };
  const [mistake, at] = found;
  return {
    subject: stepsOf(mistake).some(writesBytes) ? subject : 'answer',
    right: right || at < 2,
    shapes: [...(at > 0 ? marks : []), shapeFrom(mistake, due), ...(at > 1 ? ofSignature : [])],
  };
}

const hasDueBytes = ({ bytes }: Form, due: Form): boolean =>
  bytes !== undefined && due.bytes?.equals(bytes) === true;

/** The given text with the right signature in the place of its own. */
function withSignature({ place }: Form, due: Form): string | undefined {
  return place && due.place && place.before + due.place.signature + place.after;
}

/** Whether a text is a digest, but not the due one in another writing. */
function isOtherDigest({ bytes }: Form, due: Form): boolean {
  const length = bytes?.length ?? 0;
  return length === due.bytes?.length || [16, 32, 48, 64].includes(length);
}

function shapeFrom(mistake: Mistake, { writing }: Form): Shape {
  const { id, wrong } = mistake;
  // The fix of a generated one names the writings of all operations.
  const isOfWriting =
    writing !== undefined && !isNamed(mistake) && stepsOf(mistake).some(writesBytes);
  return { id, what: wrong, fix: isOfWriting ? `write it in ${writing.name}` : mistake.fix };
}

/** Shapes that leave nothing else to be right or wrong. */
const LAST =
  /^(?:empty|no-value|object-shown|replacement-characters|cut|digit-count|other-length)$/;

/** A shape in one sentence. */
export function shapeSentence({ right, shapes }: Pick<AnswerShape, 'right' | 'shapes'>): string {
  const whats = shapes.map(({ what }, i) => {
    const [noun = ''] = /^the (?:answer|digest) /.exec(what) ?? [];
    return noun !== '' && shapes[i - 1]?.what.startsWith(noun) ? what.slice(noun.length) : what;
  });
  const fixes = [...new Set(shapes.map(({ fix }) => fix))].join('; ');
  if (right) return `only the form is wrong: ${whats.join(' and ')}; ${fixes}`;
  const isLast = LAST.test(shapes.at(-1)?.id ?? '');
  return `${whats.join(' and ')}${isLast ? '' : ', and differs otherwise too'}; ${fixes}`;
}
