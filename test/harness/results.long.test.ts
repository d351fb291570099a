import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { folderOfTest } from '../temporary-folder.ts';
import { copyPackage } from './package-copy.ts';

/** An SDK that encodes passwords, but in Latin-1 instead of UTF-8. */
const SDK = `
  const CHARSET = 'latin1';
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { n, operation, input } = JSON.parse(line);
    console.log(JSON.stringify(
      n === undefined ? { protocol: 1, implementation: { name: 'tiny', version: '7', language: 'node' }, operations: ['password'] }
      : operation !== 'password' ? { n, unsupported: true }
      : { n, result: { value: Buffer.from(input.text, CHARSET).toString('base64') } }));
  });`;

const EXPECTATIONS = `expectations:
  - vectors: password/**
    status: fail
    reason: Text beyond ASCII is encoded as Latin-1.
`;

/** A package like this one, with one published SDK. */
let root: string;

beforeEach(() => {
  root = folderOfTest();
  copyPackage(root);
  mkdirSync(sdk(), { recursive: true });
  writeFileSync(sdk('adapter.cjs'), SDK);
  writeFileSync(sdk('expectations.yaml'), EXPECTATIONS);
  writeFileSync(
    sdk('adapter.json'),
    JSON.stringify({ name: 'tiny', command: ['{node}', '{dir}/adapter.cjs'], dialect: 'ucloud' }),
  );
});

const sdk = (...path: string[]): string => join(root, 'adapters', 'sdk', 'tiny', ...path);
const page = (): string => readFileSync(join(root, 'RESULTS.md'), 'utf8');
const data = (): string => readFileSync(sdk('results.jsonl'), 'utf8');

function results(...parameters: readonly string[]) {
  const program = join(root, 'dist/bin/svc-conformance.cjs');
  const { status, stdout } = spawnSync(process.execPath, [program, 'results', ...parameters], {
    encoding: 'utf8',
  });
  return { code: status, text: stdout.trim() };
}

test('the page shows counts by level and failures by cause', () => {
  expect(results().text).toMatch(/^RESULTS.md written: 1 SDK, [0-9]+ vectors$/);
  expect(page()).toMatch(
    /\n\| \[tiny\]\(#tiny\) \| 7 \| node \| [0-9]+ pass, [0-9]+ fail, [0-9]+ unsupported \|/,
  );
  expect(page()).toMatch(/\| [0-9]+ \| Text beyond ASCII is encoded as Latin-1\. \|/);
  expect(page()).not.toContain('The cause is unknown.');
});

test('the results have a line for each vector that the SDK supports', () => {
  results();
  const [first = '', ...lines] = data().trim().split('\n');
  expect(JSON.parse(first)).toMatchObject({
    sdk: 'tiny',
    version: '7',
    language: 'node',
    operations: ['password'],
    date: new Date().toISOString().slice(0, 10),
  });
  const all = lines.map((line) => JSON.parse(line));
  expect(all.every(({ id }) => id.startsWith('password/'))).toBe(true);
  expect(all.filter(({ status }) => status === 'fail').length).toBeGreaterThan(1);
  expect(all.find(({ status }) => status === 'fail')).toMatchObject({
    stage: 'value',
    actual: expect.any(String),
  });
});

test('unchanged results keep their date', () => {
  results();
  const earlier = data().replace(/"date":"[^"]*"/, '"date":"2001-02-03"');
  writeFileSync(sdk('results.jsonl'), earlier);
  expect(results('--check').code).toBe(0);
  results();
  expect(data()).toBe(earlier);
  writeFileSync(sdk('adapter.cjs'), SDK.replace("'latin1'", "'utf8'"));
  results();
  expect(data()).not.toContain('2001-02-03');
});

test('an unexpected failure has an unknown cause', () => {
  writeFileSync(sdk('expectations.yaml'), EXPECTATIONS.replace('password/**', 'etag/**'));
  results();
  expect(page()).toMatch(/\| [0-9]+ \| The cause is unknown\. \|/);
});

test('every cause has a row, with its reason', () => {
  // Latin-1 in Node keeps the low byte of other characters. The replaced text matches no known mistake.
  writeFileSync(
    sdk('adapter.cjs'),
    SDK.replace(".toString('base64')", ".toString('base64').replace('Pz8/', 'Pz8x')"),
  );
  writeFileSync(
    sdk('expectations.yaml'),
    `${EXPECTATIONS.replace('reason:', 'cause: password-bytes/low-bytes\n    reason:')}
  - vectors: password/**
    status: fail
    cause: unexplained
    reason: Nobody asked.
`,
  );
  results();
  expect(page()).toMatch(
    /\| [0-9]+ \| `password-bytes\/low-bytes`: Text beyond ASCII is encoded as Latin-1\. \|/,
  );
  expect(page()).toMatch(/\| [0-9]+ \| Nobody asked\. \|/);
  expect(data()).toContain('"causes":["password-bytes/low-bytes"]');
  expect(data()).not.toContain('unexplained');
});

test('the check fails if the page is missing or a result has changed', () => {
  expect(results('--check').code).toBe(1);
  results();
  expect(results('--check')).toEqual({ code: 0, text: 'RESULTS.md is up to date' });
  writeFileSync(sdk('adapter.cjs'), SDK.replace("'latin1'", "'utf8'"));
  expect(results('--check')).toMatchObject({
    code: 1,
    text: expect.stringMatching(/^out of date: .*results\.jsonl, .*RESULTS\.md; run/),
  });
});
