/**
 * Where in an input something may be replaced: values, never the names that sorting and rules depend on.
 *
 * @module
 */
import type { Input, KeyPair } from '../suite/vector.ts';
import { jsonSubstituted, querySubstituted, type Substitution } from './substitution.ts';

export function freshKeys({ publicKey, privateKey }: KeyPair, fresh: Substitution): KeyPair {
  return { publicKey: fresh(publicKey), privateKey: fresh(privateKey) };
}

/** The input, or some of its members, in other letters. */
export function freshInput(input: Input, fresh: Substitution, fileHost: string): Input {
  const entries = Object.entries(input).map(([name, member]): [string, unknown] => [
    name,
    freshMember(name, member, fresh, fileHost),
  ]);
  return Object.fromEntries(entries);
}

function freshMember(
  name: string,
  member: unknown,
  fresh: Substitution,
  fileHost: string,
): unknown {
  switch (name) {
    case 'headers':
    case 'fields':
    case 'members':
    case 'parameters':
      return freshPairs(member, fresh);
    case 'bucket':
    case 'key':
    case 'policy':
    case 'text':
      return fresh(String(member));
    case 'query':
      return querySubstituted(String(member), fresh);
    case 'body':
      return String(member).includes('"')
        ? jsonSubstituted(String(member), fresh)
        : querySubstituted(String(member), fresh);
    case 'url':
      return freshUrl(String(member), fresh, fileHost);
    case 'content':
      return freshContent(member, fresh);
    default:
      return member;
  }
}

function freshPairs(pairs: unknown, fresh: Substitution): unknown {
  return (pairs as readonly (readonly [string, unknown])[]).map(([name, value]) => [
    name,
    name === 'Signature' ? value : freshValue(value, fresh),
  ]);
}

/** A value of a parameter: a text, a list, an object; numbers, booleans and null stay. */
function freshValue(value: unknown, fresh: Substitution): unknown {
  if (typeof value === 'string') return fresh(value);
  if (typeof value !== 'object' || value === null) return value;
  if ('list' in value) {
    return { list: (value.list as readonly unknown[]).map((item) => freshValue(item, fresh)) };
  }
  return 'object' in value ? { object: freshPairs(value.object, fresh) } : value;
}

function freshUrl(url: string, fresh: Substitution, fileHost: string): string {
  const [, scheme, host, path, query] = /^([a-z]+:\/\/)?([^/?#]*)([^?#]*)(.*)/is.exec(url) ?? [];
  if (scheme === undefined || host === undefined) return url;
  const hasBucket = host.toLowerCase().endsWith(fileHost.toLowerCase());
  const bucket = hasBucket ? host.slice(0, host.length - fileHost.length) : '';
  return `${scheme}${fresh(bucket)}${host.slice(bucket.length)}${fresh(path ?? '')}${querySubstituted(query ?? '', fresh)}`;
}

type Content = {
  readonly bytes?: string;
  readonly recipe?: { readonly marks?: readonly (readonly [number, string])[] };
};

/** A content in other letters; bytes that are no text stay. */
function freshContent(content: unknown, fresh: Substitution): unknown {
  const { bytes, recipe } = content as Content;
  if (recipe?.marks) {
    const marks = recipe.marks.map(([offset, text]) => [offset, fresh(text)]);
    return { recipe: { ...recipe, marks } };
  }
  if (bytes === undefined) return content;
  const text = Buffer.from(bytes, 'base64').toString('utf8');
  const isText = Buffer.from(text).toString('base64') === bytes;
  return isText ? { bytes: Buffer.from(fresh(text)).toString('base64') } : content;
}
