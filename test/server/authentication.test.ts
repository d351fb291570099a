import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  authorization,
  type Context,
  formAuthorization,
  type HeaderList,
  inDialect,
  instantUpload,
  type Pair,
  presignedUrl,
  SPECIFICATION,
  UCLOUD,
  withSteps,
} from '../../reference/signing/index.ts';
import {
  type JudgedAnswer,
  type JudgingService,
  judgingService,
  KEYS,
  type RawRequest,
} from './judging-service.ts';

let service: JudgingService;
const NOW = 1_700_000_000;

beforeAll(async () => {
  service = await judgingService();
  await service.createBucket('demo');
  await service.createBucket('other');
  await service.createBucket('open', 'public');
});
afterAll(() => service.stop());
beforeEach(() => {
  Object.assign(service.settings, { keys: KEYS, isDevelopment: true, isStrict: false, now: NOW });
});

/** An unsigned request to a bucket. */
function bare(method: string, target: string, headers: HeaderList = [], body = ''): RawRequest {
  return { method, target, headers: [['Host', 'demo.files.example'], ...headers], body };
}

/** The request with a header Authorization that the steps of `context` make. */
function signed(request: RawRequest, key: string, context?: Context, bucket = 'demo'): RawRequest {
  return withHeader(request, headerFor(request, key, context, bucket).authorization);
}

function headerFor(
  { method, headers }: RawRequest,
  key: string,
  context: Context = SPECIFICATION,
  bucket = 'demo',
) {
  return authorization({ method, bucket, key, headers }, KEYS, context);
}

const withHeader = (request: RawRequest, value: string): RawRequest => ({
  ...request,
  headers: [...request.headers, ['Authorization', value]],
});

/** The specification with lines before the resource in the string to sign, or a text after it. */
const textWith = (lines: string, suffix: string): Context =>
  withSteps(SPECIFICATION, { resourceText: (resource) => `${lines}${resource}${suffix}` });

/** The text after the resource that SDKs sign in a listing. */
const LISTED = textWith('', '\nlistobjects\ndelimiter:/\nmarker:\nmax-keys:7\nprefix:a b');

const COPIED: HeaderList = [
  ['X-Ufile-Copy-Source', '/demo/from'],
  ['X-Ufile-Copy-Source-Range', 'bytes=0-3'],
];

const VENDOR_REQUESTS: readonly (readonly [string, RawRequest])[] = [
  [
    'copy-source-lines',
    signed(
      bare('PUT', '/k?uploadId=u&partNumber=0', COPIED),
      'k',
      textWith('x-ufile-copy-source:/demo/from\nx-ufile-copy-source-range:bytes=0-3\n', ''),
    ),
  ],
  [
    'list-parameters',
    signed(bare('GET', '/?listobjects&prefix=a%20b&max-keys=7&delimiter=%2F&marker='), '', LISTED),
  ],
  [
    'list-parameters',
    // The SDK for Python writes a space as "+".
    signed(bare('GET', '/?listobjects&marker=&prefix=a+b&max-keys=7&delimiter=%2F'), '', LISTED),
  ],
  [
    'raw-append-query',
    signed(bare('PUT', '/k?append&position=0'), 'k', textWith('', '?append&position=0')),
  ],
];

test.each(VENDOR_REQUESTS)(
  'a request signed with %s is accepted, and the answer names the vendor text',
  async (name, request) => {
    const { exchange, headers } = await service.ask(request);
    expect(exchange.judgement).toMatchObject({
      kind: 'right',
      signedIn: 'header',
      publicKey: KEYS.publicKey,
      vendorText: name,
    });
    // An error of the operation does not name the vendor text.
    if (exchange.status === 200) expect(headers.get('X-Svc-Conformance-Vendor-Text')).toBe(name);
  },
);

test.each(VENDOR_REQUESTS)(
  'a strict service refuses %s and names the vendor text',
  async (name, request) => {
    service.settings.isStrict = true;
    const { exchange, status, body } = await service.ask(request);
    expect(status).toBe(403);
    expect(exchange.judgement).toMatchObject({ kind: 'wrong', reason: 'vendor-text' });
    expect(JSON.parse(body)).toMatchObject({ RetCode: -148658, ErrMsg: 'invalid signature' });
    expect(body).toContain(name);
  },
);

test('a strict service accepts a listing signed by the specification', async () => {
  service.settings.isStrict = true;
  const { exchange, headers } = await service.ask(
    signed(bare('GET', '/?listobjects&prefix=a'), ''),
  );
  expect(exchange).toMatchObject({ status: 200, judgement: { kind: 'right' } });
  expect(headers.has('X-Svc-Conformance-Vendor-Text')).toBe(false);
});

test('§5.2: the answer to a wrong signature has the string to sign and the cause', async () => {
  const wrong = withSteps(SPECIFICATION, { joinValues: (values) => values.join(', ') });
  const repeated = ['1', '2'].map((value) => ['X-Svc-Bar', value] as const);
  const request = bare('PUT', '/a', repeated, 'x');
  const { status, headers, body } = await service.ask(signed(request, 'a', wrong));
  expect(status).toBe(403);
  expect(headers.get('Content-Type')).toBe('application/json');
  expect(headers.get('X-SessionId')).toMatch(/^[0-9a-f-]{36}$/);
  expect(headers.get('X-Svc-Conformance-Cause')).toMatch(/^headers-merged-by-comma-space: .*", "/);
  const right = headerFor(request, 'a');
  expect(JSON.parse(body)).toMatchObject({
    RetCode: -148658,
    ErrMsg: 'invalid signature',
    Signature: {
      reason: 'signature-mismatch',
      stringToSign: right.stringToSign,
      expected: right.signature,
      lines: [
        { number: 1, name: 'verb', text: 'PUT\n', source: 'request line' },
        { number: 2 },
        { number: 3 },
        { number: 4 },
        { number: 5, text: 'x-svc-bar:1,2\n', source: 'header X-Svc-Bar, 2 times, merged' },
        { number: 6, text: '/demo/a' },
      ],
      causes: [
        [
          {
            mistake: 'headers-merged-by-comma-space',
            page: 'svc-conformance docs headers-merged-by-comma-space',
          },
        ],
      ],
    },
  });
});

test('for a real key, answers have neither the key nor the correct signature', async () => {
  service.settings.isDevelopment = false;
  const request = bare('PUT', '/priv-test', [['X-Svc-Note', 'priv-test']]);
  const right = headerFor(request, 'priv-test');
  const value = `Svc ${KEYS.publicKey}:AAAAAAAAAAAAAAAAAAAAAAAAAAA=`;
  const { status, body } = await service.ask(withHeader(request, value));
  expect(status).toBe(403);
  expect(JSON.parse(body)).toMatchObject({
    Signature: { received: 'AAAAAAAAAAAAAAAAAAAAAAAAAAA=' },
  });
  expect(body).not.toContain(KEYS.privateKey);
  expect(body).not.toContain(right.signature);
});

test('an unsigned request is refused, except for reading a public bucket', async () => {
  const ask = (method: string, host: string): Promise<JudgedAnswer> =>
    service.ask({ method, target: '/none', headers: [['Host', `${host}.files.example`]] });
  expect(await ask('GET', 'demo')).toMatchObject({ status: 403, exchange: { code: -148643 } });
  expect(await ask('PUT', 'open')).toMatchObject({ status: 403, exchange: { code: -148643 } });
  expect(await ask('GET', 'open')).toMatchObject({ status: 404, exchange: { code: -148654 } });
  expect(await ask('GET', 'nobody')).toMatchObject({ status: 404, exchange: { code: -30010 } });
});

/** The target of a pre-signed URL. */
function presigned(
  method: string,
  expires: number,
  headers: HeaderList = [],
  context = SPECIFICATION,
): string {
  const file = { method, bucket: 'demo', key: 'k', headers };
  const request = { ...file, expires: `${expires}`, scheme: 'http', fileHost: 'files.example' };
  return new URL(presignedUrl(request, KEYS, context).url).href.replace(/^http:\/\/[^/]*/, '');
}

test.each(['GET', 'PUT', 'HEAD'])(
  '§5.4: a pre-signed %s is accepted up to the second of Expires',
  async (method) => {
    const target = presigned(method, NOW);
    expect((await service.ask(bare(method, target))).exchange.judgement).toMatchObject({
      kind: 'right',
      signedIn: 'url',
    });
    service.settings.now = NOW + 1;
    const { exchange, status } = await service.ask(bare(method, target));
    expect(status).toBe(403);
    expect(exchange.judgement).toMatchObject({ kind: 'wrong', reason: 'expired' });
  },
);

test('§5.4: expiry is checked before the signature', async () => {
  const target = presigned('GET', NOW - 1).replace(/Signature=.*/, 'Signature=AAAA');
  const { exchange, body } = await service.ask(bare('GET', target));
  expect(exchange.judgement).toMatchObject({ kind: 'wrong', reason: 'expired' });
  expect(JSON.parse(body)).toMatchObject({ ErrMsg: 'request timeout' });
});

test('§5.4: "+" in the signature of a URL is a plus sign, escaped or not', async () => {
  const escaped = presigned('GET', NOW + 44);
  expect(escaped).toMatch(/Signature=[^+]*%2B/);
  for (const target of [escaped, decodeURIComponent(escaped)]) {
    expect((await service.ask(bare('GET', target))).exchange.judgement).toMatchObject({
      kind: 'right',
    });
  }
});

test('§5.4: a URL may sign content headers, unless the service is strict', async () => {
  const headers: HeaderList = [
    ['Content-Type', 'text/plain'],
    ['Content-MD5', '9dd4e461268c8034f5c8564e155c67a6'],
  ];
  const signing = withSteps(SPECIFICATION, {
    presignedPositionalValues: (request) => ({
      contentMd5: '9dd4e461268c8034f5c8564e155c67a6',
      contentType: 'text/plain',
      date: request.expires,
    }),
  });
  const bySpecification = bare('PUT', presigned('PUT', NOW, headers), headers, 'x');
  const asSent = bare('PUT', presigned('PUT', NOW, headers, signing), headers, 'x');
  expect((await service.ask(bySpecification)).exchange).toMatchObject({
    status: 200,
    judgement: { kind: 'right' },
  });
  expect((await service.ask(asSent)).headers.get('X-Svc-Conformance-Vendor-Text')).toBe(
    'presigned-content-headers',
  );
  service.settings.isStrict = true;
  expect((await service.ask(bySpecification)).status).toBe(200);
  expect((await service.ask(asSent)).exchange).toMatchObject({
    status: 403,
    judgement: { reason: 'vendor-text' },
  });
});

test('a request that is signed in both its header and its URL is refused', async () => {
  const target = presigned('GET', NOW);
  expect((await service.ask(signed(bare('GET', target), 'k'))).exchange).toMatchObject({
    status: 403,
    judgement: { kind: 'wrong', reason: 'signed-twice' },
  });
});

test('the signature decides the bucket if the address does not name one', async () => {
  const request = { ...bare('GET', '/k'), headers: [['Host', '127.0.0.1']] as const };
  const right = signed(request, 'k', SPECIFICATION, 'other');
  expect((await service.ask(right)).exchange).toMatchObject({
    bucket: 'other',
    judgement: { kind: 'right' },
  });
  const wrong = withHeader(request, `Svc ${KEYS.publicKey}:AAAA`);
  const { status, body } = await service.ask(wrong);
  expect(status).toBe(403);
  expect(body).toContain('--bind HOST=BUCKET');
});

test('an unsigned request that names none of several buckets is refused', async () => {
  const { status, body } = await service.ask({
    method: 'GET',
    target: '/k',
    headers: [['Host', '127.0.0.1']],
  });
  expect(status).toBe(403);
  expect(body).toContain('names no bucket');
});

const BOUNDARY = 'xYx';

/** A form upload; its signature is one of the fields. */
function form(fields: readonly Pair[], fileType: string | undefined, headers: HeaderList = []) {
  const type = fileType === undefined ? '' : `Content-Type: ${fileType}\r\n`;
  const parts = [
    ...fields.map(
      ([name, text]) => `Content-Disposition: form-data; name="${name}"\r\n\r\n${text}`,
    ),
    `Content-Disposition: form-data; name="file"; filename="f"\r\n${type}\r\ncontent`,
  ];
  const body = `${parts.map((part) => `--${BOUNDARY}\r\n${part}\r\n`).join('')}--${BOUNDARY}--\r\n`;
  const own: HeaderList = [['Content-Type', `multipart/form-data; boundary=${BOUNDARY}`]];
  return bare('POST', '/', [...own, ...headers], body);
}

function formSignature(fields: readonly Pair[], headers: HeaderList = []): Pair {
  const request = { bucket: 'demo', key: 'f.txt', headers, fields };
  return ['Authorization', formAuthorization(request, KEYS, SPECIFICATION).authorization];
}

const NAME: Pair = ['FileName', 'f.txt'];

test.each<readonly [string, RawRequest]>([
  [
    'the media type of a field',
    form([NAME, ['Content-Type', 'text/x'], formSignature([['Content-Type', 'text/x']])], 'text/y'),
  ],
  [
    'the media type of the file part',
    form([formSignature([['Content-Type', 'text/y']]), NAME], 'text/y'),
  ],
  ['no media type', form([NAME, formSignature([])], undefined)],
])('§4.3: a form is signed with %s', async (_, request) => {
  const { status, exchange } = await service.ask(request);
  expect(exchange).toMatchObject({ key: 'f.txt', judgement: { kind: 'right', signedIn: 'form' } });
  expect(status).toBe(200);
});

test('§4.3: a form needs its signature in a field, not in a header', async () => {
  const right = form([NAME, formSignature([])], undefined, [['Authorization', 'Svc nobody:AAAA']]);
  expect((await service.ask(right)).status).toBe(200);
  const onlyHeader = signed(form([NAME], undefined), 'f.txt');
  expect((await service.ask(onlyHeader)).exchange).toMatchObject({
    status: 403,
    code: -148643,
    judgement: { kind: 'wrong', reason: 'authorization-missing' },
  });
});

test('§4.3: the answer to a wrongly signed form names the mistake', async () => {
  const fields: readonly Pair[] = [['Content-Type', `multipart/form-data; boundary=${BOUNDARY}`]];
  const { status, headers, exchange } = await service.ask(
    form([NAME, formSignature(fields)], 'text/plain'),
  );
  expect(status).toBe(403);
  expect(exchange.judgement).toMatchObject({ kind: 'wrong', signedIn: 'form' });
  expect(headers.get('X-Svc-Conformance-Cause')).toMatch(/^form-type-of-header: a form /);
});

test('an instant upload is signed for the key in its query', async () => {
  const upload = { bucket: 'demo', key: 'not held', headers: [], etag: 'x'.repeat(32), size: '9' };
  const { target, authorization: value } = instantUpload(upload, KEYS, SPECIFICATION);
  const { exchange } = await service.ask(bare('POST', target, [['Authorization', value]]));
  expect(exchange).toMatchObject({ key: 'not held', judgement: { kind: 'right' } });
});

test('a callback policy is signed exactly as it is sent', async () => {
  const policy = 'eyJjYWxsYmFja1VybCI6Imh0dHA6Ly8xMjcuMC4wLjEvIn0=';
  const request = bare('PUT', '/k', [], 'x');
  const file = { ...request, bucket: 'demo', key: 'k' };
  const { authorization: value } = authorization(file, KEYS, SPECIFICATION, policy);
  const ask = (text: string): Promise<JudgedAnswer> => service.ask(withHeader(request, text));
  expect((await ask(value)).exchange.judgement).toMatchObject({ kind: 'right' });
  expect((await ask(value.replace(/=$/, ''))).exchange.judgement).toMatchObject({ kind: 'wrong' });
});

test('a request in the dialect ucloud is accepted only by a service of that dialect', async () => {
  const ucloud = await judgingService(UCLOUD);
  try {
    await ucloud.createBucket('demo');
    const request = signed(bare('GET', '/k', [['X-UCloud-A', '1']]), 'k', inDialect(UCLOUD));
    expect((await ucloud.ask(request)).exchange.judgement).toMatchObject({ kind: 'right' });
    expect((await service.ask(request)).exchange.judgement).toMatchObject({
      kind: 'wrong',
      reason: 'authorization-malformed',
    });
  } finally {
    await ucloud.stop();
  }
});
