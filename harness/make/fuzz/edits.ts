/**
 * Edits of a request: the same request with one thing removed, replaced or moved.
 *
 * @module
 */
import { isVerifier } from '../../../reference/operations.ts';
import type { ParameterValue } from '../../../reference/signing/index.ts';
import { hasMembers, isList, isPair, isText, type Members } from '../../../reference/values.ts';
import type { Input } from '../../engine/vector.ts';
import type { Draft } from './draft.ts';

export interface Edit {
  /** The difference, as a phrase. */
  readonly what: string;
  readonly draft: Draft;
  /** From the request; smaller is nearer. */
  readonly distance: number;
}

/** These members are not edited: they name the server or the object, or are opaque. */
export const FIXED: readonly string[] = ['scheme', 'fileHost', 'policy', 'etag', 'now'];

/** The forms of edited members that an implementation may check before it signs. */
const FORMS: Readonly<Record<string, RegExp>> = {
  method: /^(?:GET|HEAD|PUT|POST|DELETE|PATCH|OPTIONS)$/i,
  bucket: /^[a-z0-9][a-z0-9.-]*$/,
  expires: /^[0-9]{1,15}$/,
  size: /^[0-9]{1,15}$/,
};

/** In longer texts, only so many characters at the start are edited. */
const EDITED_CHARACTERS = 12;

/** Starts the description of an edited name. */
const THE_NAME = 'the name';

/** The limit for the edits of one request. */
const MOST_EDITS = 150;

/** Characters that distinguish the common alterations of texts. A text of one character is replaced by each. */
const TELLING = [' ', '+', '*', '%', '/', '~', '\u00e9', '\u{1f600}'];

/** Whitespace that some functions trim and others keep. Each replaces whitespace at the start and the end of a text. */
const WHITESPACE = ['\t', '\v', '\u001c', '\u0085', '\u00a0', '\u2003', '\ufeff'];

/** The variants of a change. */
const VARIANTS: readonly number[] = Array.from({ length: 31 }, (_, at) => at);

/** The edits of a draft, the nearest first. */
export function createEdits(draft: Draft): readonly Edit[] {
  const ofRequest = Object.entries(draft.request).flatMap(([name, value]) =>
    FIXED.includes(name)
      ? []
      : editMember(name, value).map(({ value: edited, ...edit }) => ({
          ...edit,
          draft: { ...draft, request: { ...draft.request, [name]: edited } },
        })),
  );
  return [...changeEdits(draft), ...ofRequest, ...keyEdits(draft)]
    .filter((edit) => isDecided(edit.draft.request))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MOST_EDITS);
}

/** The corrected request, and other variants of the change. */
function changeEdits(draft: Draft): readonly Edit[] {
  const { change } = draft;
  if (!change) return [];
  const corrected: Edit = {
    what: isVerifier(draft.operation)
      ? 'as it was signed, with its own signature'
      : 'made right, as in its control',
    distance: 0.5,
    draft: { ...draft, change: undefined },
  };
  const others = VARIANTS.filter((at) => at !== change.at).map((at) => ({
    what: 'with another fault of the same kind',
    distance: 2,
    draft: { ...draft, change: { ...change, at } },
  }));
  return [corrected, ...others];
}

function keyEdits(draft: Draft): readonly Edit[] {
  const { privateKey, publicKey } = draft.keys;
  const simpler = [privateKey.slice(0, 64), privateKey.replace(/[^A-Za-z0-9]/gu, 'a'), 'k'];
  const others = [...new Set(privateKey === '' ? [] : simpler)]
    .filter((other) => other !== '' && other !== privateKey)
    .map((other) => ({
      what: `with the private key ${JSON.stringify(other)}`,
      distance: 2,
      draft: { ...draft, keys: { ...draft.keys, privateKey: other } },
    }));
  return ['', 'pub'].includes(publicKey) ? others : [...others, publicKeyEdit(draft, 'pub')];
}

/** The same request of another account. A parameter PublicKey changes with the key pair. */
function publicKeyEdit(draft: Draft, publicKey: string): Edit {
  const { keys, request } = draft;
  const other = request.parameters?.map(
    ([name, value]) => [name, name === 'PublicKey' ? publicKey : value] as const,
  );
  return {
    what: `with the public key ${JSON.stringify(publicKey)}`,
    distance: 2,
    draft: {
      ...draft,
      keys: { ...keys, publicKey },
      request: { ...request, ...(other && { parameters: other }) },
    },
  };
}

interface EditedValue {
  readonly what: string;
  readonly distance: number;
  readonly value: unknown;
}

const editMember = (name: string, value: unknown): readonly EditedValue[] =>
  editValue(value, [name]).filter(({ value: edited }) => FORMS[name]?.test(`${edited}`) !== false);

function editValue(value: unknown, place: readonly string[]): readonly EditedValue[] {
  if (isText(value)) return editText(value, place);
  if (isList(value)) return editList(value, place);
  if (!hasMembers(value)) return [];
  const { recipe, bytes } = value;
  if (hasMembers(recipe)) return editRecipe(recipe);
  if (bytes !== undefined) return editBytes(String(bytes));
  return Object.entries(value).flatMap(([name, member]) =>
    editValue(member, name === 'list' || name === 'object' ? place : [...place, name]).map(
      (edit) => ({
        ...edit,
        value: { ...value, [name]: edit.value },
      }),
    ),
  );
}

function editText(text: string, place: readonly string[]): readonly EditedValue[] {
  const where = place.join(' ');
  const characters = [...text];
  const others: readonly (readonly [value: string, distance: number])[] = [
    [text.toLowerCase(), 1.05],
    [text.toUpperCase(), 1.05],
    ...(characters.length === 1 ? TELLING : []).map((other) => [other, 2.5] as const),
    ...(characters.length > EDITED_CHARACTERS ? [['a', 3] as const] : []),
  ];
  const replaced = [...others, ...otherWhitespace(text)]
    .filter(([value]) => value !== text)
    .map(([value, distance]) => ({
      what: `with ${where} as ${JSON.stringify(value)}`,
      distance,
      value,
    }));
  return [...editCharacters(characters, place), ...replaced];
}

function otherWhitespace(text: string): readonly (readonly [value: string, distance: number])[] {
  const inner = text.trim();
  if (inner === text) return [];
  return WHITESPACE.map((space) => [`${space}${inner}${space}`, 1.3]);
}

function editCharacters(
  characters: readonly string[],
  place: readonly string[],
): readonly EditedValue[] {
  const where = place.join(' ');
  // The part of a header's name up to the last hyphen decides what kind of header it is.
  const kind = place[0] === THE_NAME ? characters.lastIndexOf('-') : -1;
  return characters.slice(0, EDITED_CHARACTERS).flatMap((character, i) => {
    const further = i <= kind ? 1 : 0;
    const shown = JSON.stringify(character);
    const without = characters.toSpliced(i, 1).join('');
    const replaced = characters.toSpliced(i, 1, 'a').join('');
    const plain = /[a-zA-Z]/.test(character)
      ? []
      : [{ what: `with "a" for ${shown} in ${where}`, distance: 1 + further, value: replaced }];
    return [
      ...plain,
      { what: `without ${shown} in ${where}`, distance: 1.1 + further, value: without },
    ];
  });
}

function editList(list: readonly unknown[], place: readonly string[]): readonly EditedValue[] {
  const name = place.join(' ');
  const without = list.map((item, i) => ({
    what: `without ${shownItem(item)} in ${name}`,
    distance: 1.5 + JSON.stringify(item).length / 1000,
    value: list.toSpliced(i, 1),
  }));
  const swapped = list.slice(1).map((item, i) => ({
    what: `with ${shownItem(list[i])} after ${shownItem(item)} in ${name}`,
    distance: 1.2,
    value: list.toSpliced(i, 2, item, list[i]),
  }));
  const inside = list.flatMap((item, i) =>
    editItem(item, place).map((edit) => ({ ...edit, value: list.with(i, edit.value) })),
  );
  return [...without, ...swapped, ...inside];
}

/** In a pair, the name and the value are edited, and edits of the value mention the name. */
function editItem(item: unknown, place: readonly string[]): readonly EditedValue[] {
  if (!isPair(item)) return editValue(item, place);
  const [name, value] = item;
  if (name === 'Action' || name === 'PublicKey') return [];
  return [
    ...editText(name, [THE_NAME, JSON.stringify(name)]).map((edit) => ({
      ...edit,
      value: [edit.value, value],
    })),
    ...editValue(value, ['the value of', JSON.stringify(name)]).map((edit) => ({
      ...edit,
      value: [name, edit.value],
    })),
  ];
}

function shownItem(item: unknown): string {
  return JSON.stringify(isList(item) ? item[0] : item);
}

function editRecipe(recipe: Members): readonly EditedValue[] {
  const own = Number(recipe['size']);
  return [own - 1, own + 1].map((size) => ({
    what: `with a content of ${size} bytes`,
    distance: 1,
    value: { recipe: { ...recipe, size } },
  }));
}

function editBytes(bytes: string): readonly EditedValue[] {
  const content = Buffer.from(bytes, 'base64');
  const others = [
    content.subarray(0, -1),
    Buffer.concat([content, Buffer.from('a')]),
    Buffer.from('a'),
    Buffer.alloc(0),
  ];
  return others
    .filter((other) => !other.equals(content))
    .map((other) => ({
      what: `with the content ${JSON.stringify(other.toString('base64'))} in Base64`,
      distance: 1 + Math.abs(other.length - content.length),
      value: { bytes: other.toString('base64') },
    }));
}

/** HTTP forbids the control characters in headers, and no rule says how the others are sent. */
const NOT_IN_HEADERS = /[\v\u001c\u0085\u2003\ufeff]/;

/** Whether the rules decide about a request: they are open about empty names, lists and objects, and repeated members. */
function isDecided(request: Input): boolean {
  const { parameters = [], members = [], headers = [] } = request;
  if (headers.flat().some((text) => NOT_IN_HEADERS.test(text))) return false;
  const names = members.map(([name]) => name);
  return isDecidedValue({ object: parameters }, true) && new Set(names).size === names.length;
}

function isDecidedValue(value: ParameterValue, isWhole = false): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if ('list' in value) {
    return value.list.length > 0 && value.list.every((item) => isDecidedValue(item));
  }
  if (!('object' in value)) return true;
  const { object } = value;
  return (
    (isWhole || object.length > 0) &&
    object.every(([name, member]) => name !== '' && isDecidedValue(member))
  );
}
