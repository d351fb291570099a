import { afterAll, beforeAll, expect, test } from 'vitest';
import { showHidden } from '../../reference/server/pages/html.ts';
import { authorization, SPECIFICATION } from '../../reference/signing/index.ts';
import { type JudgedAnswer, type JudgingService, judgingService, KEYS } from './judging-service.ts';
import { started } from './serving.ts';
import { send } from './signed-requests.ts';

let service: JudgingService;
beforeAll(async () => {
  service = await judgingService();
  await service.createBucket('demo');
});
afterAll(() => service.stop());

const own = (target: string, method = 'GET'): Promise<JudgedAnswer> =>
  service.ask({ method, target, headers: [['Host', '127.0.0.1']] });

/** Sends a request with HTML in every part, signed as a POST and sent as a PUT. */
async function hostile(): Promise<void> {
  const key = '<img src=x onerror=alert(1)>"\'&\u202e';
  const headers = [['X-Svc-Note', '</td><script>alert(1)</script>']] as const;
  const request = { method: 'POST', bucket: 'demo', key, headers };
  const { authorization: value } = authorization(request, KEYS, SPECIFICATION);
  await service.ask({
    method: 'PUT',
    target: `/${encodeURIComponent(key)}?<script>`,
    headers: [['Host', 'demo.files.example'], ...headers, ['Authorization', value]],
  });
}

test('the health page says that the server is running', async () => {
  const { status, body } = await own('/-/health');
  expect([status, JSON.parse(body)]).toEqual([200, { status: 'ok' }]);
});

test('built-in pages cannot be deleted, and unknown ones are answered 404', async () => {
  expect((await own('/-/health', 'DELETE')).status).toBe(405);
  expect((await own('/-/none')).status).toBe(404);
  expect(await own('/-/', 'HEAD')).toMatchObject({ status: 200, body: '' });
});

test('recent requests are shown as JSON with their diagnosis', async () => {
  await hostile();
  const { requests } = JSON.parse((await own('/-/requests.json')).body) as {
    requests: readonly Record<string, unknown>[];
  };
  expect(requests[0]).toMatchObject({
    method: 'PUT',
    bucket: 'demo',
    status: 403,
    code: -148658,
    operation: 'PutFile',
    signature: {
      verdict: 'wrong',
      reason: 'signature-mismatch',
      lines: [
        { number: 1, name: 'verb', text: 'PUT\n', source: 'request line' },
        {},
        {},
        {},
        {},
        {},
      ],
      causes: [[{ cause: 'the request was signed as POST, but it is sent as PUT' }]],
    },
  });
});

test('invisible characters are shown as escapes', () => {
  expect(showHidden('a\n\u200b\u{e0041}😀').html).toBe(
    'a<i>\\n</i><i>\\u200b</i><i>\\u{e0041}</i>😀',
  );
});

test('the page shows the cause of a wrong signature and escapes what was sent', async () => {
  await hostile();
  const { status, headers, body } = await own('/-/');
  expect(status).toBe(200);
  expect(headers.get('Content-Security-Policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
  expect(body).toContain('the request was signed as POST, but it is sent as PUT');
  expect(body).toContain('&lt;/td&gt;&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(body).toContain('\\u202e');
  expect(body).not.toContain('\u202e');
  const tags = new Set([...body.matchAll(/<\/?([a-z0-9]+)/gi)].map(([, name]) => name));
  expect(
    [...tags].filter((name) => /^(?:script|img|iframe|object|form|link)$/i.test(name ?? '')),
  ).toEqual([]);
  expect(body).not.toMatch(/(?:src|href)="?(?:https?:)?\/\//);
});

test('a mistake is shown with the command that opens its page', async () => {
  const request = { method: 'GET', bucket: 'demo', key: 'a', headers: [] };
  const { authorization: value } = authorization(request, KEYS, SPECIFICATION);
  const target = '/a';
  const scheme = value.toLowerCase().slice(0, 3);
  const headers = [
    ['Host', 'demo.files.example'],
    ['Authorization', `${scheme}${value.slice(3)}`],
  ] as const;
  await service.ask({ method: 'GET', target, headers });
  expect((await own('/-/wrong')).body).toContain(
    '<code>svc-conformance docs authorization-scheme-in-lower-case</code>',
  );
});

test('the page of wrong requests shows each cause, and no other requests', async () => {
  await hostile();
  await service.ask({ method: 'GET', target: '/none', headers: [['Host', 'demo.files.example']] });
  const { body } = await own('/-/wrong');
  expect(body).toContain('<details open>');
  expect(body).toContain('the request was signed as POST, but it is sent as PUT');
  expect(body).not.toContain('/none');
  expect((await own('/-/')).body).toContain('/none');
});

test('the content security policy of the page allows its style', async () => {
  const { headers, body } = await own('/-/');
  const style = /<style>([\s\S]*)<\/style>/.exec(body)?.[1] ?? '';
  const digest = await crypto.subtle.digest('SHA-256', Buffer.from(style, 'utf8'));
  expect(headers.get('Content-Security-Policy')).toContain(Buffer.from(digest).toString('base64'));
});

test('the pages of buckets link to each file and escape names', async () => {
  const key = 'folder <b>/<script>alert(1)<b>/"\'&\u202e#?+%41';
  await put(key, '<script>alert(1)</script>');
  expect((await own('/-/buckets')).body).toMatch(
    /<a href="\/-\/bucket\?name=demo">demo<\/a> <span class="quiet">private<\/span> <span class="quiet">1 file</,
  );
  const top = await own('/-/bucket?name=demo');
  const folder = linkTo(top.body, 'prefix=');
  expect(top.body).toContain('folder &lt;b&gt;/</a>');
  const inside = await own(folder);
  expect(inside.body).toContain('&lt;script&gt;alert(1)&lt;b&gt;/</a>');
  const deeper = await own(linkTo(inside.body, 'prefix=folder%20%3Cb%3E%2F%3C'));
  expect(deeper.body).toContain('\\u202e');
  expect(deeper.body + inside.body + top.body).not.toMatch(/<script|\u202e/);
  const file = await own(linkTo(deeper.body, 'key='));
  expect([file.status, file.body]).toEqual([200, '<script>alert(1)</script>']);
  expect(file.headers.get('Content-Security-Policy')).toBe('sandbox');
  expect(file.headers.get('Cross-Origin-Resource-Policy')).toBe('same-origin');
});

/** The address of the first link with this text in it. */
function linkTo(body: string, part: string): string {
  const links = [...body.matchAll(/href="([^"]*)"/g)].map(([, link = '']) => link);
  const found = links.find((link) => link.includes(part));
  return found?.replaceAll('&amp;', '&').replaceAll('&#39;', "'") ?? `no link with ${part}`;
}

async function put(key: string, body: string): Promise<void> {
  const headers = [['Content-Type', 'text/html']] as const;
  const request = { method: 'PUT', bucket: 'demo', key, headers };
  const { authorization: value } = authorization(request, KEYS, SPECIFICATION);
  const { status } = await service.ask({
    method: 'PUT',
    target: `/${encodeURIComponent(key)}`,
    headers: [['Host', 'demo.files.example'], ...headers, ['Authorization', value]],
    body,
  });
  expect(status).toBe(200);
}

test('the files of a large bucket are shown in pages', async () => {
  await service.createBucket('many');
  const content = {
    etag: 'x',
    size: 0,
    contents: [],
    contentType: 'text/plain',
    meta: [],
    tags: [],
  };
  for (let i = 0; i < 201; i += 1) {
    await service.store.putObject({
      ...content,
      bucket: 'many',
      key: String(i).padStart(3, '0'),
      storageClass: 'STANDARD',
      acl: 'default',
      createTime: 1,
      modifyTime: 1,
    });
  }
  const { body } = await own('/-/bucket?name=many');
  expect([body.includes('>199</a>'), body.includes('>200</a>')]).toEqual([true, false]);
  const next = await own(linkTo(body, 'after='));
  expect([next.body.includes('>199</a>'), next.body.includes('>200</a>')]).toEqual([false, true]);
  expect(next.body).not.toContain('further files');
});

test.each([
  ['/-/bucket?name=none', -30010],
  ['/-/bucket', -30010],
  ['/-/file?bucket=none&key=k', -30010],
  ['/-/file?bucket=demo&key=none', -148654],
  ['/-/file?bucket=demo', -148654],
])('%s is answered 404', async (target, code) => {
  const { status, body } = await own(target);
  expect([status, JSON.parse(body).RetCode]).toEqual([404, code]);
});

test.each(['/-/buckets', '/-/bucket?name=demo', '/-/file?bucket=demo&key=k'])(
  '%s is refused under another host name, which another site could lead to this machine',
  async (target) => {
    const server = await started({ suffixes: ['else.example'], buckets: [{ name: 'demo' }] });
    const { status, body } = await send(server.port, target, { host: 'else.example' });
    expect([status, JSON.parse(body).RetCode]).toEqual([403, -149009]);
  },
);
