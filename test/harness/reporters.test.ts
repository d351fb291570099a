import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { lexer, type Token, walkTokens } from 'marked';
import { type FinalResults, Parser, type Result } from 'tap-parser';
import { expect, test } from 'vitest';
import { someOf, thorough } from '../amount.ts';
import { onceCalled } from './svc-conformance.ts';
import { program, watched } from './trial.ts';

const withPython = hasPython ? test.concurrent : test.skip;

const folder = folderOfFile();

const SMALL = ['--vectors', 'test/harness/vectors'];
const POISON = 'url-encode/words/poison';
const FOLDS = ['authorization/folding', '--', ...program('makes-mistakes', 'folds-kept')];
const MARKUP = [...SMALL, '--', ...program('writes-markup')];

let files = 0;

/** A run in one format, and the run in JSON lines beside it. */
async function report(format: string, ...parameters: readonly string[]) {
  const { texts, outcomes } = await reportIn([format], ...parameters);
  return { text: texts[format] ?? '', outcomes };
}

/** A run in several formats, and in JSON lines. */
async function reportIn(formats: readonly string[], ...parameters: readonly string[]) {
  const [path, lines] = [join(folder, `${++files}`), join(folder, `${files}.jsonl`)];
  const reporters = formats.map((format) => `--reporter=${format}=${path}.${format}`);
  await watched(['run', ...reporters, `--reporter=json-lines=${lines}`, ...parameters]);
  const outcomes = ofType(reportLines(readFileSync(lines, 'utf8')), 'outcome', 'fresh');
  const texts = formats.map((format) => [format, readFileSync(`${path}.${format}`, 'utf8')]);
  return { texts: Object.fromEntries(texts) as Readonly<Record<string, string>>, outcomes };
}

const FORMATS = ['tap', 'html', 'github', 'gitlab', 'markdown', 'badge-svg'];
const folds = onceCalled(() => reportIn(FORMATS, ...FOLDS));
const markup = onceCalled(() => reportIn(FORMATS, ...MARKUP));

/** One of the formats in which these runs are reported. */
async function foldsIn(format: string) {
  const { texts, outcomes } = await folds();
  return { text: texts[format] ?? '', outcomes };
}

async function markupIn(format: string): Promise<string> {
  return (await markup()).texts[format] ?? '';
}

/** The value that a Python script reads from a text. */
function readWith(script: readonly string[], text: string): unknown {
  const { stdout, stderr } = spawnSync(PYTHON, script, {
    input: text,
    encoding: 'utf8',
    env: { ...process.env, PYTHONUTF8: '1' },
    maxBuffer: 1 << 26,
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

interface Point extends Result {
  /** The test points of its subtest. */
  readonly points: readonly Point[];
}

/** The test points of a document as node-tap reads them; text that is not TAP fails the test. */
function pointsOf(tap: string, parser: Parser = new Parser({ strict: true })): readonly Point[] {
  const points: Point[] = [];
  let inside: readonly Point[] = [];
  parser.on('child', (child: Parser) => {
    inside = pointsOf('', child);
  });
  parser.on('assert', (result: Result) => {
    points.push({ ...result, points: inside });
    inside = [];
  });
  parser.on('complete', ({ failures, plan }: FinalResults) => {
    expect(failures.filter(({ tapError }) => tapError)).toEqual([]);
    expect(plan).toMatchObject({ start: 1, end: points.length });
  });
  if (tap !== '') parser.end(tap);
  return points;
}

test.concurrent('TAP has a test point for each vector, with its cause', async () => {
  const { text, outcomes } = await foldsIn('tap');
  const [adapter, ...others] = pointsOf(text);
  expect(others).toEqual([]);
  expect(adapter).toMatchObject({ ok: false, name: 'mistaken 1 (javascript)' });
  const points = adapter?.points ?? [];
  expect(points.map(({ name }) => name)).toEqual(outcomes.map(({ id }) => id));
  expect(points.map(({ ok }) => ok)).toEqual(outcomes.map(({ status }) => status === 'pass'));
  const [failed] = points.filter(({ ok }) => !ok);
  expect(failed?.diag).toMatchObject({
    severity: 'failure',
    status: 'fail',
    message: expect.stringMatching(/^folds-kept: /),
    details: expect.stringMatching(/\nexpected +"Svc /),
  });
});

test.concurrent('TAP skips open vectors', async () => {
  const { text } = await report('tap', '--level', 'open', '--', ...program('makes-mistakes'));
  const points = pointsOf(text)[0]?.points ?? [];
  expect(points.length).toBeGreaterThan(0);
  for (const { ok, skip } of points) {
    expect([ok, skip]).toEqual([true, expect.stringMatching(/^open: /)]);
  }
});

thorough.concurrent('text of an adapter is not interpreted as TAP', async () => {
  const text = await markupIn('tap');
  const [adapter] = pointsOf(text);
  expect(adapter).toMatchObject({ ok: false, skip: false, todo: false });
  expect(adapter?.name).toMatch(/^evil # SKIP <script>/);
  const failed = adapter?.points?.filter(({ ok }) => !ok) ?? [];
  expect(failed).toMatchObject([
    {
      name: POISON,
      skip: false,
      todo: false,
      diag: { details: expect.stringContaining('::stop-commands::x') },
    },
  ]);
});

interface Page {
  readonly rows: readonly (Readonly<Record<string, string>> & { readonly text: string })[];
  readonly names: readonly string[];
  readonly text: string;
  readonly scripts: number;
  readonly loads: readonly string[];
}

function pageOf(html: string): Page {
  return readWith(['test/harness/page.py'], html) as Page;
}

withPython(`HTML has a row for each vector, and its filters${withoutPython}`, async () => {
  const { text, outcomes } = await foldsIn('html');
  const { rows, names, text: shown, loads, scripts } = pageOf(text);
  expect([names, loads, scripts]).toEqual([['status', 'operation', 'rule'], [], 1]);
  const rowOf = (one: Readonly<Record<string, unknown>>): string =>
    JSON.stringify([one['status'], one['operation'], [one['rules']].flat().join(' ')]);
  expect(
    rows
      .map((row) =>
        rowOf({
          status: row['data-status'],
          operation: row['data-operation'],
          rules: row['data-rules'],
        }),
      )
      .sort(),
  ).toEqual(outcomes.map(rowOf).sort());
  for (const { id } of outcomes) expect(shown).toContain(id);
  expect(shown).toMatch(/conformance failures: \d+ vectors/);
  expect(shown).toContain('folds-kept: a folded value is signed with');
  expect(rows[0]).toMatchObject({ 'data-status': 'fail' });
  expect(text).toContain('prefers-color-scheme: dark');
  // Without scripts, all rows are shown and the filters are hidden.
  expect(text).toContain('<form id="filters" hidden="">');
  expect(text).not.toMatch(/<tr[^>]* hidden/);
});

withPython(`HTML shows markup of an adapter as text${withoutPython}`, async () => {
  const { scripts, text, rows } = pageOf(await markupIn('html'));
  expect(scripts).toBe(1);
  expect(text).toContain('<script>alert(1)</script> "\'&amp;');
  expect(rows[0]?.text).toContain('</pre></td><script>alert(2)</script>');
});

/** The commands of GitHub as its runner parses them. */
function commandsOf(text: string) {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const [, level, place = '', title = '', data = ''] =
        /^::(error|notice) ((?:file=[^,:]*,line=\d+,)?)title=([^,:]*)::(.*)$/.exec(line) ?? [];
      const read = (part: string): string =>
        part.replaceAll(/%(0A|0D|3A|2C|25)/g, (code) => decodeURIComponent(code));
      return { level, place: read(place), title: read(title), data: read(data) };
    });
}

test.concurrent('GitHub gets an annotation for each cause, the largest first, and the totals', async () => {
  const command = program('makes-mistakes', 'etag-hexadecimal', 'headers-merged-by-comma-space');
  const { text, outcomes } = await report(
    'github',
    'authorization',
    'etag/contents',
    '--',
    ...command,
  );
  const failed = outcomes.filter(({ status }) => status !== 'pass' && status !== 'open');
  const [first, second, last, ...others] = commandsOf(text);
  expect(others).toEqual([]);
  expect([first?.title, second?.title]).toEqual([
    expect.stringMatching(/^headers-merged-by-comma-space: \d+ failures$/),
    expect.stringMatching(/^etag-hexadecimal: \d+ failures$/),
  ]);
  const countIn = (title = ''): number => Number(/: (\d+)/.exec(title)?.[1]);
  expect(countIn(first?.title)).toBeGreaterThan(countIn(second?.title));
  expect(first?.data).toMatch(/^mistaken 1 .*\ncause: .*\nfix: .*\nrule: .*\npage: .*\nshown by /);
  expect(last).toMatchObject({
    level: 'notice',
    data: expect.stringMatching(
      `^conformance failures: ${failed.length} vectors\nmistaken 1 .* · ${failed.length} fail`,
    ),
  });
  const right = await report('github', ...SMALL, '--no-fresh', '--', ...program('is-right'));
  expect(commandsOf(right.text)).toMatchObject([
    { level: 'notice', data: 'all as expected\nprogram 1 (javascript): 12 pass' },
  ]);
});

test.concurrent('an annotation of GitHub names the line of a stale expectation', async () => {
  const path = join(folder, 'stale.yaml');
  const entry = { vectors: 'no/such', status: 'fail', reason: 'Known.' };
  writeFileSync(path, `expectations:\n  - ${JSON.stringify(entry)}\n`);
  const { text } = await report(
    'github',
    '--expectations',
    path,
    'etag',
    '--',
    ...program('makes-mistakes'),
  );
  const [stale, ...others] = commandsOf(text);
  expect(stale).toMatchObject({ level: 'error', place: `file=${path},line=2,` });
  expect(others).toMatchObject([{ data: expect.stringContaining('1 stale expectation') }]);
});

test.concurrent('text of an adapter is not interpreted as a command of GitHub', async () => {
  const text = await markupIn('github');
  expect(commandsOf(text)).toMatchObject([{ level: 'error', title: POISON }, { level: 'notice' }]);
  expect(text).not.toMatch(/##\[/);
  expect(text.split('\n')).toHaveLength(3);
});

test.concurrent('failures beyond the number that GitHub shows are counted', async () => {
  const command = program('makes-unknown-mistakes', 'header-values-interleaved');
  const { text } = await report('github', 'authorization', '--no-fresh', '--', ...command);
  const commands = commandsOf(text);
  expect(commands.map(({ level }) => level)).toEqual([...Array(10).fill('error'), 'notice']);
  expect(commands.at(-1)?.data).toMatch(/\n\d+ more causes and failures have no annotation$/);
});

/** All elements of a document in Markdown, as marked reads them. */
function elementsOf(markdown: string): readonly Token[] {
  const elements: Token[] = [];
  walkTokens(lexer(markdown), (element) => {
    elements.push(element);
  });
  return elements;
}

test.concurrent('Markdown has the verdict, the counts, the causes and the first failures', async () => {
  const { text, outcomes } = await report('markdown', '--no-fresh', ...FOLDS);
  const elements = elementsOf(text);
  const ofKind = (kind: string): readonly Token[] => elements.filter(({ type }) => type === kind);
  expect(ofKind('heading').map(({ raw }) => raw.trim())).toEqual([
    expect.stringMatching(/^## svc-conformance .*: \d+ of \d+ vectors$/),
    '### `mistaken 1 (javascript)`',
  ]);
  expect(ofKind('strong').map(({ raw }) => raw)).toEqual([
    expect.stringMatching(/^\*\*conformance failures: \d+ vectors\*\*$/),
    '**folds-kept**',
  ]);
  const [table] = ofKind('table');
  const sum = [...(table?.raw ?? '').matchAll(/(\d+) [a-z]/g)].reduce(
    (total, [, count]) => total + Number(count),
    0,
  );
  expect(sum).toBe(outcomes.length);
  const [failures] = ofKind('code');
  const failed = outcomes.filter(({ status }) => status === 'fail').map(({ id }) => `fail ${id}`);
  const shown = failures?.raw.match(/^fail .*$/gm) ?? [];
  expect(shown).toHaveLength(10);
  expect(failed).toEqual(expect.arrayContaining(shown));
  // The example of the cause comes first, not the first failure.
  expect(shown[0]).not.toBe(failed[0]);
  expect(failures?.raw).toContain(`${shown[0]}\n  cause: folds-kept\n`);
  expect(ofKind('html').map(({ raw }) => raw.trim())).toEqual([
    expect.stringMatching(
      /^<details><summary>\d+ failures(?:, 10 of them, each cause first)?<\/summary>$/,
    ),
    '</details>',
  ]);
});

test.concurrent('Markdown shows markup of an adapter as code', async () => {
  const elements = elementsOf(await markupIn('markdown'));
  const ours = /^<\/?(?:details|summary)>/;
  expect(
    elements.filter(({ type, raw }) => ['html', 'link', 'image'].includes(type) && !ours.test(raw)),
  ).toEqual([]);
  expect(elements.filter(({ type }) => type === 'codespan').map(({ raw }) => raw)).toContainEqual(
    expect.stringContaining('<script>'),
  );
});

function compiled(name: string) {
  const schema = JSON.parse(readFileSync(`schema/${name}.schema.json`, 'utf8')) as object;
  return new Ajv2020({ allErrors: true }).compile(schema);
}

const [fitsGitlab, fitsBadge] = [compiled('gitlab'), compiled('badge')];

test.concurrent('the code quality report of GitLab has an issue for each failure', async () => {
  const runs = [await foldsIn('gitlab'), await report('gitlab', ...FOLDS)];
  const [issues, again] = runs.map(
    ({ text }) => JSON.parse(text) as Readonly<Record<string, string>>[],
  );
  expect(fitsGitlab(issues), JSON.stringify(fitsGitlab.errors)).toBe(true);
  const failed = runs[0]?.outcomes.filter(({ status }) => status === 'fail') ?? [];
  expect(issues).toHaveLength(failed.length);
  const prints = issues?.map(({ fingerprint }) => fingerprint);
  expect(new Set(prints).size).toBe(failed.length);
  expect(prints).toEqual(again?.map(({ fingerprint }) => fingerprint));
  const foreign = JSON.parse(await markupIn('gitlab')) as unknown;
  expect(fitsGitlab(foreign)).toBe(true);
  expect(foreign).toMatchObject([{ severity: 'critical' }]);
});

test.concurrent.each(
  someOf(
    [
      ['is-right', 'brightgreen', '12 pass'],
      ['writes-markup', 'red', '1 failure'],
      ['crashes-before-hello', 'lightgrey', 'not judged'],
    ] as const,
    2,
  ),
)('the badge of %s is %s', async (name, color, message) => {
  const { text } = await report('badge', ...SMALL, '--no-fresh', '--', ...program(name));
  const badge = JSON.parse(text) as unknown;
  expect(fitsBadge(badge), JSON.stringify(fitsBadge.errors)).toBe(true);
  expect(badge).toMatchObject({ color, message });
});

const SVG_READER = `
import json, sys, xml.etree.ElementTree as tree
print(json.dumps([[e.tag, "".join(e.itertext()).strip(), e.attrib] for e in tree.parse(sys.stdin.buffer).getroot().iter()]))
`;

import { hasPython, PYTHON, withoutPython } from '../python.ts';
import { folderOfFile } from '../temporary-folder.ts';
import { ofType, reportLines } from './report-lines.ts';

withPython(`the badge is an SVG picture with title and text${withoutPython}`, async () => {
  const text = await markupIn('badge-svg');
  const elements = readWith(['-c', SVG_READER], text) as readonly [string, string, object][];
  const named = elements.map(([tag, inside]) => [
    tag.replace('{http://www.w3.org/2000/svg}', ''),
    inside,
  ]);
  expect(named).toContainEqual(['title', 'svc-conformance: 1 failure']);
  expect(named.filter(([tag]) => tag === 'text')).toEqual([
    ['text', 'svc-conformance'],
    ['text', '1 failure'],
  ]);
});

test.concurrent('no report of these formats contains a private key', async () => {
  const formats = ['junit', 'tap', 'html', 'github', 'gitlab', 'badge', 'badge-svg'];
  const paths = formats.map((format) => join(folder, `keys.${format}`));
  const { code, record } = await watched([
    ...['run', 'presigned-url', '--no-fresh'],
    ...formats.map((format, i) => `--reporter=${format}=${paths[i]}`),
    ...['--', ...program('tells-its-keys', '64')],
  ]);
  expect(code).toBe(1);
  const keys = record
    .filter((line) => line.startsWith('key '))
    .map((line) => JSON.parse(line.slice(4)) as string)
    .filter(({ length }) => length > 5);
  expect(keys.length).toBeGreaterThan(5);
  for (const path of paths) {
    const text = readFileSync(path, 'utf8');
    expect(
      keys.filter((key) => text.includes(key) || text.includes(JSON.stringify(key).slice(1, -1))),
    ).toEqual([]);
  }
  expect(readFileSync(join(folder, 'keys.tap'), 'utf8')).toContain('stringToSign differs');
});
