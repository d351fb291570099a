/**
 * What may be written in more than one way, brought into one form before it is compared.
 *
 * Only what the specification leaves free is evened out: the order of query parameters and of JSON members, the
 * way a JSON number is written, and an escaped slash in a URL's path. Everything else is compared to the byte.
 *
 * @module
 */

/** A stage as the text that is compared. */
export function equalForm(operation: string, stage: string, value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  switch (stage) {
    case 'query':
      return signedQueryForm(value);
    case 'target':
      return operation === 'bucket-request' ? signedTargetForm(value) : targetForm(value);
    case 'url':
      return urlForm(value);
    case 'body':
      return jsonForm(value);
    case 'policy':
      return policyForm(value);
    default:
      return value;
  }
}

/** §5.3 says that `Signature` is last and leaves the order of the others free. */
function signedQueryForm(query: string): string {
  const pairs = query.split('&');
  const last = pairs.at(-1) ?? '';
  return last.startsWith('Signature=') ? [...pairs.slice(0, -1).sort(), last].join('&') : query;
}

function signedTargetForm(target: string): string {
  return target.startsWith('/?') ? `/?${signedQueryForm(target.slice(2))}` : target;
}

/** A path may have an escaped slash; a bare "?" in it, which is wrong, does not start the query. */
function urlForm(url: string): string {
  const mark = [...url.matchAll(/[?](?=[A-Za-z]+=)/g)].at(-1)?.index ?? url.indexOf('?');
  if (mark < 0) return withSlashes(url);
  return withSlashes(url.slice(0, mark)) + targetForm(url.slice(mark));
}

function withSlashes(path: string): string {
  return path.replaceAll(/%2[Ff]/g, '/');
}

/** The order of the parameters of other URLs is free altogether. */
function targetForm(target: string): string {
  const mark = target.indexOf('?');
  if (mark < 0) return target;
  return `${target.slice(0, mark)}?${target
    .slice(mark + 1)
    .split('&')
    .sort()
    .join('&')}`;
}

/**
 * JSON with its members sorted and its numbers as plain values.
 *
 * A text that is not JSON, or has two members of one name, stays what it is.
 */
function jsonForm(text: string): string {
  const TOKEN = /(?<!\\)"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*/g;
  try {
    JSON.parse(text);
    // Each text gets a letter before it, so that a number, now a text as well, equals no text.
    const marked = text.replace(TOKEN, (token) =>
      token.startsWith('"') ? `"t${token.slice(1)}` : `"n${numberForm(token)}"`,
    );
    const value: unknown = JSON.parse(marked);
    const members = marked.replace(/(?<!\\)"(?:[^"\\]|\\.)*"/g, '').split(':').length - 1;
    return members === memberCount(value) ? unmarked(JSON.stringify(sorted(value))) : text;
  } catch {
    return text;
  }
}

/** The same as people read it: without the letters, and numbers without quotes. */
function unmarked(json: string): string {
  return json.replace(/(?<!\\)"(?:[^"\\]|\\.)*"/g, (token) =>
    token.startsWith('"t') ? `"${token.slice(2)}` : token.slice(2, -1),
  );
}

function memberCount(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce((sum: number, member) => sum + memberCount(member), own);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}

/** The value of a JSON number without loss: its significant digits and the power of ten of the last one. */
function numberForm(token: string): string {
  const [mantissa = '', exponent = '0'] = token.toLowerCase().split('e');
  const sign = mantissa.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = mantissa.slice(sign.length).split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/(?<!0)0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

/** A policy by what it says; blanks in its JSON, or another alphabet, leave it as it is. */
function policyForm(policy: string): string {
  const json = Buffer.from(policy, 'base64url').toString('utf8');
  const canonical = Buffer.from(json, 'utf8')
    .toString('base64')
    .replaceAll('+', '-')
    .replaceAll('/', '_');
  const hasBlanks = /[ \t\r\n]/.test(json.replace(/(?<!\\)"(?:[^"\\]|\\.)*"/g, ''));
  return canonical === policy && !hasBlanks ? jsonForm(json) : policy;
}
