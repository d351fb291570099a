import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { DEVELOPMENT_KEYS } from '../../reference/server/options.ts';
import { RUNS, someOf, thorough } from '../amount.ts';
import { type Line, ofType, reportLines } from '../harness/report-lines.ts';
import {
  type CallCircumstances,
  type Ended,
  onceCalled,
  runProgram,
  svcConformance,
  unwrapped,
} from '../harness/svc-conformance.ts';
import { survivors } from '../harness/trial.ts';
import { expectUsageError, testUsageErrors } from '../harness/usage-errors.ts';
import { listen } from '../listen.ts';
import { folderOfFile } from '../temporary-folder.ts';

// Windows has no signals and no process groups to inspect.
const posix = process.platform === 'win32' ? test.skip : test;

const folder = folderOfFile();

// Not concurrent, because the search for causes blocks the servers of other tests in this thread.

function program(name: string, ...parameters: readonly string[]): readonly string[] {
  const path = fileURLToPath(new URL(`programs/${name}.mjs`, import.meta.url));
  return [process.execPath, path, ...parameters];
}

const client = (...mistakes: readonly string[]): readonly string[] =>
  program('wire-client', ...mistakes);

const oddity = (what: string): readonly string[] => program('wire-oddity', what);

/** Runs a client. `report` is the report on one line; `lines` are those of the JSON report. */
async function wire(
  command: readonly string[],
  options: readonly string[] = [],
  circumstances: CallCircumstances = {},
) {
  return wireWith((parameters) => svcConformance(parameters, circumstances), command, options);
}

async function wireWith(
  run: (parameters: readonly string[]) => Promise<Ended>,
  command: readonly string[],
  options: readonly string[] = [],
) {
  const json = join(mkdtempSync(join(folder, 'run-')), 'report.jsonl');
  const reporters = ['--reporter', `json-lines=${json}`];
  const ended = await run(['wire', ...reporters, ...options, '--', ...command]);
  const lines = reportLines(readFileSync(json, 'utf8'));
  expect(lines.at(-1)).toMatchObject({ exitCode: ended.code });
  return { ...ended, report: unwrapped(ended.stdout), lines };
}

/** The statuses of the outcomes, by id. */
function statuses(lines: readonly Line[]): Line {
  return Object.fromEntries(ofType(lines, 'outcome').map(({ id, status }) => [id, status]));
}

function causes(lines: readonly Line[]): readonly (readonly unknown[])[] {
  return ofType(lines, 'cause')
    .map(({ mistake, confidence, ids }) => [mistake, confidence, [...(ids as string[])].sort()])
    .sort();
}

const ALL_RIGHT = {
  'PutFile/1': 'pass',
  'PutFile/2': 'pass',
  'GetFile/1': 'pass',
  'GetFile/2': 'pass',
  'DeleteFile/1': 'pass',
  'DescribeBucket/1': 'pass',
};

test('a client that signs correctly passes', async () => {
  const { code, report, lines } = await wire(client());
  expect(code).toBe(0);
  expect(statuses(lines)).toEqual(ALL_RIGHT);
  expect(causes(lines)).toEqual([]);
  expect(report).toContain('PutFile 2 pass GetFile 2 pass DeleteFile 1 pass DescribeBucket 1 pass');
  expect(report).toMatch(/all as expected$/);
});

test('the only mistake of a client is named, with the request that shows it', async () => {
  const { code, report, lines } = await wire(client('headers-merged-by-comma-space'));
  expect(code).toBe(1);
  expect(statuses(lines)).toEqual({ ...ALL_RIGHT, 'PutFile/2': 'fail', 'GetFile/2': 'fail' });
  expect(causes(lines)).toEqual([
    ['headers-merged-by-comma-space', 'exact', ['GetFile/2', 'PutFile/2']],
  ]);
  expect(report).toContain('1 cause explains 2 failures CAUSE headers-merged-by-comma-space');
  expect(report).toContain(
    'shown by GetFile/2: GET http://wire.cn-bj.ufileos.com/a.txt answered 403 -148658 string to sign 1 verb "GET" request line',
  );
  expect(report).toContain('5 extra header "x-ucloud-note:1,2" header X-UCloud-Note, 2 times');
});

thorough('three mistakes are distinguished', async () => {
  const mistakes = ['headers-merged-by-comma-space', 'resource-encoded', 'signature-url-safe'];
  const { code, report, lines } = await wire(client(...mistakes));
  expect(code).toBe(1);
  const named = causes(lines).map(([mistake, confidence]) => [mistake, confidence]);
  expect(named).toEqual([
    ['headers-merged-by-comma-space', 'exact'],
    // Only a key with a slash would show which one, and this client has none.
    ['resource-encoded', 'one of'],
    ['signature-url-safe', 'exact'],
  ]);
  expect(report).toContain('3 causes explain 4 failures');
});

/** A client with an unknown mistake and its own key pair. Runs once: the search takes seconds. */
const unknown = onceCalled(() =>
  wire(client('key-made-up', ...(RUNS > 1 ? [] : ['once'])), [], {
    environment: { SVC_PRIVATE_KEY: 'a-key-of-somebody', SVC_PUBLIC_KEY: 'somebody' },
  }),
);

test('failures that no known mistake explains are reported as such', async () => {
  const { code, report, lines } = await unknown();
  expect(code).toBe(1);
  expect(causes(lines)).toEqual([]);
  expect(ofType(lines, 'unexplained')).toMatchObject([{ ids: { length: RUNS > 1 ? 5 : 1 } }]);
  const failures = RUNS > 1 ? 'the 5 failures' : 'the failure';
  expect(report).toContain(`no known mistake explains ${failures} UNEXPLAINED`);
  expect(statuses(lines)).toMatchObject({
    'PutFile/1': 'fail',
    ...(RUNS > 1 && { 'DescribeBucket/1': 'pass' }),
  });
});

test('a client in another dialect than the server has one cause with its fix', async () => {
  const { code, report, lines } = await wire(program('wire-ucloud'), ['--dialect', 'svc']);
  expect(code).toBe(1);
  const failing = Object.entries(statuses(lines)).filter(([, status]) => status === 'fail');
  expect(causes(lines)).toEqual([['wrong-dialect', 'exact', failing.map(([id]) => id).sort()]]);
  expect(failing.length).toBeGreaterThan(3);
  expect(report).toContain('fix: pass --dialect ucloud,');
  expect(report).not.toMatch(/FAIL |UNEXPLAINED/);
});

test('requests without a signature to judge are listed and do not fail the run', async () => {
  const buckets = ['--bucket', 'wire', '--bucket', 'open:public'];
  const { code, report, lines } = await wire(oddity('asks-for-other-things'), buckets);
  expect(code).toBe(0);
  expect(Object.values(statuses(lines)).sort()).toEqual([
    'foreign',
    'pass',
    'unimplemented',
    'unjudged',
    'unsigned',
  ]);
  expect(report).toContain('foreign request/1 GET http://www.example.com/a.txt answered 421');
});

test.each([
  ['accepts', []],
  ['is strict and refuses', ['--strict']],
])('§5.2: a string to sign that only SDKs use fails if the server %s it', async (_, options) => {
  const { code, lines } = await wire(program('wire-append'), options);
  expect(code).toBe(1);
  expect(statuses(lines)).toEqual({ 'Append/1': 'fail' });
  expect(causes(lines)).toEqual([['raw-append-query', 'exact', ['Append/1']]]);
});

/** The expected outcome of each request of the client `wire-forms`; all signatures are correct. */
const FORMS: Readonly<Record<string, readonly string[]>> = {
  'GetFile/1': ['pass', 'must', '5/match-accepted'],
  'GetFile/2': ['fail', 'must', '5.4/signature-encoded'],
  'GetFile/3': ['fail', 'must', '5.4/signature-encoded'],
  'GetFile/4': ['fail', 'must', '5.4/signature-encoded'],
  'GetFile/5': ['fail', 'observed', '5.4/path-encoded'],
  'GetFile/6': ['pass', 'must', '5/match-accepted'],
  'PutFile/1': ['fail', 'must', '5/match-accepted'],
  'DescribeBucket/1': ['pass', 'must', '5/match-accepted'],
  'DescribeBucket/2': ['fail', 'must', '4.2/query-signature-last'],
  'DescribeBucket/3': ['fail', 'must', '5.3/upper-case'],
  'DescribeBucket/4': ['fail', 'must', '5.3/escaped'],
  'DescribeBucket/5': ['fail', 'must', '5.3/unreserved'],
  'DescribeBucket/6': ['fail', 'must', '4.2/query-pairs'],
  'DescribeBucket/7': ['pass', 'must', '5/match-accepted'],
  'DescribeBucket/8': ['fail', 'must', '4.2/json-content-type'],
  'DescribeBucket/9': ['fail', 'must', '4.2/json-content-type'],
  'DescribeBucket/10': ['fail', 'observed', '5.1/flattening'],
  'DescribeBucket/11': ['fail', 'must', '4.2/password-base64'],
  'DescribeBucket/12': ['pass', 'must', '5/match-accepted'],
  'UploadHit/1': ['pass', 'must', '5/match-accepted'],
  'UploadHit/2': ['fail', 'observed', '4.3/instant-upload-target'],
};

test('§4.2 to §5.4: a correct signature in a wrong form fails by the rule for it', async () => {
  const { code, report, lines } = await wire(program('wire-forms'));
  expect(code).toBe(1);
  const judged = ofType(lines, 'outcome').map(
    ({ id, status, level, rules }) => [id, [status, level, ...(rules as string[])]] as const,
  );
  expect(Object.fromEntries(judged)).toEqual(FORMS);
  const explained = causes(lines).flatMap(([, , ids]) => ids as string[]);
  const failing = Object.keys(FORMS).filter((id) => FORMS[id]?.[0] === 'fail');
  expect([...new Set(explained)].sort()).toEqual(failing.sort());
  expect(ofType(lines, 'unexplained')).toEqual([]);
  const named = new Map(causes(lines).map(([mistake, , ids]) => [mistake, ids]));
  expect(named.get('presigned-signature-unencoded')).toEqual(['GetFile/2']);
  expect(named.get('presigned-signature-escaped-in-lower-case')).toEqual(['GetFile/3']);
  expect(named.get('query-signature-first')).toEqual(['DescribeBucket/2']);
  expect(report).toContain('rule: 5.4/signature-encoded (must)');
});

test.each([
  ['sends nothing', [process.execPath, '-e', ''], 'it exited with status 0 and sent no request'],
  ['cannot be started', ['no-such-program'], '"no-such-program" was not found'],
  ['is a folder', [tmpdir()], 'is not executable; name a program'],
  [
    'sends requests only to other hosts',
    program('wire-elsewhere'),
    'none of its requests (1) shows a signature that could be judged; request/1 was foreign',
  ],
] as const)('a client that %s gets no verdict', async (_, command, why) => {
  const { code, report, lines } = await wire(command);
  expect(code).toBe(4);
  expect(report).toContain(why);
  expect(report).toMatch(/nothing was judged: the client sent no signed request$/);
  expect(ofType(lines, 'adapter')).toMatchObject([{ neverWorked: expect.stringContaining(why) }]);
});

test('the requests of a client that crashes are judged', async () => {
  const { code, report, stderr, lines } = await wire(oddity('crashes'));
  expect(code).toBe(0);
  expect(statuses(lines)).toEqual({ 'PutFile/1': 'pass' });
  expect(report).toContain('the client exited with status 1');
  expect(stderr).toContain('Error: the client crashes');
  const minded = await wire(oddity('crashes'), ['--client-status', '--quiet']);
  expect(minded.code).toBe(1);
  expect(statuses(minded.lines)).toEqual({ 'PutFile/1': 'pass', 'client/exit-status': 'fail' });
  expect(minded.stderr).toContain('Error: the client crashes');
});

test('a client may print 5 MB, which --quiet hides', async () => {
  const loud = await wire(oddity('floods'));
  expect([loud.code, loud.stderr.length]).toEqual([0, 5_000_000]);
  const quiet = await wire(oddity('floods'), ['--quiet']);
  expect([quiet.code, quiet.stderr]).toEqual([0, '']);
});

/** A file to which a client writes its process ids, and the lines in it. */
function recorded(): { readonly path: string; readonly lines: () => readonly string[] } {
  const path = join(mkdtempSync(join(folder, 'record-')), 'record');
  writeFileSync(path, '');
  return { path, lines: () => readFileSync(path, 'utf8').split('\n').slice(0, -1) };
}

posix.each(someOf(['hangs-and-ignores-signals', 'hangs'], 2))(
  'a client that %s is killed at the timeout, and its requests are judged',
  async (what) => {
    const record = recorded();
    const environment = { RECORD: record.path };
    const { code, report, lines } = await wire(oddity(what), ['--timeout', '3'], { environment });
    expect(code).toBe(5);
    expect(statuses(lines)).toEqual({ 'PutFile/1': 'pass' });
    expect(report).toContain('the client did not exit within 3 s');
    expect(record.lines()).toContain('hangs');
    expect(await survivors(record.lines().slice(0, 1).map(Number))).toEqual([]);
  },
);

async function expectKilled(what: string): Promise<void> {
  const record = recorded();
  const { code } = await wire(oddity(what), [], { environment: { RECORD: record.path } });
  expect(code).toBe(0);
  expect(record.lines()).toHaveLength(1);
  expect(await survivors(record.lines().map(Number))).toEqual([]);
}

posix('child processes that a client leaves behind are killed', () =>
  expectKilled('leaves-a-grandchild'),
);

const linux = process.platform === 'linux' ? test : test.skip;

linux('child processes that a client leaves behind outside its process group are killed', () =>
  expectKilled('leaves-its-group'),
);

posix.each(someOf(['SIGINT', 'SIGTERM'] as const, 2))(
  '%s reports the results so far',
  async (signal) => {
    const record = recorded();
    const run = (parameters: readonly string[]): Promise<Ended> =>
      runProgram(parameters, {
        environment: { RECORD: record.path },
        meanwhile: (cli) => {
          const timer = setInterval(() => {
            if (!record.lines().includes('hangs')) return;
            clearInterval(timer);
            cli.kill(signal);
          }, 20);
          cli.once('exit', () => clearInterval(timer));
        },
      });
    const { code, report, lines } = await wireWith(run, oddity('hangs'));
    expect(code).toBe(5);
    expect(statuses(lines)).toEqual({ 'PutFile/1': 'pass' });
    expect(report).toContain('the run stopped early: the run was interrupted');
    expect(report).toMatch(/aborted: the client did not finish$/);
    expect(await survivors(record.lines().slice(0, 1).map(Number))).toEqual([]);
  },
);

test('the environment of a client leads only to the server', async () => {
  const environment = {
    no_proxy: 'localhost',
    JAVA_TOOL_OPTIONS: '-Xmx64m',
    HTTPS_PROXY: 'http://proxy.example',
  };
  const options = ['--bucket', 'one', '--bucket', 'two'];
  const { stderr } = await wire(oddity('shows-its-keys'), options, { environment });
  const shown = JSON.parse(stderr) as Readonly<Record<string, string>>;
  const { SVC_ENDPOINT: endpoint = '' } = shown;
  const { port } = new URL(endpoint);
  expect(shown).toMatchObject({
    SVC_ENDPOINT: `http://127.0.0.1:${port}`,
    SVC_API_URL: `http://127.0.0.1:${port}/`,
    SVC_FILE_HOST: `files.localhost:${port}`,
    SVC_BUCKET: 'one',
    SVC_BUCKETS: 'one,two',
    SVC_PUBLIC_KEY: DEVELOPMENT_KEYS.publicKey,
    SVC_PRIVATE_KEY: DEVELOPMENT_KEYS.privateKey,
    no_proxy: '',
    NO_PROXY: '',
    JAVA_TOOL_OPTIONS: `-Xmx64m -Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=${port} -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=${port} -Dhttp.nonProxyHosts=`,
  });
  for (const name of ['http', 'https', 'all']) {
    expect(shown[`${name}_proxy`]).toBe(endpoint);
    expect(shown[`${name.toUpperCase()}_PROXY`]).toBe(endpoint);
  }
});

test('the private key of the environment is in no report', async () => {
  const { stdout, lines } = await unknown();
  expect(stdout).not.toContain('a-key-of-somebody');
  expect(JSON.stringify(lines)).not.toContain('a-key-of-somebody');
});

test('the reports in JUnit and Markdown have the right counts', async () => {
  const [junit, markdown] = [join(folder, 'wire.xml'), join(folder, 'wire.md')];
  const options = ['--reporter', `junit=${junit}`, '--reporter', `markdown=${markdown}`];
  await wire(client('headers-merged-by-comma-space'), options);
  const xml = readFileSync(junit, 'utf8');
  expect(xml).toContain('<testsuites name="svc-conformance" tests="6" failures="2" errors="0"');
  expect(xml.match(/<testcase /g)).toHaveLength(6);
  expect(xml).toContain('message="headers-merged-by-comma-space: repeated headers are joined');
  const page = readFileSync(markdown, 'utf8');
  expect(page).toMatch(
    /^## svc-conformance [0-9.]+: 6 requests\n\n\*\*conformance failures: \d requests?\*\*\n/,
  );
  expect(page).toContain('| level | requests |');
  expect(page).toContain('| must | 4 pass, 2 fail |');
});

test('known failures do not fail the run until they are stale', async () => {
  const known = join(folder, 'known.yaml');
  const entry = (ids: string): string =>
    `expectations:\n  - vectors: [${ids}]\n    status: fail\n    cause: headers-merged-by-comma-space\n    reason: Fixed in 3.0.\n`;
  writeFileSync(known, entry('PutFile/2, GetFile/2'));
  const options = ['--expectations', known];
  const { code, report } = await wire(client('headers-merged-by-comma-space'), options);
  expect(code).toBe(0);
  expect(report).toContain('must 4 pass · 2 known failure');
  const over = await wire(client(), options);
  expect(over.code).toBe(1);
  expect(over.report).toContain('STALE');
});

testUsageErrors([
  ['wire', 'wire runs one client program'],
  ['wire file -- true', 'wire runs one client program'],
  ['wire --tiemout 3 -- true', 'did you mean --timeout?'],
  ['wire --bucket a:b -- true', '--bucket "a:b" is not a bucket'],
  ['wire --dialect aws -- true', '"aws" is not a dialect'],
]);

test('a port in use is a usage error, and no client is started', async () => {
  const server = createServer();
  const port = `${await listen(server)}`;
  const parameters = ['wire', '--port', port, '--', process.execPath, '-e', 'console.log("ran")'];
  await expectUsageError(parameters, `port ${port} of 127.0.0.1 is already in use`);
  server.close();
});

const hasTools = ['curl', 'openssl'].every(
  (tool) => spawnSync(tool, ['version']).error === undefined,
);

test.skipIf(!hasTools)(
  `curl reaches the default host through the proxy of its environment${hasTools ? '' : ' (not run, because curl or openssl was not found)'}`,
  async () => {
    const script = fileURLToPath(new URL('programs/wire-curl.sh', import.meta.url));
    expect(execFileSync('sh', ['-n', script]).toString()).toBe('');
    const right = await wire(['sh', script, 'wire']);
    expect(right.code).toBe(0);
    expect(statuses(right.lines)).toEqual({ 'PutFile/1': 'pass', 'GetFile/1': 'pass' });
    const wrong = await wire(['sh', script, '']);
    expect(wrong.code).toBe(1);
    expect(ofType(wrong.lines, 'outcome')).toHaveLength(2);
  },
);
