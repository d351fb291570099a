/**
 * What your implementation has, operation by operation; the loop in `adapter.mjs` stays as it is.
 *
 * Report what your implementation gives and repair nothing: no trimming, no re-encoding, no retry.
 */

export const IMPLEMENTATION = { name: 'my-sdk', version: '0', language: 'javascript' };

/** The stages that your implementation lets anybody see, of those in PROTOCOL.md. `stringToSign` explains the most. */
export const TRACES = [];

/** A deliberate no of your implementation. Any other error is an error of it. */
export class Refusal extends Error {
  constructor(reason, message) {
    super(message);
    this.reason = reason;
  }
}

/** Your implementation has no way to express the input, and why: neither a pass nor a failure. */
export class Unsupported extends Error {}

/**
 * The value of the Authorization header (§5.2). Call your SDK, and return
 * `{ result: { authorization: value }, trace: { stringToSign: text } }`, with what it shows in `trace`, or a
 * promise of it. Throw `new Unsupported(why)` where your SDK has no way to express the input, such as a header name twice.
 *
 * @param input `{ method: 'PUT', bucket: 'demo', key: 'a.txt', headers: [['Content-Type', 'text/plain']] }`
 * @param keys `{ publicKey: 'pub-example', privateKey: 'priv-example' }`
 * @param dialect `{ scheme: 'Svc', headerPrefix: 'X-Svc-', publicKeyParameter: 'SvcPublicKey' }`
 */
function authorization(input, keys, dialect) {
  throw new Error('fill in authorization() in signing.mjs');
}

export const operations = {
  authorization,
  // The next one is one line and one function; PROTOCOL.md names them all: 'presigned-url': presignedUrl,
};
