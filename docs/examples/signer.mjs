// A signer with one mistake: it keeps the extra headers in the order of the request.
import { createHmac } from 'node:crypto';

const trim = (text) => text.replace(/^[ \t]+|[ \t]+$/g, '');
const unfold = (text) => text.replace(/[ \t]*(?:\r?\n[ \t]+)+/g, ' ');

export function authorization({ method, bucket, key, headers }, keys, { dialect }) {
  const given = headers.map(([name, value]) => [trim(name).toLowerCase(), trim(unfold(value))]);
  const positional = (name) => given.find(([own]) => own === name)?.[1] ?? '';
  const extra = new Map();
  for (const [name, value] of given) {
    if (!name.startsWith(dialect.headerPrefix.toLowerCase())) continue;
    extra.set(name, extra.has(name) ? `${extra.get(name)},${value}` : value);
  }
  const stringToSign = [
    method,
    ...['content-md5', 'content-type', 'date'].map(positional),
    ...[...extra].map(([name, value]) => `${name}:${value}`),
    `/${bucket}/${key}`,
  ].join('\n');
  const signature = createHmac('sha1', keys.privateKey).update(stringToSign).digest('base64');
  return { authorization: `${dialect.scheme} ${keys.publicKey}:${signature}`, stringToSign };
}
