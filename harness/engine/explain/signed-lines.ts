/**
 * The lines of the string to sign, each with its origin in the request.
 *
 * @module
 */
import type { Context, HeaderList, Pair } from '../../../reference/signing/index.ts';
import type { SignedLine } from '../sent-request.ts';
import type { SignedFileRequest, SignedParameters, SignedRequest } from './signed-request.ts';
import { signRequest } from './signed-request.ts';
import { findHeaderValue } from './target.ts';

/** Replaces the private key in shown texts. */
const HIDDEN_KEY = '…<private key>';

/** The string to sign without the private key. It is computed without the key, so that no mistake can reveal it. */
export function redactedText(signed: SignedRequest, context: Context): string {
  return signRequest(signed, { publicKey: '', privateKey: HIDDEN_KEY }, context).stringToSign;
}

/** The lines in order. Joined, they are the string to sign. */
export function listSignedLines(signed: SignedRequest, context: Context): readonly SignedLine[] {
  return signed.kind === 'parameters'
    ? listParameterLines(signed, context)
    : listFileLines(signed, context);
}

function listFileLines(signed: SignedFileRequest, context: Context): readonly SignedLine[] {
  const text = redactedText(signed, context);
  // The first four lines cannot contain a line feed; the key can.
  const [verb = '', md5 = '', type = '', date = ''] = text.split('\n', 4);
  const start = [verb, md5, type, date].reduce((length, line) => length + line.length + 1, 0);
  const { steps } = context;
  const headers = steps.canonicalHeaders(signed.request.headers, context);
  const entries = headers.split('\n').slice(0, -1);
  const { bucket, key } = signed.request;
  const resource = steps.canonicalResource(bucket, key, context);
  const policy = text.slice(start + headers.length + resource.length);
  const sent = groupHeadersByName(signed);
  return [
    { name: 'verb', text: `${verb}\n`, origin: verbOrigin(signed) },
    { name: 'Content-MD5', text: `${md5}\n`, origin: md5Origin(signed) },
    { name: 'Content-Type', text: `${type}\n`, origin: typeOrigin(signed) },
    signed.kind === 'url'
      ? { name: 'Expires', text: `${date}\n`, origin: 'query parameter Expires' }
      : { name: 'Date', text: `${date}\n`, origin: headerOrigin(signed, 'Date') },
    ...entries.map((entry) => ({
      name: 'extra header',
      text: `${entry}\n`,
      origin: extraOrigin(sent.get(entry.slice(0, entry.indexOf(':'))) ?? []),
    })),
    {
      name: 'resource',
      text: resource,
      origin: `bucket: ${signed.origin.bucket}; key: ${signed.origin.key}`,
    },
    ...(policy === '' ? [] : [{ name: 'policy', text: policy, origin: 'header Authorization' }]),
  ];
}

function verbOrigin(signed: SignedFileRequest): string {
  if (signed.kind === 'form') return 'a form is sent by POST';
  if (signed.kind === 'url' && signed.verbUnknown) return 'the URL alone does not say it';
  return 'request line';
}

function headerOrigin({ request }: SignedFileRequest, name: string): string {
  return findHeaderValue(request.headers, name) === undefined
    ? `no header ${name}`
    : `header ${name}`;
}

function md5Origin(signed: SignedFileRequest): string {
  if (signed.kind === 'url') return 'empty in a pre-signed URL';
  const isField =
    signed.kind === 'form' && signed.request.fields.some(([name]) => name === 'Content-MD5');
  return isField && findHeaderValue(signed.request.headers, 'Content-MD5') === undefined
    ? 'form field Content-MD5'
    : headerOrigin(signed, 'Content-MD5');
}

function typeOrigin(signed: SignedFileRequest): string {
  if (signed.kind === 'url') return 'empty in a pre-signed URL';
  return signed.kind === 'form' ? signed.typeOrigin : headerOrigin(signed, 'Content-Type');
}

/** Groups the headers once, because searching thousands of headers for each name takes quadratic time. */
function groupHeadersByName({ request }: SignedFileRequest): ReadonlyMap<string, HeaderList> {
  const found = new Map<string, Pair[]>();
  for (const [sentName, value] of request.headers) {
    const name = sentName.trim().toLowerCase();
    const own = found.get(name);
    if (own) own.push([sentName, value]);
    else found.set(name, [[sentName, value]]);
  }
  return found;
}

/** The spelling in the request, and how the value was changed. */
function extraOrigin(own: HeaderList): string {
  const spellings = [...new Set(own.map(([n]) => n.trim()))].join(', ');
  const folded = own.some(([, value]) => value.includes('\n')) ? ', unfolded' : '';
  return own.length > 1
    ? `header ${spellings}, ${own.length} times, merged${folded}`
    : `header ${spellings}${folded}`;
}

function listParameterLines(signed: SignedParameters, context: Context): readonly SignedLine[] {
  const { steps } = context;
  const parameters = steps
    .flattened(signed.parameters, context)
    .map(([name, value]): Pair => [name, steps.valueText(value, context)])
    .sort(([a], [b]) => steps.compareParameterNames(a, b));
  const names = new Set(signed.parameters.map(([name]) => name));
  const entries = parameters.map(([name, text]) => ({
    name,
    text: steps.parameterEntry(name, text),
    origin: parameterOrigin(signed.carrier, names, name),
  }));
  return [...entries, { name: 'private key', text: HIDDEN_KEY, origin: 'the key pair' }];
}

function parameterOrigin(carrier: string, names: ReadonlySet<string>, name: string): string {
  if (names.has(name)) return `${carrier} ${name}`;
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
    const own = name.slice(0, dot);
    if (names.has(own)) return `${carrier} ${own}, flattened`;
  }
  return `${carrier} ${name}, flattened`;
}
