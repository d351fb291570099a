/**
 * Inputs and key pairs on fresh data. Only values are replaced: sorting and rules depend on names.
 *
 * @module
 */
import type { Input, KeyPair } from '../../engine/vector.ts';
import { type Substitution, substituteInJson, substituteInQuery } from './substitution.ts';

export function freshKeys({ publicKey, privateKey }: KeyPair, substitute: Substitution): KeyPair {
  return { publicKey: substitute(publicKey), privateKey: substitute(privateKey) };
}

/** The input, which may lack members, on fresh data. */
export function freshInput(input: Input, substitute: Substitution, fileHost: string): Input {
  const entries = Object.entries(input).map(([name, member]): [string, unknown] => [
    name,
    freshMember(name, member, substitute, fileHost),
  ]);
  return Object.fromEntries(entries);
}

function freshMember(
  name: string,
  member: unknown,
  substitute: Substitution,
  fileHost: string,
): unknown {
  switch (name) {
    case 'headers':
    case 'fields':
    case 'members':
    case 'parameters':
      return freshPairs(member, substitute);
    case 'bucket':
    case 'key':
    case 'policy':
    case 'text':
      return substitute(String(member));
    case 'query':
      return substituteInQuery(String(member), substitute);
    case 'body':
      return String(member).includes('"')
        ? substituteInJson(String(member), substitute)
        : substituteInQuery(String(member), substitute);
    case 'url':
      return freshUrl(String(member), substitute, fileHost);
    case 'content':
      return freshContent(member, substitute);
    default:
      return member;
  }
}

function freshPairs(pairs: unknown, substitute: Substitution): unknown {
  return (pairs as readonly (readonly [string, unknown])[]).map(([name, value]) => [
    name,
    name === 'Signature' ? value : freshValue(value, substitute),
  ]);
}

/** A parameter's value with its texts replaced, in lists and objects too. */
function freshValue(value: unknown, substitute: Substitution): unknown {
  if (typeof value === 'string') return substitute(value);
  if (typeof value !== 'object' || value === null) return value;
  if ('list' in value) {
    return { list: (value.list as readonly unknown[]).map((item) => freshValue(item, substitute)) };
  }
  return 'object' in value ? { object: freshPairs(value.object, substitute) } : value;
}

function freshUrl(url: string, substitute: Substitution, fileHost: string): string {
  const [, scheme, host, path, query] = /^([a-z]+:\/\/)?([^/?#]*)([^?#]*)(.*)/is.exec(url) ?? [];
  if (scheme === undefined || host === undefined) return url;
  const hasBucket = host.toLowerCase().endsWith(fileHost.toLowerCase());
  const bucket = hasBucket ? host.slice(0, host.length - fileHost.length) : '';
  return `${scheme}${substitute(bucket)}${host.slice(bucket.length)}${substitute(path ?? '')}${substituteInQuery(query ?? '', substitute)}`;
}

type Content = {
  readonly bytes?: string;
  readonly recipe?: { readonly marks?: readonly (readonly [number, string])[] };
};

/** A content with other letters. Bytes that are not UTF-8 stay. */
function freshContent(content: unknown, substitute: Substitution): unknown {
  const { bytes, recipe } = content as Content;
  if (recipe?.marks) {
    const marks = recipe.marks.map(([offset, text]) => [offset, substitute(text)]);
    return { recipe: { ...recipe, marks } };
  }
  if (bytes === undefined) return content;
  const text = Buffer.from(bytes, 'base64').toString('utf8');
  const isText = Buffer.from(text).toString('base64') === bytes;
  return isText ? { bytes: Buffer.from(substitute(text)).toString('base64') } : content;
}
