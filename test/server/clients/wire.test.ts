import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runProgram, unwrapped } from '../../harness/svc-conformance.ts';
import { BUCKET } from './client-run.ts';
import { PYTHON, source, withoutPython } from './clients.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-conformance-wire-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function wired(program: string, ...parameters: readonly string[]) {
  const command = [PYTHON, source(program), ...parameters];
  const { code, stdout } = await runProgram(
    ['wire', '--bucket', BUCKET, '--quiet', '--', ...command],
    {
      environment: { HOME: folder, TMPDIR: folder },
      folder,
    },
  );
  return { code, report: unwrapped(stdout) };
}

describe.skipIf(withoutPython)(`wire with the SDK for Python${withoutPython}`, () => {
  test('three causes explain 13 of the 14 failed requests', async () => {
    const { code, report } = await wired('python/client.py');
    expect(code).toBe(1);
    expect(report).toMatch(
      /FAIL PutFile\/\d+ PUT http:\/\/demo[.][^ ]+\/aA[.]txt answered 403 -148658/,
    );
    expect(report).toContain('3 causes explain 13 of 14 failures');
    expect(report).toContain('CAUSE presigned-signature-unencoded');
    expect(report).toContain('CAUSE list-parameters');
    expect(report).toContain('CAUSE path-unencoded (one of several)');
    expect(report).toMatch(
      / must 64 pass · 13 fail observed 1 fail total 64 pass · 14 fail the client exited with status 0 .* next: fix \S+, then run again \(--all shows all 14 failures\) conformance failures: 14 requests$/,
    );
  });

  test.each([
    ['resource-without-bucket', 'CAUSE resource-without-bucket', 'PutFile/1'],
    ['resource-encoded', 'CAUSE resource-encoded', 'GetFile/1'],
    ['verb-in-lower-case', 'CAUSE verb-in-lower-case', 'PutFile/1'],
    [
      'Content-Type unsigned',
      'cause: the request was signed without the header Content-Type',
      'PutFile/1',
    ],
    ['signature-url-safe', 'CAUSE signature-url-safe', 'PostFile/1'],
    ['parameters-unsorted', 'CAUSE parameters-unsorted', 'DescribeBucket/1'],
  ])('the report names the planted mistake %s', async (mistake, cause, request) => {
    const { code, report } = await wired('python/wrong.py', mistake);
    expect(code).toBe(1);
    expect(report).toContain(cause);
    expect(report).toContain(`shown by ${request}:`);
    expect(report).toMatch(/conformance failures: \d+ requests?$/);
  });
});
