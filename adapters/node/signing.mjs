/**
 * All operations of the adapter protocol with Node alone, written from the specification.
 *
 * To judge your own SDK, replace the body of an operation by calls to it and leave out of `trace` what
 * it does not show. Each takes the question's input, the key pair and the dialect.
 */

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';

export const IMPLEMENTATION = { name: 'node', version: '1.0.0', language: 'javascript' };

/** The stages that `trace` may show; take out what your implementation does not let anybody see. */
export const TRACES = [
  'sortedParameters',
  'canonicalHeaders',
  'canonicalResource',
  'stringToSign',
  'digest',
  'signature',
  'encodedSignature',
  'blockCount',
];

const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const VERB = new RegExp(`^${TOKEN}$`);
const FIELD_NAME = new RegExp(`^(${TOKEN})[ \\t]*$`);
/** From the first to the last character that is no blank: `trim()` would also eat U+00A0. */
const WITHOUT_OUTER_BLANKS = /[^ \t](?:.*[^ \t])?/s;
/** A line end is a fold where a blank follows it. */
const UNSENDABLE = /\0|\r(?!\n)|\n(?![ \t])/;
const NUMBER = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;
/** Plain decimal text has no exponent, so 1e999999999 would take a gigabyte. */
const LARGEST_EXPONENT = 1_000_000;
const JSON_TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]|true|false|null|-?[0-9][0-9.eE+-]*/g;
const URL_PARTS = /^https?:\/\/([^/?#@]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/i;
const BASE64 = /^(?:[A-Za-z0-9+/]+|[A-Za-z0-9_-]+)={0,2}$/;
const CREDENTIALS = /^([^ \t:]+):([^ \t:]+)(?::([^ \t:]+))?$/;
/** No text limits Expires; sixteen digits are microseconds, which this project takes for a mistake. */
const UNIX_SECONDS = /^[0-9]{1,15}$/;
const BLOCK_SIZE = 4 * 1024 * 1024;

/** A deliberate no, to sign or to accept; `reason` is a code of the protocol. */
export class Refusal extends Error {
  constructor(reason, message) {
    super(message);
    this.reason = reason;
  }
}

/** The loop takes it from implementations that have no way to express an input; this one has. */
export class Unsupported extends Error {}

function refuse(reason, message) {
  throw new Refusal(reason, message);
}

function orRefuse(reason, message, read) {
  try {
    return read();
  } catch {
    return refuse(reason, message);
  }
}

function wellFormed(text) {
  return text.isWellFormed() ? text : refuse('text', 'an unpaired surrogate has no UTF-8 bytes');
}

const utf8 = (text) => Buffer.from(wellFormed(text), 'utf8');
/** `a < b` would compare UTF-16 units, which puts U+10000 before U+FFFF. */
const compareBytes = (a, b) => Buffer.compare(utf8(a), utf8(b));
const urlSafeBase64 = (bytes) => bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_');

// §5.3

function urlEncode(text) {
  const escaped = (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(wellFormed(text)).replace(/[!'()*]/g, escaped);
}

function urlDecode(text, reason) {
  const message = `${JSON.stringify(text)} is not percent-encoded UTF-8`;
  return orRefuse(reason, message, () => decodeURIComponent(text));
}

const queryOf = (pairs) =>
  pairs.map(([name, value]) => `${urlEncode(name)}=${urlEncode(value)}`).join('&');

function queryPairs(query) {
  const pairs = query.split('&').filter((pair) => pair !== '');
  return pairs.map((pair) => {
    const [, name, value = ''] = /^([^=]*)(?:=(.*))?$/s.exec(pair);
    return [urlDecode(name, 'query-malformed'), urlDecode(value, 'query-malformed')];
  });
}

// §5.1

function plainDecimal(number) {
  const match = NUMBER.exec(number) ?? refuse('number', `${JSON.stringify(number)} is no number`);
  const [, sign, whole, fraction = '', exponent = '0'] = match;
  const digits = whole + fraction;
  if (/^0+$/.test(digits)) return '0';
  if (Math.abs(Number(exponent)) > LARGEST_EXPONENT) refuse('number', `${number} is too long`);

  const point = whole.length + Number(exponent);
  const left = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  const right = point > 0 ? digits.slice(point) : '0'.repeat(-point) + digits;
  let length = right.length;
  while (right[length - 1] === '0') length--;
  const decimals = length > 0 ? `.${right.slice(0, length)}` : '';
  return sign + left.replace(/^0+(?=[0-9])/, '') + decimals;
}

/** Yields `{ name, text, json }`: what is signed of a value and what a JSON body holds. */
function* flatten(name, value) {
  if (value === null) refuse('parameter-null', `parameter ${JSON.stringify(name)} is null`);
  if (typeof value === 'string') yield { name, text: value, json: JSON.stringify(value) };
  else if (typeof value === 'boolean') yield { name, text: `${value}`, json: `${value}` };
  else if (value.list) {
    for (const [i, item] of value.list.entries()) yield* flatten(`${name}.${i}`, item);
  } else if (value.object) {
    for (const [inner, item] of value.object) yield* flatten(`${name}.${inner}`, item);
  } else {
    const text = plainDecimal(value.number);
    yield { name, text, json: text };
  }
}

function signedParameters(parameters, keys, required = []) {
  const sorted = parameters
    .filter(([name]) => name !== 'Signature') // R2
    .flatMap(([name, value]) => [...flatten(name, value)])
    .sort((a, b) => compareBytes(a.name, b.name));
  const twice = sorted.find(({ name }, i) => name === sorted[i + 1]?.name);
  if (twice) refuse('parameter-repeated', `${JSON.stringify(twice.name)} is there twice`);
  const names = new Set(sorted.map(({ name }) => name));
  const missing = required.find((name) => !names.has(name));
  if (missing) refuse('parameter-missing', `a request needs the parameter ${missing}`);

  const stringToSign = sorted.map(({ name, text }) => name + text).join('') + keys.privateKey;
  const signature = createHash('sha1').update(utf8(stringToSign)).digest('hex');
  const sortedParameters = sorted.map(({ name, text }) => [name, text]);
  return { sorted, trace: { sortedParameters, stringToSign, signature } };
}

function signedQuery(parameters, keys, required) {
  const { trace } = signedParameters(parameters, keys, required);
  return { query: queryOf([...trace.sortedParameters, ['Signature', trace.signature]]), trace };
}

// §5.2, §5.4

/** A header's value without its outer blanks, and with one space for each fold and the blanks around it. */
function fieldValue(value) {
  if (UNSENDABLE.test(value)) {
    refuse('header-value', `${JSON.stringify(value)} holds a line end that is no fold, or a NUL`);
  }
  const lines = value.split(/\r?\n/);
  return lines.flatMap((line) => WITHOUT_OUTER_BLANKS.exec(line) ?? []).join(' ');
}

function fieldLines(headers) {
  return headers.map(([rawName, value]) => {
    const [, name] =
      FIELD_NAME.exec(rawName) ?? refuse('header-name', `${JSON.stringify(rawName)} is no token`);
    return [name.toLowerCase(), fieldValue(value)];
  });
}

/** The one value of a name, or undefined. */
function only(pairs, wanted, reason = 'header-repeated') {
  const values = pairs.filter(([name]) => name === wanted).map(([, value]) => value);
  if (values.length > 1) refuse(reason, `${wanted} is there ${values.length} times`);
  return values[0];
}

function canonicalHeadersOf(lines, { headerPrefix }) {
  const valuesByName = new Map();
  for (const [name, value] of lines) {
    if (!name.startsWith(headerPrefix.toLowerCase())) continue;
    if (valuesByName.has(name)) valuesByName.get(name).push(value);
    else valuesByName.set(name, [value]);
  }
  return [...valuesByName]
    .sort(([a], [b]) => compareBytes(a, b))
    .map(([name, values]) => `${name}:${values.join(',')}\n`)
    .join('');
}

/** Signs `positions`, the texts in the places of Content-MD5, Content-Type and Date. */
function signedFile({ method, bucket, key, lines, positions, policy = '' }, keys, dialect) {
  if (!VERB.test(method)) refuse('method', `${JSON.stringify(method)} is no token`);
  if (bucket === '') refuse('bucket', 'a bucket without a name has no host');
  if (bucket.includes('/')) refuse('bucket', `bucket ${JSON.stringify(bucket)} holds a slash`);

  const canonicalHeaders = canonicalHeadersOf(lines, dialect);
  const canonicalResource = `/${bucket}/${key}`;
  const stringToSign =
    [method.toUpperCase(), ...positions, canonicalHeaders + canonicalResource].join('\n') + policy;
  const hmac = createHmac('sha1', utf8(keys.privateKey)).update(utf8(stringToSign)).digest();
  return {
    canonicalHeaders,
    canonicalResource,
    stringToSign,
    digest: hmac.toString('hex'),
    signature: hmac.toString('base64'),
  };
}

const isUpload = ({ method }) => ['PUT', 'POST'].includes(method.toUpperCase());

/** Base64 of a JSON object. Without this check, the end of another key passes as a policy. */
function isPolicy(text) {
  if (!BASE64.test(text)) return false;
  try {
    const json = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'base64'));
    return /^\s*\{/.test(json) && typeof JSON.parse(json) === 'object';
  } catch {
    return false;
  }
}

function signedByHeaders(request, keys, dialect) {
  const lines = fieldLines(request.headers);
  const position = (name) => only(lines, name) ?? '';
  const positions = ['content-md5', 'content-type', 'date'].map(position);
  return signedFile({ ...request, lines, positions }, keys, dialect);
}

function signedForm({ bucket, key, headers, fields }, keys, dialect) {
  const lines = fieldLines(headers);
  // Unlike names of headers, names of form fields have a case.
  const field = (name) => fieldValue(only(fields, name) ?? '');
  const positions = [
    only(lines, 'content-md5') ?? field('Content-MD5'),
    field('Content-Type'),
    only(lines, 'date') ?? '',
  ];
  return signedFile({ method: 'POST', bucket, key, lines, positions }, keys, dialect);
}

function signedForUrl(request, keys, dialect) {
  const lines = fieldLines(request.headers);
  return signedFile({ ...request, lines, positions: ['', '', request.expires] }, keys, dialect);
}

const authorizationOf = ({ signature }, keys, { scheme }) =>
  `${scheme} ${keys.publicKey}:${signature}`;

// §2

function* blocksOf({ bytes, file }) {
  if (file === undefined) {
    const content = Buffer.from(bytes, 'base64');
    for (let i = 0; i < content.length; i += BLOCK_SIZE) yield content.subarray(i, i + BLOCK_SIZE);
    return;
  }
  const descriptor = openSync(file);
  try {
    const block = Buffer.alloc(BLOCK_SIZE);
    for (let length = BLOCK_SIZE; length === BLOCK_SIZE; ) {
      length = 0;
      // A read may give less than it is asked for before the file ends.
      for (let read = -1; read !== 0 && length < BLOCK_SIZE; length += read) {
        read = readSync(descriptor, block, length, BLOCK_SIZE - length, null);
      }
      if (length > 0) yield block.subarray(0, length);
    }
  } finally {
    closeSync(descriptor);
  }
}

// Verifiers

function checkAccount(publicKey, keys) {
  if (publicKey !== keys.publicKey) refuse('public-key-unknown', 'no account has this public key');
}

function checkSignature(given, computed) {
  const [left, right] = [utf8(given), utf8(computed)];
  if (left.length !== right.length || !timingSafeEqual(left, right)) {
    refuse('signature-mismatch', 'the signature is not the one that the account computes');
  }
}

function verified(parameters, keys) {
  const signature = only(parameters, 'Signature', 'parameter-repeated');
  if (!signature) refuse('signature-missing', 'the request has no Signature');
  if (typeof signature !== 'string') refuse('signature-mismatch', 'Signature is no text');

  const { trace } = signedParameters(parameters, keys, ['Action', 'PublicKey']);
  const publicKey = only(trace.sortedParameters, 'PublicKey');
  checkAccount(publicKey, keys);
  checkSignature(signature, trace.signature);
  return { result: { publicKey }, trace };
}

/** The members of a JSON object as the protocol writes parameters; `JSON.parse` alone loses digits and repeats. */
function jsonMembers(body) {
  const parsed = orRefuse('body-malformed', 'the body is no JSON', () => JSON.parse(body));
  if (parsed === null || typeof parsed !== 'object' || Array.isArray(parsed)) {
    refuse('body-malformed', 'the body is no JSON object');
  }
  const tokens = body.match(JSON_TOKEN).values();
  const next = () => tokens.next().value;
  const items = (end, item) => {
    const found = [];
    for (let token = next(); token !== end; token = next()) found.push(item(token));
    return found;
  };
  const value = (token) => {
    if (token === '{') return { object: items('}', member) };
    if (token === '[') return { list: items(']', value) };
    if (token === 'null') return refuse('body-malformed', 'a null has no text to sign');
    return /^[-0-9]/.test(token) ? { number: token } : JSON.parse(token);
  };
  const member = (name) => [JSON.parse(name), value(next())];
  return value(next()).object;
}

function bucketInHost(authority, fileHost) {
  const end = `.${fileHost}`.toLowerCase();
  if (!authority.toLowerCase().endsWith(end) || authority.length === end.length) {
    refuse('url-malformed', `host ${JSON.stringify(authority)} is not <bucket>.${fileHost}`);
  }
  return authority.slice(0, -end.length);
}

export const operations = {
  'url-encode': ({ text }) => ({ result: { encoded: urlEncode(text) } }),

  password: ({ text }) => ({ result: { value: utf8(text).toString('base64') } }),

  'action-signature': ({ parameters }, keys) => {
    const { trace } = signedParameters(parameters, keys);
    return { result: { signature: trace.signature }, trace };
  },

  'action-json': ({ parameters }, keys) => {
    const { sorted, trace } = signedParameters(parameters, keys, ['Action', 'PublicKey']);
    const members = sorted.map(({ name, json }) => `${JSON.stringify(name)}:${json}`);
    const body = `{${members.join(',')},"Signature":"${trace.signature}"}`;
    return { result: { body }, trace };
  },

  'action-query': ({ parameters }, keys) => {
    const { query, trace } = signedQuery(parameters, keys, ['Action', 'PublicKey']);
    return { result: { query }, trace };
  },

  'bucket-request': ({ parameters }, keys) => {
    const creates = parameters.some(
      ([name, value]) => name === 'Action' && value === 'CreateBucket',
    );
    const required = ['Action', 'PublicKey', ...(creates ? ['Type', 'BucketName'] : [])];
    const { query, trace } = signedQuery(parameters, keys, required);
    return { result: { target: `/?${query}` }, trace };
  },

  authorization: (input, keys, dialect) => {
    const trace = signedByHeaders(input, keys, dialect);
    return { result: { authorization: authorizationOf(trace, keys, dialect) }, trace };
  },

  'form-authorization': (input, keys, dialect) => {
    const trace = signedForm(input, keys, dialect);
    return { result: { authorization: authorizationOf(trace, keys, dialect) }, trace };
  },

  policy: ({ members }) => {
    const json = members.map((member) => member.map((text) => JSON.stringify(text)).join(':'));
    return { result: { policy: urlSafeBase64(utf8(`{${json.join(',')}}`)) } };
  },

  'policy-authorization': (input, keys, dialect) => {
    const trace = signedByHeaders(input, keys, dialect);
    const authorization = `${authorizationOf(trace, keys, dialect)}:${input.policy}`;
    return { result: { authorization }, trace };
  },

  'instant-upload': ({ bucket, key, headers, etag, size }, keys, dialect) => {
    const trace = signedByHeaders({ method: 'POST', bucket, key, headers }, keys, dialect);
    const query = queryOf(Object.entries({ Hash: etag, FileName: key, FileSize: size }));
    const authorization = authorizationOf(trace, keys, dialect);
    return { result: { target: `/uploadhit?${query}`, authorization }, trace };
  },

  'presigned-url': (input, keys, dialect) => {
    const stages = signedForUrl(input, keys, dialect);
    const path = input.key.split('/').map(urlEncode).join('/');
    const encodedSignature = urlEncode(stages.signature);
    const query = queryOf([
      [dialect.publicKeyParameter, keys.publicKey],
      ['Expires', input.expires],
    ]);
    const file = `${input.scheme}://${input.bucket}.${input.fileHost}/${path}`;
    const url = `${file}?${query}&Signature=${encodedSignature}`;
    return { result: { url }, trace: { ...stages, encodedSignature } };
  },

  etag: ({ content }) => {
    let blockCount = 0;
    let digest = createHash('sha1').digest();
    const digests = createHash('sha1');
    for (const block of blocksOf(content)) {
      blockCount++;
      digest = createHash('sha1').update(block).digest();
      digests.update(digest);
    }
    if (blockCount > 1) digest = digests.digest();
    const count = Buffer.alloc(4);
    count.writeUInt32LE(blockCount);
    const etag = urlSafeBase64(Buffer.concat([count, digest]));
    return { result: { etag }, trace: { blockCount, digest: digest.toString('hex') } };
  },

  'part-etag': ({ content }) => {
    const hash = createHash('sha1');
    for (const block of blocksOf(content)) hash.update(block);
    const digest = hash.digest();
    return { result: { etag: urlSafeBase64(digest) }, trace: { digest: digest.toString('hex') } };
  },

  'verify-authorization': (input, keys, dialect) => {
    const lines = fieldLines(input.headers);
    const value = only(lines, 'authorization', 'authorization-malformed');
    if (value === undefined) refuse('authorization-missing', 'the request has no Authorization');
    const scheme = `${dialect.scheme} `;
    const [, publicKey, signature, policy] =
      (value.startsWith(scheme) && CREDENTIALS.exec(value.slice(scheme.length))) ||
      refuse('authorization-malformed', `Authorization is not "${scheme}<key>:<signature>"`);
    if (policy !== undefined && !(isUpload(input) && isPolicy(policy))) {
      refuse('authorization-malformed', 'a third part is a policy in Base64, and of an upload');
    }
    checkAccount(publicKey, keys);
    const trace = signedByHeaders({ ...input, policy }, keys, dialect);
    checkSignature(signature, trace.signature);
    return { result: { publicKey }, trace };
  },

  'verify-presigned-url': ({ method, url, headers, fileHost, now }, keys, dialect) => {
    const [, authority, path = '', query = ''] =
      URL_PARTS.exec(url) ?? refuse('url-malformed', `${JSON.stringify(url)} is no http URL`);
    const bucket = bucketInHost(authority, fileHost);
    const key = urlDecode(path, 'url-malformed');
    const pairs = queryPairs(query);
    const [publicKey, expires, signature] = [
      dialect.publicKeyParameter,
      'Expires',
      'Signature',
    ].map((name) => only(pairs, name, 'parameter-repeated'));
    if (!signature) refuse('signature-missing', 'the URL has no Signature');
    if (!publicKey) refuse('parameter-missing', `the URL has no ${dialect.publicKeyParameter}`);
    if (expires === undefined) refuse('parameter-missing', 'the URL has no Expires');
    if (!UNIX_SECONDS.test(expires)) refuse('expires-malformed', 'Expires is no count of seconds');
    if (BigInt(expires) < BigInt(now)) refuse('expired', 'the URL has expired'); // before the signature
    checkAccount(publicKey, keys);
    const trace = signedForUrl({ method, bucket, key, headers, expires }, keys, dialect);
    checkSignature(signature, trace.signature);
    return { result: { publicKey }, trace };
  },

  'verify-query': ({ query }, keys) => verified(queryPairs(query), keys),

  'verify-json': ({ body }, keys) => verified(jsonMembers(body), keys),
};
