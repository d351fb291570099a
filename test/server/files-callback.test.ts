/** Callback policies: they must be signed, and only local addresses are called. */
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../listen.ts';
import { fileServer, formOf, type Reply } from './file-server.ts';

interface Called {
  readonly method: string | undefined;
  readonly type: string | undefined;
  readonly body: string;
}

/** Answers every call with this status and text, and records the calls. */
async function callbackServer(status: number, text: string, headers = {}) {
  const calls: Called[] = [];
  const server = createServer(async (message, response) => {
    let body = '';
    for await (const piece of message) body += piece;
    calls.push({ method: message.method, type: message.headers['content-type'], body });
    response.writeHead(status, headers).end(text);
  });
  const port = await listen(server);
  onTestFinished(() => {
    server.close();
  });
  return { url: `http://127.0.0.1:${port}/done`, calls };
}

const policyOf = (members: object, alphabet: 'base64' | 'base64url' = 'base64url'): string =>
  Buffer.from(JSON.stringify(members)).toString(alphabet);

const callbackHeader = (reply: Reply) => reply.headers.get('X-Svc-Conformance-Callback');

test('the put is answered with the status and body of the callback', async () => {
  const { ask } = await fileServer({ makesCallbacks: true });
  const { url, calls } = await callbackServer(201, '{"Seen":true}');
  const policy = policyOf(
    {
      callbackUrl: url,
      callbackBody: 'Name=$(x:name)&Age=$(x:age)&None=$(x:none)',
      callbackVar: { 'x:name': 'A & ü', 'x:age': '20' },
    },
    'base64',
  );
  const reply = await ask('PUT', '/a', { body: 'x', policy });
  expect([reply.status, reply.json()]).toEqual([201, { Seen: true }]);
  expect(reply.headers.get('Content-Type')).toBe('application/json');
  expect(calls).toEqual([
    {
      method: 'POST',
      type: 'application/x-www-form-urlencoded',
      body: 'Name=A%20%26%20%C3%BC&Age=20&None=$(x:none)',
    },
  ]);
});

test('finishing an upload and posting a form make callbacks too', async () => {
  const { ask, post } = await fileServer({ makesCallbacks: true });
  const { url, calls } = await callbackServer(200, '{"Seen":true}');
  const policy = policyOf({
    callbackUrl: url,
    callbackBody: '{"Name":"$(x:name)"}',
    callbackBodyType: 'application/json',
    callbackVar: { 'x:name': 'a "b"' },
  });
  const id = (await ask('POST', '/a?uploads')).json()['UploadId'];
  const finished = await ask('POST', `/a?uploadId=${id}`, { policy });
  const posted = await post({ key: 'a', policy, body: formOf('a') });
  expect([finished.json(), posted.json()]).toEqual([{ Seen: true }, { Seen: true }]);
  const call = { method: 'POST', type: 'application/json', body: '{"Name":"a \\"b\\""}' };
  expect(calls).toEqual([call, call]);
});

test('a wrongly signed policy is refused without a callback', async () => {
  const { ask, service } = await fileServer({ makesCallbacks: true });
  const { url, calls } = await callbackServer(200, '{}');
  const headers = { Authorization: `Svc pub-example:AAAA:${policyOf({ callbackUrl: url })}` };
  expect((await ask('PUT', '/a', { body: 'x', headers, isUnsigned: true })).status).toBe(403);
  expect(calls).toEqual([]);
  expect(await service.store.object('box', 'a')).toBe(undefined);
});

test('an upload succeeds without its callback if that is off or not local', async () => {
  const { url, calls } = await callbackServer(200, '{}');
  const off = await fileServer();
  const kept = await off.ask('PUT', '/a', { body: 'x', policy: policyOf({ callbackUrl: url }) });
  expect([kept.status, callbackHeader(kept)]).toEqual([200, expect.stringContaining('off')]);
  expect(calls).toEqual([]);

  const on = await fileServer({ makesCallbacks: true });
  for (const away of [
    'http://192.0.2.1/',
    'http://example.com/',
    'http://127.0.0.1.example.com/',
  ]) {
    const policy = policyOf({ callbackUrl: away });
    const reply = await on.ask('PUT', '/a', { body: 'x', policy });
    expect([away, reply.status, callbackHeader(reply)]).toEqual([
      away,
      200,
      expect.stringContaining('nothing leaves'),
    ]);
  }
});

test('a failed callback is answered 502, and the file is stored', async () => {
  const { ask } = await fileServer({ makesCallbacks: true });
  const elsewhere = await callbackServer(200, '{}');
  const redirect = await callbackServer(302, '', { Location: elsewhere.url });
  const text = await callbackServer(200, 'done');
  const large = await callbackServer(200, `{"x":"${'x'.repeat(70_000)}"}`);
  for (const url of ['http://127.0.0.1:9/', redirect.url, text.url, large.url]) {
    const reply = await ask('PUT', '/a', { body: 'x', policy: policyOf({ callbackUrl: url }) });
    expect([url, reply.status, reply.json()['RetCode']]).toEqual([url, 502, -149109]);
  }
  expect(elsewhere.calls).toEqual([]);
  expect((await ask('GET', '/a')).bytes.toString()).toBe('x');
});

test('an invalid policy is refused, and nothing is stored', async () => {
  const { ask, service } = await fileServer({ makesCallbacks: true });
  for (const policy of [
    policyOf({ callbackUrl: 'ftp://127.0.0.1/' }),
    policyOf({ callbackUrl: 'nonsense' }),
    policyOf({ callbackUrl: 1 }),
    policyOf({ callbackUrl: 'http://127.0.0.1/', callbackBodyType: 'text/html' }),
    policyOf({
      callbackUrl: 'http://127.0.0.1/',
      callbackBody: '$(x:a)',
      callbackVar: { 'x:a': { toString: 1 } },
    }),
    policyOf({ x: 'x'.repeat(4000) }),
  ]) {
    const reply = await ask('PUT', '/a', { body: 'x', policy });
    expect([policy.slice(0, 50), reply.status]).toEqual([policy.slice(0, 50), 400]);
  }
  expect(await service.store.object('box', 'a')).toBe(undefined);
  expect(await service.store.faults()).toEqual([]);
});
