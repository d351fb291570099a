import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DEVELOPMENT_KEYS, startServer } from '../../harness/respondents/serve/start.ts';
import { presignedUrl, SPECIFICATION } from '../../reference/signing/index.ts';
import { expectUsageError, testUsageErrors } from '../harness/usage-errors.ts';
import { folderOfTest } from '../temporary-folder.ts';
import { SERVE, served, started } from './serving.ts';
import { send, sendAction, sendSigned, signedHeader } from './signed-requests.ts';

const portOf = (url: string): number => Number(new URL(url).port);

const ALICE = { publicKey: 'alice', privateKey: 'the-secret-of-alice' };
const BOB = { publicKey: 'bob', privateKey: 'the-secret-of-bob' };

/** Files for `--seed`. */
function filledFolder(): string {
  const path = folderOfTest();
  mkdirSync(join(path, 'docs', 'deep'), { recursive: true });
  writeFileSync(join(path, 'hello.txt'), 'hello');
  writeFileSync(join(path, 'docs', 'page.HTML'), '<p>page');
  writeFileSync(join(path, 'docs', 'deep', 'ä b'), '');
  symlinkSync(join(path, 'hello.txt'), join(path, 'link.json'));
  symlinkSync(path, join(path, 'docs', 'loop'));
  return path;
}

test('serve prints its page, the key pair, the buckets and the proxy', async () => {
  let page = '';
  const { stdout, stderr } = await served(['--bucket', 'demo'], async (url) => {
    page = `${url}/-/`;
    expect((await fetch(page)).status).toBe(200);
  });
  expect(stdout).toContain(`  page         ${page}\n`);
  expect(stdout).toContain(`  public key   ${DEVELOPMENT_KEYS.publicKey}\n`);
  expect(stdout).toContain(`  private key  ${DEVELOPMENT_KEYS.privateKey}\n`);
  expect(stdout).toContain('  buckets      demo\n');
  expect(stdout).toContain('  http         http_proxy=http://127.0.0.1:');
  expect(stdout).not.toContain('https_proxy');
  expect(stderr).toBe('');
});

test('a private key of the user is not printed', async () => {
  const keys = join(folderOfTest(), 'keys.env');
  writeFileSync(keys, `SVC_PUBLIC_KEY=mine\nSVC_PRIVATE_KEY=${ALICE.privateKey}\n`);
  const { stdout, stderr } = await served(['--key', keys, '--log'], (url) =>
    fetch(`${url}/-/health`),
  );
  expect(stdout.split('\n').map((line) => line.slice(0, 7))).toEqual(['svc-con', '{"time"', '']);
  expect(stderr).toContain('  public key   mine\n  private key  not printed\n');
  expect(stdout + stderr).not.toContain(ALICE.privateKey);
});

test('standard error has one line for each wrong request and none for others', async () => {
  const { stderr } = await served(['--bucket', 'demo'], async (url) => {
    const port = portOf(url);
    const correct = { bucket: 'demo', key: 'a' };
    await sendSigned(port, { ...correct, method: 'PUT', body: 'a' });
    await sendSigned(port, { ...correct, key: 'missing' });
    await sendSigned(port, { ...correct, keys: ALICE });
    await send(port, '/a?token=hidden', {
      method: 'PUT',
      host: 'demo.localhost',
      headers: { Authorization: signedHeader('GET', 'demo', 'a') },
    });
    await send(port, '/a', { host: 'else.example' });
    await sendAction(port, { Action: 'CreateBucket', BucketName: 'X' });
    await sendAction(port, { Action: 'CreateBucket', BucketName: 'demo' });
  });
  const lines = stderr.trimEnd().split('\n');
  expect(lines).toEqual([
    expect.stringMatching(/^svc-conformance: 403 GET demo\.localhost\/a \(GetFile\): .*"alice"/),
    expect.stringMatching(
      /^svc-conformance: 403 PUT demo\.localhost\/a \(PutFile\): the request was signed as GET, but it is sent as PUT; fix: /,
    ),
    expect.stringMatching(/^svc-conformance: 421 GET else\.example\/a: host .* is not served here/),
    expect.stringMatching(
      /^svc-conformance: 200 GET api\.localhost\/ \(CreateBucket\): bucket name "X" is illegal/,
    ),
  ]);
});

test('the line of a wrong signature names the page of its mistake', async () => {
  const { stderr } = await served(['--bucket', 'demo'], async (url) => {
    const headers = { Authorization: signedHeader('GET', 'demo', 'a%20b') };
    await send(portOf(url), '/a%20b', { host: 'demo.localhost', headers });
  });
  expect(stderr).toMatch(/the key is signed percent-encoded.*; page: \S.*resource-encoded/);
});

test('the line of a malformed Authorization shows no signature', async () => {
  const { stderr } = await served(['--bucket', 'demo'], async (url) => {
    const headers = { Authorization: 'Other its-public-key:its-signature' };
    await send(portOf(url), '/a', { host: 'demo.localhost', headers });
    const value = `Svc ${DEVELOPMENT_KEYS.publicKey}:unexplained`;
    await send(portOf(url), '/a', { host: 'demo.localhost', headers: { Authorization: value } });
  });
  expect(stderr).toContain('compare the string to sign (see /-/wrong)\n');
  expect(stderr).toContain('header Authorization is "Other its-public-key:<signature>"; ');
  expect(stderr).not.toContain('its-signature');
});

test('--quiet prints only the address', async () => {
  const { stdout, stderr } = await served(['--quiet', '--bucket', 'demo'], (url) =>
    send(portOf(url), '/a', { host: 'demo.localhost' }),
  );
  expect([stdout.split('\n').length, stderr]).toEqual([2, '']);
});

test('--seed loads files with their media types into the bucket', async () => {
  const path = filledFolder();
  const { stdout } = await served(
    ['--seed', path, '--seed', `second=${join(path, 'docs')}`],
    async (url) => {
      const port = portOf(url);
      const list = await sendAction(port, { Action: 'GetFileList', BucketName: 'demo' });
      expect(list['DataSet']).toMatchObject([
        { FileName: 'docs/deep/ä b', Size: 0, MimeType: 'application/octet-stream' },
        { FileName: 'docs/page.HTML', Size: 7, MimeType: 'text/html; charset=utf-8' },
        { FileName: 'hello.txt', Size: 5, MimeType: 'text/plain; charset=utf-8' },
        { FileName: 'link.json', Size: 5, MimeType: 'application/json' },
      ]);
      const file = { bucket: 'second', key: 'page.HTML' };
      expect((await sendSigned(port, file)).body).toBe('<p>page');
    },
  );
  expect(stdout).toContain('  buckets      demo, second\n');
});

test('--seed loads into the first --bucket', async () => {
  await served(['--bucket', 'open:public', '--seed', filledFolder()], async (url) => {
    const { body } = await send(portOf(url), '/hello.txt', { host: 'open.localhost' });
    expect(body).toBe('hello');
  });
});

test('POST /-/reset restores the initial state', async () => {
  const path = filledFolder();
  const { url, port, exchanges } = await started({
    buckets: [{ name: 'empty' }],
    folders: [{ bucket: 'demo', folder: path }],
  });
  const hello = { bucket: 'demo', key: 'hello.txt' };
  await sendSigned(port, { ...hello, method: 'DELETE' });
  await sendSigned(port, { ...hello, method: 'PUT', key: 'more', body: 'more' });
  await sendAction(port, { Action: 'DeleteBucket', BucketName: 'empty' });
  await sendAction(port, { Action: 'CreateBucket', BucketName: 'new', Type: 'private' });
  expect((await sendSigned(port, hello)).status).toBe(404);

  const answer = await fetch(`${url}/-/reset`, { method: 'POST' });
  expect([answer.status, await answer.json()]).toEqual([200, { status: 'reset' }]);
  expect(exchanges()).toEqual([]);
  expect((await sendSigned(port, hello)).body).toBe('hello');
  expect((await sendSigned(port, { ...hello, key: 'more' })).status).toBe(404);
  const { DataSet } = await sendAction(port, { Action: 'DescribeBucket' });
  expect(DataSet).toMatchObject([{ BucketName: 'demo' }, { BucketName: 'empty' }]);
});

test('a put that is running during a reset succeeds, but its file is not kept', async () => {
  const server = await started({ buckets: [{ name: 'demo' }] });
  const asked = request({
    port: server.port,
    method: 'PUT',
    path: '/k',
    headers: {
      Host: 'demo.localhost',
      Authorization: signedHeader('PUT', 'demo', 'k'),
      Expect: '100-continue',
      'Content-Length': 200_000,
    },
  });
  const answered = new Promise<number | undefined>((resolve, reject) => {
    asked.once('response', (answer) => resolve(answer.resume().statusCode));
    asked.once('error', reject);
  });
  // The server asks for the body once the operation runs.
  await new Promise((resolve) => asked.once('continue', resolve));
  asked.write(Buffer.alloc(100_000));
  await server.reset();
  asked.end(Buffer.alloc(100_000));
  expect(await answered).toBe(200);
  const file = { bucket: 'demo', key: 'k' };
  expect((await sendSigned(server.port, file)).status).toBe(404);
});

test.each<readonly [string, Record<string, string>]>([
  ['of another site', { Origin: 'https://else.example' }],
  ['of a file', { Origin: 'null' }],
  ['of another site without Origin', { 'Sec-Fetch-Site': 'cross-site' }],
])('a page %s cannot reset the server', async (_, headers) => {
  const { port } = await started({ buckets: [{ name: 'demo' }] });
  const { status, body } = await send(port, '/-/reset', { method: 'POST', headers });
  expect([status, JSON.parse(body)]).toEqual([
    403,
    { RetCode: -149011, ErrMsg: 'nothing is reset: the request comes from a page of another site' },
  ]);
  const own = { method: 'POST', headers: { Origin: `http://127.0.0.1:${port}` } };
  expect((await send(port, '/-/reset', { ...own, host: `127.0.0.1:${port}` })).status).toBe(200);
});

test('a reset that is not possible is refused and changes nothing', async () => {
  const path = filledFolder();
  const server = await started({ folders: [{ bucket: 'demo', folder: path }] });
  expect((await send(server.port, '/-/reset')).status).toBe(405);
  rmSync(path, { recursive: true });
  const { status, body } = await send(server.port, '/-/reset', { method: 'POST' });
  expect([status, body]).toEqual([
    403,
    expect.stringContaining('cannot be loaded: there is no such file or folder'),
  ]);
  const hello = { bucket: 'demo', key: 'hello.txt' };
  expect((await sendSigned(server.port, hello)).body).toBe('hello');

  const durable = await started({
    data: join(folderOfTest(), 'data'),
    buckets: [{ name: 'demo' }],
  });
  const refused = await send(durable.port, '/-/reset', { method: 'POST' });
  expect([refused.status, refused.body]).toEqual([403, expect.stringContaining('without --data')]);
  await expect(durable.reset()).rejects.toThrow('without --data');
});

const EXPIRES = 1_900_000_000;

/** The target of a URL that expires at `EXPIRES`. */
function presignedTarget(): string {
  const { url } = presignedUrl(
    {
      method: 'GET',
      bucket: 'demo',
      key: 'k',
      headers: [],
      expires: String(EXPIRES),
      scheme: 'http',
      fileHost: 'localhost',
    },
    DEVELOPMENT_KEYS,
    SPECIFICATION,
  );
  return url.slice(url.indexOf('/', 'http://'.length));
}

test.each([
  [String(EXPIRES - 1), 404],
  [String(EXPIRES + 1), 403],
  ['2030-03-17T17:46:39Z', 404],
  ['2030-03-17T19:46:41+02:00', 403],
  ['2029-12-31', 404],
  ['+2000000000', 403],
])('--clock %s decides whether a URL is expired', async (clock, status) => {
  await served(['--clock', clock, '--bucket', 'demo', '--quiet'], async (url) => {
    const answer = await send(portOf(url), presignedTarget(), { host: 'demo.localhost' });
    expect(answer.status).toBe(status);
  });
});

test('a fixed clock sets Date and Last-Modified', async () => {
  await served(['--clock', '1000000000', '--bucket', 'demo'], async (url) => {
    const file = { bucket: 'demo', key: 'k' };
    await sendSigned(portOf(url), { ...file, method: 'PUT', body: 'k' });
    const { headers } = await sendSigned(portOf(url), { ...file, method: 'HEAD' });
    expect(headers['last-modified']).toBe('Sun, 09 Sep 2001 01:46:40 GMT');
    expect(headers['date']).toBe('Sun, 09 Sep 2001 01:46:40 GMT');
  });
});

/** The status of each of twenty requests. */
async function statuses(port: number, method: string): Promise<readonly number[]> {
  const found: number[] = [];
  for (let i = 0; i < 20; i += 1) {
    const { status } = await send(port, '/logs/a', { method, host: 'demo.localhost' });
    found.push(status);
  }
  return found;
}

test('--fault fails its share of the requests, the same ones after each reset', async () => {
  const parameters = ['--bucket', 'demo', '--fault', 'PUT * 503 0.5', '--fault', 'GET /logs/* 404'];
  const { stderr } = await served(parameters, async (url) => {
    const port = portOf(url);
    const first = await statuses(port, 'PUT');
    expect(new Set(first)).toEqual(new Set([403, 503]));
    await fetch(`${url}/-/reset`, { method: 'POST' });
    expect(await statuses(port, 'PUT')).toEqual(first);
    expect(new Set(await statuses(port, 'GET'))).toEqual(new Set([404]));
    expect(new Set(await statuses(port, 'DELETE'))).toEqual(new Set([403]));
    expect((await fetch(`${url}/-/health`)).status).toBe(200);
    const { headers, body } = await send(port, '/logs/a', { host: 'demo.localhost' });
    expect(headers['x-svc-conformance-fault']).toBe('GET /logs/* 404');
    expect(JSON.parse(body)).toMatchObject({
      RetCode: -149404,
      ErrMsg: 'a fault on purpose: GET /logs/* 404',
    });
  });
  expect(stderr).not.toContain('PUT * 503');
});

test.each([
  ['*', true],
  ['/a/*', true],
  ['/a/b/c', true],
  ['/a/b', false],
  ['/b*', false],
  ['/a/*/c', true],
  ['/*b*c', true],
  ['/a/b/c*c', false],
  ['demo.*', true],
  ['demo.localhost/*/c', true],
  ['other.*', false],
])('the pattern %s of a fault matches demo.localhost/a/b/c: %s', async (pattern, isMet) => {
  const fault = { method: 'GET', pattern, effect: { status: 418 } };
  const { port } = await started({ buckets: [{ name: 'demo' }], faults: [fault] });
  const { status } = await send(port, '/a/b/c', { host: 'demo.localhost:80' });
  expect(status === 418).toBe(isMet);
});

test('a fault on actions has the form of actions, and comes after a delay', async () => {
  const { port, exchanges } = await started({
    faults: [
      { method: '*', pattern: 'api.*', effect: { delay: 50 } },
      { method: '*', pattern: 'api.*', effect: { status: 500 }, share: 1 },
    ],
  });
  expect(await sendAction(port, { Action: 'DescribeBucket' })).toMatchObject({
    RetCode: -149500,
    Message: 'a fault on purpose: * api.* 500 1',
  });
  await expect.poll(() => exchanges().length, { timeout: 600_000 }).toBe(1);
  // Timers may fire a millisecond early.
  expect(exchanges()[0]?.took).toBeGreaterThanOrEqual(48);
});

test('accounts from a file have their own buckets', async () => {
  const file = join(folderOfTest(), 'accounts.yaml');
  writeFileSync(
    file,
    `- ${JSON.stringify({ ...ALICE, buckets: ['photos', 'open:public'] })}
- publicKey: bob
  privateKey: ${BOB.privateKey}
  buckets: [films]
`,
  );
  const { stdout, stderr } = await served(['--accounts', file, '--bucket', 'first'], (url) =>
    checkAccounts(portOf(url)),
  );
  expect(stdout).toContain(
    '  public key   alice\n  private key  not printed\n  public key   bob\n',
  );
  expect(stdout).toContain('  buckets      first, photos, open, films\n');
  expect(stdout + stderr).not.toContain('the-secret');
});

async function checkAccounts(port: number): Promise<void> {
  const names = async (keys: typeof ALICE): Promise<unknown> => {
    const { DataSet } = await sendAction(port, { Action: 'DescribeBucket' }, keys);
    return (DataSet as { readonly BucketName: string }[]).map(({ BucketName }) => BucketName);
  };
  const own = { Action: 'CreateBucket', BucketName: 'own', Type: 'private' };
  expect(await sendAction(port, own, BOB)).toMatchObject({ RetCode: 0 });
  expect(await names(ALICE)).toEqual(['first', 'open', 'photos']);
  expect(await names(BOB)).toEqual(['films', 'own']);
  expect(await sendAction(port, own, ALICE)).toMatchObject({ RetCode: 15000 });
  for (const Action of ['DescribeBucket', 'UpdateBucket', 'DeleteBucket', 'GetFileList']) {
    expect(await sendAction(port, { Action, BucketName: 'photos' }, BOB)).toMatchObject({
      RetCode: 15010,
    });
  }
  for (const bucket of ['photos', 'open']) {
    const file = { bucket, key: 'k', body: bucket };
    expect((await sendSigned(port, { ...file, method: 'PUT', keys: ALICE })).status).toBe(200);
    const refused = await sendSigned(port, { ...file, method: 'PUT', keys: BOB });
    expect([refused.status, JSON.parse(refused.body)]).toEqual([
      403,
      { RetCode: -149010, ErrMsg: `bucket "${bucket}" belongs to another account` },
    ]);
    const source = { 'X-Ufile-Copy-Source': `/${bucket}/k` };
    const copy = { method: 'PUT', bucket: 'films', key: 'copy', keys: BOB, headers: source };
    expect((await sendSigned(port, copy)).status).toBe(bucket === 'open' ? 200 : 403);
  }
  const read = { key: 'k', keys: BOB };
  expect((await sendSigned(port, { ...read, bucket: 'photos' })).status).toBe(403);
  expect((await sendSigned(port, { ...read, bucket: 'open' })).body).toBe('open');
}

test('an instant upload finds no file of another account', async () => {
  const accounts = [
    { ...ALICE, buckets: [{ name: 'photos' }] },
    { ...BOB, buckets: [{ name: 'films' }] },
  ];
  const { port } = await started({ accounts });
  const file = { method: 'PUT', bucket: 'photos', key: 'k', keys: ALICE, body: 'photo' };
  const { headers } = await sendSigned(port, file);
  const hash = encodeURIComponent(String(headers['etag']).replaceAll('"', ''));
  const hit = async (bucket: string, keys: typeof ALICE): Promise<number> => {
    const { status } = await send(port, `/uploadhit?Hash=${hash}&FileName=hit&FileSize=5`, {
      method: 'POST',
      host: `${bucket}.localhost`,
      headers: { Authorization: signedHeader('POST', bucket, 'hit', keys) },
    });
    return status;
  };
  expect([await hit('photos', ALICE), await hit('films', BOB)]).toEqual([200, 404]);
});

test('accounts with the same public key are refused', async () => {
  await expect(startServer({ port: 0, accounts: [ALICE, ALICE] })).rejects.toThrow(
    'two accounts have the public key "alice"; give each account a public key of its own',
  );
});

const SECRET = 'a-private-key-in-a-wrong-file';

test.each<readonly [string, string]>([
  ['', 'has no list of accounts'],
  ['publicKey: a', 'has no list of accounts'],
  ['- 5', 'account 1 in the file'],
  [`- {publicKey: a, privateKey: ${SECRET}}\n- {publicKey: b}`, 'has no privateKey that is a text'],
  [`- {privateKey: ${SECRET}}`, 'has no publicKey that is a text'],
  [`- {publicKey: a, privateKey: ${SECRET}, bucket: b}`, 'has a member besides publicKey'],
  [`- {publicKey: a, privateKey: b, buckets: ${SECRET}}`, 'has buckets that are not a list'],
  [
    `- {publicKey: a, privateKey: ${SECRET}, buckets: ['x:y']}`,
    'the bucket of --accounts "x:y" is not a bucket; write NAME',
  ],
  [`- {publicKey: a, privateKey: ${SECRET}, buckets: [No]}`, 'bucket name "No" is illegal'],
  [
    `- {publicKey: a, privateKey: ${SECRET}, buckets: [one]}\n- {publicKey: b, privateKey: c, buckets: ['one:public']}`,
    'lists the bucket "one" twice',
  ],
  [`- publicKey: [${SECRET}`, 'is neither YAML nor JSON: see line 1'],
])('accounts %j are a usage error', async (text, sentence) => {
  const file = join(folderOfTest(), 'accounts.yaml');
  writeFileSync(file, text);
  const stderr = await expectUsageError([...SERVE, '--accounts', file], sentence);
  expect(stderr).not.toContain(SECRET);
});

testUsageErrors([
  [
    'serve --accounts no.yaml',
    'the file that --accounts names cannot be read: there is no such file or folder',
  ],
  ['serve --accounts .', 'the file that --accounts names cannot be read: it is a folder'],
  ['serve --accounts a --key b', '--key and --accounts both name the key pairs'],
  [
    'serve --authority off --port 0 --seed no-folder',
    'the folder "no-folder" cannot be loaded: there is no such file or folder; name a folder',
  ],
  [
    'serve --authority off --port 0 --seed README.md',
    'the folder "README.md" cannot be loaded: it is not a folder',
  ],
  ['serve --authority off --port 0 --seed a-=test', 'bucket name "a-" is illegal'],
  ['serve --authority off --port 0 --seed My_B=test', 'bucket name "My_B" is illegal'],
  [
    "serve --authority off --port 0 --seed ''",
    'the folder "" cannot be loaded: there is no such file or folder',
  ],
  ['serve --clock noon', '--clock "noon" is not a time; write Unix seconds'],
  ['serve --clock 2030-13-01', '--clock "2030-13-01" is not a time'],
  ['serve --clock 2030-01-01T00:00:00', '"2030-01-01T00:00:00" is not a time'],
  ["serve --fault ''", `--fault "": a fault has three or four words; write 'METHOD PATTERN`],
  ["serve --fault 'PUT * 503 0.1 x'", 'a fault has three or four words'],
  ["serve --fault 'put * 503'", '"put" is neither a method such as PUT nor *'],
  ["serve --fault 'PUT * 200'", '"200" is neither a status from 400 to 599 nor a delay'],
  ["serve --fault 'PUT * 1s'", '"1s" is neither a status'],
  ["serve --fault 'PUT * 503 0'", '"0" is not a share above 0 and up to 1'],
  ["serve --fault 'PUT * 503 2'", '"2" is not a share'],
  [
    'serve --port 0 --authority README.md',
    'the certificate authority in "README.md" cannot be used: something else has this name',
  ],
]);

test.skipIf(process.getuid?.() === 0)('a file of --seed that cannot be read is named', async () => {
  const path = filledFolder();
  chmodSync(join(path, 'hello.txt'), 0);
  await expectUsageError(
    [...SERVE, '--seed', path],
    'hello.txt" cannot be loaded into bucket demo: permission denied; make it readable',
  );
});

test('a file of --seed whose key is too long is refused', async () => {
  const path = folderOfTest();
  const deep = join(path, ...Array.from({ length: 5 }, () => 'x'.repeat(210)));
  mkdirSync(deep, { recursive: true });
  writeFileSync(join(deep, 'file'), '');
  await expectUsageError(
    [...SERVE, '--seed', path],
    'cannot be loaded into bucket demo: bad request: the key has 1059 bytes',
  );
});
