import fc from 'fast-check';
import { expect, test } from 'vitest';
import { password, SPECIFICATION } from '../../reference/signing/index.ts';
import { always } from '../properties.ts';
import { text } from './arbitraries.ts';

const { etagText, fileSignatureText } = SPECIFICATION.steps;

test('§5.2: the standard Base64 of bytes equals that of Buffer', () => {
  always([fc.uint8Array({ maxLength: 300 })], (bytes) => {
    expect(fileSignatureText(bytes)).toBe(Buffer.from(bytes).toString('base64'));
  });
});

test('§2: the URL-safe Base64 of bytes equals that of Buffer, with padding', () => {
  always([fc.uint8Array({ maxLength: 300 })], (bytes) => {
    const unpadded = Buffer.from(bytes).toString('base64url');
    expect(etagText(bytes)).toBe(unpadded.padEnd(4 * Math.ceil(bytes.length / 3), '='));
  });
});

test('§4.2: an encoded password decodes to its clear text', () => {
  always([text], (clear) => {
    expect(Buffer.from(password(clear), 'base64').toString()).toBe(clear);
  });
});

test('§4.2: a password of 200,000 bytes is encoded as Base64', () => {
  const clear = 'é'.repeat(100_000);
  expect(password(clear)).toBe(Buffer.from(clear).toString('base64'));
});
