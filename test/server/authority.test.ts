import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request as requestSecurely } from 'node:https';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectSecurely, rootCertificates } from 'node:tls';
import { expect, test } from 'vitest';
import { openAuthority, type ServerOptions } from '../../harness/respondents/serve/start.ts';
import { thorough } from '../amount.ts';
import { svcConformance } from '../harness/svc-conformance.ts';
import { expectUsageError } from '../harness/usage-errors.ts';
import { folderOfTest } from '../temporary-folder.ts';
import { RawClient, rawAnswers, rawExchange } from './raw-client.ts';
import { served, started } from './serving.ts';
import { signedHeader } from './signed-requests.ts';

const HOST = 'demo.files.svc.example';

async function secured(options: ServerOptions = {}) {
  const folder = join(folderOfTest(), 'ca');
  const authority = openAuthority(folder);
  const buckets = [{ name: 'demo', type: 'public' }] as const;
  const server = await started({ buckets, authority, ...options });
  return { ...server, ca: authority.certificate, folder };
}

const connectTo = (target: string): string =>
  `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`;

/** Opens a tunnel with CONNECT; resolves when the server has opened it. */
async function tunnelled(port: number, target: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.write(connectTo(target));
  const answer = await new Promise((resolve) => socket.once('data', resolve));
  expect(String(answer)).toBe('HTTP/1.1 200 Connection Established\r\n\r\n');
  return socket;
}

interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly body?: string;
  readonly ca: string;
  readonly host?: string;
}

/** Sends a request through a tunnel with the https client of Node, which verifies certificates. */
async function ask(port: number, { method = 'GET', path, body, ca, host = HOST }: Asked) {
  const tunnel = await tunnelled(port, `${host}:443`);
  return new Promise((resolve, reject) => {
    const asked = requestSecurely(
      {
        host,
        defaultPort: 443,
        path,
        method,
        headers: { Authorization: signedHeader(method, 'demo', path.slice(1)) },
        createConnection: () => connectSecurely({ socket: tunnel, servername: host, ca }),
      },
      async (answer) => resolve(`${answer.statusCode} ${await text(answer)}`),
    );
    asked.once('error', reject);
    asked.end(body);
  });
}

test('the signature of a client with an https endpoint and a proxy is verified', async () => {
  const { port, ca, exchanges } = await secured();
  expect(await ask(port, { method: 'PUT', path: '/k', body: 'text', ca })).toBe('200 ');
  expect(await ask(port, { path: '/k', ca })).toBe('200 text');
  expect(exchanges().map(({ method, host, judgement }) => [method, host, judgement?.kind])).toEqual(
    [
      ['PUT', HOST, 'right'],
      ['GET', HOST, 'right'],
    ],
  );
});

test('a tunnel carries several requests, and open tunnels do not block a stop', async () => {
  const { port, ca, close } = await secured();
  const tunnel = await tunnelled(port, `${HOST}:443`);
  const socket = connectSecurely({ socket: tunnel, servername: HOST, ca });
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
  });
  socket.on('error', () => {});
  for (let i = 1; i <= 3; i += 1) {
    socket.write(`GET /none HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
    await expect
      .poll(() => received.match(/file not exist/g)?.length, { timeout: 600_000 })
      .toBe(i);
  }
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await tunnelled(port, `${HOST}:443`);
  await Promise.all([close(), closed]);
});

thorough(
  'if a client does not trust the authority, the log names the certificate to trust',
  async () => {
    const { port, exchanges, folder: path } = await secured();
    const refused = ask(port, { path: '/k', ca: rootCertificates[0] ?? '' });
    await expect(refused).rejects.toThrow(/certificate/);
    // OpenSSL sends a TLS alert; Node does not.
    const verify = ['s_client', '-connect', `127.0.0.1:${port}`, '-verify_return_error'];
    const other = spawn('openssl', verify, { stdio: 'ignore' });
    await new Promise((resolve) => other.once('close', resolve));
    await expect
      .poll(() => exchanges().at(-1), { timeout: 600_000 })
      .toMatchObject({
        method: 'CONNECT',
        message: expect.stringContaining(join(path, 'ca.pem')),
      });
  },
);

test.each([
  ['else.example:443', 421, 'host that is not served here, and nothing is forwarded'],
  ['127.0.0.1:1', 421, 'host that is not served here'],
  ['demo.localhost:1', 421, 'host that is not served here'],
])('a tunnel to %s is refused', async (target, status, sentence) => {
  const { port, exchanges } = await secured();
  const [answer] = rawAnswers(await rawExchange(port, connectTo(target)));
  expect([answer?.status, JSON.parse(answer?.body ?? '').ErrMsg]).toEqual([
    status,
    expect.stringContaining(sentence),
  ]);
  await expect
    .poll(() => exchanges(), { timeout: 600_000 })
    .toMatchObject([{ method: 'CONNECT', target, status }]);
});

test('without an authority, a tunnel is refused with a hint at --authority', async () => {
  const { port } = await secured({ authority: undefined });
  const [answer] = rawAnswers(await rawExchange(port, connectTo(`${HOST}:443`)));
  expect([answer?.status, answer?.body]).toEqual([
    501,
    expect.stringContaining('start it with --authority FOLDER'),
  ]);
});

test('plain HTTP is refused in a tunnel to port 443 and served in one to port 80', async () => {
  const { port } = await secured();
  const plain = `GET /none HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`;
  for (const [target, sentence] of [
    [`${HOST}:443`, 'have the client use an https:// endpoint with https_proxy'],
    [`${HOST}:80`, 'file not exist'],
  ] as const) {
    const client = new RawClient(port);
    client.send(connectTo(target));
    await client.until(/Established\r\n\r\n/);
    client.send(plain);
    await client.closed;
    expect(client.received).toContain(sentence);
  }
});

test('a plain HTTP request for an https URL is refused with a hint at https_proxy', async () => {
  const { port } = await secured();
  const plain = `GET https://${HOST}/k HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`;
  const [answer] = rawAnswers(await rawExchange(port, plain));
  expect([answer?.status, answer?.body]).toEqual([
    400,
    expect.stringContaining('set https_proxy to this server'),
  ]);
});

test('https works without a proxy too, on the same port', async () => {
  const { port, ca } = await secured({ host: '127.0.0.1' });
  for (const [host, servername] of [
    ['127.0.0.1', ''],
    ['localhost', 'localhost'],
    ['demo.localhost', 'demo.localhost'],
  ] as const) {
    const socket = connectSecurely({ port, host: '127.0.0.1', servername, ca });
    socket.write(`GET /-/health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    const received = await text(socket);
    expect(received).toContain(host === 'demo.localhost' ? 'file not exist' : '{"status":"ok"}');
  }
});

test('/-/ca.pem has the certificate without the private key', async () => {
  const { url, ca, folder: path } = await secured();
  const answer = await fetch(`${url}/-/ca.pem`);
  expect([answer.status, await answer.text()]).toEqual([200, ca]);
  expect(ca).not.toContain('PRIVATE KEY');
  expect(readFileSync(join(path, 'ca.pem'), 'utf8')).toBe(ca);
  expect((await fetch(`${(await started()).url}/-/ca.pem`)).status).toBe(404);
});

test.skipIf(process.platform === 'win32')('only the user can read the private key', () => {
  const path = join(folderOfTest(), 'new', 'ca');
  openAuthority(path);
  const modes = (): readonly string[] =>
    [path, join(path, 'authority.pem')].map((name) => (statSync(name).mode & 0o777).toString(8));
  expect(modes()).toEqual(['700', '600']);
  execFileSync('chmod', ['644', join(path, 'authority.pem')]);
  openAuthority(path);
  expect(modes()).toEqual(['700', '600']);
});

test('an authority is created only once, and its certificates follow RFC 5280', () => {
  const path = join(folderOfTest(), 'ca');
  const first = openAuthority(path);
  rmSync(join(path, 'ca.pem'));
  const second = openAuthority(path);
  expect(second.certificate).toBe(first.certificate);
  expect(readdirSync(path).sort()).toEqual(['authority.pem', 'ca.pem']);
  expect(openAuthority(join(path, 'other')).certificate).not.toBe(first.certificate);

  const names = ['127.0.0.1', '::1', '2001:db8::ff00:42:8329', '::ffff:1.2.3.4', 'a.example'];
  const { cert, key } = second.issue(names);
  expect(second.issue(names)).toEqual({ cert, key });
  const certificate = new X509Certificate(cert);
  for (const name of names.slice(0, -1)) expect(certificate.checkIP(name)).toBe(name);
  expect(certificate.checkHost('a.example')).toBe('a.example');
  expect(certificate.checkHost('b.example')).toBeUndefined();
  const file = join(path, 'host.pem');
  writeFileSync(file, cert);
  const verify = ['verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile'];
  const said = execFileSync('openssl', [...verify, join(path, 'ca.pem'), file], {
    encoding: 'utf8',
  });
  expect(said).toBe(`${file}: OK\n`);
});

test.each<readonly [string, (path: string) => void, string]>([
  ['that is empty', (path) => writeFileSync(join(path, 'authority.pem'), ''), 'has no certificate'],
  [
    'without its key',
    (path) => writeFileSync(join(path, 'authority.pem'), openAuthority(`${path}2`).certificate),
    'ERR_OSSL',
  ],
  [
    'with another key',
    (path) => {
      const other = readFileSync(join(openedFolder(`${path}3`), 'authority.pem'), 'utf8');
      const own = readFileSync(join(openedFolder(path), 'authority.pem'), 'utf8');
      const [key = ''] = other.split('-----BEGIN CERT');
      const [, certificate = ''] = own.split('-----BEGIN CERT');
      writeFileSync(join(path, 'authority.pem'), `${key}-----BEGIN CERT${certificate}`);
    },
    'do not belong together',
  ],
  ['that is a folder', (path) => mkdirSync(join(path, 'authority.pem')), 'it is a folder'],
])('an authority file %s is refused with a one-line error', async (_, damage, reason) => {
  const path = join(folderOfTest(), 'ca');
  mkdirSync(path);
  damage(path);
  const parameters = ['serve', '--port', '0', '--authority', path];
  const stderr = await expectUsageError(parameters, reason);
  expect(stderr).toMatch(/^svc-conformance: the certificate authority in ".*" cannot be used: /);
  expect(stderr).toContain('delete authority.pem in this one for a new authority');
  expect(stderr).not.toContain('PRIVATE');
});

function openedFolder(path: string): string {
  openAuthority(path);
  return path;
}

test('servers that start at the same time share one authority', async () => {
  const path = join(folderOfTest(), 'ca');
  const parameters = ['serve', '--port', '0', '--authority', path, '--quiet'];
  const certificates: string[] = [];
  await Promise.all(
    [1, 2, 3].map(() =>
      svcConformance(parameters, {
        meanwhile: ({ onStdout, interrupt }) =>
          onStdout(async (line) => {
            const url = /http\S+/.exec(line)?.[0];
            if (url === undefined) return;
            certificates.push(await (await fetch(`${url}/-/ca.pem`)).text());
            interrupt();
          }),
      }),
    ),
  );
  expect(certificates).toHaveLength(3);
  expect(new Set(certificates).size).toBe(1);
});

test('serve creates its authority in the home folder, or runs without https', async () => {
  const home = folderOfTest();
  const start = async (HOME: string): Promise<{ stdout: string; stderr: string }> =>
    svcConformance('serve --port 0', {
      environment: { HOME },
      meanwhile: ({ onStdout, interrupt }) =>
        onStdout((line) => {
          const url = /listens on (\S+)/.exec(line)?.[1];
          if (url !== undefined) void fetch(`${url}/-/health`).finally(interrupt);
        }),
    });
  const { stdout, stderr } = await start(home);
  const file = join(home, '.svc-conformance', 'authority', 'ca.pem');
  expect(stdout).toContain(`  https        https_proxy=http://127.0.0.1:`);
  expect(stdout).toContain(`SSL_CERT_FILE=${file} `);
  expect([readFileSync(file, 'utf8').slice(0, 27), stderr]).toEqual([
    '-----BEGIN CERTIFICATE-----',
    '',
  ]);
  const other = await start(file);
  expect(other.stdout).toContain('  http         ');
  expect(other.stdout).not.toContain('https_proxy');
  expect(other.stderr).toMatch(
    /^svc-conformance: https is off: the certificate authority in .*it is not a folder.*\n$/,
  );
});

test.skipIf(spawnSync('curl', ['--version']).error !== undefined)(
  'curl uses the proxy of its environment, and no output or log has the private key',
  async () => {
    const path = join(folderOfTest(), 'ca');
    const log = join(folderOfTest(), 'log');
    const parameters = ['--authority', path, '--bucket', 'demo:public', '--log', log];
    const outputs: string[] = [];
    const { stdout, stderr } = await served(parameters, async (url) => {
      for (const more of [['--cacert', join(path, 'ca.pem')], []]) {
        const curl = spawn('curl', ['-sS', '--max-time', '600', ...more, `https://${HOST}/none`], {
          env: { ...process.env, https_proxy: url, no_proxy: '' },
        });
        outputs.push((await Promise.all([text(curl.stdout), text(curl.stderr)])).join(''));
      }
    });
    expect(outputs[0]).toContain('file not exist');
    expect(outputs[1]).toContain('certificate');
    expect(stderr).toContain(`400 CONNECT ${HOST}: the client does not trust the certificate`);
    const secret = readFileSync(join(path, 'authority.pem'), 'utf8').split('\n')[1] ?? 'none';
    expect(outputs.join() + stdout + stderr + readFileSync(log, 'utf8')).not.toContain(secret);
  },
);
