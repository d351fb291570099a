import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startServer } from '../../harness/respondents/serve/start.ts';
import { openDurableStore } from '../../reference/server/store/durable-store.ts';
import { SPECIFICATION } from '../../reference/signing/index.ts';
import { thorough } from '../amount.ts';
import { type Ended, runProgram, svcConformance } from '../harness/svc-conformance.ts';
import { expectUsageError, testUsageErrors } from '../harness/usage-errors.ts';
import { listen } from '../listen.ts';
import { folderOfTest } from '../temporary-folder.ts';
import { selfSigned } from './self-signed.ts';
import { SERVE, served, started, urlIn } from './serving.ts';
import { signedHeader } from './signed-requests.ts';

/** Like `served`, but runs the program as a process, which a signal ends. */
async function servedByProgram(
  parameters: readonly string[],
  act: (url: string, pid: number) => Promise<unknown>,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<Ended> {
  let acted: Promise<unknown> | undefined;
  const ended = await runProgram([...SERVE, ...parameters], {
    meanwhile: (cli) => {
      cli.stdout?.once('data', (line: string) => {
        acted = act(urlIn(line), cli.pid ?? 0).finally(() => cli.kill(signal));
        acted.catch(() => {});
      });
    },
  });
  await acted;
  return ended;
}

/** Too long for a record, so the store keeps it as a file. */
const LONG = 'text of a file '.repeat(200);

/** Puts a file into the bucket `demo`; its content is its key, unless a text is given. */
function put(url: string, key: string, headers: Record<string, string> = {}, text: string = key) {
  return fetch(`${url}/${key}`, {
    method: 'PUT',
    headers: { ...headers, Authorization: signedHeader('PUT', 'demo', key) },
    body: Buffer.from(text),
  });
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  'serve prints its address and exits with 0 on %s',
  async (signal) => {
    const { code, stderr, stdout } = await servedByProgram(
      ['--bucket', 'demo:public', '--quiet'],
      async (url) => {
        const health = await fetch(`${url}/-/health`);
        expect(await health.json()).toEqual({ status: 'ok' });
        expect((await fetch(`${url}/no.txt`)).status).toBe(404);
      },
      signal,
    );
    // Without --log there is no log.
    expect({ code, stderr, lines: stdout.split('\n').length }).toEqual({
      code: 0,
      stderr: '',
      lines: 2,
    });
  },
);

test('the log has a line for each request, and no answer or log has the private key', async () => {
  const path = folderOfTest();
  const privateKey = 'a-key-that-nobody-may-see';
  const keys = join(path, 'keys.env');
  const log = join(path, 'log.jsonl');
  writeFileSync(keys, `SVC_PUBLIC_KEY=mine\nSVC_PRIVATE_KEY=${privateKey}\n`);
  let told = '';
  const { code, stdout, stderr } = await served(
    ['--key', keys, '--log', log, '--bucket', 'demo', '--bind', 'files.test=demo'],
    async (url) => {
      const answer = await fetch(`${url}/k`, { headers: { Authorization: 'Svc mine:wrong' } });
      told = `${JSON.stringify([...answer.headers])}${await answer.text()}`;
      told += await (await fetch(`${url}/-/requests.json`)).text();
      told += await (await fetch(`${url}/-/`)).text();
    },
  );
  expect(code).toBe(0);
  const lines = readFileSync(log, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ target, status }) => [target, status])).toEqual([
    ['/k', 403],
    ['/-/requests.json', 200],
    ['/-/', 200],
  ]);
  expect(lines[0]).toMatchObject({ signature: { is: 'wrong', publicKey: 'mine' } });
  expect(told).toContain('invalid signature');
  expect(told + stdout + stderr + readFileSync(log, 'utf8')).not.toContain(privateKey);
});

test('--log without a value writes to standard output', async () => {
  const { stdout } = await served(['--log', '--strict'], (url) => fetch(`${url}/-/health`));
  expect(JSON.parse(stdout.split('\n')[1] ?? '')).toMatchObject({
    target: '/-/health',
    status: 200,
  });
});

test('--data keeps a bucket, and only one server at a time can use it', async () => {
  const data = join(folderOfTest(), 'data');
  await served(['--data', data, '--bucket', 'demo:public'], async (url) => {
    await expectUsageError([...SERVE, '--data', data], ' is in use by another process; ');
    expect((await fetch(`${url}/k`)).status).toBe(404);
  });
  const { code } = await served(['--data', data], async (url) => {
    expect(await (await fetch(`${url}/k`)).json()).toMatchObject({ ErrMsg: 'file not exist' });
  });
  expect(code).toBe(0);
  expect(readdirSync(data).length).toBeGreaterThan(0);
});

test('a damaged file is reported at the start and answered 500; others are served', async () => {
  const data = folderOfTest();
  const parameters = ['--data', data, '--bucket', 'demo:public', '--bind', '127.0.0.1=demo'];
  await served(parameters, async (url) => {
    expect((await put(url, 'damaged', {}, LONG)).status).toBe(200);
    expect((await put(url, 'whole')).status).toBe(200);
  });
  const store = await openDurableStore(data, { context: SPECIFICATION });
  const [content] = (await store.object('demo', 'damaged'))?.contents ?? [];
  await store.close();
  rmSync(join(data, 'contents', content?.id ?? ''));

  const { code, stderr } = await served(parameters, async (url) => {
    const damaged = await fetch(`${url}/damaged?ufileattname=secret`);
    expect([damaged.status, await damaged.json()]).toEqual([
      500,
      { RetCode: -149110, ErrMsg: `file damaged: content ${content?.id} is missing` },
    ]);
    expect(await (await fetch(`${url}/whole`)).text()).toBe('whole');
    await put(url, 'damaged');
    expect(await (await fetch(`${url}/damaged`)).text()).toBe('damaged');
  });
  expect(code).toBe(0);
  // Internal errors are reported even without --log.
  expect(
    stderr.replace(/request [0-9a-f-]+ failed: GET 127\.0\.0\.1:\d+/, 'request ID failed: GET'),
  ).toBe(
    `svc-conformance: file "damaged" in bucket "demo": content ${content?.id} is missing\n` +
      'svc-conformance: requests for damaged files get 500 until the files are uploaded again; everything else works\n' +
      `svc-conformance: request ID failed: GET/damaged: file damaged: content ${content?.id} is missing\n`,
  );
});

/** Changes one bit in the middle of a file. */
function flipBit(path: string): void {
  const bytes = readFileSync(path);
  const middle = Math.floor(bytes.length / 2);
  bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle);
  writeFileSync(path, bytes);
}

test('--check reports damage with exit code 3', async () => {
  const data = join(folderOfTest(), 'data');
  await served(['--data', data, '--bucket', 'demo:public'], (url) => put(url, 'k'));
  const whole = await svcConformance(['serve', '--check', data]);
  expect(whole).toMatchObject({ code: 0, stdout: `${data} is undamaged\n`, stderr: '' });

  const metadata = join(data, 'metadata');
  const log = readdirSync(metadata).find((name) => name.endsWith('.log')) ?? '';
  flipBit(join(metadata, log));
  const damaged = await svcConformance(['serve', '--check', data]);
  expect([damaged.code, damaged.stderr]).toEqual([3, '']);
  expect(damaged.stdout).toMatch(/\n.* is damaged, and was not changed; serve --data serves /);

  const { stderr } = await served(['--data', data], (url) => fetch(`${url}/-/health`));
  expect(stderr).toMatch(/^svc-conformance: .* was damaged: .*; lost\+found in it has /);
  expect(stderr).not.toMatch(/^\s+at /m);
});

test('a damaged database is refused with a one-line error; --repair rebuilds it', async () => {
  const data = join(folderOfTest(), 'data');
  const parameters = ['--data', data, '--bucket', 'demo:public', '--bind', '127.0.0.1=demo'];
  await served(parameters, (url) => put(url, 'k'));
  const metadata = join(data, 'metadata');
  const manifest = readdirSync(metadata).find((name) => name.startsWith('MANIFEST')) ?? '';
  flipBit(join(metadata, manifest));
  const sentence = '; restore it, or start once with --repair ';
  await expectUsageError([...SERVE, '--data', data], sentence);
  const repaired = await served([...parameters, '--repair'], async (url) => {
    expect(await (await fetch(`${url}/k`)).text()).toBe('k');
  });
  expect(repaired.code).toBe(0);
});

test('changed bytes on disk give 500 or a broken connection, and are logged', async () => {
  const data = join(folderOfTest(), 'data');
  const parameters = ['--data', data, '--bucket', 'demo:public', '--bind', '127.0.0.1=demo'];
  await served(parameters, async (url) => {
    await put(url, 'small', {}, LONG);
    await put(url, 'large', {}, 'large'.repeat(400_000));
  });
  for (const name of readdirSync(join(data, 'contents'))) flipBit(join(data, 'contents', name));
  const { stdout } = await served([...parameters, '--log'], async (url) => {
    const small = await fetch(`${url}/small`);
    expect([small.status, await small.json()]).toMatchObject([500, { RetCode: -149110 }]);
    const broken = await fetch(`${url}/large`);
    expect(broken.status).toBe(200);
    await expect(broken.arrayBuffer()).rejects.toThrow();
  });
  expect(stdout.match(/file damaged: content [0-9a-f]{32} is damaged: /g)).toHaveLength(2);
});

test.each([['no/such/folder/log.jsonl'], ['.']])(
  'a log at %s is refused at the start',
  async (path) => {
    const stderr = await expectUsageError(
      [...SERVE, '--log', path],
      'the log cannot be written to "',
    );
    expect(stderr).toMatch(
      /": (there is no such file or folder|it is a folder|permission denied); /,
    );
  },
);

test('an empty list of accounts is refused', async () => {
  await expect(startServer({ port: 0, accounts: [] })).rejects.toThrow(
    /^accounts is empty, so every signature would be refused; give a key pair, or leave/,
  );
});

test('--cert and --key-file start an https server', async () => {
  const path = folderOfTest();
  const { cert, key } = selfSigned(path, '-addext subjectAltName=IP:127.0.0.1');
  await served(['--cert', cert, '--key-file', key], async (url) => {
    expect(url).toMatch(/^https:/);
    const status = await new Promise((resolve, reject) => {
      const sent = get(`${url}/-/health`, { ca: readFileSync(cert) }, ({ statusCode }) =>
        resolve(statusCode),
      );
      sent.once('error', reject);
    });
    expect(status).toBe(200);
  });
});

testUsageErrors([
  ['serve --port 65536', '--port 65536 is not a port; write a number up to 65535'],
  [
    "serve --bucket 'A B' --authority off",
    'bucket name "A B" is illegal; use 3 to 63 lower-case letters',
  ],
  ["serve --suffix ''", '--suffix "" is not the end of a host'],
  ['serve --port x', '--port "x" is not a number'],
  [
    'serve --bucket demo:open',
    '"demo:open" is not a bucket; write NAME, NAME:public or NAME:private',
  ],
  ['serve --port 0 --bucket No --authority off', 'bucket name "No" is illegal'],
  ['serve --bind demo', '--bind "demo" is not HOST=BUCKET'],
  ['serve --cert x.pem', '--cert and --key-file go together'],
  [
    'serve --cert no.pem --key-file no.pem',
    'the file of --cert cannot be read: there is no such file or folder',
  ],
  [
    'serve --port 0 --cert README.md --key-file README.md',
    'the certificate and the private key for https cannot be used; give a certificate in PEM',
  ],
  [
    'serve --key no.env',
    'the file that --key names cannot be read: there is no such file or folder',
  ],
  [
    'serve --host 192.0.2.1 --port 0 --authority off',
    '192.0.2.1 is not an address of this machine',
  ],
  ['serve --data README.md --port 0 --authority off', 'README.md'],
  ['serve --repair', '--repair rebuilds the database of a data folder; name it with --data'],
  [
    'serve --check no-such-folder',
    'there is no folder no-such-folder; name a folder that serve --data has written',
  ],
  ['serve demo', 'name a bucket with --bucket NAME'],
  ['serve -- x', 'this verb does not start an adapter'],
]);

test('a port in use is reported with a one-line error and a fix', async () => {
  const other = createServer();
  onTestFinished(() => void other.close());
  const port = await listen(other);
  await expectUsageError(
    ['serve', '--authority', 'off', '--port', String(port)],
    `svc-conformance: port ${port} of 127.0.0.1 is already in use; stop the process that uses it, or choose another port (0 for any free port)\n`,
  );
});

test('startServer starts several servers, and close may be called twice', async () => {
  const seen: string[] = [];
  const servers = await Promise.all(
    [1, 2].map((recent) =>
      startServer({ port: 0, recent, onExchange: ({ target }) => seen.push(target) }),
    ),
  );
  expect(new Set(servers.map(({ port }) => port)).size).toBe(2);
  const [one] = servers;
  for (const name of ['a', 'b']) await fetch(`${one?.url}/${name}`);
  expect(one?.exchanges().map(({ target }) => target)).toEqual(['/b']);
  expect(seen).toEqual(['/a', '/b']);
  await Promise.all(servers.flatMap(({ close }) => [close(), close()]));
  await expect(fetch(`${one?.url}/-/health`)).rejects.toThrow();
});

test('requests for the pages are not listed on the pages', async () => {
  const server = await started();
  await fetch(`${server.url}/-/health`);
  await fetch(`${server.url}/-/`);
  const missing = await fetch(`${server.url}/demo.txt`);
  await missing.text();
  await expect.poll(() => server.exchanges().map(({ target }) => target)).toEqual(['/demo.txt']);
});

thorough(
  'a private key that a client sends by mistake is in no answer and no exchange',
  async () => {
    const privateKey = 'a "key" that nobody%2Fmay see: é';
    const seen: string[] = [];
    const { url } = await started({
      accounts: [{ publicKey: 'mine', privateKey }],
      buckets: [{ name: 'demo' }],
      onExchange: (exchange) => seen.push(JSON.stringify(exchange)),
    });
    const escaped = encodeURIComponent(privateKey);
    const bytes = Buffer.from(privateKey).toString('latin1');
    const asked: readonly (readonly [string, RequestInit])[] = [
      ['/k', { headers: { Authorization: `Svc mine:${bytes}` } }],
      ['/k', { headers: { Authorization: `Svc ${bytes}:mine` } }],
      ['/k', { headers: { Authorization: bytes } }],
      [`/k?SvcPublicKey=mine&Expires=9999999999&Signature=${escaped}`, {}],
      [`/?Action=A&PublicKey=${escaped}&Signature=x`, {}],
      ['/', { method: 'POST', body: JSON.stringify({ Action: 'A', PublicKey: privateKey }) }],
      ['/-/requests.json', {}],
      ['/-/', {}],
    ];
    for (const [target, request] of asked) {
      const answer = await fetch(url + target, request);
      seen.push(JSON.stringify([...answer.headers]), await answer.text());
    }
    const told = seen.join('\n');
    expect(told).toContain('<private key>');
    expect(told).not.toContain('that nobody');
    expect(told).not.toContain('that%20nobody');
  },
);

test.skipIf(spawnSync('prlimit', ['--version']).error !== undefined)(
  'a full disk is answered 507, and acknowledged files are still there after a restart',
  async () => {
    const data = folderOfTest();
    const acknowledged: string[] = [];
    const limit = (pid: number, bytes: string): void => {
      execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);
    };
    await servedByProgram(['--data', data, '--bucket', 'demo'], async (url, pid) => {
      const answerTo = async (key: string, size: number): Promise<string> => {
        const answer = await put(url, key, { 'X-Ufile-Meta-A': 'x'.repeat(size) });
        if (answer.ok) acknowledged.push(key);
        return `${answer.status} ${await answer.text()}`;
      };
      // No file can grow beyond this size from now on, as on a full disk.
      limit(pid, '65536');
      let last = '200 ';
      for (let i = 0; i < 100 && last === '200 '; i += 1) last = await answerTo(`${i}`, 6000);
      expect(last).toMatch(/^507 .*-149507.*records .* cannot be written .*restart the server/);
      limit(pid, 'unlimited');
      expect(await answerTo('later', 1)).toMatch(/^507 /);
    });
    expect(acknowledged.length).toBeGreaterThan(5);
    const store = await openDurableStore(data, { context: SPECIFICATION });
    onTestFinished(() => store.close());
    const found = await Promise.all(acknowledged.map((key) => store.object('demo', key)));
    expect(found.map((object) => object?.key)).toEqual(acknowledged);
    expect(await store.faults()).toEqual([]);
  },
);
