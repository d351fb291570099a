/**
 * Bucket management and the action API (§4.1, §4.2, §5.1, §5.3). Every export is a step.
 *
 * @module
 */
import { sha1 as digestSha1, sha1OfText } from '#digest';
import {
  base64,
  checkText,
  compareBytes,
  urlEncode as encode,
  hexadecimal,
  joinPieces,
  joinTexts,
  sortList,
  utf8Bytes,
} from './bytes.ts';
import {
  type ActionParameters,
  type ActionStages,
  type Context,
  type FlatParameter,
  type FlatParameters,
  InputError,
  type Pair,
  type ParameterValue,
  type Piece,
  type ScalarValue,
  toStringToSign,
} from './types.ts';

// --- §4.2: the value of `Password`

export const passwordBytes = (clearText: string): Uint8Array => utf8Bytes(clearText);
export const passwordText = (bytes: Uint8Array): string => base64(bytes);
/** `Password` is signed and sent in Base64. */
export const password = (clearText: string, { steps }: Context): string =>
  steps.passwordText(steps.passwordBytes(clearText));

// --- §5.1 step 1: the set of parameters. It does not mention lists and objects; all published SDKs flatten them.

/** Flattens lists to `Name.0`, `Name.1` and objects to `Name.Key`, at any depth; drops empty ones. */
export function flattened(parameters: ActionParameters, context: Context): FlatParameters {
  const flat: FlatParameter[] = [];
  for (const parameter of parameters) {
    if (isFlat(parameter)) flat.push(parameter);
    else for (const one of flattenedValue(parameter, context)) flat.push(one);
  }
  return flat;
}
const isFlat = (
  parameter: ActionParameters[number],
): parameter is readonly [name: string, value: ScalarValue] => isScalar(parameter[1]);
const isScalar = (value: ParameterValue): value is ScalarValue =>
  typeof value !== 'object' || (value !== null && 'number' in value);
function flattenedValue([name, value]: ActionParameters[number], context: Context): FlatParameters {
  const { steps } = context;
  if (value === null) return steps.nullParameter(name);
  if (isScalar(value)) return [[name, value]];
  return 'list' in value
    ? steps.flattenedList(name, value.list, context)
    : steps.flattenedObject(name, value.object, context);
}
export function flattenedList(
  name: string,
  items: readonly ParameterValue[],
  context: Context,
): FlatParameters {
  const { steps } = context;
  return steps.listItems(items).flatMap((item, i): FlatParameters => {
    const own = steps.elementName(name, `${i}`);
    return isScalar(item) ? [[own, item, 'list']] : flattenedValue([own, item], context);
  });
}
export function flattenedObject(
  name: string,
  members: ActionParameters,
  context: Context,
): FlatParameters {
  const { steps } = context;
  const named = steps
    .objectMembers(members)
    .map(([key, value]) => [steps.memberName(name, key), value] as const);
  return flattened(named, context).map(([own, value, within = 'object']) => [own, value, within]);
}
export const listItems = (items: readonly ParameterValue[]): readonly ParameterValue[] => items;
export const objectMembers = (members: ActionParameters): ActionParameters => members;
export const elementName = (name: string, index: string): string => `${name}.${index}`;
export const memberName = (name: string, key: string): string => `${name}.${key}`;
export function nullParameter(name: string): FlatParameters {
  throw new InputError(
    'parameter-null',
    `parameter ${JSON.stringify(name)} is null, for which §5.1 defines no text; leave it out`,
  );
}

export const isPresentValue = (_value: ScalarValue): boolean => true;
/** `Signature` itself is never signed (step 1, R2). */
export const isSignedParameter = (name: string): boolean => name !== 'Signature';
/** §5.1 signs a set, so it defines no text for a repeated name. */
export function checkNames(parameters: FlatParameters): void {
  const repeated = findRepeatedName(parameters);
  if (repeated === undefined) return;
  throw new InputError(
    'parameter-repeated',
    `parameter ${JSON.stringify(repeated)} appears twice; §5.1 signs a set of parameters; send it once`,
  );
}
/** For so few names, comparing each pair takes less time than a set. */
const FEW_NAMES = 16;
function findRepeatedName(parameters: FlatParameters): string | undefined {
  const names = parameters.map((parameter) => parameter[0]);
  if (names.length <= FEW_NAMES) return names.find((name, at) => names.indexOf(name) < at);
  const earlier = new Set<string>();
  return names.find((name) => earlier.size === earlier.add(name).size);
}
/** The parameters that are signed: flat, present, without `Signature`. */
export function signedParameters(parameters: ActionParameters, context: Context): FlatParameters {
  const { steps } = context;
  const signed: FlatParameter[] = [];
  for (const parameter of steps.flattened(parameters, context)) {
    const name = parameter[0];
    const value = parameter[1];
    if (!steps.isSignedParameter(name) || !steps.isPresentValue(value)) continue;
    checkText('the name of a parameter', name);
    if (typeof value === 'string' && !value.isWellFormed()) {
      checkText(`the value of parameter ${JSON.stringify(name)}`, value);
    }
    signed.push(parameter);
  }
  steps.checkNames(signed);
  return steps.parameterSet(signed);
}
export const parameterSet = (parameters: FlatParameters): FlatParameters => parameters;

// --- The text of a value (step 3, R1): before any URL encoding

/** A text as the program stores it. */
export const heldText = (text: string): string => text;
/** The text of a string in the signature; `heldText` changes the body as well. */
export const stringText = (text: string, { steps }: Context): string => steps.heldText(text);
/** Booleans as words; §5.1 does not mention them. */
export const booleanText = (value: boolean): string => (value ? 'true' : 'false');
/** A number as JSON writes it (RFC 8259 §6). */
const NUMBER = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;
/** A number that is its own plain decimal text. */
const INTEGER = /^-?[1-9][0-9]*$/;
/** §5.1 sets no limit for numbers, but 1e999999999 must not fill the memory. */
const LONGEST_NUMBER = 4096;
/** Refuses text that is no JSON number, such as NaN or infinity. */
export function otherNumber(text: string): string {
  throw new InputError(
    'number',
    `number ${JSON.stringify(text)} has no plain decimal text (§5.1 step 3); write digits as JSON does`,
  );
}
/** The number as the language stores it; the reference keeps all digits. */
export const heldNumber = (digits: string): string => digits;
/**
 * The exact plain decimal text: `1e21` is `1` and 21 zeros. §5.1 does not mention fractions; trailing zeros are dropped, and
 * the point if no digit follows it.
 */
export function numberText(number: string): string {
  if (INTEGER.test(number) && number.length <= LONGEST_NUMBER) return number;
  const [matched, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(number) ?? [];
  if (matched === undefined) return otherNumber(number);
  const significant = (whole + fraction).replace(/^0+/, '');
  const digits = significant.replace(/(?<!0)0+$/, '');
  if (digits === '') return '0';
  // The number of digits before the decimal point; zero or negative for numbers below 1.
  const point = significant.length - fraction.length + Number(exponent);
  const decimals = Math.max(0, digits.length - point);
  const length = sign.length + Math.max(1, point) + (decimals && 1 + decimals);
  if (length > LONGEST_NUMBER) {
    throw new InputError(
      'number',
      `number ${JSON.stringify(number.slice(0, 40))} has ${length} characters as plain decimal text (§5.1 step 3), over ${LONGEST_NUMBER}; send it as a text`,
    );
  }
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  const integer = digits.slice(0, point).padEnd(point, '0');
  return decimals === 0 ? sign + integer : `${sign}${integer}.${digits.slice(point)}`;
}
export const signOfZero = (_digits: string): string => '';
/** The text of a number in the signature; `heldNumber` changes the body as well. */
export function signedNumber(digits: string, { steps }: Context): string {
  if (!INTEGER.test(digits) && !NUMBER.test(digits)) return steps.otherNumber(digits);
  const text = steps.numberText(steps.heldNumber(digits));
  return text === '0' ? steps.signOfZero(digits) + text : text;
}
export function valueText(value: ScalarValue, context: Context): string {
  const { steps } = context;
  if (typeof value === 'string') return steps.stringText(value, context);
  if (typeof value === 'boolean') return steps.booleanText(value);
  return steps.signedNumber(value.number, context);
}
/** The text of a parameter in the signature and in queries. */
export const parameterText = (parameter: FlatParameter, context: Context): string =>
  context.steps.valueText(parameter[1], context);

// --- The string to sign and its digest (steps 2 to 6)

export const compareParameterNames = (a: string, b: string): number => compareBytes(a, b);
/** Step 2. Queries send the parameters in this order too. */
export const sortedParameters = (pairs: readonly Pair[], { steps }: Context): readonly Pair[] =>
  sortList(pairs, (a, b) => steps.compareParameterNames(a[0], b[0]));
/** The sorted parameters that enter the signed text. The second argument has their values before formatting. */
export const signedPairs = (pairs: readonly Pair[], _parameters: FlatParameters): readonly Pair[] =>
  pairs;
export const signedName = (name: string): string => name;
export const signedValue = (text: string): string => text;
/** The name immediately followed by the value (step 3). */
export const parameterEntry = (name: string, text: string): string => name + text;
export const joinParameterEntries = (entries: readonly string[]): string => joinTexts(entries, '');
/** Step 3 for all parameters. */
export function parametersText(pairs: readonly Pair[], { steps }: Context): string {
  const entries: string[] = [];
  for (const pair of pairs) {
    entries.push(steps.parameterEntry(steps.signedName(pair[0]), steps.signedValue(pair[1])));
  }
  return steps.joinParameterEntries(entries);
}
export const actionText = (text: string): string => text;
export const actionKey = (privateKey: string): string => privateKey;
export const actionPieces = (text: string, privateKey: string): readonly Piece[] => [
  ['the parameters', text],
  ['the private key', privateKey],
];
/** The private key ends the text (step 4). */
export const withPrivateKey = (text: string, privateKey: string, { steps }: Context): string =>
  joinPieces(steps.actionPieces(text, steps.actionKey(privateKey)));
export const actionTextBytes = (text: string): Uint8Array => utf8Bytes(text);
export const sha1 = (bytes: Uint8Array): Uint8Array => digestSha1(bytes);
/** Step 5. The second argument is for mistakes whose algorithm takes the key separately. */
export const actionDigest = (
  stringToSign: string,
  _parts: { readonly text: string; readonly privateKey: string },
  { steps }: Context,
): Uint8Array => steps.sha1(steps.actionTextBytes(stringToSign));
/** Step 6: two lower-case hexadecimal digits a byte. */
export const actionSignatureText = (digest: Uint8Array): string => hexadecimal(digest);

/**
 * Signs flat parameters: the hexadecimal SHA-1 of the sorted names and values and the private key. The last argument is for mistakes
 * that sign another form of the parameters than they send.
 */
export function signatureOfFlat(
  parameters: FlatParameters,
  privateKey: string,
  context: Context,
  _given: ActionParameters,
): ActionStages {
  const { steps } = context;
  checkText('the private key', privateKey);
  const formatted: Pair[] = [];
  for (const parameter of parameters) {
    formatted.push([parameter[0], steps.parameterText(parameter, context)]);
  }
  const sorted = steps.sortedParameters(formatted, context);
  const signed = steps.signedPairs(sorted, parameters);
  const text = steps.actionText(steps.parametersText(signed, context));
  const stringToSign = toStringToSign(steps.withPrivateKey(text, privateKey, context));
  const signature = hexadecimalSha1(stringToSign, { text, privateKey }, context);
  return { sortedParameters: sorted, stringToSign, signature };
}

/** Steps 5 and 6. */
function hexadecimalSha1(
  stringToSign: string,
  parts: { readonly text: string; readonly privateKey: string },
  context: Context,
): string {
  const { steps } = context;
  const isCorrect =
    steps.actionDigest === actionDigest &&
    steps.actionTextBytes === actionTextBytes &&
    steps.sha1 === sha1 &&
    steps.actionSignatureText === actionSignatureText;
  if (!isCorrect)
    return steps.actionSignatureText(steps.actionDigest(stringToSign, parts, context));
  // Without a mistake in these steps, one call does the same in a third of the time.
  checkText('a text', stringToSign);
  return sha1OfText(stringToSign);
}

// --- §4.1, §4.2, §5.3: the forms in which signed parameters travel

/** Refuses a request that lacks a required parameter. */
export function checkPresent(
  parameters: FlatParameters,
  required: readonly string[],
  section: string,
): void {
  const missing = required.find((name) => !parameters.some(([present]) => present === name));
  if (missing === undefined) return;
  throw new InputError(
    'parameter-missing',
    `parameter ${missing} is missing; ${section} requires it; add it before signing`,
  );
}
export const isSentParameter = (_name: string): boolean => true;
/** Every percent-encoding of the suite (§5.3). */
export const urlEncode = (text: string): string => encode(text);
export const queryName = (name: string, { steps }: Context): string => steps.urlEncode(name);
export const queryValue = (text: string, { steps }: Context): string => steps.urlEncode(text);
/** One pair of a query, both sides encoded. */
export const queryPair = (name: string, text: string, context: Context): string =>
  `${context.steps.queryName(name, context)}=${context.steps.queryValue(text, context)}`;
/** Hexadecimal digits need no escapes, but the signature of a wrong signer may. */
export const querySignature = (signature: string, { steps }: Context): string =>
  steps.urlEncode(signature);
export const queryPairs = (pairs: readonly string[], signature: string): readonly string[] => [
  ...pairs,
  signature,
];
/** The name under which a query or a body sends the signature. */
export const signatureName = (): string => 'Signature';
export const joinQuery = (pairs: readonly string[]): string => pairs.join('&');
export const queryText = (query: string): string => query;
/** `name=value` pairs with `&`, `Signature` appended last. */
export function signedQuery(
  parameters: readonly Pair[],
  signature: string,
  context: Context,
): string {
  const { steps } = context;
  const pairs = parameters.map(([name, text]) => steps.queryPair(name, text, context));
  const last = `${steps.signatureName()}=${steps.querySignature(signature, context)}`;
  return steps.queryText(steps.joinQuery(steps.queryPairs(pairs, last)));
}
/** A slash and the query (§4.1). */
export const bucketTarget = (query: string): string => `/?${query}`;

export const jsonName = (name: string): string => JSON.stringify(name);
/** A value as a member of the JSON body: numbers stay numbers (§4.2). */
export function jsonValue(value: ScalarValue, { steps }: Context): string {
  if (typeof value === 'string') return JSON.stringify(steps.heldText(value));
  return typeof value === 'boolean' ? `${value}` : numberText(steps.heldNumber(value.number));
}
/** The members of the JSON body except `Signature`: the parameters as they are signed. The unused arguments are for mistakes that send them. */
export function jsonMembers(
  sent: FlatParameters,
  _given: ActionParameters,
  context: Context,
  _privateKey: string,
): readonly string[] {
  const { steps } = context;
  return sent.map(([name, value]) => `${steps.jsonName(name)}:${steps.jsonValue(value, context)}`);
}
export const jsonSignature = (signature: string): string => signature;
/** One JSON object with the members and `Signature` (§4.2). */
export const jsonBody = (
  members: readonly string[],
  signature: string,
  { steps }: Context,
): string =>
  `{${[
    ...members,
    `${JSON.stringify(steps.signatureName())}:${JSON.stringify(steps.jsonSignature(signature))}`,
  ].join(',')}}`;
export const bodyText = (body: string): string => body;
