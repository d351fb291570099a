import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  authorization,
  type PresignedRequest,
  presignedUrl,
  SPECIFICATION,
} from '../../reference/signing/index.ts';
import { always } from '../properties.ts';
import { changedText, keyPair, text } from './arbitraries.ts';
import { changedPresigned, fileRequest, headerValue } from './arbitrary-requests.ts';

const place = fc.record({
  scheme: fc.constantFrom('http', 'https'),
  fileHost: fc.constantFrom('files.example.com', 'files.example.com:8080', 'localhost:1'),
});
const expires = fc.oneof(fc.nat().map(String), text);
const presigned: fc.Arbitrary<PresignedRequest> = fc
  .tuple(fileRequest, place, expires)
  .map(([request, where, end]) => ({ ...request, ...where, expires: end }));

const URL_TEXT =
  /^(https?):\/\/([^/?#]+)\/([^?#&]*)\?SvcPublicKey=([^=&#]*)&Expires=([^=&#]*)&Signature=([^=&#]*)$/;

test('§5.4: the text of a URL has every part of its request, for any key', () => {
  always([presigned, keyPair], (request, keys) => {
    const { url, signature } = presignedUrl(request, keys, SPECIFICATION);
    expect(url).toMatch(/^[!-~]+$/);
    const parts = URL_TEXT.exec(url)?.slice(1).map(decodeURIComponent);
    const host = `${request.bucket}.${request.fileHost}`;
    expect(parts).toEqual([
      request.scheme,
      host,
      request.key,
      keys.publicKey,
      request.expires,
      signature,
    ]);
  });
});

test('§5.4: a URL parser reads every part of the request, unless the key has dot segments', () => {
  always([presigned, keyPair], (request, keys) => {
    fc.pre(!request.key.split('/').some((segment) => segment === '.' || segment === '..'));
    const { url, signature } = presignedUrl(request, keys, SPECIFICATION);
    const { protocol, host, pathname, searchParams, hash } = new URL(url);
    expect([protocol, host, hash]).toEqual([
      `${request.scheme}:`,
      `${request.bucket}.${request.fileHost}`,
      '',
    ]);
    expect(decodeURIComponent(pathname)).toBe(`/${request.key}`);
    expect([...searchParams]).toEqual([
      ['SvcPublicKey', keys.publicKey],
      ['Expires', request.expires],
      ['Signature', signature],
    ]);
  });
});

test('§5.4: a change in any signed part changes the signature', () => {
  always([changedPresigned, place, expires, keyPair], 200, ([before, after], where, end, keys) => {
    const [one, other] = [before, after].map(
      (request) =>
        presignedUrl({ ...request, ...where, expires: end }, keys, SPECIFICATION).signature,
    );
    expect(other).not.toBe(one);
  });
});

test('§5.4: one changed character of Expires changes the signature', () => {
  always([presigned, changedText, keyPair], (request, change, keys) => {
    const [one, other] = change.map(
      (end) => presignedUrl({ ...request, expires: end }, keys, SPECIFICATION).signature,
    );
    expect(other).not.toBe(one);
  });
});

test('§5.4: scheme, file host, public key and positional headers are not signed', () => {
  always([presigned, place, keyPair, keyPair], (request, where, keys, { publicKey }) => {
    const headers = request.headers.filter(([name]) => !/^(content-|date)/i.test(name));
    const other = presignedUrl(
      { ...request, ...where, headers },
      { ...keys, publicKey },
      SPECIFICATION,
    );
    expect(other.signature).toBe(presignedUrl(request, keys, SPECIFICATION).signature);
  });
});

test('§5.4: a URL has the signature of the header form with Expires as its Date', () => {
  always([presigned, headerValue, keyPair], (request, end, keys) => {
    const headers = request.headers.filter(([name]) => !/^(content-|date)/i.test(name));
    const inHeader = authorization(
      { ...request, headers: [...headers, ['Date', end]] },
      keys,
      SPECIFICATION,
    );
    const inUrl = presignedUrl({ ...request, expires: end }, keys, SPECIFICATION);
    expect(inUrl.signature).toBe(inHeader.signature);
  });
});
