/**
 * The commands on the pages print and send what the pages say.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { bundledSuite } from '../../dist/harness/suite/bundle.js';
import { curlCommand, opensslCommand, toRequest } from '../../dist/scripts/site/requests.js';
import { listen } from '../listen.ts';

const missing = (program: string, option: string): string =>
  spawnSync(program, [option]).error ? ` (not run, because ${program} was not found)` : '';

const withoutOpenssl = missing('openssl', 'version');

/** Tests every seventh vector, because all of them take too long. */
const STEP = 7;

describe.skipIf(withoutOpenssl)(`openssl${withoutOpenssl}`, () => {
  test('every tested command prints the signature of its vector', () => {
    const tried = bundledSuite()
      .vectors.filter((_, i) => i % STEP === 0)
      .flatMap(({ id, expect: stages, keys }) => {
        const command = stages && opensslCommand(stages, keys.privateKey);
        return command === undefined ? [] : [{ id, command, signature: stages?.['signature'] }];
      });
    expect(tried.length).toBeGreaterThan(20);
    const script = tried.map(({ command }) => `{ ${command}; } | tr -d '\n'; echo`).join('\n');
    const { stdout } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
    const printed = stdout.split('\n').map((line) => line.replace(/^.*= /, ''));
    expect(printed.slice(0, -1)).toEqual(tried.map(({ signature }) => signature));
  });
});

const withoutCurl = missing('curl', '--version');

/** What a command sends to a server that answers 204 and closes. */
async function capture(command: string): Promise<string> {
  const server = createServer();
  const received = new Promise<string>((resolve) => {
    server.on('connection', (socket) => {
      let text = '';
      socket.setEncoding('utf8').on('data', (piece) => {
        text += piece;
        socket.end('HTTP/1.1 204 No Content\r\n\r\n');
      });
      socket.on('close', () => resolve(text));
    });
  });
  const port = await listen(server);
  spawn('sh', ['-c', command.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`)], {
    stdio: 'ignore',
  });
  const text = await received;
  server.close();
  return text;
}

describe.skipIf(withoutCurl)(`curl${withoutCurl}`, () => {
  const { vectors, knownGood } = bundledSuite();
  const tried = vectors
    .filter(({ id }) => knownGood.includes(id) || id.startsWith('presigned-url/path/'))
    .flatMap(({ id, operation, input, expect: stages }) => {
      const request = stages && toRequest(operation, input, stages);
      return request ? [{ id, request }] : [];
    });
  test('every command sends the request line and the headers that the page shows', async () => {
    expect(tried.length).toBeGreaterThan(20);
    for (const { id, request } of tried) {
      const sent = await capture(curlCommand(request));
      expect(sent.split('\r\n')[0], id).toBe(`${request.method} ${request.target} HTTP/1.1`);
      for (const [name, value] of request.headers) {
        expect(sent.toLowerCase(), id).toContain(`\r\n${name}: ${value}\r\n`.toLowerCase());
      }
    }
  });
});
