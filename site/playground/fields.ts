/**
 * The fields of the form: for each member of an input, its label and its conversion to and from text.
 *
 * @module
 */

import { decodeBase64 } from '../../reference/contents.ts';
import { base64, utf8Bytes } from '../../reference/signing/bytes.ts';
import {
  type ActionParameters,
  type Pair,
  type ParameterValue,
  SPECIFICATION,
} from '../../reference/signing/index.ts';
import {
  hasMembers,
  isList,
  isPair,
  isText,
  isTextPairs,
  type Members,
} from '../../reference/values.ts';

/** The conversion of a kind of value to and from text. `read` throws an error for an invalid text. */
interface Kind {
  readonly lines: number;
  readonly show: (value: unknown) => string;
  readonly read: (text: string) => unknown;
}

export interface Field extends Kind {
  readonly label: string;
  readonly hint?: string;
}

const LINE: Kind = { lines: 1, show: String, read: (text) => text };
const TEXT: Kind = { ...LINE, lines: 3 };
const PAIRS: Kind = {
  lines: 5,
  show: (value) => (isTextPairs(value) ? value.map(formatPair).join('\n') : ''),
  read: readPairs,
};
const PARAMETERS: Kind = {
  lines: 7,
  show: (value) => (isParameters(value) ? formatObject(value, '') : ''),
  read: readParameters,
};
const CONTENT: Kind = {
  lines: 3,
  show: (value) => (hasMembers(value) ? formatContent(value) : ''),
  read: (text) => ({ bytes: base64(utf8Bytes(text)) }),
};

const FIELDS: Readonly<Record<string, Field>> = {
  method: { ...LINE, label: 'Verb' },
  bucket: { ...LINE, label: 'Bucket' },
  key: { ...LINE, label: 'Key' },
  headers: {
    ...PAIRS,
    label: 'Headers',
    hint: 'one Name: value on each line; a line that starts with a space continues the previous line',
  },
  fields: { ...PAIRS, label: 'Form fields', hint: 'one Name: value on each line' },
  members: { ...PAIRS, label: 'Members of the policy', hint: 'one name: value on each line' },
  parameters: { ...PARAMETERS, label: 'Parameters', hint: 'a JSON object or a query' },
  policy: { ...TEXT, label: 'Callback policy', hint: 'the text as sent' },
  etag: { ...LINE, label: 'ETag' },
  size: { ...LINE, label: 'Size in bytes' },
  expires: { ...LINE, label: 'Expires', hint: 'Unix seconds' },
  scheme: { ...LINE, label: 'Scheme of the URL' },
  fileHost: { ...LINE, label: 'File host', hint: 'the host without the bucket' },
  text: { ...TEXT, label: 'Text' },
  content: { ...CONTENT, label: 'Content', hint: 'text; choose a file below' },
  url: { ...TEXT, label: 'URL' },
  now: { ...LINE, label: 'Now', hint: 'Unix seconds' },
  query: { ...TEXT, label: 'Query' },
  body: { ...TEXT, label: 'JSON body', lines: 5 },
};

/** The field of a member of an input. */
export const findField = (member: string): Field => FIELDS[member] ?? { ...TEXT, label: member };

const formatPair = ([name, value]: Pair): string => `${name}: ${value.replaceAll('\r\n', '\n')}`;

/** Reads lines with a name, a colon and a value. In a fold, a line ends with carriage return and line feed. */
function readPairs(text: string): readonly Pair[] {
  const pairs: Pair[] = [];
  for (const [i, line] of text.split('\n').entries()) {
    const last = pairs.at(-1);
    if (/^[ \t]/.test(line) && last) {
      pairs[pairs.length - 1] = [last[0], `${last[1]}\r\n${line}`];
      continue;
    }
    if (line.trim() === '') continue;
    const colon = line.indexOf(':');
    if (colon < 0) throw new Error(`line ${i + 1} has no colon; write Name: value`);
    pairs.push([line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')]);
  }
  return pairs;
}

function readParameters(text: string): ActionParameters {
  if (text.trim() === '') return [];
  const { steps } = SPECIFICATION;
  if (!text.trimStart().startsWith('{')) {
    const pairs = steps.decodedQuery(text.trim().replace(/^\?/, ''), SPECIFICATION);
    if (!pairs) throw new Error('the query has an escape that is not UTF-8');
    return pairs.filter(([name]) => name !== 'Signature');
  }
  const value = steps.jsonText(text);
  if (typeof value === 'object' && value !== null && 'object' in value) return value.object;
  throw new Error('the text is not one JSON object yet');
}

function formatObject(members: ActionParameters, indent: string): string {
  const inner = `${indent}  `;
  const lines = members.map(
    ([name, value]) => `${inner}${JSON.stringify(name)}: ${formatValue(value, inner)}`,
  );
  return lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n${indent}}`;
}

function formatValue(value: ParameterValue, indent: string): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if ('number' in value) return value.number;
  if ('object' in value) return formatObject(value.object, indent);
  return `[${value.list.map((item) => formatValue(item, indent)).join(', ')}]`;
}

function formatContent({ bytes }: Members): string {
  return isText(bytes) ? new TextDecoder().decode(decodeBase64(bytes)) : '';
}

export function isParameters(value: unknown): value is ActionParameters {
  return isList(value) && value.every((pair) => isPair(pair) && isParameterValue(pair[1]));
}

function isParameterValue(value: unknown): value is ParameterValue {
  if (value === null || isText(value) || typeof value === 'boolean') return true;
  if (!hasMembers(value)) return false;
  const { number, list, object } = value;
  if (number !== undefined) return isText(number);
  return isList(list) ? list.every(isParameterValue) : isParameters(object);
}
