import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { svcConformance } from './svc-conformance.ts';

const PYTHON = process.platform === 'win32' ? 'python' : 'python3';
const missing =
  spawnSync(PYTHON, ['--version']).status === 0
    ? ''
    : ` (not run, because ${PYTHON} was not found)`;

function program(name: string): string {
  return fileURLToPath(new URL(`programs/${name}`, import.meta.url));
}

interface Report {
  readonly causes: readonly string[];
  readonly unsure: boolean;
  readonly unexplained: boolean;
}

/** What a run says of an adapter's mistakes. */
async function reportOn(...command: readonly string[]): Promise<Report> {
  const { code, stdout } = await svcConformance(['run', '--', ...command]);
  expect(code).toBe(1);
  return {
    causes: [...stdout.matchAll(/^CAUSE (\S+)/gm)].map(([, id = '']) => id).sort(),
    unsure: stdout.includes('(one of several)'),
    unexplained: /^UNEXPLAINED/m.test(stdout),
  };
}

/** Singles, pairs and triples over all operations and both directions. */
const PLANTED: readonly (readonly string[])[] = [
  ['headers-merged-by-comma-space'],
  ['folds-kept'],
  ['resource-encoded'],
  ['hmac-long-key-cut'],
  ['signature-url-safe'],
  ['authorization-without-space'],
  ['escape-space-as-plus'],
  ['action-text-as-query'],
  ['json-numbers-as-doubles'],
  ['query-signature-sorted-in'],
  ['presigned-as-get'],
  ['presigned-positions-left-out'],
  ['etag-blocks-reversed'],
  ['etag-decoded-as-utf-8'],
  ['verify-trimmed-signature'],
  ['verify-path-plus-as-space'],
  ['headers-as-in-the-worked-example', 'headers-merged-by-comma-space'],
  ['signature-url-safe', 'folds-kept'],
  ['empty-value-unsigned', 'escape-tilde'],
  ['resource-encoded', 'presigned-as-get'],
  ['etag-hexadecimal', 'escape-twice'],
  ['headers-as-in-the-worked-example', 'headers-merged-by-comma-space', 'signature-url-safe'],
  ['hmac-long-key-cut', 'resource-encoded', 'query-signature-sorted-in'],
  ['empty-value-unsigned', 'folds-kept', 'etag-blocks-reversed'],
];

test.concurrent.each(PLANTED.map((ids) => [ids.join(' and '), ids] as const))(
  'a run names exactly %s',
  async (_, ids) => {
    const report = await reportOn(process.execPath, program('makes-mistakes.mjs'), ...ids);
    expect(report).toEqual({ causes: [...ids].sort(), unsure: false, unexplained: false });
  },
);

/** What to replace in the Python adapter, and the mistakes that it makes then. */
const PATCHES: readonly (readonly [
  name: string,
  patch: readonly string[],
  ids: readonly string[],
])[] = [
  [
    'leaves headers unsorted',
    ['in sorted(merged)', 'in merged'],
    ['headers-as-in-the-worked-example'],
  ],
  [
    'joins values by comma and space',
    ['",".join(merged[name])', '", ".join(merged[name])'],
    ['headers-merged-by-comma-space'],
  ],
  [
    'does both, and writes URL-safe signatures',
    [
      'in sorted(merged)',
      'in merged',
      '",".join(merged[name])',
      '", ".join(merged[name])',
      'signature=base64.b64encode',
      'signature=base64.urlsafe_b64encode',
    ],
    ['headers-as-in-the-worked-example', 'headers-merged-by-comma-space', 'signature-url-safe'],
  ],
];

test.skipIf(missing !== '').concurrent.each(PATCHES)(
  `a run names exactly the mistakes of a Python adapter that %s${missing}`,
  async (_, patch, ids) => {
    const report = await reportOn(PYTHON, program('patched.py'), ...patch);
    expect(report).toEqual({ causes: [...ids].sort(), unsure: false, unexplained: false });
  },
);

test
  .skipIf(missing !== '')
  .concurrent(
    `a mistake that is not known is called unexplained, and nothing is accused of it${missing}`,
    async () => {
      const report = await reportOn(
        PYTHON,
        program('patched.py'),
        '"/" + bucket + "/" + key',
        '"/" + bucket + "/" + key[::-1]',
      );
      expect(report).toEqual({ causes: [], unsure: false, unexplained: true });
    },
  );
