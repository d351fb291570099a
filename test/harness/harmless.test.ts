import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { harmless, harmlessLines } from '../../dist/harness/render/harmless.js';
import { someOf } from '../amount.ts';
import { folderOfFile } from '../temporary-folder.ts';
import { svcConformance } from './svc-conformance.ts';
import { program } from './trial.ts';

const folder = folderOfFile();

/** All characters that control a terminal or the direction of text, except line feeds and tabs. */
const OBEYED =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\p{Surrogate}]/u;

/** What CI services interpret as commands. */
const COMMAND = /^\s*::|##\[|##vso\[/i;

/** The lines with something that a terminal or a CI service would interpret. */
function obeyedLines(text: string): readonly string[] {
  return text.split('\n').filter((line) => OBEYED.test(line) || COMMAND.test(line));
}

const PLACES = [
  'name',
  'version',
  'language',
  'operation',
  'traces',
  'error',
  'always',
  'reason',
  'refusal',
  'member',
  'result',
  'line',
  'end',
  'early end',
  'banner',
  'silence',
];

const REPORTERS = [
  ...['json-lines', 'junit', 'markdown', 'tap', 'html', 'gitlab'],
  ...['badge', 'badge-svg'],
];

test.concurrent.each(someOf(PLACES, 8))(
  'no report contains control characters or CI commands of the adapter: %s',
  async (place) => {
    const own = mkdtempSync(join(folder, 'run-'));
    const { stdout, stderr } = await svcConformance(
      [
        'run',
        ...['--vectors', 'test/harness/vectors', '--start-timeout', '2', '--all'],
        ...REPORTERS.flatMap((name) => ['--reporter', `${name}=${join(own, name)}`]),
        '--',
        ...program('writes-controls', '1', place),
      ],
      { environment: { RECORD: join(folder, `record-${place}`) } },
    );
    const files = readdirSync(own).map((name) => readFileSync(join(own, name), 'utf8'));
    expect(files).toHaveLength(REPORTERS.length);
    expect([stdout, stderr, ...files].flatMap(obeyedLines)).toEqual([]);
    // The escaped text must be there: a report without it would prove nothing. Unknown operations
    // and traces are not listed.
    if (!['operation', 'traces'].includes(place)) expect(files.join('')).toContain('planted');
  },
);

test.concurrent.each([
  ['adapter', 'check'],
  ['fuzz', '--runs', '60', '--operation', 'url-encode', '--seed', '1'],
  ['run', '--module', 'test/harness/programs/throws-controls.mjs', 'url-encode'],
])('%s %s prints no control characters or CI commands of the adapter', async (...verb) => {
  const isModule = verb.includes('--module');
  const printed: string[] = [];
  for (const place of isModule
    ? ['']
    : someOf(['name', 'always', 'reason', 'result', 'early end', 'end'], 3)) {
    const command = isModule ? [] : ['--', ...program('writes-controls', '1', place)];
    const { stdout, stderr } = await svcConformance([...verb, ...command], {
      environment: { RECORD: join(folder, `record-${verb[0]}-${place}`) },
    });
    printed.push(stdout, stderr);
  }
  expect(printed.flatMap(obeyedLines)).toEqual([]);
  expect(printed.join('')).toContain('planted');
});

test('only the colours of the program itself are kept', () => {
  const text = '\u001b[31mred\u001b[39m \u001b[2J\n';
  expect(harmlessLines(text, true)).toBe('\u001b[31mred\u001b[39m \\u001b[2J\n');
  expect(harmlessLines(text)).toBe('\\u001b[31mred\\u001b[39m \\u001b[2J\n');
  expect(harmlessLines('\u001b[1m  ::error::x\u001b[22m\n', true)).toBe(
    '\u001b[1m  \\u003a:error::x\u001b[22m\n',
  );
});

test('escaped sentences have no line breaks, and escaped JSON keeps its value', () => {
  expect(harmless('a\r\n\tb')).toBe('a\\u000d\\u000a\\u0009b');
  const value = { text: '::a \u2028\u202e\u0085\u061c ##[b] 😀' };
  const written = harmlessLines(JSON.stringify(value));
  expect(JSON.parse(written)).toEqual(value);
  expect(obeyedLines(written)).toEqual([]);
  expect(written).toContain('😀');
});
