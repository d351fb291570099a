/**
 * The string to sign of a pre-signed URL by the service's newer documentation, which contradicts §5.4.
 *
 * @module
 */
import { MISTAKES, mistaken } from '../../../reference/mistakes/index.ts';
import { SPECIFICATION, type Steps } from '../../../reference/signing/index.ts';
import { computeAnswer, isRefused } from '../../engine/answer.ts';
import type { Dialect, Question } from '../../engine/protocol.ts';
import type { Input, Vector } from '../../engine/vector.ts';
import { expectAnswer, signInput, type Target } from './probe-vectors.ts';

const OPERATION = 'verify-presigned-url';

/** Content-MD5 and Content-Type in their lines: a mistake by the specification, but the service accepts it. */
const SWAP: Partial<Steps> = mistaken(
  SPECIFICATION,
  MISTAKES.filter(({ id }) => id === 'presigned-headers-in-positions'),
).steps;

/** Whether the request is signed by the service's documentation, so that a server may accept it. */
export function isVendorText(question: Question, dialect: Dialect): boolean {
  return question.operation === OPERATION && !isRefused(computeAnswer(question, dialect, SWAP));
}

/** Asks which of the two texts a server accepts. */
export function createVendorTextVector(target: Target): Vector {
  const { bucket, fileHost, scheme, now } = target;
  const headers = [['Content-Type', 'text/plain']] as const;
  const expires = `${now + 3600}`;
  const place = { bucket, key: 'vendor-text.txt', expires, scheme, fileHost };
  const request: Input = { method: 'PUT', headers, ...place };
  const claim = {
    id: 'vendor-text/meets-a-content-type-in-the-signed-text',
    rules: ['5.4/empty-positions'],
    level: 'open' as const,
    why: 'By section 5.4 its line is empty; the newer documentation of the service, and SDKs, fill it in.',
  };
  return expectAnswer(OPERATION, claim, signInput(OPERATION, request, target, SWAP), target);
}
