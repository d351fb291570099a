/**
 * Runs every command of README.md and the guides, and compares its output with the documented one.
 *
 * A folder has the files that the commands name. Only addresses are replaced: a port may be in use.
 */
import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningServer, startServer } from '../../dist/harness/respondents/serve/start.js';
import { bundledSuite } from '../../dist/harness/suite/bundle.js';
import { readExpectations } from '../../dist/harness/suite/expectations.js';
import { authorization, inDialect, UCLOUD } from '../../dist/reference/signing/index.js';
import { runCommand } from '../../dist/scripts/outputs/command.js';
import { renewOutputs } from '../../dist/scripts/outputs/markdown.js';
import { RUNS } from '../amount.ts';
import { runProgram, svcConformance } from './svc-conformance.ts';

const GUIDES = readdirSync('docs/guides').map((name) => `docs/guides/${name}`);
const PAGES = ['README.md', ...GUIDES];

/** The commands in the order of the pages, without duplicates and comments. */
const COMMANDS = [
  ...new Set(
    PAGES.flatMap((page) =>
      [...readFileSync(page, 'utf8').matchAll(/^(?:\$ )?npx svc-conformance (.*)$/gm)].map(
        ([, line = '']) => line.replace(/ +#.*$/, ''),
      ),
    ),
  ),
];

const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-commands-'));
const inFolder = (name: string): string => join(folder, name);

const ADAPTER = `import runpy, sys
sys.path.insert(0, ${JSON.stringify(join(process.cwd(), 'adapters/python'))})
runpy.run_path(sys.path[0] + "/adapter.py", run_name="__main__")
`;

/** Stands in for the tests of an SDK. */
const PYTEST = `import subprocess
subprocess.run(["node", "docs/examples/client.mjs"])
`;

const KNOWN = `expectations:
  - vectors: password/**
    status: fail
    reason: Not fixed yet.
`;

let server: RunningServer;

beforeAll(async () => {
  cpSync('docs/examples', inFolder('docs/examples'), { recursive: true });
  cpSync('docs/examples/keys.yaml', inFolder('keys.yaml'));
  cpSync('docs/examples/signer.mjs', inFolder('signer.js'));
  writeFileSync(inFolder('package.json'), '{ "type": "module" }');
  mkdirSync(inFolder('fixtures/img'), { recursive: true });
  writeFileSync(inFolder('accounts.yaml'), '- { publicKey: a, privateKey: b, buckets: [one] }\n');
  writeFileSync(inFolder('my-adapter.py'), ADAPTER);
  writeFileSync(inFolder('pytest.py'), PYTEST);
  writeFileSync(inFolder('known.yaml'), KNOWN);
  await writeAnswers();
  await writeShards();
  server = await startServer({ port: 0, buckets: [{ name: 'my-bucket', type: 'private' }] });
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** Correct answers, below the header of the questions. */
async function writeAnswers(): Promise<void> {
  const { stdout } = await svcConformance(['export', 'password']);
  const [header = ''] = stdout.split('\n');
  const { vectors } = bundledSuite();
  const answers = vectors
    .filter(({ operation }) => operation === 'password')
    .map(({ id, expect: result }) => JSON.stringify({ id, result }));
  writeFileSync(inFolder('answers.jsonl'), `${[header, ...answers].join('\n')}\n`);
}

/** Writes the reports of the other shards of the guide, and a report of yesterday. */
async function writeShards(): Promise<void> {
  for (const shard of [2, 3, 4]) {
    const report = `json-lines=${shard}.jsonl`;
    const options = ['--shard', `${shard}/4`, '--reporter', report];
    await runProgram(['run', ...options, '--', 'python3', 'my-adapter.py'], { folder });
  }
  cpSync(inFolder('4.jsonl'), inFolder('yesterday.jsonl'));
}

/** The words of a command, without the redirection of its output. */
function wordsOf(command: string): readonly string[] {
  const plain = command.replace(/ +> \S+$/, '');
  const words = [...plain.matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, word]) => quoted ?? word ?? '',
  );
  const here = words.map((word) => (/^https?:/.test(word) ? server.url : word));
  return here[0] === 'serve' ? [...here, '--port', '0'] : here;
}

/** Interrupts `serve` once it prints its address, and `run --watch` once it watches. */
function interrupt(command: string, program: ChildProcess): void {
  if (command.startsWith('serve ')) program.stdout?.once('data', () => program.kill('SIGINT'));
  if (!command.includes(' --watch')) return;
  program.stderr?.on('data', (text) => {
    if (String(text).includes('watching')) program.kill('SIGINT');
  });
}

/** Sends the request of the guide to `serve`: signed as GET, and sent as PUT. */
async function sendWrongRequest(port: string): Promise<void> {
  const { publicKey, privateKey } = server.keys;
  const signed = { method: 'GET', bucket: 'demo', key: 'a', headers: [] };
  const { authorization: value } = authorization(
    signed,
    { publicKey, privateKey },
    inDialect(UCLOUD),
  );
  const headers = { Host: `demo.localhost:${port}`, Authorization: value };
  const options = { host: '127.0.0.1', port, path: '/a', method: 'PUT', headers };
  const sent = request(options).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  await once(answer.resume(), 'end');
}

test('the guide to serve shows the output of serve', async () => {
  const guide = readFileSync('docs/guides/serve.md', 'utf8');
  let port = '';
  const { stdout, stderr } = await runProgram(
    ['serve', '--bucket', 'demo', '--dialect', 'ucloud', '--port', '0'],
    {
      folder,
      environment: { HOME: folder },
      meanwhile: (program) => {
        program.stdout?.once('data', async (text) => {
          port = /:(\d+)/.exec(String(text))?.[1] ?? '';
          await sendWrongRequest(port);
          program.kill('SIGINT');
        });
      },
    },
  );
  const printed = `${stdout}${stderr}`.replaceAll(port, '4595').replaceAll(folder, '/home/me');
  const [, shown] = /^```\n(svc-conformance listens[\s\S]*?)^```$/m.exec(guide) ?? [];
  expect(shown).toBe(printed);
});

test('the guide to serve shows code that runs', () => {
  const guide = readFileSync('docs/guides/serve.md', 'utf8');
  const [, code = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(guide) ?? [];
  expect(code).toContain('startServer');
  // The code imports this package by its name.
  const options = ['--input-type=module', '--eval', code];
  const { status, stderr } = spawnSync(process.execPath, options, { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test('the guide to known failures shows a file that can be read', () => {
  const guide = readFileSync('docs/guides/known-failures.md', 'utf8');
  const [, file = ''] = /^```yaml\n([\s\S]*?)^```$/m.exec(guide) ?? [];
  writeFileSync(inFolder('shown.yaml'), file);
  const { entries } = readExpectations(inFolder('shown.yaml'), true);
  expect(entries.map(({ reason }) => reason)).toEqual(['Fixed in 3.0.']);
});

const ALL = RUNS > 1;

describe.skipIf(!ALL)(
  `the documented commands as they are written${ALL ? '' : ', not run: SVC_TEST_RUNS=2 runs them'}`,
  () => {
    test.each(COMMANDS)('npx svc-conformance %s', async (command) => {
      const { code, stderr } = await runProgram(wordsOf(command), {
        folder,
        // The first start of `serve` writes into the home folder.
        environment: { HOME: folder },
        meanwhile: (program) => interrupt(command, program),
      });
      // 2 is a usage error, 3 invalid data, 6 a fault of the harness; others are findings.
      expect({ command, stderr, isRun: [0, 1, 4, 5].includes(code ?? 2) }).toEqual({
        command,
        stderr,
        isRun: true,
      });
    });

    test.each(PAGES)('%s shows what its commands print', async (page) => {
      const text = readFileSync(page, 'utf8');
      expect(await renewOutputs(text, runCommand)).toBe(text);
    });
  },
);
