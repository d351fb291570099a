/**
 * A client that signs by hand and goes through the proxy that its environment names, to the stock hosts of the service.
 */
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';

const { http_proxy, SVC_BUCKET, SVC_PUBLIC_KEY, SVC_PRIVATE_KEY } = process.env;

/** Each takes one step of §5.2 wrongly. */
const MISTAKES = {
  'headers-merged-by-comma-space': { join: ', ' },
  'resource-encoded': { keyIn: encodeURIComponent },
  'signature-url-safe': { encoding: 'base64url' },
  'signature-in-hexadecimal': { encoding: 'hex' },
  // Nobody knows this one.
  'key-made-up': { privateKey: `${SVC_PRIVATE_KEY}-made-up` },
};

const RIGHT = {
  join: ',',
  keyIn: (key) => key,
  encoding: 'base64',
  privateKey: SVC_PRIVATE_KEY,
};

/**
 * The value of Authorization for a request whose repeated header X-UCloud-Note has these values. It may be signed as
 * if it had another method or key, or by somebody else.
 */
function authorization(method, key, asked) {
  const { type = '', notes = [], mistakes = [], bucket = SVC_BUCKET } = asked;
  const { signedAs = method, signedKey = key, publicKey = SVC_PUBLIC_KEY } = asked;
  const steps = Object.assign({}, RIGHT, ...mistakes.map((name) => MISTAKES[name]));
  const headers = notes.length === 0 ? '' : `x-ucloud-note:${notes.join(steps.join)}\n`;
  const text = `${signedAs}\n\n${type}\n\n${headers}/${bucket}/${steps.keyIn(signedKey)}`;
  const digest = createHmac('sha1', steps.privateKey).update(text).digest(steps.encoding);
  // URL-safe and not without padding: that would be another mistake.
  const signature = steps.encoding === 'base64url' ? `${digest}=` : digest;
  return `UCloud ${publicKey}:${signature}`;
}

/** Sends a file request; `unsigned`, `host` and `bucket` as they are given. Resolves with the status. */
export function ask(method, key, asked = {}) {
  const { type, notes = [], body, bucket = SVC_BUCKET, query = '', isUnsigned = false } = asked;
  const host = asked.host ?? `${bucket}.cn-bj.ufileos.com`;
  const headers = [
    ['Host', host],
    ...(type === undefined ? [] : [['Content-Type', type]]),
    ...notes.map((note) => ['X-UCloud-Note', note]),
    ...(isUnsigned ? [] : [['Authorization', authorization(method, key, asked)]]),
    ...(body === undefined ? [] : [['Content-Length', String(Buffer.byteLength(body))]]),
  ];
  return sent(method, `http://${host}/${encodeURIComponent(key)}${query}`, headers, body);
}

/** Gets a file by a URL that is signed until a second of Unix time, as §5.4 has it. */
export function presignedGet(key, expires) {
  const host = `${SVC_BUCKET}.cn-bj.ufileos.com`;
  const text = `GET\n\n\n${expires}\n/${SVC_BUCKET}/${key}`;
  const signature = createHmac('sha1', SVC_PRIVATE_KEY).update(text).digest('base64');
  const query = new URLSearchParams({
    UCloudPublicKey: SVC_PUBLIC_KEY,
    Signature: signature,
    Expires: String(expires),
  });
  return sent('GET', `http://${host}/${encodeURIComponent(key)}?${query}`, [['Host', host]]);
}

/** Sends an action, signed as §5.1 has it. */
export function act(parameters) {
  const all = { ...parameters, PublicKey: SVC_PUBLIC_KEY };
  const text =
    Object.keys(all)
      .sort()
      .map((name) => name + all[name])
      .join('') + SVC_PRIVATE_KEY;
  const signature = createHash('sha1').update(text).digest('hex');
  const query = new URLSearchParams({ ...all, Signature: signature });
  const host = 'api.ucloud.cn';
  return sent('GET', `http://${host}/?${query}`, [['Host', host]]);
}

/** As a client of a proxy sends it: the whole URL in the request line. */
export async function sent(method, url, headers, body) {
  const { hostname, port } = new URL(http_proxy);
  const outgoing = request({ hostname, port, method, path: url, headers: headers.flat() });
  outgoing.end(body);
  const [response] = await once(outgoing, 'response');
  response.resume();
  await once(response, 'end');
  return response.statusCode;
}
