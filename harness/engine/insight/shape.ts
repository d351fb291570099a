/**
 * The shape of a wrong answer: the faults that are visible without a known cause.
 *
 * @module
 */
import {
  isNamed,
  type Mistake,
  mistakesAt,
  type StepName,
} from '../../../reference/mistakes/index.ts';
import { resultStages } from '../../../reference/operations.ts';
import { type Context, inDialect, withSteps } from '../../../reference/signing/index.ts';
import { sortPlainestFirst } from '../diagnosis/diagnose.ts';
import { Predictor } from '../diagnosis/predictor.ts';
import { computeReply } from '../diagnosis/reference-reply.ts';
import { formatList } from '../excerpt.ts';
import { normalizeStage } from '../judge/comparison.ts';
import type { Dialect, Question } from '../protocol.ts';
import type { Stages } from '../vector.ts';
import {
  decodeBytes,
  type Form,
  findLoss,
  findSignatureShapes,
  isSameBytes,
  parseForm,
  type Shape,
} from './form.ts';

export interface AnswerShape {
  readonly stage: string;
  /** The subject of the shapes: a digest, or the whole answer. */
  readonly subject: 'digest' | 'answer';
  /** Whether only the form is wrong and the digest, or the text, is correct. */
  readonly right: boolean;
  /** The outermost first; at least one. */
  readonly shapes: readonly Shape[];
}

type Found = Omit<AnswerShape, 'stage'>;

/** In characters; longer answers are not examined. */
const LONGEST = 10_000;

/**
 * The shape of the first wrong result that has one.
 *
 * @param dialect if given, also searches for a mistake in encoding the answer
 */
export function findShape(
  answered: Answered,
  actual: Stages,
  dialect?: Dialect,
): AnswerShape | undefined {
  for (const stage of resultStages(answered.operation)) {
    const given = actual[stage];
    if (typeof given !== 'string' || typeof answered.expect[stage] !== 'string') continue;
    if (given.length > LONGEST || !given.isWellFormed()) continue;
    const found = findStageShape(answered, stage, given, dialect);
    if (found && found.shapes.length > 0) return { stage, ...found };
  }
  return undefined;
}

/** Examines, one after the other, the marks around the answer, the text around the signature, and the signature. */
function findStageShape(
  answered: Answered,
  stage: string,
  whole: string,
  dialect: Dialect | undefined,
): Found | undefined {
  const { operation, expect } = answered;
  const due = parseForm(operation, stage, String(expect[stage]));
  const given = parseForm(operation, stage, whole, due);
  const isRight = (text: string): boolean =>
    normalizeStage(operation, stage, text) === normalizeStage(operation, stage, due.text);
  const { marks, text } = given;
  if (isRight(whole)) return undefined;
  if (isRight(text)) return { subject: 'answer', right: true, shapes: marks };
  const loss = findLoss(given, due);
  if (loss) return { subject: 'answer', right: false, shapes: [...marks, loss] };

  const found: Found = {
    subject: due.noun === 'the digest' && marks.length === 0 ? 'digest' : 'answer',
    right: isSameBytes(given.bytes, due.bytes),
    shapes: [...marks, ...findSignatureShapes(given, due)],
  };
  // The given text with the correct signature instead of its own.
  const signed =
    given.place && due.place ? given.place.before + due.place.signature + given.place.after : text;
  const length = given.bytes?.length ?? 0;
  const isDigest = length === due.bytes?.length || [16, 32, 48, 64].includes(length);
  const isExplained = found.right ? found.shapes.length > 0 : isDigest;
  if (isRight(signed) && isExplained) return found;
  const writing = dialect && findWritingMistake(answered, stage, [whole, text, signed], dialect);
  return writing ? addWritingMistake(found, writing, given, due) : { ...found, right: false };
}

/** A mistake that gives the whole answer also explains its marks. A mistake that gives the text explains only the form of the signature. */
function addWritingMistake(
  { subject, right }: Found,
  [mistake, at]: WritingMistake,
  given: Form,
  due: Form,
): Found {
  const [isOfText, isOfSignature] = [at > 0, at > 1];
  return {
    subject: mistake.steps.some(writesBytes) ? subject : 'answer',
    right: right || !isOfSignature,
    shapes: [
      ...(isOfText ? given.marks : []),
      toShape(mistake, due),
      ...(isOfSignature ? findSignatureShapes(given, due) : []),
    ],
  };
}

function toShape(mistake: Mistake, { encoding }: Form): Shape {
  const { id, wrong } = mistake;
  // The fix of a generated mistake names the encodings of all operations.
  const isOfWriting =
    encoding !== undefined && !isNamed(mistake) && mistake.steps.some(writesBytes);
  return { id, what: wrong, fix: isOfWriting ? `write it in ${encoding.name}` : mistake.fix };
}

/** Shapes after which nothing else can be compared. */
const LAST =
  /^(?:empty|no-value|object-shown|replacement-characters|cut|digit-count|other-length)$/;

export interface ShapeDescription {
  readonly what: string;
  readonly fix: string;
}

export function describeShape({
  right,
  shapes,
}: Pick<AnswerShape, 'right' | 'shapes'>): ShapeDescription {
  const whats = shapes.map(({ what }, i) => {
    const [noun = ''] = /^the (?:answer|digest) /.exec(what) ?? [];
    return noun !== '' && shapes[i - 1]?.what.startsWith(noun) ? what.slice(noun.length) : what;
  });
  const fix = [...new Set(shapes.map((shape) => shape.fix))].join('; ');
  const what = formatList(whats);
  if (right) return { what: `only the form is wrong: ${what}`, fix };
  const isLast = LAST.test(shapes.at(-1)?.id ?? '');
  return { what: `${what}${isLast ? '' : ', and differs in other ways too'}`, fix };
}

export type Answered = Question & { readonly expect: Stages };

/** A mistake in encoding, and the index of the text that it gives. */
type WritingMistake = readonly [mistake: Mistake, at: number];

/** Whether a step encodes bytes as text, after everything is signed. */
const writesBytes = (step: StepName): boolean =>
  /^(?:actionSignature|fileSignature|etag|partEtag|password|policy)Text$/.test(step);

/** The simplest mistake in encoding that gives one of these texts, and the index of the text. */
function findWritingMistake(
  { operation, keys, input, expect }: Answered,
  stage: string,
  texts: readonly string[],
  dialect: Dialect,
): WritingMistake | undefined {
  const shown = (value: unknown): string => normalizeStage(operation, stage, value);
  const predictorWith = (digest: Uint8Array | undefined): Predictor =>
    new Predictor(fixDigest(inDialect(dialect), digest), (asked, context) => {
      const reply = computeReply(context, asked);
      return reply.kind === 'result' ? shown(reply.result[stage]) : undefined;
    });
  const digest = decodeBytes(String(expect['signature'] ?? expect['etag'] ?? ''));
  const predictor = predictorWith(digest);
  const question = { operation, keys, input: 'content' in input ? NO_CONTENT : input };
  const right = shown(expect[stage]);
  if (predictor.predict(question, []) !== right) return undefined;
  const steps = predictor.listSteps(question, []);
  // All steps if none encodes bytes.
  const writing = steps.slice(Math.max(0, steps.findIndex(writesBytes)));
  const candidates = sortPlainestFirst(writing.flatMap(mistakesAt));
  const effects = predictor.computeEffects(question, [], candidates);
  const other = digest && predictorWith(digest.map((byte) => byte ^ 0xff));
  for (const [at, text] of texts.map(shown).entries()) {
    const [mistake] = effects.find(({ answer }) => answer === text)?.mistakes ?? [];
    // A mistake that gives this text for every digest does not show that the digest is correct.
    const isOfDigest = mistake && other?.predictUncached(question, [mistake]) !== text;
    if (text !== right && isOfDigest) return [mistake, at];
  }
  return undefined;
}

const NO_CONTENT = { content: { bytes: '' } };

/** Uses the known digest or ETag bytes of the correct answer instead of hashing a content that may be large. */
function fixDigest(context: Context, digest: Uint8Array | undefined): Context {
  if (!digest) return context;
  const known = (): Uint8Array => digest;
  const steps = { hmacSha1: known, actionDigest: known, etagBytes: known, partEtagBytes: known };
  return withSteps(context, steps);
}
