import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type ActionParameters,
  actionJson,
  actionQuery,
  SPECIFICATION,
} from '../../reference/signing/index.ts';
import {
  type JudgedAnswer,
  type JudgingService,
  judgingService,
  KEYS,
  type RawRequest,
} from './judging-service.ts';
import { held, objectNamed } from './stores.ts';

let service: JudgingService;
beforeAll(async () => {
  service = await judgingService();
});
afterAll(() => service.stop());
beforeEach(() => {
  service.settings.keys = KEYS;
});

type Given = Readonly<Record<string, string | boolean | { readonly number: string }>>;

function parametersOf(given: Given): ActionParameters {
  return Object.entries({ ...given, PublicKey: KEYS.publicKey });
}

const HOST = ['Host', 'api.example'] as const;
const post = (body: string, type: string): RawRequest => ({
  method: 'POST',
  target: '/',
  headers: [HOST, ['Content-Type', type]],
  body,
});

/** The ways to send parameters. The media type does not decide where the server reads them. */
const FORMS: Readonly<Record<string, (given: Given) => RawRequest>> = {
  'GET query': (given) => ({ method: 'GET', target: `/?${query(given)}`, headers: [HOST] }),
  'GET query with the type of JSON': (given) => ({
    method: 'GET',
    target: `/?${query(given)}`,
    headers: [HOST, ['Content-Type', 'application/json; charset=utf-8']],
  }),
  'POST query': (given) => ({ method: 'POST', target: `/?${query(given)}`, headers: [HOST] }),
  'POST JSON': (given) => post(json(given), 'application/json'),
  'POST JSON with the type of a form': (given) =>
    post(json(given), 'application/x-www-form-urlencoded'),
  'POST form': (given) =>
    post(query(given).replaceAll('%20', '+'), 'application/x-www-form-urlencoded'),
};

function query(given: Given): string {
  return actionQuery(parametersOf(given), KEYS, SPECIFICATION).query;
}

function json(given: Given): string {
  return actionJson(parametersOf(given), KEYS, SPECIFICATION).body;
}

interface ActionAnswer extends JudgedAnswer {
  readonly json: Readonly<Record<string, unknown>>;
}

async function ask(request: RawRequest): Promise<ActionAnswer> {
  const asked = await service.ask(request);
  return { ...asked, json: JSON.parse(asked.body) as ActionAnswer['json'] };
}

const act = async (given: Given): Promise<ActionAnswer['json']> =>
  (await ask(post(json(given), 'application/json'))).json;

describe.each(Object.entries(FORMS))('%s', (form, request) => {
  const BucketName = `by-${form.toLowerCase().replaceAll(' ', '-')}`.slice(0, 63);

  test('§4.1: buckets are created, described, changed and deleted', async () => {
    const created = await ask(request({ Action: 'CreateBucket', BucketName, Tag: 'a b+c/ü' }));
    expect(created.status).toBe(200);
    expect(created.headers.get('Content-Type')).toBe('application/json');
    expect(created.json).toEqual({
      RetCode: 0,
      Action: 'CreateBucketResponse',
      BucketName,
      BucketId: expect.any(String),
    });
    await ask(request({ Action: 'UpdateBucket', BucketName, Type: 'public' }));
    const { json: described } = await ask(request({ Action: 'DescribeBucket', BucketName }));
    expect(described['DataSet']).toMatchObject([
      {
        BucketName,
        BucketId: created.json['BucketId'],
        Type: 'public',
        Region: 'cn-bj',
        StorageClass: 'STANDARD',
        CreateTime: 1_700_000_000,
        Tag: 'a b+c/ü',
        HasUserDomain: 0,
        Domain: { Src: [], Cdn: [], CustomSrc: [], CustomCdn: [] },
      },
    ]);
    const deleted = await ask(request({ Action: 'DeleteBucket', BucketName }));
    expect(deleted.json).toMatchObject({ RetCode: 0, Action: 'DeleteBucketResponse' });
    expect((await act({ Action: 'DescribeBucket', BucketName }))['RetCode']).toBe(15010);
  });

  test('§5.1: a changed value is refused with the expected string to sign', async () => {
    const right = request({ Action: 'DescribeBucket', Region: 'cn-bj' });
    const changed = {
      ...right,
      target: right.target.replace('cn-bj', 'cn-sh'),
      body: (right.body ?? '').replace('cn-bj', 'cn-sh'),
    };
    const { json: answer, status } = await ask(changed);
    expect(status).toBe(200);
    expect(answer).toMatchObject({
      RetCode: 171,
      Message: 'Signature VerifyAC Error',
      Signature: {
        reason: 'signature-mismatch',
        stringToSign: expect.stringContaining('Regioncn-sh'),
      },
    });
    expect(JSON.stringify(answer)).not.toContain(KEYS.privateKey);
  });
});

test.each([
  ['DescribeUHostInstance', 161, 'Action [DescribeUHostInstance] not found'],
  ['CreateUFileToken', 90004, 'Action [CreateUFileToken] is not implemented here'],
  ['CreateBuket', 161, 'Action [CreateBuket] not found; did you mean CreateBucket?'],
  ['describebucket', 161, 'Action [describebucket] not found; did you mean DescribeBucket?'],
  [
    'CreateUFileTokens',
    161,
    'Action [CreateUFileTokens] not found; did you mean CreateUFileToken?',
  ],
  ['CreateBucket', 220, 'Missing params [BucketName]'],
  ['DeleteBucket BucketName=', 220, 'Missing params [BucketName]'],
  ['CreateBucket BucketName=Demo', 15001, 'bucket name "Demo" is illegal'],
  ['CreateBucket BucketName=ab', 15001, 'bucket name "ab" is illegal'],
  ['CreateBucket BucketName=abc-', 15001, 'bucket name "abc-" is illegal'],
  ['CreateBucket BucketName=../etc', 15001, 'bucket name "../etc" is illegal'],
  ['CreateBucket BucketName=typed Type=secret', 15003, 'bucket type "secret" is illegal'],
  ['UpdateBucket BucketName=nobody', 15010, 'bucket "nobody" not exist'],
  ['GetFileList BucketName=nobody', 15010, 'bucket "nobody" not exist'],
  ['DescribeBucket Limit=ten', 90001, 'Params [Limit] not available'],
  ['UpdateBucket BucketName=abc StorageClass=HOT', 90001, 'Params [StorageClass] not available'],
] as const)('the action %s is answered %i: %s', async (line, code, message) => {
  const [Action = '', ...parameters] = line.split(' ');
  const given = parameters.map((parameter) => parameter.split('=') as [string, string]);
  expect(await act({ Action, ...Object.fromEntries(given) })).toEqual({
    RetCode: code,
    Action: `${Action}Response`,
    Message: message,
  });
});

test('creating a bucket twice and deleting one with files are refused', async () => {
  await service.createBucket('full');
  const object = objectNamed('full', 'k', await held(service.store, ''));
  await service.store.putObject({ ...object, modifyTime: 2 });
  expect(await act({ Action: 'CreateBucket', BucketName: 'full' })).toMatchObject({
    RetCode: 15000,
  });
  expect(await act({ Action: 'DeleteBucket', BucketName: 'full' })).toMatchObject({
    RetCode: 15023,
  });
  const list = { Action: 'GetFileList', BucketName: 'full' };
  expect((await act(list))['DataSet']).toEqual([
    {
      ...{ BucketName: 'full', FileName: 'k', Hash: object.etag, MimeType: 'text/plain' },
      ...{ Size: 0, CreateTime: 1, ModifyTime: 2 },
    },
  ]);
  expect((await act({ ...list, Offset: { number: '1' } }))['DataSet']).toEqual([]);
});

test('buckets are listed by name, in pages', async () => {
  for (const name of ['page-c', 'page-a', 'page-b']) await service.createBucket(name);
  const all = (await act({ Action: 'DescribeBucket', Limit: { number: '100' } }))['DataSet'];
  const names = (all as readonly { BucketName: string }[]).map((row) => row.BucketName);
  expect(names).toEqual(names.toSorted());
  const page = await act({ Action: 'DescribeBucket', Offset: '1', Limit: '2' });
  expect((page['DataSet'] as readonly object[]).length).toBe(2);
  expect(page['DataSet'] as typeof all).toEqual((all as readonly object[]).slice(1, 3));
});

const get = (query: string): RawRequest => ({
  method: 'GET',
  target: `/${query}`,
  headers: [HOST],
});

test.each<readonly [string, RawRequest, number]>([
  ['no parameters', get(''), 160],
  ['no action', get('?PublicKey=a&Signature=b'), 160],
  ['no public key', get('?Action=CreateBucket&Signature=b'), 220],
  ['no signature', get(`?Action=DescribeBucket&PublicKey=${KEYS.publicKey}`), 170],
  ['an unknown public key', get('?Action=DescribeBucket&PublicKey=a&Signature=b'), 172],
  ['an incomplete escape', get('?Action=DescribeBucket%&PublicKey=a'), 90002],
  ['an incomplete JSON object', post('{"Action":', 'application/json'), 90002],
  [
    'a JSON object nested 1000 levels deep',
    post(`${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`, 'application/json'),
    90002,
  ],
])('a request with %s is answered with its error code', async (_, request, code) => {
  const { status, json: answer } = await ask(request);
  expect(status).toBe(200);
  expect(answer).toMatchObject({ RetCode: code, Message: expect.any(String) });
});

test('a body of 517,706 bytes, as the tests of an SDK send, is read', async () => {
  const given = { Action: 'DescribeBucket', BucketName: 'none', Padding: '' };
  const Padding = 'x'.repeat(517_706 - json(given).length);
  const body = json({ ...given, Padding });
  expect(body.length).toBe(517_706);
  const { json: answer, status } = await ask(post(body, 'application/json'));
  expect([status, answer['RetCode']]).toEqual([200, 15010]);
});

test('a body over the limit is refused, and the server answers the next request', async () => {
  const { status } = await service.ask(
    post(`{"Action":"${'x'.repeat(1024 * 1024)}"}`, 'application/json'),
  );
  expect(status).toBe(413);
  expect(await act({ Action: 'DescribeBucket' })).toMatchObject({ RetCode: 0 });
});
