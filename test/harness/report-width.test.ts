import { expect, test } from 'vitest';
import { differenceLines } from '../../dist/harness/render/difference-lines.js';
import { columns, filled, terminal } from '../../dist/harness/render/terminal.js';
import { svcConformance } from './svc-conformance.ts';
import { program } from './trial.ts';

function mistaken(...ids: readonly string[]): readonly string[] {
  return ['run', '--', ...program('makes-mistakes', ...ids)];
}

/** Lines that are not broken, so that people can copy them. */
const COMMAND = /^ {2}(?:accept| *svc-conformance) /;
const COPIED = /^ {4}input |^FORGED /;

test.concurrent('one mistake with 27 failures fits on a screen of 80 columns', async () => {
  const parameters = mistaken('headers-as-in-the-worked-example');
  const { code, stdout } = await svcConformance(parameters, {
    columns: 80,
    environment: { NO_COLOR: '1' },
  });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^1 cause explains 27 failures$/m);
  const lines = stdout.split('\n');
  // The length of a command depends on where the package is.
  const rows = lines.map((line) =>
    COMMAND.test(line) ? 1 : Math.max(1, Math.ceil(columns(line) / 80)),
  );
  expect(rows.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(43);
  const long = lines.filter(
    (line) => columns(line) > 80 && !COMMAND.test(line) && !COPIED.test(line),
  );
  // An id is never broken.
  expect(long.filter((line) => line.trim().includes(' '))).toEqual([]);
});

test.concurrent('the last lines have the counts, the cause, its fix and the next command', async () => {
  const { stdout } = await svcConformance(mistaken('headers-as-in-the-worked-example'));
  expect(stdout.slice(stdout.indexOf('  total '))).toMatch(
    /^ {2}total {5}\d+ pass · 27 fail · \d+ skip\n\n {2}27 fail headers-as-in-the-worked-example: sort extra headers by name; .*\n {2}next: fix headers-as-in-the-worked-example, then run this again; --all shows all 27 failures\n {4}svc-conformance run authorization\/\S+ -- .*\n\nconformance failures\n$/,
  );
});

test.concurrent('three mistakes have one paragraph and one line at the end each', async () => {
  const ids = ['folds-kept', 'headers-merged-by-comma-space', 'resource-encoded'];
  const { stdout } = await svcConformance(mistaken(...ids));
  expect([...stdout.matchAll(/^CAUSE (\S+)$/gm)].map(([, id]) => id).sort()).toEqual(ids);
  expect([...stdout.matchAll(/^ {2}\d+ fail (\S+):/gm)].map(([, id]) => id).sort()).toEqual(ids);
  expect(stdout).not.toMatch(/^FAIL /m);
  expect(stdout.split('\n').length).toBeLessThan(80);
  const accepts = stdout.match(/^ {2}accept .*$/gm) ?? [];
  expect(new Set(accepts).size).toBe(accepts.length);
});

test.concurrent('--all shows every failure and names its cause', async () => {
  const [, ...rest] = mistaken('headers-as-in-the-worked-example');
  const { stdout } = await svcConformance(['run', '--all', 'authorization', ...rest]);
  const [, count] = /^1 cause explains (\d+) failures$/m.exec(stdout) ?? [];
  expect(stdout.match(/^(?:FAIL|REFUSED|INCONCLUSIVE) \S+$/gm)).toHaveLength(Number(count));
  expect(stdout.match(/^ {2}cause headers-as-in-the-worked-example, above$/gm)).toHaveLength(
    Number(count),
  );
});

test('a pipe has no width: nothing is wrapped', () => {
  const words = 'word '.repeat(100).trim();
  expect(filled(words, terminal({ isTTY: false, columns: 80 }, {}).width, '  ')).toBe(`  ${words}`);
  expect(filled(words, terminal({ isTTY: true, columns: 80 }, {}).width, '  ')).toContain('\n');
});

test('a line breaks neither in a command nor in an id', () => {
  const id = `authorization/canonical-headers/${'sorts-'.repeat(10)}names`;
  const text = `not run, because it is not built; run \`npm run setup:kits\` for ${id}`;
  const lines = filled(text, 40, '').split('\n');
  expect(lines).toContain(id);
  expect(lines.some((line) => line.includes('`npm run setup:kits`'))).toBe(true);
});

test.each([40, 80, 200])('the caret is below the first difference, in %i columns', (width) => {
  const out = terminal({ isTTY: true, columns: width }, { NO_COLOR: '1' });
  const texts = ['', '桶/照片/', 'ﬁle　Ｚ/', '🦊/', 'กำ/', 'x'.repeat(150), '桶'.repeat(150)];
  for (const before of texts) {
    for (const after of ['', '桶'.repeat(90), 'y'.repeat(90)]) {
      const difference = {
        stage: 's',
        expected: `${before}A${after}`,
        actual: `${before}B${after}`,
      };
      const [, expected = '', actual = '', caret = ''] = differenceLines(
        { ...difference, at: before.length },
        out,
        '  ',
      );
      expect(columns(expected.slice(0, expected.lastIndexOf('A')))).toBe(caret.indexOf('^'));
      expect(columns(actual.slice(0, actual.lastIndexOf('B')))).toBe(caret.indexOf('^'));
      for (const line of [expected, actual, caret]) {
        expect(columns(line)).toBeLessThanOrEqual(width);
      }
    }
  }
});

test.concurrent('adapters that are not run for one reason share a line', async ({ skip }) => {
  const { stdout } = await svcConformance(['run', 'password'], { environment: { PATH: '/none' } });
  const lines = stdout.match(/^.* not run, because .*$/gm) ?? [];
  skip(lines.length === 0, 'every adapter is set up in this checkout');
  const reasons = lines.map((line) => line.replace(/^.*? not run, /, ''));
  expect(new Set(reasons).size).toBe(reasons.length);
  expect(stdout).toMatch(/ not run, because .*\n\n\S.*\(\d+ adapters? not run\)\n$/);
});
