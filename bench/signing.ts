/**
 * Measures signing against the primitives that it is made of, and against aws4: `npm run bench:signing`.
 *
 * The candidates of a row take turns, and each ratio is the median over all pairs. All times are processor time, which
 * other programs on the machine hardly change.
 *
 * @module
 */

import { createHmac, hash } from 'node:crypto';
import { createRequire } from 'node:module';
import {
  type ActionParameters,
  actionSignature,
  authorization,
  type FileRequest,
  SPECIFICATION,
} from '../reference/signing/index.ts';
import { isFunction, isShapeOf } from '../reference/values.ts';
import { median, table } from './load/figures.ts';

const PAIRS = Number(process.argv[2] ?? 15);
/** Of each measurement, in microseconds of processor time. */
const LEAST_TIME = 100_000;
/** Calls between two looks at the clock. */
const CALLS = 1000;

const KEYS = {
  publicKey: 'ucloudsomeone@example.com1296235120854146120',
  privateKey: '46f09bb9fab4f12dfc160dae12273d5332b5debe',
};

/** Six headers; two lines of one name to merge, one fold, and names to sort. */
const REQUEST: FileRequest = {
  method: 'PUT',
  bucket: 'demobucket',
  key: 'photos/2026/11/holiday.jpg',
  headers: [
    ['Content-Type', 'image/jpeg'],
    ['Date', 'Mon, 23 Nov 2026 12:00:00 GMT'],
    ['X-Svc-Meta-Title', 'A long title\r\n that was folded'],
    ['X-Svc-Meta-Camera', 'Model 1'],
    ['X-Svc-Date', '20261123T120000Z'],
    ['X-Svc-Meta-Camera', 'Lens 2'],
  ],
};

/** The 13 parameters of a request that creates an instance, in the order in which a caller writes them. */
const PARAMETERS: ActionParameters = [
  ['Action', 'CreateUHostInstance'],
  ['Region', 'cn-bj2'],
  ['Zone', 'cn-bj2-04'],
  ['ImageId', 'f43736e1-65a5-4bea-ad2e-8a46e18883c2'],
  ['CPU', { number: '2' }],
  ['Memory', { number: '2048' }],
  ['DiskSpace', { number: '10' }],
  ['LoginMode', 'Password'],
  ['Password', 'VUNsb3VkLmNu'],
  ['Name', 'Host01'],
  ['ChargeType', 'Month'],
  ['Quantity', { number: '1' }],
  ['PublicKey', KEYS.publicKey],
];

interface Candidate {
  readonly name: string;
  readonly sign: () => string;
}

interface Row {
  readonly name: string;
  readonly own: Candidate;
  readonly peer: Candidate;
  /** The least quotient of the speeds that the project promises. */
  readonly least: number;
}

const isAws4 = isShapeOf({ sign: isFunction });
const aws4: unknown = createRequire(import.meta.url)('aws4');
if (!isAws4(aws4)) throw new Error('the package aws4 has no function sign');
const { sign } = aws4;

/** The request of `REQUEST` for aws4, which joins no repeated headers and gives the object that it signs other headers. */
function signAws4(): string {
  const headers: Record<string, string> = {
    'Content-Type': 'image/jpeg',
    Date: 'Mon, 23 Nov 2026 12:00:00 GMT',
    'X-Amz-Meta-Title': 'A long title  that was folded',
    'X-Amz-Meta-Camera': 'Model 1,Lens 2',
    'X-Amz-Date': '20261123T120000Z',
    'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD',
  };
  const request = {
    service: 's3',
    region: 'us-east-1',
    method: REQUEST.method,
    host: 'demobucket.s3.amazonaws.com',
    path: `/${REQUEST.key}`,
    headers,
  };
  const keys = { accessKeyId: KEYS.publicKey, secretAccessKey: KEYS.privateKey };
  sign(request, keys);
  return request.headers['Authorization'] ?? '';
}

const { stringToSign } = authorization(REQUEST, KEYS, SPECIFICATION);
const signed = actionSignature(PARAMETERS, KEYS.privateKey, SPECIFICATION);

const AUTHORIZATION: Candidate = {
  name: 'authorization()',
  sign: () => authorization(REQUEST, KEYS, SPECIFICATION).authorization,
};

const ROWS: readonly Row[] = [
  {
    name: '§5.2 header, 6 headers ÷ createHmac',
    own: AUTHORIZATION,
    peer: {
      name: 'createHmac',
      sign: () => createHmac('sha1', KEYS.privateKey).update(stringToSign).digest('base64'),
    },
    least: 0.45,
  },
  {
    name: '§5.2 header, 6 headers ÷ aws4',
    own: AUTHORIZATION,
    peer: { name: 'aws4', sign: signAws4 },
    least: 2.2,
  },
  {
    name: '§5.1 signature, 13 parameters ÷ crypto.hash',
    own: {
      name: 'actionSignature()',
      sign: () => actionSignature(PARAMETERS, KEYS.privateKey, SPECIFICATION).signature,
    },
    peer: { name: 'crypto.hash', sign: () => hash('sha1', signed.stringToSign) },
    least: 0.2,
  },
];

function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** The processor time of a call, in microseconds. */
function measure({ sign }: Candidate): number {
  const from = processorTime();
  let calls = 0;
  let length = 0;
  do {
    for (let call = 0; call < CALLS; call++) length += sign().length;
    calls += CALLS;
  } while (processorTime() - from < LEAST_TIME);
  // Without a use of the result, the compiler could leave out the call.
  if (length === 0) throw new Error('nothing was signed');
  return (processorTime() - from) / calls;
}

function measureRow({ name, own, peer, least }: Row): readonly string[] {
  for (const candidate of [own, peer]) measure(candidate);
  const pairs = Array.from({ length: PAIRS }, () => [measure(own), measure(peer)] as const);
  return [
    name,
    ...[0, 1].map((at) => median(pairs.map((pair) => pair[at] ?? 0)).toFixed(2)),
    median(pairs.map(([ofOwn, ofPeer]) => ofPeer / ofOwn)).toFixed(2),
    least.toFixed(2),
  ];
}

/** A fast answer that is wrong is worth nothing. */
function checkAnswers(): void {
  const [header, bare] = [ROWS[0]?.own.sign(), ROWS[0]?.peer.sign()];
  if (!bare || !header?.endsWith(`:${bare}`)) throw new Error('authorization() differs from HMAC');
  if (ROWS[2]?.own.sign() !== ROWS[2]?.peer.sign()) {
    throw new Error('actionSignature() differs from SHA-1');
  }
}

checkAnswers();
const HEADING = [`${PAIRS} pairs`, 'own CPU µs', 'peer CPU µs', 'ratio', 'promised'];
process.stdout.write(table(HEADING, ROWS.map(measureRow)));
