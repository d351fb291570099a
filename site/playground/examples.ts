/**
 * For each operation, the request with which the playground starts.
 *
 * @module
 */
import type { Inputs, OperationInput } from '../../reference/operations.ts';
import type { ActionParameters, HeaderList, KeyPair } from '../../reference/signing/index.ts';

export const EXAMPLE_KEYS: KeyPair = { publicKey: 'pub-example', privateKey: 'priv-example' };

const HEADERS: HeaderList = [
  ['Content-Type', 'text/plain'],
  ['X-Svc-Foo', '1'],
  ['X-Svc-Bar', '2'],
  ['X-Svc-Bar', '3'],
];
const FILE = { bucket: 'demo', key: 'a.txt', headers: HEADERS };
const PARAMETERS: ActionParameters = [
  ['Action', 'CreateInstance'],
  ['PublicKey', 'pub-example'],
  ['Zone', 'north-2'],
  ['CPU', { number: '2' }],
  ['Tags', { list: ['web', 'Größe M'] }],
];
const QUERY =
  'Action=DescribeInstance&PublicKey=pub-example&Zone=north-2&Signature=12cd58cb5d1b0cefb2c8482c73e3ec7c0b06661e';

export const EXAMPLES: Inputs = {
  authorization: { method: 'PUT', ...FILE },
  'presigned-url': {
    method: 'GET',
    bucket: 'demo',
    key: 'reports/2026 Q1.pdf',
    headers: [],
    expires: '1900000000',
    scheme: 'https',
    fileHost: 'files.svc.example',
  },
  'action-query': { parameters: PARAMETERS },
  'action-json': { parameters: PARAMETERS },
  'action-signature': { parameters: PARAMETERS },
  'bucket-request': {
    parameters: [
      ['Action', 'CreateBucket'],
      ['BucketName', 'demo'],
      ['Type', 'public'],
      ['PublicKey', 'pub-example'],
    ],
  },
  'form-authorization': {
    bucket: 'demo',
    key: 'a.txt',
    headers: [],
    fields: [
      ['FileName', 'a.txt'],
      ['Content-Type', 'text/plain'],
    ],
  },
  'instant-upload': {
    ...FILE,
    headers: [],
    etag: 'AQAAACqubDXJT8-0FdvpX0CLnOke6Ebt',
    size: '11',
  },
  'policy-authorization': {
    method: 'PUT',
    ...FILE,
    policy: 'eyJjYWxsYmFja1VybCI6Imh0dHA6Ly9hcHAuZXhhbXBsZS9kb25lIn0=',
  },
  policy: {
    members: [
      ['callbackUrl', 'http://app.example/done'],
      ['callbackBody', 'size=1'],
    ],
  },
  'url-encode': { text: 'Größe=M & L/~' },
  password: { text: 'pässword' },
  etag: { content: { bytes: 'aGVsbG8gd29ybGQ=' } },
  'part-etag': { content: { bytes: 'aGVsbG8gd29ybGQ=' } },
  'verify-authorization': {
    method: 'PUT',
    bucket: 'demo',
    key: 'a.txt',
    headers: [...HEADERS, ['Authorization', 'Svc pub-example:acCO7taWNprJdMafIOe/TUB9LHg=']],
  },
  'verify-presigned-url': {
    method: 'GET',
    url: 'https://demo.files.svc.example/a.txt?SvcPublicKey=pub-example&Expires=1900000000&Signature=h9mck0l%2BIXRlUH%2B18MN6nQWfDQY%3D',
    headers: [],
    fileHost: 'files.svc.example',
    now: '1899999999',
  },
  'verify-query': { query: QUERY },
  'verify-json': {
    body: '{"Action":"DescribeInstance","PublicKey":"pub-example","Signature":"55c4a2f045a4c404ed2f015f5d43b0273a0dce8c"}',
  },
};

const BY_NAME = new Map<string, OperationInput>(Object.entries(EXAMPLES));

/** The example of an operation; empty for an unknown one. */
export const findExample = (operation: string): OperationInput => ({ ...BY_NAME.get(operation) });
