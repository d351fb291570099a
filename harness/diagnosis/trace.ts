/**
 * Where the stages that an adapter shows leave the right ones.
 *
 * @module
 */
import { createHash, createHmac } from 'node:crypto';
import type { Pair } from '../../reference/signing/types.ts';
import { equalForm } from '../judge/equal-form.ts';
import { resultStages } from '../suite/operations.ts';
import type { Stages, Vector } from '../suite/vector.ts';
import { bytesOf, signaturePlace } from './shapes/due.ts';
import { extraHeaderSpans, linesOf } from './spans/extra-headers.ts';
import { fileTextSpans, resourceSpans } from './spans/file-text.ts';
import { parameterTextSpans } from './spans/parameter-text.ts';
import type { Attribution, Span, TextSpan } from './spans/span.ts';

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

/** Stages with a text, the one that holds all of it first. */
const TEXTS = ['stringToSign', 'canonicalHeaders', 'canonicalResource', 'sortedParameters'];

/** The differing spans of the longest text that the trace shows, and the other stages that differ. */
export function spansOf(answered: Answered, trace: Stages): readonly Span[] {
  const { expect } = answered;
  const stage = TEXTS.find((name) => trace[name] !== undefined && expect[name] !== undefined);
  if (JSON.stringify(trace).length > LONGEST) return [];
  const texts = stage === undefined ? [] : textSpans(answered, stage, trace[stage]);
  const spans = texts.map((span): Span => ({ stage: stage ?? '', ...span }));
  return [...spans, ...(spans.length === 0 ? valueSpans(answered, trace) : [])];
}

function textSpans(
  { operation, keys, input, expect }: Answered,
  stage: string,
  actual: unknown,
): readonly TextSpan[] {
  const sorted = expect['sortedParameters'] as readonly Pair[] | undefined;
  switch (stage) {
    case 'stringToSign':
      return sorted
        ? parameterTextSpans(sorted, keys.privateKey, input, String(actual))
        : fileTextSpans(operation, expect, String(actual));
    case 'sortedParameters': {
      const text = (actual as readonly Pair[]).map((pair) => pair.join('')).join('');
      return parameterTextSpans(sorted ?? [], '', input, text);
    }
    case 'canonicalHeaders':
      return extraHeaderSpans(linesOf(String(expect[stage])), linesOf(String(actual)));
    default:
      return resourceSpans(operation, String(expect[stage]), String(expect[stage]), String(actual));
  }
}

/** Stages that are one value each, and what makes them, in the order in which they are made. */
const VALUES: Readonly<Record<string, Attribution>> = {
  blockCount: { step: 'blockSize', rule: '2/etag-blocks' },
  digest: { step: 'fileDigest', rule: '2/etag-small' },
  signature: { step: 'fileSignatureText', rule: '5.2/standard-base64' },
  encodedSignature: { step: 'encodedSignature', rule: '5.4/signature-encoded' },
};

function valueSpans({ expect }: Answered, trace: Stages): readonly Span[] {
  const first = Object.entries(VALUES).find(
    ([stage]) =>
      trace[stage] !== undefined && expect[stage] !== undefined && trace[stage] !== expect[stage],
  );
  if (!first) return [];
  const [stage, own] = first;
  // What a digest is made of is not shown, so of a signature only its writing can be told.
  const isKnown = stage === 'signature' ? trace['digest'] !== undefined : stage !== 'digest';
  if (!isKnown && expect['etag'] === undefined) return [];
  const [expected, actual] = [String(expect[stage]), String(trace[stage])];
  return [{ stage, part: stage, ...own, expected, actual }];
}

/** What the signature that came back was made of, as far as the shown text tells. */
function signatureNotes(
  { operation, keys, expect }: Answered,
  { result, trace }: Shown,
): readonly string[] {
  const text = trace['stringToSign'];
  const given = givenSignature(operation, { ...trace, ...result });
  if (typeof text !== 'string' || given === undefined) return [];
  const isFile = expect['digest'] !== undefined;
  const own = isFile
    ? createHmac('sha1', keys.privateKey).update(text).digest()
    : createHash('sha1').update(text).digest();
  const isOfText = bytesOf(given)?.equals(own) === true;
  if (text === expect['stringToSign']) {
    return isOfText || (isFile && trace['digest'] === expect['digest'])
      ? [
          'the string to sign and its digest are right; the mistake is in how they are written or sent',
        ]
      : ['the string to sign is right; the mistake is in the digest, its key or its text'];
  }
  if (isOfText) return [];
  const ofShown = own.toString(isFile ? 'base64' : 'hex');
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
    if (typeof text !== 'string') continue;
    const place = signaturePlace(operation, stage, text);
    if (place)
      return stage === 'url'
        ? place.signature.replaceAll(/%(2B|2F|3D)/gi, decodeURIComponent)
        : place.signature;
  }
  return undefined;
}
