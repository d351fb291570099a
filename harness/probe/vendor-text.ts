/**
 * The text of a pre-signed URL as the service's newer documentation has it, against §5.4.
 *
 * @module
 */
import { MISTAKES, mistaken } from '../../reference/mistakes/index.ts';
import { SPECIFICATION, type Steps } from '../../reference/signing/index.ts';
import type { Dialect, Question } from '../adapter/messages.ts';
import { answerTo, isRefused } from '../rederive/answer.ts';
import type { Input, Vector } from '../suite/vector.ts';
import { type About, answeredVector, signedInput } from './own-vector.ts';

const OPERATION = 'verify-presigned-url';

/** Content-MD5 and Content-Type in their lines: a mistake by the specification, and what the service takes. */
const SWAP: Partial<Steps> = mistaken(
  SPECIFICATION,
  MISTAKES.filter(({ id }) => id === 'presigned-headers-in-positions'),
).steps;

/** Whether it is signed rightly by the service's documentation, so that a server may accept it. */
export function isVendorText(question: Question, dialect: Dialect): boolean {
  return question.operation === OPERATION && !isRefused(answerTo(question, dialect, SWAP));
}

/** Asks which of the two texts a server takes. */
export function vendorTextVector(about: About): Vector {
  const { bucket, fileHost, scheme, now } = about;
  const headers = [['Content-Type', 'text/plain']];
  const expires = `${now + 3600}`;
  const place = { bucket, key: 'vendor-text.txt', expires, scheme, fileHost };
  const request: Input = { method: 'PUT', headers, ...place };
  const claim = {
    id: 'vendor-text/meets-a-content-type-in-the-signed-text',
    rules: ['5.4/empty-positions'],
    level: 'open' as const,
    why: 'By section 5.4 its line is empty; the newer documentation of the service, and SDKs, fill it in.',
  };
  return answeredVector(OPERATION, claim, signedInput(OPERATION, request, about, SWAP), about);
}
