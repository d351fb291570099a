/**
 * Vectors changed for one server: signed with its key pair, for its bucket and hosts, by its clock, and with actions that change nothing.
 *
 * @module
 */

import { inDialect, urlDecode, urlEncode } from '../../../reference/signing/index.ts';
import { isList, isPair, isTextPairs } from '../../../reference/values.ts';
import { computeAnswer, isRefused } from '../../engine/answer.ts';
import { parseDialect } from '../../engine/dialects.ts';
import { toControlQuestion, toQuestion } from '../../engine/judge/outcome.ts';
import type { Input, KeyPair, Vector } from '../../engine/vector.ts';
import { withKnownMd5 } from '../../suite/known-bodies.ts';
import { findCaughtMistakes, keepsClaim } from '../rederive/fresh-vectors.ts';
import { mapAlternatives, type Rewording, rewordVector } from '../rederive/rewording.ts';
import {
  createSubstitution,
  freshInput,
  mapMembers,
  type Substitution,
} from '../rederive/substitution.ts';

const SVC = parseDialect('svc');

const { steps } = inDialect(SVC);

/** How many substitutions are tried until one keeps the claim of a vector. */
const ATTEMPTS = 24;

/** A vector for the server, or the reason why the server cannot be asked. */
export type Relocated =
  /** `isPartial`: with this key pair and bucket, the vector shows only a part of its claim. */
  { readonly vector: Vector; readonly isPartial: boolean } | { readonly unasked: string };

/** The first attempt keeps all letters. */
const keepLetters: Substitution = (text) => text;

/** @param vector a verify vector, in the words of the default dialect */
export function relocateVector(vector: Vector, keys: KeyPair, place: Place): Relocated {
  if (isOnTheSecond(vector)) {
    return { unasked: 'a server cannot be asked exactly at the second of expiry' };
  }
  const caught = vector.accept ? [] : findCaughtMistakes(vector);
  let partial: Vector | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const moved = moveVector(vector, createRewording(vector, keys, place, attempt));
    if (!isAsClaimed(moved)) continue;
    if (keepsClaim(vector, caught, moved)) {
      return { vector: withoutStages(moved), isPartial: false };
    }
    if (caught.some((mistake) => keepsClaim(moved, [mistake], moved))) partial ??= moved;
  }
  if (partial) return { vector: withoutStages(partial), isPartial: true };
  return { unasked: 'no request with this key pair, bucket and host shows its claim' };
}

/** A server shows only whether it accepts, and stages of §5.1 would reveal the private key. */
function withoutStages(vector: Vector): Vector {
  const { expect, keys } = vector;
  return expect ? { ...vector, expect: { publicKey: keys.publicKey } } : vector;
}

/** A signing vector, whose request is to be forged. Its expected stages stay as they were. */
export function relocateSigningVector(vector: Vector, keys: KeyPair, place: Place): Vector {
  const rewording = createRewording(vector, keys, place, 0);
  const { control, ...rest } = { ...vector, keys };
  const moveInput = (input: Input): Input => unfoldHeaders(rewording.input(input));
  return {
    ...rest,
    input: moveInput(vector.input),
    ...(control && { control: { ...control, keys, input: moveInput(control.input) } }),
  };
}

/** The headers without folds, because servers may refuse them. The other claims of a vector also hold for unfolded lines. */
function unfoldHeaders(input: Input): Input {
  const { headers } = input;
  if (!headers) return input;
  return { ...input, headers: headers.map(([name, value]) => [name, steps.unfold(value)]) };
}

/** Whether the request must be accepted at the second of its expiry. */
function isOnTheSecond({ input, expect }: Vector): boolean {
  const expires = /[?&]Expires=([0-9]+)/.exec(String(input.url ?? ''))?.[1];
  return expect !== undefined && expires !== undefined && expires === input.now;
}

function createRewording(vector: Vector, keys: KeyPair, place: Place, attempt: number): Rewording {
  const letters = attempt === 0 ? keepLetters : createSubstitution(`${vector.id} ${attempt}`);
  const old = vector.keys;
  const substitute = createKeyReplacement(old.publicKey, keys.publicKey, letters);
  const from = findPlace(vector, letters);
  const movePrivateKey = ({ privateKey }: KeyPair): string => {
    if (privateKey === old.privateKey) return keys.privateKey;
    return privateKey === old.publicKey ? keys.publicKey : privateKey;
  };
  return {
    input: (input) =>
      relocateInput(freshInput(input, substitute, from.fileHost), from, place, attempt),
    keys: () => keys,
    forgedKeys: (forged) => ({ ...keys, privateKey: movePrivateKey(forged) }),
    dialect: SVC,
  };
}

/** The place of the correctly signed request of a vector. */
function findPlace(vector: Vector, letters: Substitution): Place {
  const { input } = toControlQuestion(vector);
  const label = /^https?:\/\/([^./?#]*)\./.exec(String(input.url ?? ''))?.[1];
  const bucket = String(input.bucket ?? label ?? '');
  return {
    bucket: /^[a-z0-9-]+$/.test(bucket) ? letters(bucket) : '',
    fileHost: String(input.fileHost ?? ''),
    scheme: '',
    now: Number(vector.input.now ?? 0),
  };
}

function moveVector(vector: Vector, rewording: Rewording): Vector {
  const { expect, accept } = vector;
  const { asked, control } = rewordVector(vector, rewording);
  const accepted = { publicKey: asked.keys.publicKey };
  const answer = expect && computeAnswer(asked, SVC);
  return {
    ...asked,
    ...(answer && { expect: isRefused(answer) ? accepted : answer }),
    ...(accept && { accept: mapAlternatives(accept, () => accepted) }),
    ...(control && { control: { input: control.input, expect: accepted } }),
  };
}

/** Whether the reference answers as the vector says. */
function isAsClaimed(vector: Vector): boolean {
  const { expect, refuse, control, keys } = vector;
  const answer = computeAnswer({ ...toQuestion(vector), keys }, SVC);
  if (expect) return !isRefused(answer);
  if (!refuse) return true;
  if (!isRefused(answer) || answer.reason !== refuse.reason) return false;
  return (
    control === undefined || !isRefused(computeAnswer({ ...toControlQuestion(vector), keys }, SVC))
  );
}

export interface Place {
  readonly bucket: string;
  readonly fileHost: string;
  /** Of the server's URL: http or https. */
  readonly scheme: string;
  /** The clock in Unix seconds. */
  readonly now: number;
}

/** It only reads. A correctly signed probe must not buy a machine or delete a disk. */
const HARMLESS_ACTION = 'DescribeBucket';

/**
 * Moves an input from one place to another. Names of other buckets stay.
 *
 * @param later seconds that are added to validities
 */
function relocateInput(input: Input, from: Place, to: Place, later: number): Input {
  const clocks = { before: Number(input.now ?? from.now), now: to.now, later };
  return mapMembers(input, (name, member) => {
    switch (name) {
      case 'bucket':
        return member === from.bucket ? to.bucket : member;
      case 'fileHost':
      case 'scheme':
        return to[name];
      case 'now':
        return `${to.now}`;
      case 'expires':
        return prolong(String(member), clocks);
      case 'headers':
        return isTextPairs(member) ? withKnownMd5(member) : member;
      case 'url':
        return moveExpiry(relocateUrl(String(member), from, to), clocks);
      case 'query':
        return harmlessQuery(String(member));
      case 'body':
        return harmlessJson(String(member));
      case 'parameters':
        return isList(member) ? member.map(harmlessPair) : member;
      default:
        return member;
    }
  });
}

function relocateUrl(url: string, from: Place, to: Place): string {
  const [all, scheme = '', host = ''] = /^(https?:\/\/)([^/?#]*)/.exec(url) ?? [];
  const suffix = host.slice(-from.fileHost.length);
  if (all === undefined || suffix.toLowerCase() !== from.fileHost.toLowerCase()) return url;
  const before = host.slice(0, host.length - from.fileHost.length);
  const bucket = before === `${from.bucket}.` ? `${to.bucket}.` : before;
  const isUpper = suffix !== from.fileHost && suffix !== suffix.toLowerCase();
  const fileHost = isUpper ? to.fileHost.toUpperCase() : to.fileHost;
  return `${scheme && `${to.scheme}://`}${bucket}${fileHost}${url.slice(all.length)}`;
}

function harmlessQuery(query: string): string {
  return query.replace(/(^|&)Action=([^&]*)/g, (pair, before: string, value: string) =>
    isAction(urlDecode(value)) ? `${before}Action=${HARMLESS_ACTION}` : pair,
  );
}

function harmlessJson(body: string): string {
  return body.replace(
    /("Act(?:i|\\u0069)on"\s*:\s*")[A-Za-z]+"/g,
    (_, before: string) => `${before}${HARMLESS_ACTION}"`,
  );
}

function harmlessPair(pair: unknown): unknown {
  const isRenamed = isPair(pair) && pair[0] === 'Action' && isAction(pair[1]);
  return isRenamed ? [pair[0], HARMLESS_ACTION] : pair;
}

function isAction(value: unknown): boolean {
  return typeof value === 'string' && /^[A-Za-z]+$/.test(value);
}

/** Seconds, as everything below. A clock that shows whole seconds may be one behind, and a request takes time. */
const PAST_MARGIN = 2;

/** A valid request stays valid for so long after it is asked. */
const FUTURE_MARGIN = 3600;

/** A moment that is further in the past stays: it may be the point of the vector, such as another century. */
const LONG_AGO = 86_400;

interface Clocks {
  /** The clock of the vector. */
  readonly before: number;
  /** The clock of the server. */
  readonly now: number;
  /** Is added to validities, so that another text is signed. */
  readonly later: number;
}

/** Moves each `Expires` of a URL: its distance from the server's clock becomes that from the vector's clock. */
function moveExpiry(url: string, clocks: Clocks): string {
  return url.replace(
    /(^[^?]*\?|&)([^=&#]*)=([^&#]*)/g,
    (pair, before: string, name: string, value: string) =>
      urlDecode(name) === 'Expires' ? `${before}${name}=${moveValue(value, clocks)}` : pair,
  );
}

/** A sign, escaped blanks and zeros before the digits stay, and so do escapes of digits and any text after them. */
function moveValue(value: string, clocks: Clocks): string {
  const [all = '', start = '', digits = ''] =
    /^((?:[-+0]|%30|%(?!3[0-9])[0-9A-Fa-f]{2})*)((?:[0-9]|%3[0-9]){1,45})(?![0-9]|%3[0-9])/.exec(
      value,
    ) ?? [];
  const plain = urlDecode(digits) ?? '';
  if (!/^[0-9]{1,15}$/.test(plain)) return value;
  const moved = `${moveMoment(Number(plain), clocks)}`;
  const written = moved.length === plain.length ? escapeLike(digits, moved) : moved;
  return start + written + value.slice(all.length);
}

/** Keeps the distance from the clock. A moment that is clearly on the same side of both clocks stays. */
function moveMoment(moment: number, { before, now, later }: Clocks): number {
  const left = moment - before;
  const isStillValid = moment - now > FUTURE_MARGIN;
  if (left >= 0) return isStillValid ? moment : now + Math.max(left, FUTURE_MARGIN) + later;
  return left < -LONG_AGO ? moment : now + Math.min(left, -PAST_MARGIN);
}

/** Escapes the digits at the same positions as in `written`. */
function escapeLike(written: string, digits: string): string {
  const tokens = written.match(/%3[0-9]|[0-9]/g) ?? [];
  return tokens
    .map((token, at) => (token.length > 1 ? `%3${digits.charAt(at)}` : digits.charAt(at)))
    .join('');
}

/** The expiry of a request that is to be signed: if it is a moment, it moves to the server's future. */
function prolong(expires: string, clocks: Clocks): string {
  if (!/^[0-9]{1,15}$/.test(expires)) return expires;
  const digits = expires.replace(/^0+(?=.)/, '');
  const before = Number(digits);
  return '0'.repeat(expires.length - digits.length) + moveMoment(before, { ...clocks, before });
}

/**
 * Replaces each occurrence of a public key by the other key, escaped in the same way.
 *
 * @param replaceRest is applied to the text around the keys
 */
function createKeyReplacement(from: string, to: string, replaceRest: Substitution): Substitution {
  if (from === '') return replaceRest;
  const forms = escapedForms(from);
  return (text) =>
    text
      .split(forms)
      .map((piece, at) => (at % 2 === 0 ? replaceRest(piece) : escapeKeyLike(piece, from, to)))
      .join('');
}

/** Each character as it is, or as an escape of a URL or of JSON; or all characters in upper case. */
function escapedForms(key: string): RegExp {
  const forms = [...key].map((one) => `(?:${plain(one)}|${percent(one)}|${plain(unicode(one))})`);
  return new RegExp(`(${forms.join('')}|${plain(key.toUpperCase())})`);
}

function plain(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function escapeKeyLike(found: string, from: string, to: string): string {
  if (found === from) return to;
  if (found === urlEncode(from)) return urlEncode(to);
  if (found === from.toUpperCase()) return to.toUpperCase();
  const toEscape = found.includes('\\u') ? unicode : percent;
  const like = [...to].map((one) => (found.includes(toEscape(one)) ? toEscape(one) : one)).join('');
  // If the other key has none of the escaped characters, its first character is escaped instead.
  return like === to ? toEscape(to.charAt(0)) + to.slice(1) : like;
}

function percent(character: string): string {
  const hex = Buffer.from(character).toString('hex').toUpperCase();
  return hex.replace(/../g, (byte) => `%${byte}`);
}

function unicode(character: string): string {
  return character.replace(/./gs, (unit) => {
    const hex = unit.charCodeAt(0).toString(16).toUpperCase();
    return `\\u${hex.padStart(4, '0')}`;
  });
}
