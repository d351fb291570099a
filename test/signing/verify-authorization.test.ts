import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  authorization,
  type FileRequest,
  type KeyPair,
  policy,
  SPECIFICATION,
  type Verification,
  verifyAuthorization,
} from '../../reference/signing/index.ts';
import { always } from '../properties.ts';
import { character, keyPair, only, overwritten, text } from './arbitraries.ts';
import { changedRequest, fileRequest, otherHeaders } from './arbitrary-requests.ts';

const policyText = fc.oneof(
  fc.constant(''),
  fc.array(fc.tuple(text, text), { maxLength: 2 }).map(policy),
);

/** The policy if the request can be an upload, otherwise none. */
const policyFor = ({ method }: FileRequest, text: string): string =>
  SPECIFICATION.steps.takesPolicy(method) ? text : '';

/** Sends a request with this `Authorization` to a server that knows one account. */
function sent(request: FileRequest, value: string, keys: KeyPair): Verification<unknown> {
  const headers = [['aUTHORIZATION', value] as const, ...request.headers];
  return verifyAuthorization({ ...request, headers }, only(keys), SPECIFICATION);
}

test('§5.2: a verifier accepts a signed request, with and without a policy', () => {
  always([fileRequest, keyPair, policyText], 200, (request, keys, text) => {
    const p = policyFor(request, text);
    const { authorization: value, ...stages } = authorization(request, keys, SPECIFICATION, p);
    const { publicKey } = keys;
    expect(sent(request, value, keys)).toMatchObject({ accepted: true, publicKey, stages });
  });
});

test('§5.2: a verifier accepts a request to which unsigned headers were added', () => {
  always([fileRequest, otherHeaders, keyPair], (request, added, keys) => {
    const { authorization: value } = authorization(request, keys, SPECIFICATION);
    const headers = [...added, ...request.headers];
    expect(sent({ ...request, headers }, value, keys).accepted).toBe(true);
  });
});

test('§7 E1: a verifier refuses a signature with one character changed', () => {
  always(
    [fileRequest, keyPair, policyText, fc.nat(), character],
    300,
    (request, keys, p, at, by) => {
      const { signature } = authorization(request, keys, SPECIFICATION, p);
      const changed = overwritten(signature, at, by);
      fc.pre(changed !== signature && !JSON.stringify(changed).includes(signature));
      const value = `Svc ${keys.publicKey}:${changed}${p && `:${p}`}`;
      const verification = sent(request, value, keys);
      expect(verification.accepted).toBe(false);
      expect(JSON.stringify(verification)).not.toContain(signature);
    },
  );
});

test('§7 E1: a verifier refuses a request with a change in any signed part', () => {
  always([changedRequest, keyPair, policyText], 300, ([before, after], keys, text) => {
    const p = policyFor(before, policyFor(after, text));
    const signed = authorization(before, keys, SPECIFICATION, p);
    const verification = sent(after, signed.authorization, keys);
    expect(verification).toMatchObject({ accepted: false, reason: 'signature-mismatch' });
    const { signature } = authorization(after, keys, SPECIFICATION, p);
    expect(JSON.stringify(verification)).not.toContain(signature);
  });
});

test('§7 E1: a verifier refuses a policy with one character changed', () => {
  always([fileRequest, keyPair, policyText, fc.nat(), character], (request, keys, p, at, by) => {
    fc.pre(p !== '');
    const signed = authorization(request, keys, SPECIFICATION, p);
    const changed = overwritten(p, at, by);
    fc.pre(changed !== p);
    const value = `Svc ${keys.publicKey}:${signed.signature}:${changed}`;
    expect(sent(request, value, keys).accepted).toBe(false);
  });
});

const withoutPadding = ({ privateKey }: KeyPair): string => privateKey.replace(/\0+$/, '');

test('§1: a verifier refuses a request signed with the private key of another account', () => {
  always([fileRequest, keyPair, keyPair], (request, keys, other) => {
    // HMAC pads the key with NULs (RFC 2104), so NULs at its end make no difference.
    fc.pre(withoutPadding(keys) !== withoutPadding(other));
    const signed = authorization(request, { ...keys, privateKey: other.privateKey }, SPECIFICATION);
    expect(sent(request, signed.authorization, keys)).toMatchObject({
      accepted: false,
      reason: 'signature-mismatch',
    });
  });
});
