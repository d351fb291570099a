import fc from 'fast-check';
import { expect, test } from 'vitest';
import { authorization, policy, SPECIFICATION } from '../../reference/signing/index.ts';
import {
  changedRequest,
  changedText,
  character,
  fileRequest,
  keyPair,
  text,
} from './arbitraries.ts';

const policyText = fc.array(fc.tuple(text, text), { maxLength: 3 }).map(policy);

test('§5.2: one change in any part that is signed changes the signature', () => {
  fc.assert(
    fc.property(changedRequest, keyPair, policyText, ([before, after], keys, p) => {
      const { signature } = authorization(before, keys, SPECIFICATION, p);
      expect(authorization(after, keys, SPECIFICATION, p).signature).not.toBe(signature);
    }),
    { numRuns: 300 },
  );
});

test('§5.2: one changed character in the private key changes the signature', () => {
  fc.assert(
    fc.property(fileRequest, changedText(character), (request, [before, after]) => {
      const [one, other] = [before, after].map(
        (privateKey) =>
          authorization(request, { publicKey: 'p', privateKey }, SPECIFICATION).signature,
      );
      expect(other).not.toBe(one);
    }),
  );
});

test('§5.2: the public key is not signed', () => {
  fc.assert(
    fc.property(fileRequest, keyPair, keyPair, (request, keys, { publicKey }) => {
      const { signature } = authorization(request, keys, SPECIFICATION);
      expect(authorization(request, { ...keys, publicKey }, SPECIFICATION).signature).toBe(
        signature,
      );
    }),
  );
});

test('§5.2: one changed character in the callback policy changes the signature', () => {
  fc.assert(
    fc.property(fileRequest, keyPair, changedText(character), (request, keys, [before, after]) => {
      const { signature } = authorization(request, keys, SPECIFICATION, before);
      expect(authorization(request, keys, SPECIFICATION, after).signature).not.toBe(signature);
    }),
  );
});

test('§5.2: a signature is the padded standard Base64 of 20 bytes', () => {
  fc.assert(
    fc.property(fileRequest, keyPair, (request, keys) => {
      const { digest, signature } = authorization(request, keys, SPECIFICATION);
      expect(signature).toMatch(/^[A-Za-z0-9+/]{27}=$/);
      expect(Buffer.from(signature, 'base64').toString('hex')).toBe(digest);
    }),
  );
});

test('a callback policy decodes to its members, in their order', () => {
  const members = fc.uniqueArray(fc.tuple(text, text), { selector: ([name]) => name });
  fc.assert(
    fc.property(members, (pairs) => {
      expect(policy(pairs)).toMatch(/^[A-Za-z0-9\-_]*={0,2}$/);
      const json = Buffer.from(policy(pairs), 'base64').toString();
      expect(JSON.parse(json)).toEqual(Object.fromEntries(pairs));
    }),
  );
});
