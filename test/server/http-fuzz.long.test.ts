/** For any bytes, each connection is answered or closed in time, and the server keeps running. */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { DEVELOPMENT_KEYS } from '../../reference/server/options.ts';
import { authorization, SPECIFICATION } from '../../reference/signing/index.ts';
import { folderOfTest } from '../temporary-folder.ts';
import { urlIn } from './serving.ts';

/** `HTTP_FUZZ_RUNS=100000` runs for a night. */
const RUNS = Number(process.env['HTTP_FUZZ_RUNS'] ?? 300);

/** For one connection, in milliseconds. The client closes its side, so the server does not wait. */
const LIMIT = 300_000;

/** The largest resident set, in bytes; a larger one is a memory leak. */
const MOST_MEMORY = 500 * 1024 * 1024;

const nasty = fc.constantFrom(
  ...['..', '%2e%2e', '/', '%2F', '%00', '\0', '\\', '%', '%zz', '%ff', 'é', '\u00ff', ' ', '\t'],
  ...['?', '&', '=', '#', '+', ';', ':', '"', '<', '$', 'demo', 'a.txt', '-/', 'etc/passwd', '*'],
  ...['uploads', 'uploadId=x', 'partNumber=-1', 'list', 'listobjects', 'append', 'position=1e9'],
  ...['max-keys=99999999999999', 'limit=-1', 'Action=CreateBucket', 'Signature=', 'Expires=1'],
);
const soup = fc.oneof(
  fc.array(nasty, { maxLength: 12 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary-ascii', maxLength: 60 }),
  fc.integer({ min: 1, max: 100_000 }).map((length) => 'a'.repeat(length)),
);
/** Without characters that no parser accepts. */
const clean = soup.map((text) => text.replaceAll(/[^!-~\u0080-\u00ff]/g, '.'));
const word = fc.oneof({ weight: 9, arbitrary: clean }, soup);
const method = fc.oneof(
  fc.constantFrom('GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE', 'PRI'),
  soup,
);
const host = fc.constantFrom(
  ...['demo.files.localhost', '127.0.0.1', 'api.localhost', 'x.localhost:99', 'example.com', ''],
  ...['[::1]', '[', 'demo.files.svc.example', 'api.svc.example', '../../x.files.localhost', ':'],
);
const target = fc.oneof(
  { weight: 12, arbitrary: word.map((text) => `/${text}`) },
  { weight: 1, arbitrary: soup },
  { weight: 4, arbitrary: fc.tuple(host, word).map(([name, text]) => `http://${name}/${text}`) },
  { weight: 1, arbitrary: fc.tuple(soup, soup).map(([scheme, text]) => `${scheme}://${text}`) },
);
const header = fc.oneof(
  host.map((name) => `Host: ${name}`),
  word.map((text) => `Authorization: Svc ${text}:${text}`),
  word.map((text) => `Range: bytes=${text}`),
  word.map((text) => `X-Ufile-Copy-Source: /${text}`),
  word.map((text) => `Content-Type: multipart/form-data; boundary=${text}`),
  word.map((text) => `X-Svc-${text}: ${text}`),
  fc.constantFrom('Content-Type: application/json', 'Expect: 100-continue', 'Expect: x'),
  fc.constantFrom('Upgrade: h2c', 'Connection: Upgrade', 'Connection: close', 'TE: trailers'),
  fc.constantFrom('Content-Length: 5', 'Content-Length: -1', 'Content-Length: 99999999999999999'),
  fc.constantFrom('Transfer-Encoding: chunked', 'Transfer-Encoding: gzip', ' folded', ':', 'x'),
);
const body = fc.oneof(
  soup,
  fc.constantFrom(
    '5\r\nabcde\r\n0\r\n\r\n',
    'ffffffffffff\r\nabc',
    '5;x=y\r\nab',
    '0\r\nX: 1\r\n\r\n',
  ),
  fc.constantFrom('--x\r\nContent-Disposition: form-data; name="FileName"\r\n\r\n../a\r\n--x--'),
  fc.json().map((text) => text.slice(0, 5000)),
);
const unsigned = fc
  .record({
    method: fc.oneof({ weight: 4, arbitrary: fc.constantFrom('GET', 'PUT', 'POST') }, method),
    target,
    version: fc.oneof({ weight: 9, arbitrary: fc.constant('HTTP/1.1') }, soup),
    headers: fc.array(header, { maxLength: 4 }),
    body,
    end: fc.oneof({ weight: 9, arbitrary: fc.constant('\r\n') }, fc.constantFrom('\n', '\r', '')),
  })
  .map(({ method, target, version, headers, body, end }) =>
    [`${method} ${target} ${version}`, 'Host: demo.files.localhost', ...headers, '', body].join(
      end,
    ),
  );
/** Correctly signed requests, with keys that the server must not use as paths of files. */
const letIn = fc
  .record({
    method: fc.constantFrom('PUT', 'GET', 'HEAD', 'DELETE', 'POST'),
    key: fc.oneof(
      clean.filter((text) => text.length < 1000),
      fc.constantFrom('../../beside/a.txt', '..', '.'),
    ),
    query: fc.oneof(
      { weight: 3, arbitrary: fc.constant('') },
      clean.map((text) => `?${text}`),
    ),
    extra: fc.array(
      word.map((text) => ['X-Svc-A', text] as const),
      { maxLength: 1 },
    ),
    body: clean,
  })
  .map(({ method, key, query, extra, body }) => {
    const headers = extra.filter(([, value]) => /^[!-~]+$/.test(value) && value.length < 1000);
    const signed = authorization(
      { method, bucket: 'demo', key, headers },
      DEVELOPMENT_KEYS,
      SPECIFICATION,
    );
    const path = encodeURI(key).replaceAll(/[?#]/g, encodeURIComponent);
    const lines = [
      ...headers,
      ['Content-Length', body.length],
      ['Authorization', signed.authorization],
    ];
    return [
      `${method} /${path}${query} HTTP/1.1`,
      'Host: demo.files.localhost',
      ...lines.map(([name, value]) => `${name}: ${value}`),
      '',
      body,
    ].join('\r\n');
  });
const request = fc.oneof(unsigned, letIn);
/** Up to three requests in up to three packets, some cut off or with up to two bytes changed. */
const connection = fc.record({
  bytes: fc
    .tuple(
      fc.array(request, { minLength: 1, maxLength: 3 }),
      fc.oneof(
        { weight: 3, arbitrary: fc.constant(1) },
        fc.double({ min: 0, max: 1, noNaN: true }),
      ),
      fc.array(fc.tuple(fc.nat(20_000), fc.nat(255)), { maxLength: 2 }),
    )
    .map(([requests, cut, changes]) => {
      const all = Buffer.from(requests.join(''), 'latin1');
      for (const [at, byte] of changes) if (at < all.length) all[at] = byte;
      return all.subarray(0, Math.floor(cut * all.length));
    }),
  packets: fc.integer({ min: 1, max: 3 }),
  isReset: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
});

async function sent(port: number, bytes: Uint8Array, packets: number, isReset: boolean) {
  const from = performance.now();
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
  });
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.setTimeout(LIMIT, () => socket.destroy());
  const size = Math.ceil(bytes.length / packets) || 1;
  for (let at = 0; at < bytes.length; at += size) {
    socket.write(bytes.subarray(at, at + size));
    if (packets > 1) await new Promise((resolve) => setTimeout(resolve, 2));
  }
  if (isReset) socket.resetAndDestroy();
  else socket.end();
  await closed;
  return { received, took: performance.now() - from };
}

async function started(folder: string): Promise<{ readonly port: number; readonly pid: number }> {
  const cli = spawn(
    process.execPath,
    [
      'dist/bin/svc-conformance.cjs',
      'serve',
      '--authority',
      'off',
      '--port',
      '0',
      '--data',
      join(folder, 'data'),
      '--bucket',
      'demo:public',
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const line = await new Promise<string>((resolve) =>
    cli.stdout.setEncoding('utf8').once('data', resolve),
  );
  const closed = new Promise((resolve) => cli.once('close', resolve));
  onTestFinished(async () => {
    cli.kill('SIGTERM');
    expect(await closed).toBe(0);
  });
  return { port: Number(new URL(urlIn(line)).port), pid: cli.pid ?? 0 };
}

test(`the server survives ${RUNS} connections with random requests`, {
  timeout: 600_000 + RUNS * 200,
}, async () => {
  const folder = folderOfTest();
  mkdirSync(join(folder, 'beside'));
  writeFileSync(join(folder, 'beside', 'a.txt'), 'beside');
  const { port, pid } = await started(folder);
  const statuses = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(connection, async ({ bytes, packets, isReset }) => {
      const { received, took } = await sent(port, bytes, packets, isReset);
      expect(took).toBeLessThan(LIMIT);
      if (received !== '') expect(received).toMatch(/^HTTP\/1\.1 [1-5]\d\d /);
      const found = [...received.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(
        ([, status = '']) => status,
      );
      for (const status of found) statuses.set(status, (statuses.get(status) ?? 0) + 1);
      // No answer has a stack trace, and no request causes an internal error.
      expect(received).not.toMatch(/\bat .*\.(?:ts|js|cjs):\d/);
      expect(found).not.toContain('500');
    }),
    { numRuns: RUNS, endOnFailure: RUNS > 1000 },
  );
  expect(await (await fetch(`http://127.0.0.1:${port}/-/health`)).json()).toEqual({ status: 'ok' });
  expect(readdirSync(folder).sort()).toEqual(['beside', 'data']);
  expect(readFileSync(join(folder, 'beside', 'a.txt'), 'utf8')).toBe('beside');
  expect(readdirSync(join(folder, 'beside'))).toEqual(['a.txt']);
  if (process.platform === 'linux') {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
    expect(pages * 4096).toBeLessThan(MOST_MEMORY);
  }
  // Requests that all fail in the same way would test little.
  console.log([...statuses]);
  expect([...statuses.keys()]).toEqual(
    expect.arrayContaining(['200', '204', '400', '403', '404', '421']),
  );
});
