/**
 * Checks which SDK makes which mistake, by the SDK's known failures or by a place in its source.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MISTAKES } from '../../dist/reference/mistakes/index.js';

/** Claims that no adapter shows, each with the place in the SDK's source that does. */
const READ: Readonly<Record<string, string>> = {
  'etag-empty-zeros, ufile-rus3 0.1.12 (Rust)': 'src/util/mod.rs, from_file',
  'headers-left-out, ufile-phpsdk (PHP)': 'v1/ucloud/digest.php, CanonicalizedUCloudHeaders',
  'headers-first-value, the US3 SDK for C++': 'ucloud/http/http.cpp, ReqHeaders: map::insert',
  'number-decimal-comma, ucloud-sdk-java-common 1.2.26, in a German locale':
    'Credential.java:51, DecimalFormat of the default locale',
  'host-encoded, ufile-client-java 2.7.5 (Java)': 'GenerateObjectPrivateUrlApi, generateFinalHost',
  'presigned-headers-in-positions, ufile 3.2.11 (Python)': 'baseufile.py, __digest_signature_data',
  'presigned-type-in-position, ufile-client-java 2.7.5 (Java)':
    'UfileObjectLocalAuthorization.java:113, for URLs of uploads',
  'presigned-signature-unencoded, ufile 3.2.11 (Python)': 'filemanager.py, private_download_url',
  'presigned-public-key-unencoded, ufile 3.2.11 (Python)': 'filemanager.py, private_download_url',
  'path-unencoded, ufile 3.2.11 (Python)': 'filemanager.py, private_download_url',
  'policy-in-standard-base64, the US3 SDK for JavaScript': 'v2, ufile-token.js, signRequest',
};

const SDKS = 'adapters/sdk';
const judged = new Map(
  readdirSync(SDKS, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => [name, readFileSync(`${SDKS}/${name}/expectations.yaml`, 'utf8')]),
);

/** Names of SDKs, each with its version; "in a German locale" belongs to the one before. */
function names(seen: string): readonly string[] {
  return seen.split(/, (?!in )/);
}

function isJudged(mistake: string, sdk: string): boolean {
  const known = judged.get(sdk.split(' ')[0] ?? '') ?? '';
  return new RegExp(`(?<![\\w-])${mistake}(?![\\w-])`).test(known);
}

const claims = MISTAKES.flatMap(({ id, seen }) =>
  seen === undefined ? [] : names(seen).map((sdk) => [id, sdk] as const),
);

test('every SDK that a mistake names makes it, according to its known failures or its source', () => {
  const unshown = claims.filter(
    ([id, sdk]) => !isJudged(id, sdk) && READ[`${id}, ${sdk}`] === undefined,
  );
  expect(unshown).toEqual([]);
  expect(claims.length).toBeGreaterThan(50);
});

test('every place in a source belongs to a claim', () => {
  const made = claims.map(([id, sdk]) => `${id}, ${sdk}`);
  expect(Object.keys(READ).filter((claim) => !made.includes(claim))).toEqual([]);
});
