/**
 * Reports link each cause to its page; before a release they print a command.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { causePage } from '../../dist/harness/engine/report/cause-page.js';
import { ROOT } from '../root.ts';
import { folderOfFile } from '../temporary-folder.ts';
import { copyPackage } from './package-copy.ts';

const SITE = 'https://someone.github.io/svc-conformance/';
const EXAMPLES = join(ROOT, 'docs/examples');

const folder = folderOfFile();

/** The folder of a copy of this package whose manifest and vectors name a site, or none. */
function copyWith(site: string | undefined): string {
  const root = join(folder, site === undefined ? 'unreleased' : 'released');
  copyPackage(root);
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  writeFileSync(join(root, 'package.json'), JSON.stringify({ ...manifest, homepage: site }));
  const bundle = join(root, 'dist/vectors.json');
  const suite = JSON.parse(readFileSync(bundle, 'utf8'));
  // As the build writes it when package.json names the site.
  writeFileSync(bundle, JSON.stringify({ ...suite, site }));
  return root;
}

const FORMATS = ['json-lines', 'junit', 'markdown', 'html', 'tap', 'github', 'gitlab'] as const;

/** The reports on a signer that makes one mistake, and what `explain` prints about another. */
function readReports(root: string): Readonly<Record<string, string>> {
  const program = join(root, 'dist/bin/svc-conformance.cjs');
  const print = (...parameters: readonly string[]): string =>
    spawnSync(process.execPath, [program, ...parameters], { cwd: EXAMPLES, encoding: 'utf8' })
      .stdout;
  const reporters = FORMATS.flatMap((name) => ['--reporter', `${name}=${join(folder, name)}`]);
  const vectors = 'authorization/canonical-headers';
  const terminal = print('run', vectors, '--module', 'signer.mjs', ...reporters);
  const explain = print('explain', 'request.txt', '--keys', 'keys.yaml');
  const files = FORMATS.map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
  return { ...Object.fromEntries(files), terminal, explain };
}

const MISTAKE = /^CAUSE (\S+)/m;

describe('before a release', () => {
  test('every report has the command that opens the page', () => {
    const reports = readReports(copyWith(undefined));
    const [, id] = MISTAKE.exec(reports['terminal'] ?? '') ?? [];
    const [, start] =
      /^ {2}page: {2}`(node \S+svc-conformance\.cjs) docs /m.exec(reports['terminal'] ?? '') ?? [];
    const command = `${start} docs ${id}`;
    expect(reports['terminal']).toContain(`\n  page:  \`${command}\`\n`);
    // JSON does not depend on how the program was started.
    expect(reports['json-lines']).toContain(`"page":"svc-conformance docs ${id}"`);
    expect(reports['markdown']).toContain(`**${id}** (\`${command}\`)`);
    expect(reports['html']).toContain(`<code>${command}</code>`);
    for (const name of ['junit', 'tap', 'github', 'gitlab'])
      expect(reports[name], name).toMatch(new RegExp(`page: +\`${command}\``));
    expect(reports['explain']).toContain(`\n  page \`${start} docs resource-without-bucket\`\n`);
  });
});

describe('after a release', () => {
  test('every report links to the page', () => {
    const reports = readReports(copyWith(SITE));
    const [, id] = MISTAKE.exec(reports['terminal'] ?? '') ?? [];
    const page = `${SITE}mistakes/${id}/`;
    expect(reports['terminal']).toContain(`\n  page:  ${page}\n`);
    expect(reports['json-lines']).toContain(`"page":"${page}"`);
    expect(reports['markdown']).toContain(`**[${id}](${page})**`);
    expect(reports['html']).toContain(`<strong><a href="${page}">${id}</a></strong>`);
    for (const name of ['junit', 'tap', 'github', 'gitlab'])
      expect(reports[name], name).toMatch(new RegExp(`page: +${page}`));
    expect(reports['explain']).toContain(`\n  page ${SITE}mistakes/resource-without-bucket/\n`);
    expect(Object.values(reports).join('')).not.toContain('svc-conformance docs');
  });
});

test('a generated mistake is an anchor on the page of its place; the command keeps its condition', () => {
  const id = 'sorted-headers/marks-ignored@put';
  expect(causePage(id, { site: SITE })).toBe(`${SITE}mistakes/sorted-headers/#marks-ignored`);
  expect(causePage(id, {})).toBe(`svc-conformance docs ${id}`);
});
