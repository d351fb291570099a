/** A client whose signatures are all right, and that writes its requests in one form after another. */
import { createHash, createHmac } from 'node:crypto';
import { sent } from './wire-requests.mjs';

const { SVC_BUCKET, SVC_PUBLIC_KEY, SVC_PRIVATE_KEY } = process.env;

const HOST = `${SVC_BUCKET}.cn-bj.ufileos.com`;
const API = 'api.ucloud.cn';

const hmac = (text) => createHmac('sha1', SVC_PRIVATE_KEY).update(text).digest('base64');

/** Percent-encoded as §5.3 says. */
const escaped = (text) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const lowerCased = (text) => escaped(text).replace(/%../g, (digits) => digits.toLowerCase());

/** A pre-signed URL whose signature has both a plus and a slash. */
function presigned(method, path, key, write, type = '') {
  for (let expires = 1_900_000_000; ; expires++) {
    const signature = hmac(`${method}\n\n${type}\n${expires}\n/${SVC_BUCKET}/${key}`);
    if (!signature.includes('+') || !signature.includes('/')) continue;
    const query = `UCloudPublicKey=${escaped(SVC_PUBLIC_KEY)}&Expires=${expires}&Signature=${write(signature)}`;
    const headers = [['Host', HOST], ...(type === '' ? [] : [['Content-Type', type]])];
    return sent(method, `http://${HOST}${path}?${query}`, headers);
  }
}

await presigned('GET', '/a.txt', 'a.txt', escaped);
await presigned('GET', '/a.txt', 'a.txt', (signature) => signature);
await presigned('GET', '/a.txt', 'a.txt', lowerCased);
await presigned('GET', '/a.txt', 'a.txt', (text) => escaped(text).replaceAll('%2F', '/'));
await presigned('GET', '/a%7Eb.txt', 'a~b.txt', escaped);
await presigned('GET', '/a%2Fb.txt', 'a/b.txt', escaped);
await presigned('PUT', '/a.txt', 'a.txt', escaped, 'text/plain');

function signatureOf(parameters) {
  const text = parameters
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flat()
    .join('');
  return createHash('sha1').update(`${text}${SVC_PRIVATE_KEY}`).digest('hex');
}

/** An action with one parameter more; `write` puts the pairs and the signature together. */
function act(value, write) {
  const parameters = [
    ['Action', 'DescribeBucket'],
    ['Note', value],
    ['PublicKey', SVC_PUBLIC_KEY],
  ];
  const query = write(parameters, signatureOf(parameters));
  return sent('GET', `http://${API}/?${query}`, [['Host', API]]);
}

const inOrder = (write) => (pairs, signature) =>
  [...pairs.map(([name, value]) => `${name}=${write(value)}`), `Signature=${signature}`].join('&');

await act('a b:ü', inOrder(escaped));
await act('a', (pairs, signature) =>
  [`Signature=${signature}`, ...pairs.map((p) => p.join('='))].join('&'),
);
await act('ü', inOrder(lowerCased));
await act(
  'a:b',
  inOrder((text) => text),
);
await act(
  'a',
  inOrder((text) => text.replace(/^a$/, '%61')),
);
await act('a', (pairs, signature) => `${inOrder(escaped)(pairs, signature)}&`);

/** An action in a JSON body; `flat` is what is signed of the members. */
function post(members, flat, type, method = 'POST') {
  const own = { Action: 'DescribeBucket', PublicKey: SVC_PUBLIC_KEY };
  const Signature = signatureOf(Object.entries({ ...own, ...flat }));
  const body = JSON.stringify({ ...own, ...members, Signature });
  const headers = [
    ['Host', API],
    ['Content-Length', String(Buffer.byteLength(body))],
    ...(type === undefined ? [] : [['Content-Type', type]]),
  ];
  return sent(method, `http://${API}/`, headers, body);
}

const JSON_TYPE = 'application/json';

await post({}, {}, `${JSON_TYPE}; charset=utf-8`);
await post({}, {}, undefined);
await post({}, {}, JSON_TYPE, 'PUT');
await post({ Note: ['a'] }, { 'Note.0': 'a' }, JSON_TYPE);
await post({ Password: 'a-b' }, { Password: 'a-b' }, JSON_TYPE);
await post({ Password: 'YS1i' }, { Password: 'YS1i' }, JSON_TYPE);

const hit = `UCloud ${SVC_PUBLIC_KEY}:${hmac(`POST\n\n\n\n/${SVC_BUCKET}/a b.txt`)}`;
for (const name of ['a%20b.txt', 'a+b.txt']) {
  const target = `/uploadhit?Hash=AAAAANo5o-5ea0sNMlW_75VgGJCv2AcJ&FileName=${name}&FileSize=0`;
  await sent('POST', `http://${HOST}${target}`, [
    ['Host', HOST],
    ['Authorization', hit],
  ]);
}
