/**
 * Examines the trace of an answer: where the stages that an adapter shows differ from the correct ones.
 *
 * @module
 */
import type { StepName } from '../../../reference/mistakes/index.ts';
import { resultStages } from '../../../reference/operations.ts';
import { base64, hexadecimal } from '../../../reference/signing/bytes.ts';
import {
  type Context,
  inDialect,
  SPECIFICATION,
  SVC,
  UCLOUD,
} from '../../../reference/signing/index.ts';
import { computeReply } from '../diagnosis/reference-reply.ts';
import { normalizeStage } from '../judge/comparison.ts';
import type { Stages } from '../vector.ts';
import { attributeDifferences, type Span, type Work } from './attribution.ts';
import { decodeBytes, findSignature, isSameBytes } from './form.ts';
import { type Origin, traceOrigins } from './provenance.ts';
import type { Answered } from './shape.ts';

interface Shown {
  readonly result: Stages;
  readonly trace: Stages;
}

export interface TraceFinding {
  /** The differing spans; empty if every shown stage is correct. */
  readonly spans: readonly Span[];
  /** Further conclusions from the shown stages, as sentences. */
  readonly notes: readonly string[];
}

/** Examines a trace; `undefined` if it shows nothing about the failure. */
export function analyzeTrace(answered: Answered, shown: Shown): TraceFinding | undefined {
  const { operation, expect } = answered;
  const differs = (stage: string): boolean =>
    normalizeStage(operation, stage, expect[stage]) !==
    normalizeStage(operation, stage, shown.result[stage]);
  if (!resultStages(operation).some(differs)) return undefined;
  const spans = findSpans(answered, shown.trace);
  const notes = describeSignature(answered, shown);
  return spans.length === 0 && notes.length === 0 ? undefined : { spans, notes };
}

/** In characters; longer traces are not examined. */
const LONGEST_TRACE = 20_000;

/** The work limit for one trace, in characters. */
const MOST_WORK = 2_000_000;

/** Stages that are texts, the most complete one first, with their names and the steps that make them. */
const TEXTS: Readonly<Record<string, readonly [name: string, ...steps: StepName[]]>> = {
  stringToSign: ['string to sign', 'stringToSign', 'withPrivateKey'],
  canonicalHeaders: ['extra headers', 'headersText'],
  canonicalResource: ['resource', 'resourceText'],
  sortedParameters: ['parameters', 'parametersText'],
};

/** The differing spans of the most complete text in the trace, or the first other stage that differs. */
export function findSpans(
  answered: Answered,
  trace: Stages,
  work: Work = { left: MOST_WORK },
): readonly Span[] {
  const { operation, expect } = answered;
  if (JSON.stringify(trace).length > LONGEST_TRACE) return [];
  const found = Object.entries(TEXTS).find(
    ([name]) => trace[name] !== undefined && expect[name] !== undefined,
  );
  if (!found) return findValueSpans(answered, trace);
  const [stage, [name, ...steps]] = found;
  const [expected, actual] = [stageText(expect, stage), stageText(trace, stage)];
  if (expected === actual) return findValueSpans(answered, trace);
  const origins = findOrigins(answered, expected, steps);
  // The same piece is Date in a header-signed request and Expires in a pre-signed one.
  const date = operation.includes('presigned-url') ? '(Expires)' : '(Date)';
  const spans = attributeDifferences({ stage, name, expected, actual, origins }, work);
  return spans.map((span) => ({ ...span, part: span.part.replace('(Date)', date) }));
}

/** A stage as a text; sorted parameters are joined. */
function stageText(stages: Stages, stage: string): string {
  const value = stages[stage];
  return Array.isArray(value) ? value.flat().join('') : String(value);
}

/** The origins of a text, in the dialect in which the reference makes it; if it makes it in none, a single origin. */
function findOrigins(
  answered: Answered,
  text: string,
  steps: readonly StepName[],
): readonly Origin[] {
  const { expect } = answered;
  const [first = '', second = ''] = String(expect['canonicalHeaders']).split('-');
  for (const dialect of [SVC, UCLOUD, { ...SVC, headerPrefix: `${first}-${second}-` }]) {
    const use = (context: Context): unknown => computeReply(context, answered);
    const made = traceOrigins(inDialect(dialect), use, steps);
    if (made.at(-1)?.text === text) return made;
  }
  const step = steps.at(expect['sortedParameters'] ? -1 : 0) ?? 'stringToSign';
  return [{ step, piece: '', calls: [], text, start: 0, end: text.length, within: undefined }];
}

/** Stages that are single values, in order, with their steps and rules. */
const VALUES: readonly (readonly [stage: string, step: StepName, rule: string])[] = [
  ['blockCount', 'blockSize', '2/etag-blocks'],
  ['digest', 'fileDigest', '2/etag-small'],
  ['signature', 'fileSignatureText', '5.2/standard-base64'],
  ['encodedSignature', 'encodedSignature', '5.4/signature-encoded'],
];

function findValueSpans({ expect }: Answered, trace: Stages): readonly Span[] {
  const first = VALUES.find(
    ([name]) =>
      trace[name] !== undefined && expect[name] !== undefined && trace[name] !== expect[name],
  );
  if (!first) return [];
  const [stage, step, rule] = first;
  // A digest hides its input. A signature shows a fault of its encoding only if the digest is in the trace too.
  const isKnown = stage === 'signature' ? trace['digest'] !== undefined : stage !== 'digest';
  if (!isKnown && expect['etag'] === undefined) return [];
  const [expected, actual] = [String(expect[stage]), String(trace[stage])];
  return [{ stage, part: stage, step, rule, expected, actual }];
}

/** Unlike `utf8Bytes`, it accepts an unpaired surrogate, which an adapter may show. */
const encoder = new TextEncoder();

/** Concludes from the shown string to sign what the returned signature covers. */
function describeSignature({ operation, keys, expect }: Answered, shown: Shown): readonly string[] {
  const { result, trace } = shown;
  const text = trace['stringToSign'];
  const given = findGivenSignature(operation, { ...trace, ...result });
  if (typeof text !== 'string' || given === undefined) return [];
  const isFile = expect['digest'] !== undefined;
  const bytes = encoder.encode(text);
  const { hmacSha1, sha1 } = SPECIFICATION.steps;
  const own = isFile ? hmacSha1(encoder.encode(keys.privateKey), bytes) : sha1(bytes);
  const isOfText = isSameBytes(decodeBytes(given), own);
  if (text === expect['stringToSign']) {
    return isOfText || (isFile && trace['digest'] === expect['digest'])
      ? [
          'the string to sign and its digest are correct; the mistake is in how they are encoded or sent',
        ]
      : ['the string to sign is correct; the mistake is in the digest, its key or its text'];
  }
  if (isOfText) return [];
  const ofShown = isFile ? base64(own) : hexadecimal(own);
  return given === expect['signature']
    ? ['the signature is correct, so the adapter did not sign the string to sign that it shows']
    : [
        `the shown string to sign gives ${ofShown}; the adapter signed another text, or used another key or digest`,
      ];
}

/** The signature of an answer, in whichever result it is. */
function findGivenSignature(operation: string, stages: Stages): string | undefined {
  for (const stage of ['signature', ...resultStages(operation)]) {
    const text = stages[stage];
    const place = typeof text === 'string' ? findSignature(operation, stage, text) : undefined;
    if (place && stage !== 'url') return place.signature;
    if (place) return place.signature.replaceAll(/%(2B|2F|3D)/gi, decodeURIComponent);
  }
  return undefined;
}
