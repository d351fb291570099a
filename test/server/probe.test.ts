/**
 * Runs `probe` on the built-in server and on faulty servers.
 *
 * @module
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundledSuite } from '../../dist/harness/suite/bundle.js';
import { isVerifier } from '../../reference/operations.ts';
import type { ServerOptions } from '../../reference/server/options.ts';
import { RUNS, someOf, thorough } from '../amount.ts';
import { type Line, linesIn } from '../harness/report-lines.ts';
import { type Ended, svcConformance, unwrapped } from '../harness/svc-conformance.ts';
import { testUsageErrors } from '../harness/usage-errors.ts';
import { folderOfTest } from '../temporary-folder.ts';
import {
  answering,
  mistakenServer,
  policyTrustingServer,
  serviceWith,
  socketServer,
} from './probed-server.ts';
import { selfSigned } from './self-signed.ts';
import { started } from './serving.ts';

/** Unsets the key pair of the environment. */
const NO_KEYS = { SVC_PUBLIC_KEY: '', SVC_PRIVATE_KEY: '' };

/** The limit for one answer unless a test sets another, in seconds; enough for a busy machine. */
const PATIENCE = ['--timeout', '300'];

function probe(...parameters: readonly string[]): Promise<Ended> {
  const limit = parameters.includes('--timeout') ? [] : PATIENCE;
  return svcConformance(['probe', ...parameters, ...limit], { environment: NO_KEYS });
}

/** Without diagnoses: a probe does not read them, and they would take most of the time. */
const QUICK: ServerOptions = { diagnose: () => undefined };

async function builtIn(options: ServerOptions): Promise<string> {
  return (await started({ ...QUICK, ...options })).url;
}

/** More vectors than this pass over HTTP: of all vectors, and of those that most tests select. */
const ALL = 240;
const FEW = 25;

/** The strict server refuses 12 vectors with callback policies; 39 others cannot be asked over HTTP or show nothing there. */
const MOST_UNASKED = 54;

const SMOKE = (bundledSuite().smoke ?? []).filter((id) => isVerifier(id));

/** What most tests select: a third of the smoke set of verifiers; SVC_TEST_RUNS: all. */
const IDS = RUNS > 1 ? [] : someOf(SMOKE, 3);
const LEAST = RUNS > 1 ? ALL : FEW;

/** Enough for servers that answer every request in the same way. */
const CORRECT = 'verify-json/right-bodies';

const linesOf = (path: string): readonly Line[] => linesIn(readFileSync(path, 'utf8'));

/** Checks a successful run: how many vectors passed, and the reasons of those not asked. */
function expectAllAsked({ code, stdout, stderr }: Ended, path: string): void {
  expect(`${stdout}${stderr}`).toMatch(/all as expected\n$/);
  expect(code).toBe(0);
  const outcomes = linesOf(path).filter(({ type }) => type === 'outcome');
  const passed = outcomes.filter(({ status }) => status === 'pass');
  const unasked = outcomes.filter(({ status }) => status === 'unsupported');
  expect(passed.length).toBeGreaterThan(LEAST);
  expect(unasked.length).toBeLessThan(MOST_UNASKED);
  for (const { message } of unasked) expect(message).toMatch(/^not asked, because ./);
  const operations = new Set(passed.map(({ id }) => String(id).split('/')[0]));
  expect([...operations].sort()).toEqual([
    'verify-authorization',
    'verify-json',
    'verify-presigned-url',
    'verify-query',
  ]);
}

function expectForged({ stdout }: Ended): void {
  if (RUNS === 1) return;
  expect(Number(/forged +([0-9]+) refused\n/.exec(stdout)?.[1])).toBeGreaterThan(280);
}

test('the built-in server passes, and the probe deletes its bucket', async () => {
  const server = await started(QUICK);
  const path = join(folderOfTest(), 'report.jsonl');
  const ended = await probe(server.url, ...IDS, `--reporter=json-lines=${path}`);
  expectAllAsked(ended, path);
  expectForged(ended);
  const deleted = server
    .exchanges()
    .findLast(({ target }) => target.includes('Action=DeleteBucket'));
  expect(deleted).toMatchObject({ status: 200, code: 0 });
});

test('the built-in server passes in the dialect ucloud', async () => {
  const url = await builtIn({ dialect: 'ucloud' });
  const path = join(folderOfTest(), 'report.jsonl');
  const report = `--reporter=json-lines=${path}`;
  const ended = await probe(url, ...IDS, '--dialect', 'ucloud', report);
  expectAllAsked(ended, path);
  expectForged(ended);
});

test.each(
  someOf(
    [
      ['svc', 'ucloud'],
      ['ucloud', 'svc'],
    ] as const,
    2,
  ),
)(
  'a probe of a server of the dialect %s in %s says which --dialect to pass',
  async (own, asked) => {
    const url = await builtIn({ dialect: own });
    const { code, stdout } = await probe(url, ...IDS, '--dialect', asked);
    expect(code).toBe(4);
    expect(unwrapped(stdout)).toContain(
      `it accepts file requests in the dialect ${own} and refuses them in ${asked}; pass --dialect ${own}`,
    );
  },
);

test('the strict built-in server passes as a proxy for the default hosts', async () => {
  const path = join(folderOfTest(), 'report.jsonl');
  const url = await builtIn({ strict: true });
  const report = `--reporter=json-lines=${path}`;
  expectAllAsked(await probe(url, ...IDS, '--proxy', report), path);
});

test('with --keys and --bucket the server passes, and the private key is never shown', async () => {
  const keys = { publicKey: 'Somebody@example.com', privateKey: 'th1s/is+a secret=' };
  const path = folderOfTest();
  writeFileSync(join(path, 'keys.json'), JSON.stringify(keys));
  const buckets = [{ name: 'mine' }];
  const right = await builtIn({ accounts: [keys], buckets });
  const report = join(path, 'report.jsonl');
  const options = [...IDS, '--keys', join(path, 'keys.json'), '--bucket', 'mine', '--all'];
  const passed = await probe(right, ...options, `--reporter=json-lines=${report}`);
  expectAllAsked(passed, report);
  const wrong = await answering((_, response) => response.end('{}'));
  const failed = await probe(wrong, ...options, `--reporter=json-lines=${report}`);
  expect(failed.code).toBe(1);
  const all = passed.stdout + failed.stdout + failed.stderr + readFileSync(report, 'utf8');
  expect(all).not.toContain('is+a secret');
  expect(all).not.toContain('is%2Ba%20secret');
});

test('a server clock that is behind is reported', async () => {
  const late = (): number => Math.floor(Date.now() / 1000) - 5000;
  const url = await answeringWithDate(late);
  const { stdout } = await probe(url, 'verify-presigned-url/expiry');
  expect(unwrapped(stdout)).toMatch(/the clock of the server is (4999|500[01]) s behind/);
});

/** Starts a server whose answers have only a header Date. */
function answeringWithDate(now: () => number): Promise<string> {
  return answering((_, response) => {
    response.setHeader('Date', new Date(1000 * now()).toUTCString());
    response.end('{}');
  });
}

test('a server that accepts everything is reported as such', async () => {
  const url = await answering((_, response) => response.end('{"RetCode":0}'));
  const { code, stdout } = await probe(
    url,
    ...(RUNS > 1 ? ['verify-authorization', 'verify-json'] : [...IDS, 'verify-json']),
  );
  expect(code).toBe(1);
  expect(stdout).toContain('verify-authorization accepts everything: ');
  expect(stdout).toContain('verify-json accepts everything: ');
  expect(stdout).toMatch(/conformance failures: .*\n$/);
});

test('a server that refuses everything is reported as such', async () => {
  const url = await answering((_, response) => response.writeHead(403).end());
  const { code, stdout } = await probe(url, ...IDS);
  expect(code).toBe(4);
  expect(unwrapped(stdout)).toContain(
    'the server never worked: it refuses everything: it accepted none of 4 correctly signed requests',
  );
});

test('a server that never answers is reported with a timeout', async () => {
  const url = await socketServer((socket) => socket.on('error', () => {}).resume());
  const { code, stdout } = await probe(url, CORRECT, '--timeout', '0.3');
  expect(code).toBe(4);
  expect(unwrapped(stdout)).toContain('the first one ended as timeout: no answer within 0.3 s');
});

// Windows has no signals: there, the console ends all of its processes at once.
test.skipIf(process.platform === 'win32')(
  'Ctrl-C reports the results so far and deletes the bucket',
  async () => {
    const targets: string[] = [];
    let interrupt = (): void => {};
    const url = await builtIn({
      onExchange: ({ target }) => {
        targets.push(target);
        if (targets.length === 30) interrupt();
      },
    });
    const { code, stdout } = await svcConformance(['probe', url, ...IDS], {
      environment: NO_KEYS,
      meanwhile: (call) => {
        interrupt = call.interrupt;
      },
    });
    expect(code).toBe(5);
    expect(unwrapped(stdout)).toContain('the run stopped early: the run was interrupted');
    expect(stdout).toMatch(/not-asked/);
    expect(targets.at(-1)).toContain('Action=DeleteBucket');
  },
);

test.skipIf(process.platform === 'win32')(
  'Ctrl-C before the first answer is reported as an interrupted run',
  async () => {
    let interrupt = (): void => {};
    const url = await socketServer((socket) => {
      socket.on('error', () => {}).resume();
      interrupt();
    });
    const { code, stdout } = await svcConformance(`probe ${url} ${CORRECT} --timeout 0.5`, {
      environment: NO_KEYS,
      meanwhile: (call) => {
        interrupt = call.interrupt;
      },
    });
    expect(code).toBe(5);
    expect(unwrapped(stdout)).toContain('the run was interrupted');
  },
);

test('an illegal bucket name is refused with a one-line error', async () => {
  const { code, stderr } = await probe('http://127.0.0.1:9', '--bucket', 'a/b');
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /^svc-conformance: the probe cannot start: bucket "a\/b" .*name the bucket alone.*\n$/,
  );
});

test('a server that closes every connection is reported as crashed', async () => {
  const url = await socketServer((socket) => socket.end());
  const { code, stdout } = await probe(url, CORRECT);
  expect(code).toBe(4);
  expect(unwrapped(stdout)).toContain('crashed: the connection was closed without an answer');
});

test('an address without a server is reported with ECONNREFUSED', async () => {
  const { code, stdout } = await probe('http://127.0.0.1:9', CORRECT);
  expect(code).toBe(4);
  expect(stdout).toContain('nothing accepts connections at its address (ECONNREFUSED)');
});

test('an untrusted certificate is reported with a fix', async () => {
  const { key, cert } = selfSigned(folderOfTest());
  const tls = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  const { code, stdout, stderr } = await probe(await builtIn({ tls }), CORRECT);
  expect([code, stderr]).toEqual([4, '']);
  expect(unwrapped(stdout)).toContain(
    'its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT); name the file of its authority in NODE_EXTRA_CA_CERTS',
  );
});

test('an answer that is not HTTP is reported as such', async () => {
  const url = await socketServer((socket) => socket.on('error', () => {}).end('220 mail\r\n'));
  const { code, stdout } = await probe(url, CORRECT);
  expect(code).toBe(4);
  expect(unwrapped(stdout)).toContain('garbage: the answer is not HTTP/1.1');
});

test('a 5xx answer is an error, not a refusal', async () => {
  const url = await answering((_, response) => response.writeHead(500).end('oops'));
  const { code, stdout } = await probe(url, CORRECT);
  expect(code).toBe(4);
  expect(unwrapped(stdout)).toContain('the first one ended as error: answered 500 "oops"');
});

test('a server that answers wrong signatures with 5xx does not refuse them', async () => {
  const url = await serviceWith({
    sameText: (expected, received) => {
      if (expected !== received) throw new Error('not the same');
      return true;
    },
  });
  const { code, stdout } = await probe(url, '--all', 'verify-authorization/changed-after-signing');
  expect(code).toBe(1);
  expect(stdout).toMatch(/ERROR .*refuses-another-method/);
});

thorough('a forged request is listed under the cause that explains it', async () => {
  const url = await mistakenServer('headers-sorted-in-upper-case');
  const path = join(folderOfTest(), 'report.jsonl');
  const { code, stdout } = await probe(url, `--reporter=json-lines=${path}`);
  expect(code).toBe(1);
  expect(stdout).toMatch(/also explains .* accepted \(.*\/headers-sorted-in-upper-case/);
  expect(stdout).not.toMatch(/^FORGED/m);
  expect(stdout).toMatch(/^CAUSE headers-sorted-in-upper-case /m);
  const statuses = linesOf(path).flatMap(({ type, status }) =>
    type === 'outcome' ? [status] : [],
  );
  expect(new Set(statuses)).toEqual(new Set(['pass', 'refused', 'open', 'unsupported']));
  expect(statuses.filter((status) => status === 'pass').length).toBeGreaterThan(ALL);
});

test('a server that takes the end of a longer key for a callback policy fails', async () => {
  const selection = ['--bucket', 'box', 'verify-authorization/callback-policies'];
  const { code, stdout } = await probe(await policyTrustingServer(), '--all', ...selection);
  expect(code).toBe(1);
  for (const id of [
    'refuses-to-read-a-shorter-key',
    'refuses-to-list-a-bucket-with-the-signature-of-a-file',
    'refuses-to-look-at-a-shorter-key',
    'refuses-to-delete-a-shorter-key',
    'refuses-to-write-a-shorter-key',
    'refuses-to-finish-a-shorter-key',
    'refuses-a-well-formed-policy-of-a-download',
  ]) {
    expect(stdout).toMatch(new RegExp(`FAIL .*callback-policies/${id}\n`));
  }
  expect(stdout).not.toMatch(/callback-policies\/takes-/);
});

test('vectors of callback policies are not asked if the server refuses policies', async () => {
  const url = await builtIn({ strict: true });
  const selected = RUNS > 1 ? 'verify-authorization' : 'verify-authorization/callback-policies';
  const { code, stdout } = await probe(url, selected, CORRECT);
  expect(code).toBe(0);
  expect(unwrapped(stdout)).toMatch(
    /[0-9]+ vectors not asked, because the server refuses callback/,
  );
});

/** In `npm test`, only the vectors that tell an expired request from a changed one. */
const EXPIRING =
  RUNS > 1
    ? ['verify-presigned-url']
    : ['verify-presigned-url/expiry', 'verify-presigned-url/changed-after-signing'];

test('a server that ignores expiry fails the vectors of expiry', async () => {
  const url = await serviceWith({ isExpired: () => false });
  const { code, stdout } = await probe(url, '--all', ...EXPIRING);
  expect(code).toBe(1);
  expect(stdout).toMatch(/FAIL .*expiry\/refuses-one-second-past-expiry/);
  expect(stdout).toMatch(/FAIL .*expiry\/refuses-ten-minutes-past-expiry/);
  expect(stdout).not.toMatch(/FAIL .*changed-after-signing/);
});

testUsageErrors([
  ['probe', 'write svc-conformance probe [options] URL [ID…]'],
  ['probe localhost:4595', '"localhost:4595" is not the URL of a server'],
  ['probe http://127.0.0.1:9/path', 'is not the URL of a server; write http://HOST:PORT'],
  ['probe https://127.0.0.1:9 --proxy', '--proxy takes an http:// URL'],
  ['probe http://127.0.0.1:9 -- node', 'this verb does not start an adapter'],
]);

test('a missing bucket is a usage error, not a conformance failure', async () => {
  const url = await builtIn({});
  const { code, stderr } = await probe(url, '--bucket', 'nowhere');
  expect(stderr).toContain('a listing of the bucket "nowhere" was answered 404');
  expect(code).toBe(2);
});
