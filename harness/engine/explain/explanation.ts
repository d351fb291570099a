/**
 * Explains the signature of one captured request, in lines.
 *
 * @module
 */
import {
  type Context,
  type Dialect,
  InputError,
  inDialect,
  type KeyPair,
} from '../../../reference/signing/index.ts';
import { isMistake } from '../diagnosis/diagnose.ts';
import { dialectName } from '../dialects.ts';
import { quote } from '../excerpt.ts';
import type { Rule } from '../vector.ts';
import { type RequestExplanation, type SearchResult, searchCauses } from './causes.ts';
import {
  findRefusalRule,
  findStructuralFault,
  listSignedLines,
  redactedText,
  type Signature,
  type SignedRequest,
  type StructuralFault,
  signRequest,
} from './signed-request.ts';

export interface ExplainOptions {
  readonly keys: KeyPair;
  /** The clock in Unix seconds. */
  readonly now: number;
  readonly rules: readonly Rule[];
  /** The limit of the search for causes, in computed signatures; with 0, only single causes are found. */
  readonly evaluations?: number;
  /** Is called for each signature that the search computes. */
  readonly onSignature?: () => void;
}

export interface Line {
  readonly kind: 'heading' | 'right' | 'wrong' | 'row' | 'prose';
  readonly text: string;
  /** The id of the cause that the line names. */
  readonly cause?: string;
}

export interface ExplainedRequest {
  readonly isRight: boolean;
  readonly lines: readonly Line[];
  /** The last of these lines: whether the signature is correct, and the causes if it is not. */
  readonly verdict: readonly Line[];
}

const KINDS = {
  header: 'file request with an Authorization header (§5.2)',
  url: 'pre-signed URL (§5.4)',
  form: 'form upload (§4.3, §5.2)',
  query: 'action or bucket management request with a query (§5.1)',
  json: 'action with a JSON body (§5.1)',
} as const;

/** Further explanations are counted, not shown. */
const MOST_SHOWN = 4;

const row = (text: string): Line => ({ kind: 'row', text: `  ${text}` });
const prose = (text: string): Line => ({ kind: 'prose', text });
const heading = (text: string): Line => ({ kind: 'heading', text });
const wrongLine = (text: string): Line => ({ kind: 'wrong', text });

function describeKind(signed: SignedRequest): string {
  return KINDS[signed.kind === 'parameters' ? signed.form : signed.kind];
}

/** Explains a request: the string to sign, the expected signature, the sent one, and the cause of the difference. */
export function explainSignature(
  recognized: SignedRequest,
  options: ExplainOptions,
): ExplainedRequest {
  const context = inDialect(recognized.dialect);
  const { publicKey = options.keys.publicKey } = recognized.sent;
  // The account is checked separately; everything else uses the public key of the request and the given private key.
  const keys = { publicKey, privateKey: options.keys.privateKey };
  try {
    const signed = guessVerb(recognized, keys, context);
    const right = signRequest(signed, keys, context);
    return explainSigned(signed, right, keys, context, options);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const verdict = [wrongLine(`wrongly signed: no signature is correct: ${error.message}`)];
    const lines = [heading(formatTitle(recognized)), prose(''), ...verdict];
    return { isRight: false, lines, verdict };
  }
}

/** A URL alone has no verb: chooses the one that it is signed for, or GET. */
function guessVerb(signed: SignedRequest, keys: KeyPair, context: Context): SignedRequest {
  if (signed.kind !== 'url' || !signed.verbUnknown) return signed;
  const candidates = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'].map((method) => ({
    ...signed,
    request: { ...signed.request, method },
  }));
  return candidates.find((one) => matches(one, signRequest(one, keys, context))) ?? signed;
}

function matches({ sent }: SignedRequest, { written }: Signature): boolean {
  return sent.written === written;
}

function explainSigned(
  signed: SignedRequest,
  right: Signature,
  keys: KeyPair,
  context: Context,
  options: ExplainOptions,
): ExplainedRequest {
  const wrongs = listWrongs(signed, right, keys, context, options);
  const isRight = wrongs.length === 0;
  const verdict = [
    ...(isRight
      ? [{ kind: 'right', text: `correctly signed: ${describeKind(signed)}` } as const]
      : wrongs),
    ...signed.notes.map((note) => prose(`note: ${note}`)),
  ];
  return {
    isRight,
    verdict,
    lines: [
      heading(formatTitle(signed)),
      prose(''),
      heading('string to sign'),
      ...formatText(signed, context),
      prose(''),
      heading('signature'),
      ...formatSignature(signed, right, context),
      prose(''),
      ...verdict,
    ],
  };
}

/** Why the request is refused; empty if it is correct. */
function listWrongs(
  signed: SignedRequest,
  right: Signature,
  keys: KeyPair,
  context: Context,
  options: ExplainOptions,
): readonly Line[] {
  const { keys: own, now, rules } = options;
  if (signed.otherDialect) return [formatDialectFault(signed, signed.otherDialect)];
  const fault = findStructuralFault(signed, keys, context);
  const isMatch = matches(signed, right);
  return [
    ...(isMatch
      ? formatFault(signed, fault, 'refused: the signature is correct, but ', rules)
      : explainMismatch(signed, keys, context, fault, options)),
    ...checkAccount(signed, own, isMatch, rules),
    ...(isMatch && !fault ? checkExpiry(signed, now, context, rules) : []),
  ];
}

function formatFault(
  signed: SignedRequest,
  fault: StructuralFault | undefined,
  introduction: string,
  rules: readonly Rule[],
): readonly Line[] {
  if (!fault) return [];
  const rule = findRefusalRule(fault.reason, fault.message, signed.kind === 'url');
  return [wrongLine(`${introduction}${fault.message}`), ...formatRule(rule, rules)];
}

function formatDialectFault({ kind, dialect }: SignedRequest, other: Dialect): Line {
  const word = kind === 'url' ? 'publicKeyParameter' : 'scheme';
  const text = `another dialect: the request has ${other[word]}, but --dialect names the dialect with ${dialect[word]}; pass --dialect ${dialectName(other)}, or leave out --dialect`;
  return wrongLine(text);
}

function formatTitle(signed: SignedRequest): string {
  if (signed.kind === 'parameters') return describeKind(signed);
  const { bucket, key } = signed.request;
  const sent = signed.kind === 'form' ? 'POST' : signed.request.method;
  const verb = signed.kind === 'url' && signed.verbUnknown ? `a URL, taken for ${sent}` : sent;
  return `${describeKind(signed)}, scheme ${signed.dialect.scheme}: ${verb}, bucket ${quote(bucket)}, key ${quote(key)}`;
}

function formatText(signed: SignedRequest, context: Context): readonly Line[] {
  const lines = listSignedLines(signed, context);
  const isParameters = signed.kind === 'parameters';
  const label = isParameters ? 'part' : 'line';
  // The policy continues the line of the resource.
  const numbers = lines.map(({ name }, i) => (name === 'policy' ? '' : `${label} ${i + 1}`));
  const shown = lines.map(({ name, text, origin }, i) => [
    numbers[i] ?? '',
    isParameters ? quote(name).slice(1, -1) : name,
    quote(text.replace(/\n$/, '')),
    origin,
  ]);
  const widths = [0, 1, 2].map((column) =>
    shown.reduce((most, cells) => Math.min(60, Math.max(most, cells[column]?.length ?? 0)), 0),
  );
  return [
    ...shown.map((cells) => row(cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  '))),
    row(`whole  ${quote(redactedText(signed, context))}`),
  ];
}

function formatSignature(
  signed: SignedRequest,
  right: Signature,
  context: Context,
): readonly Line[] {
  const { kind, sent } = signed;
  const isWhole = sent.publicKey === undefined && (kind === 'header' || kind === 'form');
  const isVisible = /^[!-~]+(?: [!-~]+)*$/.test(sent.signature);
  const given = isVisible ? sent.signature : quote(sent.signature);
  const encoded = kind === 'url' ? context.steps.urlEncode(right.signature) : right.signature;
  return [
    row(`expected  ${isWhole ? right.written : right.signature}`),
    ...(encoded === right.signature ? [] : [row(`          ${encoded} in the URL`)]),
    row(`sent      ${sent.signature === '' ? 'nothing' : given}`),
  ];
}

function formatRule(id: string | undefined, rules: readonly Rule[]): readonly Line[] {
  const rule = rules.find((one) => one.id === id);
  return rule ? [prose(`  rule ${id} (${rule.level}): ${rule.text}`)] : [];
}

function checkAccount(
  { sent }: SignedRequest,
  { publicKey, privateKey }: KeyPair,
  isMatch: boolean,
  rules: readonly Rule[],
): readonly Line[] {
  if (sent.publicKey === undefined || sent.publicKey === publicKey) return [];
  // Never show the public key of the pair: if the user swapped the two keys, it is the private key.
  const isSwapped = sent.publicKey === privateKey;
  const text = isSwapped
    ? 'the public key in the request is the private key of the given key pair: either the request or the key pair has the two keys exchanged'
    : `the request names the public key ${quote(sent.publicKey)}, but the given key pair belongs to a different account`;
  const hint = isSwapped ? 'exchange them' : 'if that account signed it, pass its key pair';
  const refusal = `refused: ${text}; the signature was made with the given private key; send the public key of the same account`;
  return [
    isMatch ? wrongLine(refusal) : prose(`${text}; ${hint}`),
    ...formatRule('5/key-of-account', rules),
  ];
}

function checkExpiry(
  signed: SignedRequest,
  now: number,
  { steps }: Context,
  rules: readonly Rule[],
): readonly Line[] {
  if (signed.kind !== 'url') return [];
  const { expires } = signed.request;
  if (!steps.isExpired(Number(expires), now)) return [];
  const text = `expired: the signature is correct, but the URL expired at ${expires}, ${now - Number(expires)} seconds ago (the time is ${now}); sign a new one`;
  return [wrongLine(text), ...formatRule('5.4/expiry', rules)];
}

/** Refusals for a missing or malformed signature, which a cause explains better. */
const SIGNATURE_REFUSALS = ['authorization-malformed', 'signature-missing', 'form-malformed'];

/** Explains why the signature differs, and what else is wrong. */
function explainMismatch(
  signed: SignedRequest,
  keys: KeyPair,
  context: Context,
  fault: StructuralFault | undefined,
  { rules, evaluations, onSignature }: ExplainOptions,
): readonly Line[] {
  const search =
    signed.sent.signature === ''
      ? undefined
      : searchCauses(signed, keys, context, evaluations, onSignature);
  const isOfSignature = fault !== undefined && SIGNATURE_REFUSALS.includes(fault.reason);
  const beside = isOfSignature ? [] : formatFault(signed, fault, 'also refused: ', rules);
  const rightText = redactedText(signed, context);
  const found = formatExplanations(search?.explanations ?? [], rightText, rules, 'wrongly signed');
  if (found.length > 0) return [...found, ...beside];
  if (isOfSignature) return formatFault(signed, fault, 'wrongly signed: ', rules);
  return [
    wrongLine('wrongly signed: no known mistake explains it'),
    ...(search ? [describeSearch(search, signed)] : []),
    ...beside,
  ];
}

/** @param introduction what precedes the cause */
export function formatExplanations(
  explanations: readonly RequestExplanation[],
  rightText: string,
  rules: readonly Rule[],
  introduction: string,
): readonly Line[] {
  const shown = explanations.slice(0, MOST_SHOWN).map((one) => ({
    summary: one.causes.map(({ wrong }) => wrong).join('; and '),
    details: formatDetails(one, rightText, rules),
  }));
  const [first, ...others] = shown;
  if (!first) return [];
  if (others.length === 0)
    return [wrongLine(`${introduction}: ${first.summary}`), ...first.details];
  const count = explanations.length;
  return [
    wrongLine(`${introduction}: one of ${count} causes; this example cannot tell which`),
    ...shown.flatMap(({ summary, details }, i) => [prose(`${i + 1}. ${summary}`), ...details]),
    ...(count > MOST_SHOWN ? [prose(`… and ${count - MOST_SHOWN} more`)] : []),
  ];
}

function formatDetails(
  { causes, text }: RequestExplanation,
  rightText: string,
  rules: readonly Rule[],
): readonly Line[] {
  return [
    ...causes.flatMap((cause) => [
      { ...prose(`  ${isMistake(cause) ? 'mistake' : 'cause'} ${cause.id}`), cause: cause.id },
      prose(`  fix ${cause.fix}`),
      ...formatRule(cause.rule, rules),
    ]),
    ...(text === '' || text === rightText ? [] : [row(`signed instead  ${quote(text)}`)]),
  ];
}

function describeSearch({ tried }: SearchResult, { kind }: SignedRequest): Line {
  const other =
    kind === 'parameters'
      ? 'a parameter that was changed after signing'
      : 'a header, a verb or a key that was changed after signing';
  return prose(
    `  tried: the ${tried} known mistakes that affect this signature, and some of their pairs; possible causes are another private key, ${other}, or an unknown mistake; compare the text above with the one that your code signs`,
  );
}
