/** Stands in for an SDK: signs by §5.2, refuses what HTTP cannot carry, prints and warns. */
import { createHmac } from 'node:crypto';
import { Refusal } from './signing.mjs';

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

function refuseIf(condition, reason) {
  if (condition) throw new Refusal(reason, 'no');
}

export function authorization({ method, bucket, key, headers }, keys, dialect) {
  console.log('a line of the SDK');
  process.stdout.write('a line of the SDK\n');
  process.emitWarning('a deprecation', 'DeprecationWarning');
  refuseIf(!TOKEN.test(method), 'method');
  refuseIf(bucket === '' || bucket.includes('/'), 'bucket');
  const values = {};
  for (const [rawName, rawValue] of headers) {
    const name = rawName.replace(/^[ \t]+|[ \t]+$/g, '');
    const value = rawValue.replace(/[ \t]*(?:\r?\n[ \t]+)+/g, ' ');
    refuseIf(!TOKEN.test(name), 'header-name');
    refuseIf(/[\r\n\0]/.test(value), 'header-value');
    values[name.toLowerCase()] ??= [];
    values[name.toLowerCase()].push(value.replace(/^[ \t]+|[ \t]+$/g, ''));
  }
  const lines = ['content-md5', 'content-type', 'date'].map((name) => `${values[name] ?? ''}`);
  const extra = Object.keys(values)
    .filter((name) => name.startsWith(dialect.headerPrefix.toLowerCase()))
    .sort()
    .map((name) => `${name}:${values[name].join(',')}\n`);
  const text = `${[method.toUpperCase(), ...lines, ''].join('\n')}${extra.join('')}/${bucket}/${key}`;
  const signature = createHmac('sha1', keys.privateKey).update(text).digest('base64');
  return `${dialect.scheme} ${keys.publicKey}:${signature}`;
}
