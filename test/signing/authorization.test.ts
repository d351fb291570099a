import fc from 'fast-check';
import { expect, test } from 'vitest';
import { authorization, policy, SPECIFICATION } from '../../reference/signing/index.ts';
import { always } from '../properties.ts';
import { changedText, keyPair, text } from './arbitraries.ts';
import { changedRequest, fileRequest } from './arbitrary-requests.ts';

const { jsonText } = SPECIFICATION.steps;
const policyText = fc.array(fc.tuple(text, text), { maxLength: 3 }).map(policy);

test('§5.2: a change in any signed part changes the signature', () => {
  always([changedRequest, keyPair, policyText], 300, ([before, after], keys, p) => {
    const { signature } = authorization(before, keys, SPECIFICATION, p);
    expect(authorization(after, keys, SPECIFICATION, p).signature).not.toBe(signature);
  });
});

test('§5.2: one changed character in the private key changes the signature', () => {
  always([fileRequest, changedText], (request, [before, after]) => {
    // HMAC pads the key with NULs (RFC 2104), so NULs at its end make no difference.
    fc.pre(before.replace(/\0+$/, '') !== after.replace(/\0+$/, ''));
    const [one, other] = [before, after].map(
      (privateKey) =>
        authorization(request, { publicKey: 'p', privateKey }, SPECIFICATION).signature,
    );
    expect(other).not.toBe(one);
  });
});

test('§5.2: one changed character in the callback policy changes the signature', () => {
  always([fileRequest, keyPair, changedText], (request, keys, [before, after]) => {
    const { signature } = authorization(request, keys, SPECIFICATION, before);
    expect(authorization(request, keys, SPECIFICATION, after).signature).not.toBe(signature);
  });
});

test('§5.2: a signature is the padded standard Base64 of 20 bytes', () => {
  always([fileRequest, keyPair], (request, keys) => {
    const { digest, signature } = authorization(request, keys, SPECIFICATION);
    expect(signature).toMatch(/^[A-Za-z0-9+/]{27}=$/);
    expect(Buffer.from(signature, 'base64').toString('hex')).toBe(digest);
  });
});

test('a callback policy is the URL-safe Base64 of its members in the given order', () => {
  const name = fc.oneof(text, fc.constantFrom('2', '1', '__proto__'));
  always([fc.array(fc.tuple(name, text))], (object) => {
    expect(policy(object)).toMatch(/^[A-Za-z0-9\-_]*={0,2}$/);
    const json = Buffer.from(policy(object), 'base64url').toString();
    expect(jsonText(json)).toEqual({ object });
  });
});
