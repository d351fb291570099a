import { join } from 'node:path';
import { Terminal } from '@xterm/headless';
import { expect, test } from 'vitest';
import { shorten } from '../../dist/harness/engine/excerpt.js';
import { differenceLines } from '../../dist/harness/render/difference-lines.js';
import { columns, filled, labelled, terminal } from '../../dist/harness/render/terminal.js';
import { RUNS } from '../amount.ts';
import { folderOfTest } from '../temporary-folder.ts';
import { run, svcConformance } from './svc-conformance.ts';
import { program } from './trial.ts';

const mistaken = (...ids: readonly string[]): readonly string[] =>
  program('makes-mistakes', ...ids);

/** In `npm test`, the vectors that show the mistakes of the tests. */
const PART =
  RUNS > 1 ? '' : 'authorization/folding authorization/canonical-headers authorization/resource';

/** Lines that are not wrapped, so that users can copy them. */
const COMMAND = /^ {4}svc-conformance |^ {2}page: +`?|^ *`svc-conformance /;
const COPIED = /^ {4}input /;

test.concurrent('the report of a mistake with many failures has at most 47 rows of 80 columns', async () => {
  const { code, stdout } = await run('', mistaken('headers-as-in-the-worked-example'), {
    columns: 80,
    environment: { NO_COLOR: '1' },
  });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^1 cause explains \d\d failures$/m);
  const lines = stdout.split('\n');
  // The length of a command depends on where the package is.
  const rows = lines.map((line) =>
    COMMAND.test(line) ? 1 : Math.max(1, Math.ceil(columns(line) / 80)),
  );
  expect(rows.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(47);
  const long = lines.filter(
    (line) => columns(line) > 80 && !COMMAND.test(line) && !COPIED.test(line),
  );
  // An id is never wrapped.
  expect(long.filter((line) => line.trim().includes(' '))).toEqual([]);
});

test.concurrent('the last lines have the counts, the cause, its fix and the next command', async () => {
  const { stdout } = await run(PART, mistaken('headers-as-in-the-worked-example'));
  expect(stdout.slice(stdout.indexOf('  total '))).toMatch(
    /^ {2}total {5}\d+ pass · (\d+) fail(?: · \d+ skip)?\n\n {2}\1 fail headers-as-in-the-worked-example: sort extra headers by their names in lower case\n {2}next: fix headers-as-in-the-worked-example, then run (?:all )?again \(--all shows all \1 failures\); one vector of it:\n {4}svc-conformance run authorization\/\S+ -- .*\n {2}or accept .*:\n {4}svc-conformance accept .*--cause headers-as-in-the-worked-example .*\n\nconformance failures: .*\n$/,
  );
});

test.concurrent('each of three mistakes has one paragraph, and one line at the end', async () => {
  const ids = ['folds-kept', 'headers-merged-by-comma-space', 'resource-encoded'];
  const { stdout } = await run(PART, mistaken(...ids));
  expect([...stdout.matchAll(/^CAUSE (\S+)$/gm)].map(([, id]) => id).sort()).toEqual(ids);
  expect([...stdout.matchAll(/^ {2}\d+ fail +(\S+):/gm)].map(([, id]) => id).sort()).toEqual(ids);
  expect(stdout).not.toMatch(/^FAIL /m);
  expect(stdout.split('\n').length).toBeLessThan(80);
  expect(stdout.match(/ accept --reason /g)).toHaveLength(1);
});

test('after a refusal for a wrong reason, the next step is to use the reason that the rule names', async () => {
  const folder = folderOfTest();
  const vector = 'verify-presigned-url/expiry/says-expired-before-it-looks-at-the-signature';
  const { code, stdout } = await run(`--no-fresh ${vector}`, program('refuses', '64', 'expired'), {
    environment: { RECORD: join(folder, 'record') },
  });
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^ {2}next: refuse the request of the first failure above for the reason that its rule names/m,
  );
});

test.concurrent('--all shows every failure and names its cause', async () => {
  const command = mistaken('headers-as-in-the-worked-example');
  const { stdout } = await run('--all authorization/canonical-headers', command);
  const [, count] = /^1 cause explains (\d+) failures$/m.exec(stdout) ?? [];
  expect(stdout.match(/^(?:FAIL|REFUSED|INCONCLUSIVE) \S+$/gm)).toHaveLength(Number(count));
  expect(stdout.match(/^ {2}cause: headers-as-in-the-worked-example, above$/gm)).toHaveLength(
    Number(count),
  );
});

test('text is wrapped on a terminal, but not in a pipe', () => {
  const words = 'word '.repeat(100).trim();
  expect(filled(words, terminal({ isTTY: false, columns: 80 }, {}).width, '  ')).toBe(`  ${words}`);
  expect(filled(words, terminal({ isTTY: true, columns: 80 }, {}).width, '  ')).toContain('\n');
});

test('further lines hang below the text of their label, or two columns further in', () => {
  const out = terminal({ isTTY: true, columns: 40 }, {});
  const words = 'word '.repeat(20).trim();
  const linesIn = (text: string): readonly string[] => out.wrap(text).split('\n');
  const [first, ...others] = linesIn(labelled('fix', words));
  expect(first).toMatch(/^ {2}fix: {3}word /);
  expect(others.length).toBeGreaterThan(1);
  for (const line of others) expect(line).toMatch(/^ {9}word/);
  for (const line of linesIn(words).slice(1)) expect(line).toMatch(/^ {4}word/);
  for (const line of [...linesIn(labelled('fix', words)), ...linesIn(words)])
    expect(columns(line)).toBeLessThanOrEqual(40);
});

test.each([40, 41, 42, 43, 80])('an excerpt of %i columns is not cut inside an escape', (width) => {
  const out = terminal({ isTTY: true, columns: width }, { NO_COLOR: '1' });
  const around = '"\\\u00a0'.repeat(40);
  const texts = { expected: `${around}A${around}`, actual: `${around}B${around}` };
  const lines = differenceLines({ stage: 's', ...texts, at: around.length }, out);
  for (const line of lines.slice(1, 3)) {
    const [, shown] = /(?:expected|actual) +…?(.*?)…?$/.exec(line) ?? [];
    expect(shown).toMatch(/^(?:\\"|\\\\|\\u00a0|[AB])+$/);
  }
});

test('a shortened text is not cut inside an escape', () => {
  const text = JSON.stringify('a"\\\u0001'.repeat(9));
  for (let length = 1; length < text.length; length++) {
    expect(shorten(text, length)).toMatch(/^"(?:a|\\"|\\\\|\\u0001)*…$/);
  }
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

/** The screen of a third-party terminal emulator after a text was written to it. */
async function screenOf(text: string, width: number) {
  const emulator = new Terminal({
    cols: width,
    rows: 500,
    convertEol: true,
    allowProposedApi: true,
  });
  await new Promise<void>((written) => emulator.write(text, written));
  return emulator.buffer.active;
}

type Screen = Awaited<ReturnType<typeof screenOf>>;

/** The lines of a screen; the rows that the emulator wrapped are joined. */
function linesOf(screen: Screen): readonly { readonly text: string; readonly rows: number }[] {
  const lines: { text: string; rows: number }[] = [];
  for (let i = 0; i < screen.length; i++) {
    const row = screen.getLine(i);
    const before = row?.isWrapped ? lines.pop() : undefined;
    const text = `${before?.text ?? ''}${row?.translateToString(true) ?? ''}`;
    lines.push({ text, rows: (before?.rows ?? 0) + 1 });
  }
  return lines;
}

test.each([40, 80, 200])(
  'a terminal of %i columns wraps only commands and values to copy',
  async (width) => {
    const { stdout } = await run(PART, mistaken('folds-kept', 'resource-encoded'), {
      columns: width,
    });
    const screen = await screenOf(stdout, width);
    const lines = linesOf(screen);
    const broken = lines.filter(({ text, rows }) => rows > 1 && text.trim().includes(' '));
    expect(broken.filter(({ text }) => !COMMAND.test(text) && !COPIED.test(text))).toEqual([]);
    const at = lines.findIndex(({ text }) => text.startsWith('CAUSE '));
    expect(lines[at]?.rows).toBe(1);
    const row = lines.slice(0, at).reduce((sum, { rows }) => sum + rows, 0);
    const RED = 1;
    expect(screen.getLine(row)?.getCell(0)?.getFgColor()).toBe(RED);
    expect(lines.map(({ text }) => text).join('\n')).toMatch(/^conformance failures: \d+ /m);
  },
);

test.each(['', '桶/照片/', 'ﬁle　Ｚ/', '桶'.repeat(150)])(
  'a terminal shows the caret below the first difference, after "%s"',
  async (before) => {
    const width = 80;
    const out = terminal({ isTTY: true, columns: width }, { NO_COLOR: '1' });
    const difference = { stage: 's', expected: `${before}A`, actual: `${before}B` };
    const lines = differenceLines({ ...difference, at: before.length }, out, '  ');
    const screen = await screenOf(lines.slice(1, 4).join('\n'), width);
    const caret = screen.getLine(2)?.translateToString(true).indexOf('^') ?? -1;
    const above = [0, 1].map((row) => screen.getLine(row)?.getCell(caret)?.getChars());
    expect(above).toEqual(['A', 'B']);
  },
);

test.concurrent('adapters that are not run for the same reason share a line', async ({ skip }) => {
  const { stdout } = await svcConformance(['run', 'password'], { environment: { PATH: '/none' } });
  const lines = stdout.match(/^.* not run, because .*$/gm) ?? [];
  skip(lines.length === 0, 'every adapter is set up in this checkout');
  const reasons = lines.map((line) => line.replace(/^.*? not run, /, ''));
  expect(new Set(reasons).size).toBe(reasons.length);
  expect(stdout).toMatch(/ not run, because .*\n\n\S.*\(\d+ adapters? not run\)\n$/);
});
