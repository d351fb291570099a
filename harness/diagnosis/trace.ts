/**
 * Where the stages that an adapter shows leave the right ones.
 *
 * @module
 */
import type { StepName } from '../../reference/mistakes/index.ts';
import { base64, hexadecimal } from '../../reference/signing/bytes.ts';
import { inDialect, STEPS, SVC, UCLOUD } from '../../reference/signing/index.ts';
import { equalForm } from '../judge/equal-form.ts';
import { resultStages } from '../suite/operations.ts';
import type { Stages, Vector } from '../suite/vector.ts';
import { type Span, textSpans, type Work } from './attribution.ts';
import { replyIn } from './mistaken-reply.ts';
import { type Origin, originsOf } from './provenance.ts';
import { bytesOf, signaturePlace } from './shapes/due.ts';

/** A question and its right answer. */
export type Answered = Pick<Vector, 'operation' | 'keys' | 'input'> & { readonly expect: Stages };

/** What a reply holds. */
export interface Shown {
  readonly result: Stages;
  readonly trace: Stages;
}

export interface TraceFinding {
  /** None where every shown stage is right. */
  readonly spans: readonly Span[];
  /** What the shown stages say otherwise, each as a sentence. */
  readonly notes: readonly string[];
}

/** The spans of the shown text that differ from the right one, with what else the trace says; nothing where it says nothing. */
export function traceOf(answered: Answered, shown: Shown): TraceFinding | undefined {
  if (isRight(answered, shown.result)) return undefined;
  const spans = spansOf(answered, shown.trace);
  const notes = signatureNotes(answered, shown);
  return spans.length === 0 && notes.length === 0 ? undefined : { spans, notes };
}

function isRight({ operation, expect }: Answered, result: Stages): boolean {
  return resultStages(operation).every(
    (stage) =>
      equalForm(operation, stage, expect[stage]) === equalForm(operation, stage, result[stage]),
  );
}

/** Longer traces are not looked into, in characters. */
const LONGEST = 20_000;

/** How much is done for one trace, in characters. */
const MOST_WORK = 2_000_000;

/** Stages with a text, the one that holds all of it first: what each is called, and the steps that make it. */
const TEXTS: Readonly<Record<string, readonly [name: string, ...steps: StepName[]]>> = {
  stringToSign: ['string to sign', 'stringToSign', 'withPrivateKey'],
  canonicalHeaders: ['extra headers', 'headersText'],
  canonicalResource: ['resource', 'resourceText'],
  sortedParameters: ['parameters', 'parametersText'],
};

/** The differing spans of the longest text that the trace shows, or the first other stage that differs. */
export function spansOf(
  answered: Answered,
  trace: Stages,
  work: Work = { left: MOST_WORK },
): readonly Span[] {
  const { operation, expect } = answered;
  if (JSON.stringify(trace).length > LONGEST) return [];
  const found = Object.entries(TEXTS).find(
    ([name]) => trace[name] !== undefined && expect[name] !== undefined,
  );
  if (!found) return valueSpans(answered, trace);
  const [stage, [name, ...steps]] = found;
  const [expected, actual] = [textIn(expect, stage), textIn(trace, stage)];
  if (expected === actual) return valueSpans(answered, trace);
  const origins = makersOf(answered, expected, steps);
  // The same piece is Date in a header-signed request and Expires in a pre-signed one.
  const date = operation.includes('presigned-url') ? '(Expires)' : '(Date)';
  const spans = textSpans({ stage, name, expected, actual, origins }, work);
  return spans.map((span) => ({ ...span, part: span.part.replace('(Date)', date) }));
}

/** A stage as a text; of sorted parameters, their names and values. */
function textIn(stages: Stages, stage: string): string {
  const value = stages[stage];
  return Array.isArray(value) ? value.flat().join('') : String(value);
}

/** What made a text, in the dialect in which the reference makes it; of one that it does not make, nothing but the last step. */
function makersOf(answered: Answered, text: string, steps: readonly StepName[]): readonly Origin[] {
  const { expect } = answered;
  const [first = '', second = ''] = String(expect['canonicalHeaders']).split('-');
  for (const dialect of [SVC, UCLOUD, { ...SVC, headerPrefix: `${first}-${second}-` }]) {
    const made = originsOf(inDialect(dialect), (context) => replyIn(context, answered), steps);
    if (made.at(-1)?.text === text) return made;
  }
  const step = steps.at(expect['sortedParameters'] ? -1 : 0) ?? 'stringToSign';
  return [{ step, piece: '', calls: [], text, start: 0, end: text.length, within: undefined }];
}

/** Stages that are one value each, with the step that makes it, in the order in which they are made. */
const VALUES: readonly (readonly [stage: string, step: StepName, rule: string])[] = [
  ['blockCount', 'blockSize', '2/etag-blocks'],
  ['digest', 'fileDigest', '2/etag-small'],
  ['signature', 'fileSignatureText', '5.2/standard-base64'],
  ['encodedSignature', 'encodedSignature', '5.4/signature-encoded'],
];

function valueSpans({ expect }: Answered, trace: Stages): readonly Span[] {
  const first = VALUES.find(
    ([name]) =>
      trace[name] !== undefined && expect[name] !== undefined && trace[name] !== expect[name],
  );
  if (!first) return [];
  const [stage, step, rule] = first;
  // What a digest is made of is not shown, so of a signature only its writing can be told.
  const isKnown = stage === 'signature' ? trace['digest'] !== undefined : stage !== 'digest';
  if (!isKnown && expect['etag'] === undefined) return [];
  const [expected, actual] = [String(expect[stage]), String(trace[stage])];
  return [{ stage, part: stage, step, rule, expected, actual }];
}

/** Takes half a surrogate pair too, which an adapter may show. */
const encoder = new TextEncoder();

/** What the signature that came back was made of, as far as the shown text tells. */
function signatureNotes({ operation, keys, expect }: Answered, shown: Shown): readonly string[] {
  const { result, trace } = shown;
  const text = trace['stringToSign'];
  const given = givenSignature(operation, { ...trace, ...result });
  if (typeof text !== 'string' || given === undefined) return [];
  const isFile = expect['digest'] !== undefined;
  const bytes = encoder.encode(text);
  const own = isFile ? STEPS.hmacSha1(encoder.encode(keys.privateKey), bytes) : STEPS.sha1(bytes);
  const isOfText = bytesOf(given)?.equals(own) === true;
  if (text === expect['stringToSign']) {
    return isOfText || (isFile && trace['digest'] === expect['digest'])
      ? [
          'the string to sign and its digest are right; the mistake is in how they are written or sent',
        ]
      : ['the string to sign is right; the mistake is in the digest, its key or its text'];
  }
  if (isOfText) return [];
  const ofShown = isFile ? base64(own) : hexadecimal(own);
  return given === expect['signature']
    ? ['the signature is right, so what was signed is not the shown string to sign']
    : [
        `the shown string to sign gives ${ofShown}; what came back was made of another text, or with another key or digest`,
      ];
}

/** The signature of an answer, wherever it stands. */
function givenSignature(operation: string, stages: Stages): string | undefined {
  for (const stage of ['signature', ...resultStages(operation)]) {
    const text = stages[stage];
    const place = typeof text === 'string' ? signaturePlace(operation, stage, text) : undefined;
    if (place && stage !== 'url') return place.signature;
    if (place) return place.signature.replaceAll(/%(2B|2F|3D)/gi, decodeURIComponent);
  }
  return undefined;
}
