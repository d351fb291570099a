import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type FileRequest,
  type KeyPair,
  type PresignedRequest,
  type PresignedStages,
  presignedUrl,
  SPECIFICATION,
  urlEncode,
  type Verification,
  verifyPresignedUrl,
} from '../../reference/signing/index.ts';
import { always } from '../properties.ts';
import { character, keyPair, only, overwritten } from './arbitraries.ts';
import { changedPresigned, fileRequest } from './arbitrary-requests.ts';

const SCHEME = 'https';
const seconds = fc.oneof(fc.nat(), fc.constantFrom(0, 1, 999_999_999_999_998));

function signed(
  request: FileRequest,
  expires: number,
  keys: KeyPair,
  fileHost = 'files.example.com',
): PresignedStages {
  const presigned: PresignedRequest = {
    ...request,
    expires: `${expires}`,
    scheme: SCHEME,
    fileHost,
  };
  return presignedUrl(presigned, keys, SPECIFICATION);
}

/** Sends a URL to a server that knows one account, at the time `now`. */
function used(
  { method, headers }: FileRequest,
  url: string,
  now: number,
  keys: KeyPair,
  fileHost = 'files.example.com',
): Verification<unknown> {
  return verifyPresignedUrl({ method, headers, url, fileHost, now }, only(keys), SPECIFICATION);
}

test('§5.4: a verifier accepts a signed URL up to the second of Expires', () => {
  const hosts = fc.constantFrom('files.example.com', 'localhost:8080', 'Files.Example.com');
  always([fileRequest, seconds, keyPair, hosts], 200, (request, expires, keys, fileHost) => {
    const { url } = signed(request, expires, keys, fileHost);
    const verifications = [0, expires].map((now) => used(request, url, now, keys, fileHost));
    const { publicKey } = keys;
    for (const v of verifications) expect(v).toMatchObject({ accepted: true, publicKey });
  });
});

test('§5.4: a verifier refuses a signed URL one second after Expires', () => {
  always([fileRequest, seconds, keyPair], (request, expires, keys) => {
    const { url } = signed(request, expires, keys);
    const verification = used(request, url, expires + 1, keys);
    expect(verification).toMatchObject({ accepted: false, reason: 'expired' });
  });
});

test('§7 E1: a verifier refuses a signature with one character changed', () => {
  always(
    [fileRequest, seconds, keyPair, fc.nat(), character],
    300,
    (request, expires, keys, at, by) => {
      const { url, signature, encodedSignature } = signed(request, expires, keys);
      const changed = overwritten(signature, at, by);
      fc.pre(changed !== signature && !JSON.stringify(changed).includes(signature));
      const verification = used(
        request,
        url.replace(encodedSignature, urlEncode(changed)),
        0,
        keys,
      );
      expect(verification).toMatchObject({ accepted: false, reason: 'signature-mismatch' });
      expect(JSON.stringify(verification)).not.toContain(signature);
    },
  );
});

test('§7 E1: a verifier refuses a request with a change in any signed part', () => {
  always([changedPresigned, seconds, keyPair], 300, ([before, after], expires, keys) => {
    const [one, other] = [signed(before, expires, keys), signed(after, expires, keys)];
    const url = other.url.replace(other.encodedSignature, one.encodedSignature);
    const verification = used(after, url, 0, keys);
    expect(verification).toMatchObject({ accepted: false, reason: 'signature-mismatch' });
    expect(JSON.stringify(verification)).not.toContain(other.signature);
  });
});

test('§7 E1: a verifier refuses a changed Expires', () => {
  const after = fc.oneof(
    seconds.map(String),
    seconds.map((n) => `0${n}`),
  );
  always([fileRequest, seconds, after, keyPair], (request, expires, other, keys) => {
    fc.pre(`${expires}` !== other && other.length <= 15);
    const { url } = signed(request, expires, keys);
    const verification = used(
      request,
      url.replace(`Expires=${expires}`, `Expires=${other}`),
      0,
      keys,
    );
    expect(verification).toMatchObject({ accepted: false, reason: 'signature-mismatch' });
  });
});

test('§4.3: a verifier refuses the URL of another host', () => {
  const others = fc.constantFrom(
    'example.com',
    'les.example.com',
    'files.example.co',
    'files.example.com:80',
    'other',
    '',
  );
  always([fileRequest, keyPair, others], (request, keys, fileHost) => {
    const { url } = signed(request, 1, keys);
    const verification = used(request, url, 0, keys, fileHost);
    expect(verification).toMatchObject({ accepted: false, reason: 'url-malformed' });
  });
});
