/**
 * Checks the links, commands and outputs in README.md and the guides.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { parseOptions } from '../../dist/harness/cli/verb.js';
import { VERBS } from '../../dist/harness/cli/verbs.js';
import { renewOutputs } from '../../dist/scripts/outputs/markdown.js';
import { drawTerminal } from '../../dist/scripts/outputs/picture.js';

const GUIDES = readdirSync('docs/guides').map((name) => `docs/guides/${name}`);
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'docs/architecture.md',
  'adapters/PROTOCOL.md',
  ...GUIDES,
];

const read = (path: string): string => readFileSync(path, 'utf8');
const prose = (path: string): string => read(path).replaceAll(/^```[\s\S]*?^```$/gm, '');

test('README.md has at most 130 lines', () => {
  expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(130);
});

/** The anchor of a heading, as GitHub makes it. */
const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .trim()
    .replaceAll(' ', '-');

function isThere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(target)) return false;
  const headings = [...read(target).matchAll(/^#+ (.*)$/gm)].map(([, text = '']) => toAnchor(text));
  return anchor === undefined || headings.includes(anchor);
}

test.each(PAGES)('every relative link of %s has a target', (page) => {
  const links = [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link]) => link ?? []);
  const broken = links.filter((link) => !/^https?:/.test(link) && !isThere(page, link));
  expect(broken).toEqual([]);
});

test('README.md links to every guide', () => {
  expect(GUIDES.filter((guide) => !read('README.md').includes(`(${guide})`))).toEqual([]);
});

/** The words of a command, without its comment and the redirection of its output. */
function wordsOf(command: string): readonly string[] {
  const plain = command.replace(/\s+#.*$/, '').replace(/\s+>.*$/, '');
  return [...plain.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
}

const COMMANDS = PAGES.flatMap((page) =>
  [...read(page).matchAll(/^(?:\$ )?npx svc-conformance (.*)$/gm)].map(
    ([, command = '']) => [page, command] as const,
  ),
);

test.each(COMMANDS)('%s: %s has a known verb, known options and files', async (_, command) => {
  const [name = '', ...parameters] = wordsOf(command);
  const verb = await VERBS[name]?.();
  if (!verb) throw new Error(`${name} is not a verb`);
  const { values } = parseOptions(verb, parameters);
  for (const option of ['module', 'keys']) {
    const path = values[option];
    if (typeof path === 'string' && path.startsWith('docs/')) expect(existsSync(path)).toBe(true);
  }
});

test('no passage of ten words is in two documents', () => {
  const LENGTH = 10;
  const first = new Map<string, string>();
  const twice: string[] = [];
  for (const page of PAGES) {
    const words = prose(page).match(/[\w'/-]+/g) ?? [];
    for (const [at] of words.entries()) {
      if (at + LENGTH > words.length) break;
      const passage = words.slice(at, at + LENGTH).join(' ');
      const other = first.get(passage);
      if (other !== undefined && other !== page) twice.push(`${page}, ${other}: ${passage}`);
      else first.set(passage, page);
    }
  }
  expect(twice).toEqual([]);
});

test('the guide to explain shows the request of the example file', () => {
  const request = read('docs/examples/request.txt');
  expect(read('docs/guides/explain.md')).toContain(`\`\`\`http\n${request}\`\`\``);
});

const block = (options: string, output: string): string =>
  `before\n\n<!-- output${options} -->\n\`\`\`console\n$ npx svc-conformance list\n${output}\`\`\`\n\nafter\n`;

test('an output is updated as a whole, or shortened to the paragraph with a word', async () => {
  const run = async (line: string): Promise<string> => `${line} ran\n\nCAUSE one\n  two\n\nend\n`;
  const whole = await renewOutputs(block('', 'stale\n'), run);
  expect(whole).toBe(block('', 'list ran\n\nCAUSE one\n  two\n\nend\n'));
  expect(await renewOutputs(whole, run)).toBe(whole);
  expect(await renewOutputs(block(': CAUSE', ''), run)).toBe(
    block(': CAUSE', '…\nCAUSE one\n  two\n…\n'),
  );
  await expect(renewOutputs(block(': FAIL', ''), run)).rejects.toThrow('no paragraph');
});

test('a picture has the colours of the terminal, and breaks lines at its width', () => {
  const picture = drawTerminal('\u001b[31mCAUSE\u001b[39m <a>\n123456789012', 10);
  expect(picture).toContain('class="red" textLength="40" xml:space="preserve">CAUSE</text>');
  expect(picture).toContain('> &lt;a&gt;</text>');
  expect(picture.match(/<text /g)).toHaveLength(4);
  expect(picture).toContain('>1234567890</text>');
});
