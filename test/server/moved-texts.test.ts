/**
 * Attacks that move text between two adjacent parts of a string to sign
 * (reference/server/CHOICES.md, "Texts that can move").
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  actionQuery,
  authorization,
  type HeaderList,
  type Pair,
  SPECIFICATION,
} from '../../reference/signing/index.ts';
import { type Asked, type FileServer, fileServer, formOf, KEYS } from './file-server.ts';
import { judgingService } from './judging-service.ts';

const SECRET = 'the secret report';
const JSON_POLICY = 'eyJjYWxsYmFja1VybCI6Imh0dHA6Ly8xMjcuMC4wLjEvIn0=';

/** The signature of a request that the attacker has seen. */
function signatureOf(method: string, key: string, headers: HeaderList = []): string {
  const request = { method, bucket: 'box', key, headers };
  return authorization(request, KEYS, SPECIFICATION).signature;
}

interface Attack {
  readonly method: string;
  readonly target: string;
  readonly key?: string;
  readonly headers?: HeaderList;
  readonly body?: string;
}

/** Every operation on a file or bucket that accepts no callback policy. */
const WITHOUT_POLICY: readonly Attack[] = [
  { method: 'GET', target: '/report' },
  { method: 'HEAD', target: '/report' },
  { method: 'DELETE', target: '/report' },
  { method: 'GET', target: '/?list', key: '' },
  { method: 'GET', target: '/?listobjects', key: '' },
  { method: 'GET', target: '/?muploadid', key: '' },
  { method: 'GET', target: '/?muploadpart&uploadId=u', key: '' },
  { method: 'GET', target: '/report?acl' },
  { method: 'PUT', target: '/report?acl', headers: [['X-Ufile-Object-Acl', 'public-read']] },
  { method: 'GET', target: '/report?tagging' },
  { method: 'PUT', target: '/report?tagging', body: '{"TagSet":[]}' },
  { method: 'DELETE', target: '/report?tagging' },
  { method: 'PUT', target: '/report', headers: [['X-Ufile-Copy-Source', '/box/other']] },
  { method: 'PUT', target: '/report?newFileName=stolen' },
  { method: 'PUT', target: '/report?storageClass=ARCHIVE' },
  { method: 'PUT', target: '/report?restore' },
  { method: 'PUT', target: '/report?append&position=0', body: 'x' },
  { method: 'PUT', target: '/report?uploadId=u&partNumber=0', body: 'x' },
  {
    method: 'PUT',
    target: '/report?uploadId=u&partNumber=0',
    headers: [['X-Ufile-Copy-Source', '/box/other']],
  },
  { method: 'POST', target: '/report?uploads' },
  { method: 'POST', target: '/report?opmeta', body: '{"op":"set"}' },
  { method: 'POST', target: '/uploadhit?Hash=x&FileName=report&FileSize=1' },
  { method: 'DELETE', target: '/report?uploadId=u' },
];

async function serverWithReport(isStrict: boolean): Promise<FileServer> {
  const server = await fileServer({ isStrict });
  for (const key of ['report', 'other']) {
    expect((await server.ask('PUT', `/${key}`, { body: SECRET })).status).toBe(200);
  }
  return server;
}

/** Sends the signature of the request for a longer key, with the rest of that key as a policy. */
function sendAttack({ ask }: FileServer, attack: Attack, rest: string) {
  const { method, target, key = 'report', headers = [], body } = attack;
  const signature = signatureOf(method, `${key}${rest}`, headers);
  const asked: Asked = {
    isUnsigned: true,
    headers: [...headers, ['Authorization', `Svc ${KEYS.publicKey}:${signature}:${rest}`]],
    ...(body !== undefined && { body }),
  };
  return ask(method, target, asked);
}

async function expectUntouched({ ask, service }: FileServer): Promise<void> {
  expect((await ask('GET', '/report')).bytes.toString()).toBe(SECRET);
  expect((await service.store.object('box', 'report'))?.acl).not.toBe('public-read');
  expect(await service.store.object('box', 'stolen')).toBe(undefined);
}

const name = ({ method, target, headers = [] }: Attack): string =>
  [method, target, ...headers.map(([header]) => `with ${header}`)].join(' ');

describe.each([false, true])('strict: %s', (isStrict) => {
  test.each(WITHOUT_POLICY.map((attack) => [name(attack), attack] as const))(
    'a signature for a longer key is refused for a shorter one: %s',
    async (_, attack) => {
      const server = await serverWithReport(isStrict);
      for (const rest of ['-public.txt', 'cHVibGlj', JSON_POLICY]) {
        const reply = await sendAttack(server, attack, rest);
        expect([rest, reply.status]).toEqual([rest, 403]);
        expect(reply.bytes.toString()).not.toContain(SECRET);
      }
      await expectUntouched(server);
    },
  );

  test.each([
    ['not Base64', '-public.txt'],
    ['the Base64 of a word', 'cHVibGlj'],
    ['the Base64 of a JSON list', 'W10='],
    ['the Base64 of an incomplete object', 'eyJhIjo='],
    ['a mix of both Base64 alphabets', 'eyJhIjoi+_8ifQ=='],
  ])('an upload with a policy that is %s is refused', async (_, rest) => {
    const server = await serverWithReport(isStrict);
    const put = await sendAttack(server, { method: 'PUT', target: '/report', body: 'x' }, rest);
    const finish = { method: 'POST', target: '/report?uploadId=u' };
    const finished = await sendAttack(server, finish, rest);
    const posted = await postedForm(server, rest);
    expect([put.status, finished.status, posted.status]).toEqual([403, 403, 403]);
    await expectUntouched(server);
  });
});

/** A form with the signature of the POST for a longer key. */
function postedForm({ post }: FileServer, rest: string) {
  return post({
    key: `report${rest}`,
    body: (value) => formOf('report')(`${value}:${rest}`),
  });
}

test('a strict server refuses every policy and says why', async () => {
  const lenient = await serverWithReport(false);
  const strict = await serverWithReport(true);
  const put = { method: 'PUT', target: '/report', body: SECRET };
  const finish = { method: 'POST', target: '/report?uploadId=u' };
  // The scheme cannot tell a policy from the end of a key, so a server with policies accepts these.
  expect((await sendAttack(lenient, put, JSON_POLICY)).status).toBe(200);
  expect((await sendAttack(lenient, finish, JSON_POLICY)).status).toBe(404);
  expect((await postedForm(lenient, JSON_POLICY)).status).toBe(200);

  const refused = await sendAttack(strict, put, JSON_POLICY);
  expect(refused.status).toBe(403);
  expect(refused.bytes.toString()).toContain('--strict');
  expect((await sendAttack(strict, finish, JSON_POLICY)).status).toBe(403);
  expect((await postedForm(strict, JSON_POLICY)).status).toBe(403);
});

const APPENDED = 'report?append=public.txt';

test.each(['GET', 'HEAD', 'DELETE', 'PUT'])(
  'a signature for a key with "?append" is refused for a shorter key: %s',
  async (method) => {
    const server = await serverWithReport(false);
    const reply = await server.ask(method, `/${APPENDED}`, { key: APPENDED, body: 'x' });
    expect(reply.status).toBe(403);
    await expectUntouched(server);
  },
);

test('a signature for a key that contains a listing is refused for other keys', async () => {
  const server = await serverWithReport(false);
  const key = 'report\nlistobjects\ndelimiter:\nmarker:\nmax-keys:\nprefix:';
  for (const method of ['GET', 'HEAD', 'DELETE', 'PUT']) {
    const reply = await server.ask(method, '/report?listobjects', { key, body: 'x' });
    expect([method, reply.status]).toEqual([method, 403]);
  }
  await expectUntouched(server);
});

test('a listing as SDKs sign it is refused if a value has a line break', async () => {
  const { ask } = await serverWithReport(false);
  const text = (prefix: string): string =>
    `\nlistobjects\ndelimiter:/\nmarker:\nmax-keys:\nprefix:${prefix}`;
  const signed = await ask('GET', '/?listobjects&delimiter=/&prefix=a', { key: text('a') });
  const hidden = 'a\nmarker:\nmax-keys:\nprefix:b';
  const moved = await ask('GET', `/?listobjects&delimiter=/&prefix=${encodeURIComponent(hidden)}`, {
    key: text(hidden),
  });
  expect([signed.status, moved.status]).toEqual([200, 403]);
});

test('§5.1: a parameter hidden in the name of another one is refused', async () => {
  const service = await judgingService();
  onTestFinished(service.stop);
  await service.createBucket('mine');
  await service.createBucket('other');
  const { publicKey } = service.settings.keys;
  const described = async (parameters: readonly Pair[]): Promise<string> => {
    const all = [['Action', 'DescribeBucket'], ['PublicKey', publicKey], ...parameters] as const;
    const { query } = actionQuery(all, service.settings.keys, SPECIFICATION);
    const headers = [['Host', 'api.example']] as const;
    return (await service.ask({ method: 'GET', target: `/?${query}`, headers })).body;
  };
  const signed: readonly Pair[] = [
    ['BucketName', 'mine'],
    ['Limit', '5'],
  ];
  const moved: readonly Pair[] = [['BucketNamemineLimit', '5']];
  const text = (parameters: readonly Pair[]): string => parameters.flat().join('');
  expect(text(moved)).toBe(text(signed));
  expect(await described(signed)).not.toContain('other');
  expect(await described(moved)).not.toContain('other');
  expect(await described(moved)).toContain('Params [BucketNamemineLimit] not available');
  // SDKs send parameters that an action does not have.
  expect(await described([...signed, ['Zone', 'a']])).toContain('"RetCode":0');
});

test('the signature of an expired pre-signed URL is refused in a header', async () => {
  const { ask } = await serverWithReport(false);
  const dated = (date: string) => ask('GET', '/report', { headers: [['Date', date]] });
  expect((await dated('1700000000')).status).toBe(403);
  // The SDK for Java writes dates in this form.
  expect((await dated('20260709071500')).status).toBe(200);
});
