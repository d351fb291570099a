import { afterAll, beforeAll, expect, test } from 'vitest';
import { authorization, SPECIFICATION } from '../../reference/signing/index.ts';
import { type Asked, type JudgingService, judgingService, KEYS } from './judging-service.ts';

let service: JudgingService;
beforeAll(async () => {
  service = await judgingService();
  await service.createBucket('demo');
});
afterAll(() => service.stop());

const own = (target: string, method = 'GET'): Promise<Asked> =>
  service.ask({ method, target, headers: [['Host', '127.0.0.1']] });

/** A request whose every part is somebody's HTML; signed as a POST and sent as a PUT. */
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

test('the health page says that the server is there', async () => {
  const { status, body } = await own('/-/health');
  expect([status, JSON.parse(body)]).toEqual([200, { status: 'ok' }]);
});

test('own pages are read only, and there are no others', async () => {
  expect((await own('/-/health', 'DELETE')).status).toBe(405);
  expect((await own('/-/none')).status).toBe(404);
  expect(await own('/-/', 'HEAD')).toMatchObject({ status: 200, body: '' });
});

test('recent requests are shown as JSON with what was found', async () => {
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
      causes: [[{ cause: 'the request was signed as POST, and it is sent as PUT' }]],
    },
  });
});

test('the page shows a wrong signature with its cause, and nothing that was sent gets out of its text', async () => {
  await hostile();
  const { status, headers, body } = await own('/-/');
  expect(status).toBe(200);
  expect(headers.get('Content-Security-Policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
  expect(body).toContain('the request was signed as POST, and it is sent as PUT');
  expect(body).toContain('&lt;/td&gt;&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(body).toContain('\\u202e');
  expect(body).not.toContain('\u202e');
  const tags = new Set([...body.matchAll(/<\/?([a-z0-9]+)/gi)].map(([, name]) => name));
  expect(
    [...tags].filter((name) => /^(?:script|img|iframe|object|form|link)$/i.test(name ?? '')),
  ).toEqual([]);
  expect(body).not.toMatch(/(?:src|href)="?(?:https?:)?\/\//);
});

test('the wrong ones have a page of their own, which shows each cause', async () => {
  await hostile();
  await service.ask({ method: 'GET', target: '/none', headers: [['Host', 'demo.files.example']] });
  const { body } = await own('/-/wrong');
  expect(body).toContain('<details open>');
  expect(body).toContain('the request was signed as POST, and it is sent as PUT');
  expect(body).not.toContain('/none');
  expect((await own('/-/')).body).toContain('/none');
});

test('the style of the page is the one that its policy allows', async () => {
  const { headers, body } = await own('/-/');
  const style = /<style>([\s\S]*)<\/style>/.exec(body)?.[1] ?? '';
  const digest = await crypto.subtle.digest('SHA-256', Buffer.from(style, 'utf8'));
  expect(headers.get('Content-Security-Policy')).toContain(Buffer.from(digest).toString('base64'));
});
