/**
 * What the pages are made from: code by its name, and the results of SDKs.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findMistakeById } from '../../dist/harness/engine/expectations/names.js';
import { bundledSuite } from '../../dist/harness/suite/bundle.js';
import { createCodeIndex } from '../../dist/scripts/site/code.js';
import { readSdks } from '../../dist/scripts/site/sdks.js';

const suite = bundledSuite();

describe('code by its name', () => {
  const findCode = createCodeIndex(suite.rules);

  test('every piece is whole: its brackets match', () => {
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

  test('every rule that vectors test has code in four languages', () => {
    const tested = suite.rules.filter(({ untested }) => untested === undefined);
    const lacking = tested.filter(
      ({ id }) => new Set(findCode(id).map(({ language }) => language)).size < 4,
    );
    expect(lacking.map(({ id }) => id)).toEqual([]);
  });
});

describe('the results of SDKs', () => {
  const page = readFileSync('RESULTS.md', 'utf8');

  test('RESULTS.md is read whole: every failure is a vector, every cause a mistake', () => {
    for (const { name, failures, version } of readSdks(suite, undefined)) {
      const own = page.split(`\n## ${name}\n`)[1] ?? '';
      const count = /<summary>(\d+) failures<\/summary>/.exec(own)?.[1];
      expect(failures.length, name).toBe(Number(count));
      expect(version).not.toBe('');
      for (const { id, causes, reason } of failures) {
        expect(
          suite.vectors.some((vector) => vector.id === id),
          id,
        ).toBe(true);
        expect(causes.filter((cause) => findMistakeById(cause) === undefined)).toEqual([]);
        expect(causes.length > 0 || reason !== undefined, id).toBe(true);
      }
    }
  });

  test('a JSON-lines report replaces what RESULTS.md says of its SDK', () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-reports-'));
    const [vector] = suite.vectors.filter(({ level }) => level === 'must');
    const { id = '', rules = [], level } = vector ?? {};
    const adapter = 'ufile';
    const lines = [
      { type: 'adapter', adapter, implementation: { version: '9.9', language: 'python' } },
      { type: 'outcome', adapter, id, level, rules, status: 'fail', message: 'other' },
      { type: 'cause', adapter, mistake: 'verb-in-lower-case', ids: [id] },
    ];
    writeFileSync(
      join(folder, 'ufile.jsonl'),
      lines.map((line) => JSON.stringify(line)).join('\n'),
    );
    const sdk = readSdks(suite, folder).find(({ name }) => name === adapter);
    expect(sdk).toMatchObject({ version: '9.9', source: 'ufile.jsonl' });
    expect(sdk?.failures).toMatchObject([{ id, status: 'fail', causes: ['verb-in-lower-case'] }]);
    expect(sdk?.rules.get(rules[0] ?? '')).toEqual({ passed: 0, failed: 1, unsupported: 0 });
    rmSync(folder, { recursive: true });
  });
});
