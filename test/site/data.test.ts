/**
 * The sources of the pages: code of rules, addresses, and the results of SDKs.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findMistakeById } from '../../dist/harness/engine/expectations/names.js';
import { bundledSuite } from '../../dist/harness/suite/bundle.js';
import { readSdkResults } from '../../dist/harness/suite/sdk-results.js';
import { MISTAKES } from '../../dist/reference/mistakes/index.js';
import { ADDRESSES, addAddresses } from '../../dist/scripts/outputs/addresses.js';
import { createCodeIndex } from '../../dist/scripts/site/code.js';
import { checkAddresses } from '../../dist/scripts/site/moved-pages.js';
import { readSdks } from '../../dist/scripts/site/sdks.js';
import { readSpecText } from '../../dist/scripts/site/spec-page.js';
import { readSymptoms } from '../../dist/scripts/site/symptoms.js';

const suite = bundledSuite();

describe('the code of rules', () => {
  const findCode = createCodeIndex(suite.rules);

  test('every code sample has matching brackets', () => {
    const broken = suite.rules
      .flatMap(({ id }) => findCode(id))
      .filter(({ text }) => {
        const plain = text.replaceAll(
          /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`[^`]*`|\/\/.*/g,
          '',
        );
        return plain.split(/[([{]/).length !== plain.split(/[)\]}]/).length;
      });
    expect(broken.map(({ path, line }) => `${path}:${line}`)).toEqual([]);
  });

  const lacksCode = (rule: string): boolean =>
    new Set(findCode(rule).map(({ language }) => language)).size < 4;

  test('every rule that vectors test has code in four languages', () => {
    const tested = suite.rules.filter(({ untested }) => untested === undefined);
    expect(tested.map(({ id }) => id).filter(lacksCode)).toEqual([]);
  });

  test('the rule of every mistake has code in four languages', () => {
    expect(MISTAKES.filter(({ rule }) => lacksCode(rule)).map(({ id }) => id)).toEqual([]);
  });
});

test('every rule and mistake has the texts that its page needs', () => {
  expect(() => readSpecText(suite.rules)).not.toThrow();
  expect(() => readSymptoms(MISTAKES)).not.toThrow();
});

test('a removed page is an error that names the file for moved ids', () => {
  expect(() => checkAddresses(['/rules/a/'], ['/rules/a/', '/rules/b/'])).not.toThrow();
  expect(() => checkAddresses(['/rules/a/'], ['/rules/b/'])).toThrow(
    '/rules/a/ has no page any more; say in site/moved.yaml where its id went',
  );
});

test('the list of addresses is complete and keeps the addresses of removed pages', () => {
  const text = readFileSync(ADDRESSES, 'utf8');
  expect(addAddresses(text)).toBe(text);
  expect(addAddresses('/rules/0/gone/\n')).toContain('/rules/0/gone/\n');
});

describe('the results of SDKs', () => {
  const page = readFileSync('RESULTS.md', 'utf8');
  const sdks = readSdks(suite);

  test('every SDK has results with existing vectors and known causes', () => {
    expect(sdks.map(({ name }) => name)).toEqual(
      readdirSync('adapters/sdk').filter((name) => existsSync(`adapters/sdk/${name}/adapter.json`)),
    );
    const ids = new Set(suite.vectors.map(({ id }) => id));
    for (const { name, version, failures } of sdks) {
      const { results = [] } = readSdkResults(`adapters/sdk/${name}`) ?? {};
      expect(results.filter(({ id }) => !ids.has(id))).toEqual([]);
      expect(version).not.toBe('');
      for (const { id, causes = [], reason } of failures) {
        expect(causes.filter((cause) => findMistakeById(cause) === undefined)).toEqual([]);
        expect(reason, `${name} ${id}`).toBeDefined();
      }
    }
  });

  test('every reason with a known cause names a file and a line of the SDK', () => {
    const reasons = sdks.flatMap(({ failures }) =>
      failures.flatMap(({ causes, reason = '' }) => (causes ? [reason] : [])),
    );
    expect(reasons.length).toBeGreaterThan(200);
    const vague = reasons.filter((reason) => !/\(.*\w\.\w+:\d+.*\)/.test(reason));
    expect([...new Set(vague)]).toEqual([]);
  });

  test('RESULTS.md counts the same failures and is smaller than 20 kB', () => {
    expect(Buffer.byteLength(page)).toBeLessThan(20_000);
    for (const { name, failures } of sdks) {
      const own = page.split(`\n## ${name}\n`)[1]?.split('\n## ')[0] ?? '';
      const counts = [...own.matchAll(/^\| ([0-9]+) \|/gm)].map(([, count]) => Number(count));
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(failures.length);
    }
  });

  test('a results file that violates its schema is refused with file and line', () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-results-'));
    const [first] = readFileSync('adapters/sdk/ufile/results.jsonl', 'utf8').split('\n');
    writeFileSync(join(folder, 'results.jsonl'), `${first}\n{"id":"a","stage":"b"}\n`);
    expect(() => readSdkResults(folder)).toThrow(/results\.jsonl:2: .* lacks the member/);
    rmSync(folder, { recursive: true });
  });
});
